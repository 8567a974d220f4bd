"""The producer state of a log that was opened or truncated, made from the newest snapshot and the batches
after it (LOG-10).

Source: Kafka's ``Log.rebuildProducerState`` and ``Log.recoverSegment``. The number of cached batches of a
producer depends on the offsets of the snapshots, because a snapshot holds only a producer's newest batch.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import Protocol

from engine.broker.aborted_index import AbortedIndex, AbortedTransaction
from engine.broker.producer_state import ProducerStateManager
from engine.messages import RecordBatch

_BASE_OFFSET = attrgetter("base_offset")
SEGMENTS_WITH_SNAPSHOT = 2
"""When a log is loaded, this many of its newest segments get a producer snapshot at their start."""


class LoadedLog(Protocol):
    """The fields of a log (``PartitionLog``) from which the state of its producers is rebuilt."""

    aborted: AbortedIndex
    batches: list[RecordBatch]
    segments: list[int]
    log_start: int
    log_end: int
    producers: ProducerStateManager


def recover_segments(log: LoadedLog, recovery_point: int, now: int) -> None:
    """After a crash, read the segment that holds the offset ``recovery_point`` and all later ones again, and
    rebuild their snapshots and indexes of aborted transactions."""
    producers = log.producers
    ends = (*log.segments[1:], log.log_end)
    for start, end in zip(log.segments, ends, strict=True):
        if end <= recovery_point and end != log.log_end:
            continue
        producers.forget_all()
        producers.map_end_offset = producers.last_snapshot = 0
        rebuild_producers(log, start, now)
        log.aborted.lines = [line for line in log.aborted.lines if not start <= line.last_offset < end]
        first, behind = (bisect_left(log.batches, at, key=_BASE_OFFSET) for at in (start, end))
        for batch in log.batches[first:behind]:
            for ended, stable in producers.replay([batch], batch.last_offset + 1):
                if ended.is_aborted:
                    line = AbortedTransaction(
                        ended.producer_id, ended.first_offset, ended.last_offset, stable
                    )
                    log.aborted.add(line)
        producers.take_snapshot()


def load_producers(log: LoadedLog, now: int, *, clean: bool) -> None:
    """Load the producer state of a log that is opened. ``clean``: whether the log was closed in an orderly
    stop. If such a log has no snapshot, a version without producer state wrote it, and it gets empty
    snapshots."""
    if not clean or log.producers.snapshots:
        rebuild_producers(log, log.log_end, now)
        return
    for offset in (*log.segments[-SEGMENTS_WITH_SNAPSHOT:], log.log_end):
        log.producers.map_end_offset = offset
        log.producers.take_snapshot()


def rebuild_producers(log: LoadedLog, end: int, now: int) -> None:
    """Rebuild the producer state up to offset ``end``, and write a snapshot for this offset."""
    producers = log.producers
    knew_nothing = not producers.entries and not producers.unstable and producers.map_end_offset >= end
    producers.truncate_and_reload(log.log_start, end, now)
    if not knew_nothing:
        _replay(log, end)
    producers.map_end_offset = end
    producers.take_snapshot()


def _replay(log: LoadedLog, until: int) -> None:
    producers, batches = log.producers, log.batches
    for start, segment_end in zip(log.segments, (*log.segments[1:], log.log_end), strict=True):
        end = min(segment_end, until)
        first_offset = max(start, producers.map_end_offset, log.log_start)
        if first_offset >= end:
            continue
        producers.map_end_offset = first_offset
        if start in log.segments[-SEGMENTS_WITH_SNAPSHOT:]:
            producers.take_snapshot()
        first = bisect_left(batches, first_offset, key=_BASE_OFFSET)
        if first and batches[first - 1].last_offset >= first_offset:
            first -= 1  # The log start is inside a batch, and the whole batch is read.
        producers.replay(batches[first : bisect_left(batches, end, key=_BASE_OFFSET)], end)
