"""The state after a step in the form that pages get; docs/websocket.md, *Near views*."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from engine.shapes.derived import Derived
from engine.shapes.views import View

FoldedStretch = tuple[int, int, int]
"""First serial, last serial (both inclusive), and number of records."""
FoldedBatches = tuple[int, int, int, int]
"""First offset, last offset (both inclusive), number of batches, and number of records in them."""
FoldedQueue = tuple[str, str, int, int]
"""First batch, last batch, number of batches, and number of records in them."""


class FoldedRecords(TypedDict):
    """Records that are not listed."""

    stretches: list[FoldedStretch]
    counts: dict[str, dict[str, int]]
    """Dict of producer → status → number of the producer's records with this status that are not listed."""


class Folded(TypedDict):
    """How many entries a near view leaves out, and where."""

    at: int
    """The step at which old entries were left out."""
    reaches: int
    """A page may step back this many steps from `at` and still has every entry that it draws."""
    records: NotRequired[FoldedRecords]
    logs: NotRequired[dict[str, dict[str, list[FoldedBatches]]]]
    """Dict of partition → replica → the batches that are left out."""
    batches: NotRequired[dict[str, dict[str, FoldedQueue]]]
    """Dict of client → partition of the queue → the batches that are left out."""


class NearView(View):
    """The state after a step, in the form that pages get."""

    derived: NotRequired[Derived]
    """Absent in recordings of earlier engines."""
    folded: NotRequired[Folded]
