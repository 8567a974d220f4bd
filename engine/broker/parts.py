"""The parts of a replica that have a place of their own in the view: one per stored batch, one per producer.

A part names a place in the view. It holds no state: it reads its log when the view is built, and returns None
after its batch or producer was removed. So a new part object may be made at every change.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol, cast

from engine.broker.aborted_index import AbortedIndex
from engine.broker.producer_state import ProducerStateManager
from engine.messages import RecordBatch, describe
from engine.shapes.logs import CachedBatch, LogBatchView, ProducerStateView
from engine.watching import Path, Watch


class ShownLog(Protocol):
    """The fields of a replica's log (``PartitionLog``) that the parts here and ``transaction_notes`` read."""

    partition: str
    replica: int
    place: Path
    watch: Watch
    batches: list[RecordBatch]
    producers: ProducerStateManager
    aborted: AbortedIndex

    def batch_at(self, base_offset: int) -> tuple[RecordBatch, int] | None:
        """The batch with this base offset, and the time of its append in ms; None when there is none."""


def outcome_of(log: ShownLog, batch: RecordBatch) -> str:
    """The outcome of a transactional batch: ``committed`` or ``aborted``, by the producer's next marker in this
    log; ``open`` without such a marker."""
    start = bisect_right(log.batches, batch.base_offset, key=_base_offset)
    for later in log.batches[start:]:
        if later.is_control and later.producer_id == batch.producer_id:
            return "aborted" if later.control_type == "ABORT" else "committed"
    return "open"


def _base_offset(batch: RecordBatch) -> int:
    return batch.base_offset


class BatchPart:
    """A stored batch, at ``partitions.<tp>.replicas.<id>.batches.<base offset>``."""

    __slots__ = ("base_offset", "log", "path")

    def __init__(self, log: ShownLog, base_offset: int) -> None:
        self.log = log
        self.base_offset = base_offset
        self.path: Path = (*log.place, "batches", str(base_offset))

    def view(self) -> LogBatchView | None:
        found = self.log.batch_at(self.base_offset)
        if found is None:
            return None
        batch, appended_at = found
        shown: LogBatchView = {
            "base_offset": batch.base_offset,
            "last_offset": batch.last_offset,
            "record_count": batch.record_count,
            "producer_id": batch.producer_id,
            "producer_epoch": batch.producer_epoch,
            "first_sequence": batch.base_sequence,
            "last_sequence": batch.last_sequence,
            "transactional": batch.is_transactional,
            "control": batch.control_type,
            "coordinator_epoch": batch.coordinator_epoch,
            "leader_epoch": batch.leader_epoch,
            "serials": list(batch.serials),
            "appended_at": appended_at,
            "size": batch.size,
        }
        if batch.is_transactional and not batch.is_control:
            shown["outcome"] = outcome_of(self.log, batch)
        if batch.content is not None:
            shown["content"] = describe(batch.content)
        return shown


class ProducerPart:
    """A producer's entry, at ``partitions.<tp>.replicas.<id>.producers.<producer id>``."""

    __slots__ = ("log", "path", "producer_id")

    def __init__(self, log: ShownLog, producer_id: int) -> None:
        self.log = log
        self.producer_id = producer_id
        self.path: Path = (*log.place, "producers", str(producer_id))

    def view(self) -> ProducerStateView | None:
        entry = self.log.producers.entries.get(self.producer_id)
        if entry is None:
            return None
        return {
            "producer_epoch": entry.producer_epoch,
            "coordinator_epoch": entry.coordinator_epoch,
            "last_timestamp": None if entry.last_timestamp == -1 else entry.last_timestamp,
            "transaction_first_offset": entry.transaction_first_offset,
            "batches": cast(
                "list[CachedBatch]",
                [
                    [
                        batch.first_sequence,
                        batch.last_sequence,
                        batch.first_offset,
                        batch.last_offset,
                        batch.timestamp,
                    ]
                    for batch in entry.batches
                ],
            ),
        }
