"""Records which fields of a case were read while it was played.

A case may have fields that the engine does not know, because of a later schema or a typing error. Such a case is
played nevertheless, and each unread field is reported with its place. Two kinds of unread fields are not reported:
prose, and the fields of an object of which no field, or ``versions``, was read. So no list of the known fields of
each operation is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PROSE = frozenset({"name", "detail", "note", "comment", "description"})
"""Fields that only describe a case to its reader; no run reads them."""
PLAYED = ("config", "input", "leaders", "ops", "expected")
"""The fields of a case that may be read while it is played. Its other fields say its name and origin."""


class Tracked(dict[str, Any]):
    """An object of a case that records which of its fields were read."""

    __slots__ = ("read",)

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)

    def items(self) -> Any:
        self.read.update(self)
        return super().items()

    def values(self) -> Any:
        self.read.update(self)
        return super().values()

    def __iter__(self) -> Iterator[str]:
        self.read.update(self.keys())
        return super().__iter__()


def watched(value: Any) -> Any:
    """A copy whose objects record which of their fields were read."""
    if isinstance(value, dict):
        return Tracked({name: watched(inner) for name, inner in value.items()})
    if isinstance(value, list):
        return [watched(inner) for inner in value]
    return value


def unread(part: Any, place: str) -> Iterator[str]:
    """The places of the unread fields, except prose. The fields of an object are left out if none of them was
    read, or if ``versions`` was."""
    if isinstance(part, list):
        for index, inner in enumerate(part):
            yield from unread(inner, f"{place}[{index}]")
    elif isinstance(part, Tracked):
        is_opened = bool(part.read) and "versions" not in part.read
        for name, inner in dict.items(part):
            if is_opened and name not in part.read and name not in PROSE:
                yield f"{place}.{name}"
            yield from unread(inner, f"{place}.{name}")
