"""Values that are never changed once made, and cheap to make.

A frozen dataclass sets each field through ``object.__setattr__``, which makes it four times as slow to build
as a plain one; a run builds several messages in every step. Here mypy alone keeps the promise: it refuses an
assignment to a field, as it does for a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(kw_only_default=True, frozen_default=True)
def value(made: type[Made]) -> type[Made]:
    """A dataclass with slots, with fields given by name, compared and hashed by its fields."""
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(made)


@dataclass_transform(frozen_default=True)
def ordered_value(made: type[Made]) -> type[Made]:
    """As `value`, with fields given in order: for objects that every second step builds, because names cost two
    thirds more."""
    return dataclass(slots=True, unsafe_hash=True)(made)


def reader_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that reads these fields of an object at once."""
    if not names:
        return _nothing
    return _Single(attrgetter(*names)) if len(names) == 1 else attrgetter(*names)


def _nothing(_: Any) -> tuple[()]:
    return ()


class _Single:
    """An ``attrgetter`` of one name gives the value alone, not a tuple of one."""

    __slots__ = ("get",)

    def __init__(self, get: Callable[[Any], Any]) -> None:
        self.get = get

    def __call__(self, of: Any) -> tuple[Any]:
        return (self.get(of),)
