"""The state after a step as a page is given it; docs/websocket.md, *Sights*."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from engine.shapes.derived import Derived
from engine.shapes.views import View

FoldedStretch = tuple[int, int, int]
"""First and last serial, and how many records."""
FoldedBatches = tuple[int, int, int, int]
"""First and last offset, batches, records in them."""
FoldedQueue = tuple[str, str, int, int]
"""The first and the last batch, how many, records in them."""


class FoldedRecords(TypedDict):
    """Records that are not listed."""

    stretches: list[FoldedStretch]
    counts: dict[str, dict[str, int]]
    """By producer, how many have each status."""


class Folded(TypedDict):
    """The counts of entries that a sight leaves out."""

    at: int
    """The step where the view was cut."""
    reaches: int
    """The number of steps before it whose entries are all listed."""
    records: NotRequired[FoldedRecords]
    logs: NotRequired[dict[str, dict[str, list[FoldedBatches]]]]
    """By partition and replica."""
    batches: NotRequired[dict[str, dict[str, FoldedQueue]]]
    """By client and partition of the queue."""


class Sight(View):
    """The state after a step, as a page is given it."""

    derived: NotRequired[Derived]
    """Absent in recordings of earlier engines."""
    folded: NotRequired[Folded]
