"""What a happening is: one typed event that a role emits, and the whole story of what it did.

A happening holds plain values: names, numbers, codes (enums), tuples. It holds no words, no key of the catalogue and no
live part of a role. Judges, facts, the view's notes and the sentences of a step all read it; what it reads like stands
in ``engine/telling``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True)
def happening(made: type[Made]) -> type[Made]:
    """A value with slots; never changed once made (mypy holds that, as for ``engine.value``)."""
    return dataclass(slots=True, unsafe_hash=True)(made)


class Happening:
    """``makes_step``: what the kernel lets happen then is a step. ``judged``: judges weigh it."""

    __slots__ = ()
    makes_step: ClassVar[bool] = True
    judged: ClassVar[bool] = False


class Aside(Happening):
    """An event that joins a step of another event and makes none by itself."""

    __slots__ = ()
    makes_step: ClassVar[bool] = False


class Fact(Aside):
    """A change of stored data, or a result for an application: judges weigh it, and it has no sentence."""

    __slots__ = ()
    judged: ClassVar[bool] = True
