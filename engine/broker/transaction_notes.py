"""Emits the events of a partition's transactions, and marks the parts of the view that they change. Makes no
decisions."""

from __future__ import annotations

from bisect import bisect_left

from engine.broker.parts import BatchPart, ShownLog
from engine.broker.producer_state import Appending, CompletedTransaction
from engine.happenings.logs import AbortIndexed, StaleEpochCopied
from engine.messages import RecordBatch


def note_stale_copy(log: ShownLog, appending: Appending, batch: RecordBatch) -> None:
    """Emit an event if a follower copies a batch of an older epoch, which it does since 2.8 (SEQ-9)."""
    stored = appending.updated.producer_epoch
    if batch.producer_epoch < stored:
        log.watch.emit(
            StaleEpochCopied,
            f"broker-{log.replica}",
            log.partition,
            batch.producer_id,
            batch.producer_epoch,
            stored,
        )


def note_ended(log: ShownLog, completed: list[CompletedTransaction]) -> None:
    """Emit that an ABORT marker got a line in the index of aborted transactions. The aborted records stay,
    and consumers skip them (LOG-9, CON-7)."""
    for ended in completed:
        if ended.is_aborted:
            line = log.aborted.lines[-1]
            log.watch.emit(
                AbortIndexed,
                log.partition,
                ended.producer_id,
                ended.first_offset,
                ended.last_offset,
                line.last_stable_offset,
            )


def touch_undecided(log: ShownLog, producer_id: int, end: int) -> None:
    """Mark this producer's batches between its last marker and ``end`` as changed: a marker changes their
    outcome."""
    batches = log.batches
    for index in range(bisect_left(batches, end, key=_base_offset) - 1, -1, -1):
        batch = batches[index]
        if batch.producer_id == producer_id:
            if batch.is_control:
                return
            log.watch.touch(BatchPart(log, batch.base_offset))


def _base_offset(batch: RecordBatch) -> int:
    return batch.base_offset
