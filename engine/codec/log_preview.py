"""What a marker at the end of a log would change: further steps on a copy of its lane.

The marker is hypothetical, and nothing is sent to a cluster. The copy's log accepts or refuses it by the
broker's own rules, as a leader does with a coordinator's marker. Two consumers, one with each isolation
level, read before it and after it, by the rules of consumers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.broker.marker_requests import control_batch
from engine.broker.partition_log import PartitionLog
from engine.client.reading import (
    COMPACTED,
    DELIVERED,
    READ_COMMITTED,
    READ_UNCOMMITTED,
    Reading,
    Stretch,
    visible,
)
from engine.codec.lane import Lane, exact
from engine.codec.log_sentences import sentence
from engine.codec.log_step import log_step
from engine.errors import Error
from engine.messages import PartitionFetchResponse, TxnMarkerEntry
from engine.reader_lanes import seen

Json = dict[str, Any]

PREVIEWS_MAX = 10
"""At most this many markers are tried on one case."""

READERS = {"reader-1": READ_COMMITTED, "reader-2": READ_UNCOMMITTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A marker that would end an open transaction."""

    partition: str
    producer_id: int
    producer_epoch: int
    """The producer epoch of the marker."""
    result: str
    """`COMMIT` or `ABORT`."""
    first_offset: int
    """The first offset of the transaction."""
    log_end: int
    """The log end for which the marker was proposed. A log with another end is not the same log."""
    notes: Sequence[Json] = ()
    """Notes that both steps of the preview get."""


def preview(lane: Lane, ending: Ending, number: int, at: int) -> list[Json]:
    """The steps after step `number`, whose time was `at`; empty when the lane is not the log that `ending`
    was proposed for."""
    if not lane.is_open(ending.producer_id, ending.first_offset) or lane.log.log_end != ending.log_end:
        return []
    lane, partition = lane.copied(ending.producer_id), ending.partition
    log = lane.log
    before, stable = _readers(log), log.last_stable_offset
    said = sentence(
        "log.preview.readers", "CON-3", "CON-5", partition=partition, stable=stable, end=log.high_watermark
    )
    notes = list(ending.notes)
    first = log_step(
        number + 1, at, partition, said, notes, [{"path": ["consumers"], "after": before}], interesting=True
    )
    entry = log.producers.entries[ending.producer_id]
    marker = control_batch(
        TxnMarkerEntry(
            producer_id=ending.producer_id,
            producer_epoch=ending.producer_epoch,
            coordinator_epoch=max(0, entry.coordinator_epoch),
            result=ending.result,
            partitions=(partition,),
        ),
        at,
    )
    error, changes = lane.append_marker(marker, at)
    params: Json = {
        "partition": partition,
        "producer_id": exact(ending.producer_id),
        "producer_epoch": ending.producer_epoch,
    }
    if error is not Error.NONE:
        said = sentence("log.preview.refused", "MRK-4", error=error.name, **params)
    else:
        after = _readers(log)
        changes += [
            {"path": ["consumers", name], "before": before[name], "after": after[name]} for name in READERS
        ]
        params |= {"offset": ending.log_end, "before": stable}
        key = f"log.preview.{ending.result.lower()}"
        if log.last_stable_offset == stable:
            key += "_stays"
        else:
            params["after"] = log.last_stable_offset
        said = sentence(key, "MSG-3", "LOG-8", "CON-3", **params)
    second = log_step(number + 2, at, partition, said, notes, changes, interesting=True)
    return [first, second]


def _readers(log: PartitionLog) -> Json:
    return {name: _reader(log, isolation) for name, isolation in READERS.items()}


def _reader(log: PartitionLog, isolation: str) -> Json:
    bound = log.last_stable_offset if isolation == READ_COMMITTED else log.high_watermark
    reading, read = Reading(log.partition), 0
    reading.position = log.log_start
    # One response holds all batches, because the division of batches into responses does not change what a
    # consumer gets.
    answer = PartitionFetchResponse(
        error=Error.NONE,
        batches=tuple(batch for batch in log.batches if log.log_start <= batch.last_offset < bound),
        aborted=tuple((line.producer_id, line.first_offset) for line in log.aborted.lines),
    )
    # Batches are counted, not records, because a header may claim two billion records.
    for batch, fate in visible(answer, isolation):
        if batch.base_offset > reading.position:
            reading.jump(batch.base_offset, COMPACTED)
        read += batch.record_count if fate == DELIVERED else 0
        reading.remember([Stretch(reading.position, batch.last_offset, fate)])
        reading.position = batch.last_offset + 1
    return {
        "isolation": isolation,
        "alive": True,
        "paused": False,
        "positions": {log.partition: reading.position},
        "delivered": {log.partition: []},
        "delivered_count": read,
        "applied_count": 0,
        "skipped_duplicates": 0,
        "lanes": {log.partition: {**seen(reading, isolation, log), "read": read}},
    }
