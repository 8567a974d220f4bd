"""Says why read_committed consumers do not get records that are replicated: one reason for each stretch between the
last stable offset and the high watermark (CON-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.shapes.derived import HeldReason, HeldStretch

Json = Mapping[str, Any]

LOOKED_AT = 500
"""Of each log, at most this many of the newest batches are read, including those above the high watermark."""
_UNDECIDED = ("open", "ended")


def held(view: Json, partition: str) -> list[HeldStretch]:
    """The stretches that consumers do not get yet, in the order of the log. They contain no markers, because no
    application gets markers."""
    log = view.get("partitions", {}).get(partition)
    replica = None if log is None else _leading(log)
    if replica is None:
        return []
    stable, end = replica.get("last_stable_offset"), replica.get("high_watermark")
    # Batches by rising offset (watched.py keeps this order).
    batches = replica.get("batches", {})
    if stable is None or end is None or stable >= end:
        return []
    holder = batches.get(str(stable), {}).get("producer_id")
    found: list[HeldStretch] = []
    for looked_at, (base, batch) in enumerate(reversed(batches.items())):
        if batch["last_offset"] < stable or looked_at == LOOKED_AT:
            break
        reason = _reason(batch, holder)
        if int(base) >= end or reason is None:
            continue
        start, last = max(stable, int(base)), min(end - 1, batch["last_offset"])
        if found and found[-1][2] == reason and found[-1][0] == last + 1:
            last = found.pop()[1]
        found.append((start, last, reason))
    return found[::-1]


def _leading(log: Json) -> Json | None:
    """The leader's log; in a log case, which has no leader, the only log."""
    replicas: dict[str, Json] = log.get("replicas", {})
    leader = replicas.get(str(log.get("leader")))
    return next(iter(replicas.values())) if leader is None and len(replicas) == 1 else leader


def _reason(batch: Json, holder: Any) -> HeldReason | None:
    """The reason why consumers do not get the batch; None for a marker. ``holder``: the id of the producer whose
    transaction begins at the last stable offset."""
    if batch.get("control") is not None:
        return None
    if batch.get("outcome") in _UNDECIDED:
        return "undecided"
    return "marker" if batch.get("transactional") and batch.get("producer_id") == holder else "behind"
