"""Finds the next events, in the order in which they will happen (GEN-2)."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nsmallest
from typing import Any

from engine.pending import CLASS_NAMES

LISTED = 6
"""At most this many events are listed. The view holds all queued events, but in no order."""

_RANK = {name: rank for rank, name in enumerate(CLASS_NAMES)}


def due_next(pending: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The names of the next queued events, ordered by time, then by class, then by the order of queueing."""
    order = [(event["at"], _RANK[event["class"]], int(name)) for name, event in pending.items()]
    return [str(name) for _, _, name in nsmallest(LISTED, order)]
