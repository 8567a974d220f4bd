"""The log cleaner: the newest value of each key stays, and offsets are never renumbered (LOG-13, CON-11 a).

Owns the rule for which records below the last stable offset may be removed. Records of aborted transactions
are removed, and do not replace an older value of their key.

A marker stays while the log holds a batch of its transaction. After that the cleaner removes the marker when
it is old enough, as it does with a tombstone: when its segment is at least ``delete.retention.ms`` older than
the newest segment that was clean before this pass. Until then, a slow consumer can still read it.

A batch that has lost all its records stays while it is its producer's newest, because it holds the producer's
last sequence. A marker stays while it alone holds a producer's epoch. Source: Kafka 2.0 and 2.8,
``LogCleaner.Cleaner`` and ``CleanedTransactionMetadata``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from engine.broker.aborted_index import AbortedTransaction
from engine.broker.configuration import DELETE_RETENTION_MS
from engine.broker.partition_log import PartitionLog
from engine.broker.replicas import Replicas
from engine.happenings.logs import LogCompacted
from engine.messages import NO_PRODUCER_ID, BatchContent, RecordBatch


@dataclass(slots=True)
class Cleaning:
    """The records that one pass removes from a log."""

    changed: dict[int, RecordBatch | None] = field(default_factory=dict)
    """Dict of base offset of a batch → its replacement; None: the batch is removed. Batches without an entry
    stay."""
    forgotten: set[int] = field(default_factory=set)
    """Offsets of the markers whose transactions have no batch left. Their lines are removed from the aborted
    index."""
    records: int = 0
    markers: int = 0
    tombstones: int = 0
    """Number of removed tombstones; ``records`` includes them."""
    waiting: int = 0
    """Number of markers and tombstones that stay only because they are not old enough."""


def cleaned(
    batches: Iterable[RecordBatch],
    bound: int,
    aborted: Iterable[AbortedTransaction],
    newest_of_producer: dict[int, tuple[int, int]],
    forget_below: int = 0,
) -> Cleaning:
    """The records that one pass over the batches below ``bound`` removes. Every transaction there is decided.

    ``newest_of_producer``: dict of producer id → (last offset of the producer's newest batch, the producer's
    epoch). The offset is -1 if only a marker is known. ``forget_below``: tombstones and markers below this
    offset are old enough to be removed.
    """
    chosen = [batch for batch in batches if batch.last_offset < bound]
    lines = list(aborted)
    dropped = {batch.base_offset for batch in chosen if _is_aborted(batch, lines)}
    newest: dict[object, int] = {}
    for batch in chosen:
        if batch.base_offset not in dropped and not batch.is_control:
            newest.update((key, offset) for offset, key in _keyed(batch))
    cleaning = Cleaning()
    with_batches: set[int] = set()
    for batch in chosen:
        if batch.is_control:
            _clean_marker(
                cleaning, batch, batch.producer_id in with_batches, newest_of_producer, forget_below
            )
            with_batches.discard(batch.producer_id)
            continue
        if batch.is_transactional:
            with_batches.add(batch.producer_id)
        kept = [] if batch.base_offset in dropped else _kept(batch, newest)
        kept = _without_tombstones(cleaning, batch, kept, forget_below)
        last_offset, _ = newest_of_producer.get(batch.producer_id, (-1, -1))
        cleaning.records += batch.record_count - len(kept)
        if not kept and (batch.producer_id == NO_PRODUCER_ID or last_offset != batch.last_offset):
            cleaning.changed[batch.base_offset] = None
        elif len(kept) != batch.record_count:
            cleaning.changed[batch.base_offset] = _thinned(batch, kept)
    return cleaning


def _clean_marker(
    cleaning: Cleaning,
    marker: RecordBatch,
    has_batches: bool,
    newest_of_producer: dict[int, tuple[int, int]],
    forget_below: int,
) -> None:
    """If no batch of the marker's transaction is left, forget its line in the aborted index. Then also remove
    the marker, if it is old enough and not the only batch that holds its producer's epoch."""
    if has_batches:
        return
    cleaning.forgotten.add(marker.base_offset)
    last_offset, epoch = newest_of_producer.get(marker.producer_id, (0, -1))
    if last_offset < 0 and epoch == marker.producer_epoch:
        return
    if marker.base_offset >= forget_below:
        cleaning.waiting += 1
        return
    cleaning.markers += 1
    cleaning.changed[marker.base_offset] = None


def _without_tombstones(
    cleaning: Cleaning, batch: RecordBatch, kept: list[int], forget_below: int
) -> list[int]:
    content = batch.content
    if content is None or not content.values:
        return kept
    gone = {
        index
        for index in kept
        if content.values[index] is None and content.keys and content.keys[index] is not None
    }
    if batch.base_offset >= forget_below:
        cleaning.waiting += len(gone)
        return kept
    cleaning.tombstones += len(gone)
    return [index for index in kept if index not in gone]


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
    if batch.content is None:
        return
    for delta, key in zip(_deltas(batch), batch.content.keys, strict=False):
        if key is not None:
            yield batch.base_offset + delta, key


def _kept(batch: RecordBatch, newest: dict[object, int]) -> list[int]:
    """The indexes of the records that stay: those without a key, and the newest one of each key."""
    superseded = {offset for offset, key in _keyed(batch) if newest[key] != offset}
    return [
        index for index, delta in enumerate(_deltas(batch)) if batch.base_offset + delta not in superseded
    ]


def _thinned(batch: RecordBatch, kept: list[int]) -> RecordBatch:
    """The batch with only the records at the indexes in ``kept``; its offsets and sequences stay."""
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


def compact(
    log: PartitionLog, delete_retention_ms: int = DELETE_RETENTION_MS, below: int | None = None
) -> Cleaning:
    """Clean one replica's log below its last stable offset. ``below``: clean below this offset at most, and
    close no segment; None: close the active segment first, because Kafka does not clean an active segment."""
    if log.active_records and below is None:
        log.roll()
    newest = {
        producer_id: (entry.last_data_offset, entry.producer_epoch)
        for producer_id, entry in log.producers.entries.items()
    }
    bound = log.last_stable_offset if below is None else min(log.last_stable_offset, below)
    modified = log.cleaned.modified_at(log.segment_times())
    forget_below = log.cleaned.forget_below(modified, delete_retention_ms, log.segments[-1])
    cleaning = cleaned(log.batches, bound, log.aborted.lines, newest, forget_below)
    log.cleaned.note({start: at for start, at in modified.items() if log.segment_end(start) <= bound})
    log.replace_batches(cleaning.changed)
    log.aborted.forget(cleaning.forgotten)
    return cleaning


def compact_replica(replicas: Replicas, partition: str, below: int | None = None) -> None:
    """The fault *run compaction* (GEN-6): clean one broker's log of the partition. ``below``: only below this
    offset; None: up to the last stable offset."""
    replica = replicas[partition]
    retention = replicas.setup.configuration.delete_retention_ms
    cleaning = compact(replica.log, retention, below)
    replicas.changed_partitions.add(partition)
    replicas.watch.emit(
        LogCompacted,
        replicas.setup.name,
        partition,
        count=cleaning.records,
        below=min(replica.log.last_stable_offset, replica.log.log_end if below is None else below),
        markers=cleaning.markers,
        tombstones=cleaning.tombstones,
        waiting=cleaning.waiting,
        retention=retention,
    )
