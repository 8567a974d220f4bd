"""Finds the records that a read_committed consumer would get from the log of a log case, which has no consumers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.client.reading import ABORTED, CONTROL, DELIVERED
from engine.reader_lanes import UNDECIDED
from engine.shapes.readers import LaneStretch, ReaderLaneView
from engine.view.places import INTERNAL

LISTED = 60
"""Of the batches below the consumer's position, at most this many of the newest are listed."""


def possible(view: Mapping[str, Any], partition: str) -> ReaderLaneView | None:
    """The lane of a consumer that has read as far as the last stable offset. None outside of a log case, and for
    internal topics, which applications do not read."""
    log = view.get("partitions", {}).get(partition)
    if log is None or "clients" in view or partition.startswith(INTERNAL) or len(log["replicas"]) != 1:
        return None
    (replica,) = log["replicas"].values()
    stable, end = replica.get("last_stable_offset"), replica.get("high_watermark")
    if stable is None or end is None:
        return None
    start, batches = replica.get("log_start") or 0, replica.get("batches", {})
    stretches: list[LaneStretch] = []
    listed = 0
    for base, batch in reversed(batches.items()):
        if listed == LISTED:
            break
        first, last = max(start, int(base)), min(stable - 1, batch["last_offset"])
        if first > last:
            continue
        listed += 1
        fate = (
            CONTROL
            if batch.get("control") is not None
            else ABORTED
            if batch.get("outcome") == "aborted"
            else DELIVERED
        )
        if stretches and stretches[-1][2] == fate and stretches[-1][0] == last + 1:
            last = stretches.pop()[1]
        stretches.append((first, last, fate))
    stretches.reverse()
    holder = batches.get(str(stable), {}).get("producer_id")
    return {
        "position": stable,
        "stretches": stretches,
        "folded": max(0, stretches[0][0] - start) if stretches else 0,
        "ahead": [(stable, end - 1, UNDECIDED)] if stable < end else [],
        "bound": stable,
        "held_by": None
        if stable >= end or holder is None
        else {"producer_id": holder, "first_offset": stable},
    }
