"""A happening: one typed event that a role emits, with all facts about it.

A happening holds plain values: names, numbers, codes (enums), tuples. It holds no text, no key of the
catalogue and no object of a role. It is the source of facts, of the view's notes and of the sentences of a
step; the sentences are in ``engine/telling``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True)
def happening(made: type[Made]) -> type[Made]:
    """Decorator: makes a class of values with slots that never change (mypy checks this, as for ``engine.value``)."""
    return dataclass(slots=True, unsafe_hash=True)(made)


class Happening:
    """An event that a role emits. ``makes_step``: the event of the queue in which it is emitted becomes a
    step. ``judged``: judges take it as a fact."""

    __slots__ = ()
    makes_step: ClassVar[bool] = True
    judged: ClassVar[bool] = False


class Aside(Happening):
    """A happening that is added to the step of another one, and makes no step itself."""

    __slots__ = ()
    makes_step: ClassVar[bool] = False


class Fact(Aside):
    """A change of stored data, or a result for an application: judges take it, and it has no sentence."""

    __slots__ = ()
    judged: ClassVar[bool] = True
