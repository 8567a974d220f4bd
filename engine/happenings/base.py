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
    """What belongs to a step that something else makes, and makes none by itself."""

    __slots__ = ()
    makes_step: ClassVar[bool] = False


class Fact(Aside):
    """What happened to stored data, or what an application learned: judges weigh it, no sentence tells it."""

    __slots__ = ()
    judged: ClassVar[bool] = True
