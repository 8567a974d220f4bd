"""Finds the classes of a package whose modules have one class each. A class needs no other registration."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import ClassVar, Protocol, TypeVar


class Ordered(Protocol):
    order: ClassVar[int]
    """The position of the class in lists."""


One = TypeVar("One", bound=Ordered)


def each_in(package: str, base: type[One]) -> tuple[One, ...]:
    """One object of each class that extends `base` in the package's modules, sorted by `order`."""
    named = (f"{package}.{module.name}" for module in iter_modules(import_module(package).__path__))
    held = [value for name in named for value in vars(import_module(name)).values()]
    found = {one for one in held if isinstance(one, type) and issubclass(one, base) and one is not base}
    return tuple(sorted((one() for one in found), key=lambda one: one.order))
