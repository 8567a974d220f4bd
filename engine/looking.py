"""A whole view built from its parts, and its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from engine.step import canonical, place
from engine.watching import Part

_NOT_STATE = ("guarantees", "verdicts", "counters", "pending")
"""The tables of a view that digests leave out, because verdicts, counters and due times depend on the history
of a run, not on its state."""


def whole_view(empty: dict[str, Any], parts: Iterable[Part]) -> dict[str, Any]:
    """The view of docs/frame.md. A part whose place is inside that of another part is inserted after it."""
    for part in sorted(parts, key=_depth):
        shown = part.view()
        if shown is not None:
            place(empty, part.path, shown)
    return empty


def _depth(part: Part) -> int:
    return len(part.path)


def digest_of(view: dict[str, Any]) -> str:
    """SHA-256 over the canonical text of the state in a view."""
    state = {key: value for key, value in view.items() if key not in _NOT_STATE}
    return hashlib.sha256(canonical(state).encode()).hexdigest()
