"""A happening: one typed event that a role or the kernel emits, with all facts about it.

A happening holds plain values: names, numbers, codes (enums), tuples, rows of tables, batches. It holds no
text and no object of a role, and a key of the catalogue only where a refusal names one
(``Refused.sentences``). Judges take happenings as facts, and ``engine/telling`` makes the sentences and notes
of a step from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True)
def happening(made: type[Made]) -> type[Made]:
    """Decorator: make a dataclass with slots and a hash. Instances do not change; mypy checks this, as for
    ``engine.value``."""
    return dataclass(slots=True, unsafe_hash=True)(made)


class Happening:
    """An event that a role or the kernel emits. ``makes_step``: the event of the timetable that is being handled
    becomes a step of the run. ``judged``: judges take the happening as a fact."""

    __slots__ = ()
    makes_step: ClassVar[bool] = True
    judged: ClassVar[bool] = False


class Aside(Happening):
    """A happening that is added to the step of another one, and makes no step itself."""

    __slots__ = ()
    makes_step: ClassVar[bool] = False


class Fact(Aside):
    """A change of stored data, or a result for an application. Judges take it; a step has no sentence about
    it."""

    __slots__ = ()
    judged: ClassVar[bool] = True
