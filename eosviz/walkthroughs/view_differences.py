"""Computes the net difference between the views at two steps of a branch, for a page that jumps over many
steps. The page then does not need the steps between them.

Of all changes of one path, only the last counts, so the difference over a thousand steps is small. Its
changes are in the order of docs/frame.md and lead to the same view (apart from empty objects). This file uses
no name of the view and decodes no value: it passes each value on as stored JSON.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Raw, UnsetType


class NetChange(msgspec.Struct, frozen=True):
    """A change of the value at `path`. Without `after`, the path is removed."""

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


def net_changes(bodies: Iterable[bytes], backward: bool) -> list[NetChange]:
    """Returns the net changes of some consecutive steps. `bodies`: the steps as JSON, as pages get them:
    oldest first or, with `backward`, newest first. With `backward`, the changes lead from the view after the
    newest step to the view before the oldest step."""
    found: dict[tuple[str, ...], NetChange] = {}
    for body in bodies:
        step = _decode(body)
        changes = step.changes + step.derived.changes
        for change in reversed(changes) if backward else changes:
            path = tuple(change.path)
            # A path that was written before moves to the end, after the paths that were written meanwhile.
            found.pop(path, None)
            found[path] = NetChange(change.path, change.before if backward else change.after)
    return list(found.values())
