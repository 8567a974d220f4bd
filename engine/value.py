"""Dataclasses whose fields never change, and whose objects are quick to build.

A frozen dataclass sets each field through ``object.__setattr__``, so it takes several times as long to build as
a plain one, and a run builds several messages in every step. Here only mypy enforces immutability: it rejects
an assignment to a field, as for a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(kw_only_default=True, frozen_default=True)
def value(made: type[Made]) -> type[Made]:
    """Decorator that makes a dataclass with slots and keyword-only fields, compared and hashed by its fields."""
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(made)


@dataclass_transform(frozen_default=True)
def ordered_value(made: type[Made]) -> type[Made]:
    """Decorator like `value`, but with positional fields. It is for objects that are built very often, because
    keyword arguments take two thirds longer."""
    return dataclass(slots=True, unsafe_hash=True)(made)


def reader_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that reads the fields ``names`` of an object and returns their values as a tuple."""
    if not names:
        return _nothing
    return _Single(attrgetter(*names)) if len(names) == 1 else attrgetter(*names)


def _nothing(_: Any) -> tuple[()]:
    return ()


class _Single:
    """Returns the value of one field as a tuple. (An ``attrgetter`` of one name returns the value itself.)"""

    __slots__ = ("get",)

    def __init__(self, get: Callable[[Any], Any]) -> None:
        self.get = get

    def __call__(self, of: Any) -> tuple[Any]:
        return (self.get(of),)
