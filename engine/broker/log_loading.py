"""What a log knows of producers after it was opened or cut: newest snapshot, and the batches behind it (LOG-10).

After Kafka's ``Log.rebuildProducerState``. How many batches of a producer are remembered depends on where the
snapshots stand, because each holds only a producer's newest one.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import Protocol

from engine.broker.producer_state import ProducerStateManager
from engine.messages import RecordBatch

_BASE_OFFSET = attrgetter("base_offset")
SEGMENTS_WITH_SNAPSHOT = 2
"""The newest segments, before which a replay writes a snapshot."""


class LoadedLog(Protocol):
    """A log (``PartitionLog``), as far as the state of its producers comes from it."""

    batches: list[RecordBatch]
    segments: list[int]
    log_start: int
    log_end: int
    producers: ProducerStateManager


def rebuild_producers(log: LoadedLog, now: int) -> None:
    """Producers as of the log end; a snapshot of them is written there.

    A log that knew of no producer is not read: it cannot have forgotten one by being cut.
    """
    producers = log.producers
    knew_nothing = (
        not producers.entries and not producers.unstable and producers.map_end_offset >= log.log_end
    )
    producers.truncate_and_reload(log.log_start, log.log_end, now)
    if not knew_nothing:
        _replay(log)
    producers.map_end_offset = log.log_end
    producers.take_snapshot()


def _replay(log: LoadedLog) -> None:
    """Take in the batches behind the snapshot, segment by segment."""
    producers, batches = log.producers, log.batches
    for start, end in zip(log.segments, (*log.segments[1:], log.log_end), strict=True):
        first_offset = max(start, producers.map_end_offset, log.log_start)
        if first_offset >= end:
            continue
        producers.map_end_offset = first_offset
        if start in log.segments[-SEGMENTS_WITH_SNAPSHOT:]:
            producers.take_snapshot()
        first = bisect_left(batches, first_offset, key=_BASE_OFFSET)
        if first and batches[first - 1].last_offset >= first_offset:
            first -= 1  # The log starts inside a batch, which is read as a whole.
        producers.replay(batches[first : bisect_left(batches, end, key=_BASE_OFFSET)], end)
