"""The log cleaner: the newest value of each key stays, and offsets are never renumbered (LOG-13, CON-11 a).

Owns what of a log below its last stable offset may go. Records of aborted transactions go and hide no older
value; markers stay, because readers of what is left need them; an emptied batch stays as long as it is the newest
of its producer, because the producer's sequence is known from it. Source: Kafka's ``LogCleaner.Cleaner``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.broker.aborted_index import AbortedTransaction
from engine.broker.partition_log import PartitionLog
from engine.messages import NO_PRODUCER_ID, BatchContent, RecordBatch

if TYPE_CHECKING:
    from engine.broker.broker import Broker


def cleaned(
    batches: Iterable[RecordBatch],
    bound: int,
    aborted: Iterable[AbortedTransaction],
    newest_of_producer: dict[int, int],
) -> dict[int, RecordBatch | None]:
    """Base offset to what takes that batch's place, None: nothing; batches that stay as they are are not named.

    ``bound``: only below it everything is decided. ``newest_of_producer``: producer id to the last offset of
    its newest batch.
    """
    chosen = [batch for batch in batches if batch.last_offset < bound and not batch.is_control]
    lines = list(aborted)
    dropped = {batch.base_offset for batch in chosen if _is_aborted(batch, lines)}
    newest: dict[object, int] = {}
    for batch in chosen:
        if batch.base_offset not in dropped:
            newest.update((key, offset) for offset, key in _keyed(batch))
    changed: dict[int, RecordBatch | None] = {}
    for batch in chosen:
        kept = [] if batch.base_offset in dropped else _kept(batch, newest)
        if len(kept) == batch.record_count:
            continue
        is_newest = newest_of_producer.get(batch.producer_id) == batch.last_offset
        stays = bool(kept) or (batch.producer_id != NO_PRODUCER_ID and is_newest)
        changed[batch.base_offset] = _thinned(batch, kept) if stays else None
    return changed


def _is_aborted(batch: RecordBatch, lines: list[AbortedTransaction]) -> bool:
    return batch.is_transactional and any(
        line.producer_id == batch.producer_id and line.first_offset <= batch.base_offset <= line.last_offset
        for line in lines
    )


def _deltas(batch: RecordBatch) -> tuple[int, ...]:
    content = batch.content
    if content is None or content.offset_deltas is None:
        return tuple(range(batch.record_count))
    return content.offset_deltas


def _keyed(batch: RecordBatch) -> Iterable[tuple[int, object]]:
    """(offset, key) of the records that have one."""
    if batch.content is None:
        return
    for delta, key in zip(_deltas(batch), batch.content.keys, strict=False):
        if key is not None:
            yield batch.base_offset + delta, key


def _kept(batch: RecordBatch, newest: dict[object, int]) -> list[int]:
    """Indexes of the records that stay: those without a key, and the newest of each key."""
    superseded = {offset for offset, key in _keyed(batch) if newest[key] != offset}
    return [
        index for index, delta in enumerate(_deltas(batch)) if batch.base_offset + delta not in superseded
    ]


def _thinned(batch: RecordBatch, kept: list[int]) -> RecordBatch:
    """The batch with these records: same offsets, same sequences, fewer records."""
    content = batch.content or BatchContent()
    deltas = _deltas(batch)
    size = batch.size - (batch.size - 61) * (batch.record_count - len(kept)) // max(batch.record_count, 1)
    return replace(
        batch,
        record_count=len(kept),
        serials=_at(batch.serials, kept),
        size=size,
        content=BatchContent(
            keys=_at(content.keys, kept),
            values=_at(content.values, kept),
            offset_deltas=tuple(deltas[index] for index in kept),
        ),
    )


def _at(values: tuple[Any, ...], kept: list[int]) -> tuple[Any, ...]:
    return tuple(values[index] for index in kept) if values else ()


def compact(log: PartitionLog) -> int:
    """Clean one replica's log below its last stable offset; returns how many records went.

    The active segment is closed first: Kafka's cleaner leaves it alone until it rolls.
    """
    if log.active_records:
        log.roll()
    newest = {producer_id: entry.last_data_offset for producer_id, entry in log.producers.entries.items()}
    changed = cleaned(log.batches, log.last_stable_offset, log.aborted.lines, newest)
    before = sum(batch.record_count for batch in log.batches)
    log.replace_batches(changed)
    return before - sum(batch.record_count for batch in log.batches)


def compact_replica(broker: Broker, partition: str) -> None:
    """The fault *run compaction* at one broker (GEN-6)."""
    replica = broker.replicas[partition]
    gone = compact(replica.log)
    broker.changed_partitions.add(partition)
    broker.watch.say(
        "broker.compacted" if gone else "broker.nothing_to_compact",
        ("GEN-6", "LOG-13"),
        broker=broker.name,
        partition=partition,
        count=gone,
        below=replica.log.last_stable_offset,
    )
