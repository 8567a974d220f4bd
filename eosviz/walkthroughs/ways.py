"""From one view of a line to another without the steps between them: what a page that jumps far has to change.

Of everything that the steps on the way did to one path only the last counts, so a way over a thousand steps is a
small part of them. It is told in the order of docs/frame.md and leads to the same view (empty objects apart).
No name of a view is known here, and no value is read: each goes on as the JSON that it is stored as.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Raw, UnsetType


class WayChange(msgspec.Struct, frozen=True):
    """Without `after` the path is removed."""

    path: list[str]
    after: Raw | UnsetType = UNSET


class _Change(msgspec.Struct):
    path: list[str]
    before: Raw | UnsetType = UNSET
    after: Raw | UnsetType = UNSET


class _Derived(msgspec.Struct):
    changes: list[_Change] = msgspec.field(default_factory=list)


class _Changes(msgspec.Struct):
    changes: list[_Change]
    derived: _Derived = msgspec.field(default_factory=_Derived)


_decode = msgspec.json.Decoder(_Changes).decode


def way_over(bodies: Iterable[bytes], backward: bool) -> list[WayChange]:
    """The changes from before these steps (JSON as pages get it, in the order of the line) to after them; `backward`:
    from after the first of them, which are then given newest first, to before the last.
    """
    found: dict[tuple[str, ...], WayChange] = {}
    for body in bodies:
        step = _decode(body)
        changes = step.changes + step.derived.changes
        for change in reversed(changes) if backward else changes:
            path = tuple(change.path)
            # A path that was written before moves to the end: what was written over it meanwhile came first.
            found.pop(path, None)
            found[path] = WayChange(change.path, change.before if backward else change.after)
    return list(found.values())
