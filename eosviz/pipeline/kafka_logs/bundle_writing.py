"""Writes a case as a bundle. Names that a user chose are replaced by pseudonyms, and the contents of
applications' records are left out."""

import gzip
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec

from engine.codec.consumer_offsets_record import CommittedOffset, OffsetKey
from engine.codec.damage import DamageKind
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_log_record import TransactionLogValue
from eosviz.pipeline.kafka_logs import bundle_lines as lines
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Layout, every_offset
from eosviz.pipeline.kafka_logs.case import Case, ReadPartition
from eosviz.pipeline.kafka_logs.coordinator import Coordinator, CoordinatorEntry
from eosviz.pipeline.kafka_logs.groups import GroupOffsets
from eosviz.pipeline.kafka_logs.log_lines import LogLine
from eosviz.pipeline.kafka_logs.pseudonyms import Pseudonyms
from eosviz.pipeline.kafka_logs.stretches import LogsError

BATCHES_MAX = 500_000
"""A case with more batches than this is refused."""
ENDING = ".eosviz-log.jsonl.gz"
MOVED_TO_MS = 946_684_800_000
"""The first moment of the year 2000, in milliseconds since 1970. `moved` gives this value to the newest of
`Head.now` and the timestamps of batches."""
_PLACE_OF_DAMAGE = re.compile(r"byte (\d+): ([^:;]+)")
_KINDS = frozenset(kind.value for kind in DamageKind)
_TIMES = (
    "now",
    "max_timestamp",
    "timestamp",
    "newest_ms",
    "commit_ms",
    "last_update_ms",
    "start_ms",
    "copied_after",
)
_ENTRY_TIME = ProducerEntry._fields.index("last_timestamp")


@dataclass(frozen=True, slots=True)
class Saved:
    """The size of a written bundle: its partitions (each copy counts), its batches, and the bytes of its
    file."""

    partitions: int
    batches: int
    bytes: int


def names_of(case: Case) -> Pseudonyms:
    """The pseudonyms for all names in `case` that a user chose."""
    return Pseudonyms(_every_name(case))


def bundle_lines_of(
    case: Case, names: Pseudonyms | None = None, batches_max: int | None = None
) -> list[lines.Line]:
    """All lines of the bundle of `case`. `names`: the pseudonyms; by default those of `names_of`. Raises
    LogsError if the case has more than `batches_max` batches (by default BATCHES_MAX)."""
    names, batches_max = names or names_of(case), batches_max or BATCHES_MAX
    reads = [*case.partitions, *case.copies]
    batches = sum(read.partition.batches + read.partition.corrupt for read in reads)
    if batches > batches_max:
        raise LogsError(
            f"{batches} batches, a bundle has at most {batches_max}: give fewer partitions, those that the verdict"
            " names and __transaction_state"
        )
    known = case.copies_known
    head = lines.Head(
        lines.FORMAT,
        lines.VERSION,
        "kept",
        case.now,
        transaction_partitions=known.transaction_partitions,
        rest_empty=known.declared.rest_empty,
        one_cluster=known.declared.one_cluster,
        copied_after=-1 if known.declared.copied_after is None else known.declared.copied_after,
    )
    body: list[lines.Line] = [head]
    for read in reads:
        body.extend(_partition(read, names))
    body.extend(_coordinator(case.coordinator, names))
    body.extend(_groups(case.groups, names))
    body.extend(_log_line(one, names) for one in case.log_lines)
    return [*body, lines.End(len(body))]


def write(body: Iterable[lines.Line], file: IO[bytes]) -> None:
    """Write the lines of a bundle to `file`, gzipped. The same lines always give the same bytes."""
    encoder = msgspec.json.Encoder()
    with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
        for line in body:
            packed.write(encoder.encode(line) + b"\n")


def save(case: Case, path: Path, move_times: bool = False) -> Saved:
    """Write the bundle of `case` to `path`, completely or not at all. With `move_times` its times are
    `moved`. Raises LogsError if the case is too large, or if the file exists or cannot be written."""
    body = bundle_lines_of(case)
    if move_times:
        body = moved(body)
    if path.exists():
        raise LogsError(f"{path} exists already: name another file")
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with unfinished.open("wb") as file:
            write(body, file)
        os.replace(unfinished, path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise LogsError(
            f"{path}: {error.strerror}: name a file in a folder that can be written to"
        ) from error
    count = sum(isinstance(line, lines.BatchLine) for line in body)
    return Saved(len(case.partitions) + len(case.copies), count, path.stat().st_size)


def moved_bundle(content: bytes) -> bytes:
    """The bytes of a bundle after its times were `moved`. `content`: the bytes of the bundle."""
    decoder, out = msgspec.json.Decoder(lines.Line), io.BytesIO()
    write(moved(decoder.decode(line) for line in gzip.decompress(content).splitlines()), out)
    return out.getvalue()


def moved(body: Iterable[lines.Line]) -> list[lines.Line]:
    """The lines of a bundle with other times: all are moved by the same distance, so that the newest of
    `Head.now` and the timestamps of batches becomes MOVED_TO_MS. Log lines lose their times."""
    body = list(body)
    by = max(_newest(line) for line in body) - MOVED_TO_MS
    return [_moved(line, by) for line in body]


def _newest(line: lines.Line) -> int:
    if isinstance(line, lines.Head):
        return line.now
    return line.max_timestamp if isinstance(line, lines.BatchLine) else -1


def _moved(line: lines.Line, by: int) -> lines.Line:
    changes = _moved_times(line, by)
    if isinstance(line, lines.Head):
        changes["times"] = "moved"
    if isinstance(line, lines.ProducerLine):
        entry = list(line.entry)
        entry[_ENTRY_TIME] = _at(entry[_ENTRY_TIME], by)
        changes["entry"] = tuple(entry)
    if isinstance(line, lines.TransactionLine) and line.value is not None:
        changes["value"] = msgspec.structs.replace(line.value, **_moved_times(line.value, by))
    if isinstance(line, lines.LogLine):
        changes["time"] = ""
    return msgspec.structs.replace(line, **changes) if changes else line


def _moved_times(shape: msgspec.Struct, by: int) -> dict[str, object]:
    return {name: _at(getattr(shape, name), by) for name in _TIMES if hasattr(shape, name)}


def _at(time: int, by: int) -> int:
    return time if time < 0 else max(0, time - by)


def _every_name(case: Case) -> Iterator[str]:
    for read in (*case.partitions, *case.copies):
        yield from (read.partition.name, read.partition.name.rpartition("-")[0])
    for entry in _entries(case.coordinator):
        yield entry.transactional_id
        yield from (topic for topic, _ in (entry.value.partitions if entry.value is not None else ()))
    yield from (one.transactional_id for one in case.coordinator.listed.values())
    for key in (*case.groups.committed, *(key for held in case.groups.pending.values() for key in held)):
        yield from (key.group, key.topic)
    for line in case.log_lines:
        yield from filter(
            None, (line.transactional_id, line.partition, (line.partition or "").rpartition("-")[0])
        )


def _entries(coordinator: Coordinator) -> Iterator[CoordinatorEntry]:
    yield from coordinator.latest.values()
    for entries in coordinator.history.values():
        yield from entries


def _partition(read: ReadPartition, names: Pseudonyms) -> Iterator[lines.Line]:
    directory, partition = read.directory, read.partition
    snapshot = directory.newest_snapshot
    yield lines.PartitionLine(
        name=names.partition(partition.name),
        log_start=partition.log_start,
        log_start_from=read.start_source,
        log_end=partition.log_end,
        segments=list(directory.segment_bases),
        snapshot="" if snapshot is None else snapshot[0],
        cluster=names.cluster(directory.origin.cluster_id),
        topic_id=names.cluster(directory.origin.topic_id),
        is_empty_segment_alone=directory.is_empty_segment_alone,
        is_printed=partition.is_printed,
        doubted_from=partition.doubted_from,
    )
    for segment, facts, layout in directory.shown():
        yield batch_line(segment, facts, layout)
    if snapshot is not None:
        yield from (lines.ProducerLine(entry) for entry in snapshot[1])
    for entry, place in directory.asked:
        yield lines.ProducerLine(entry, names.place(place))
    aborted, damage = directory.aborted_in_files
    yield from (lines.AbortedLine(entry) for entry in aborted)
    yield from (lines.DamageLine("index", damage_text(one)) for one in damage)
    yield from (lines.DamageLine("text", damage_text(one)) for one in directory.text_damage)


def batch_line(segment: int, facts: BatchFacts, layout: Layout) -> lines.BatchLine:
    """The line of one batch in a bundle. It contains no name that a user chose."""
    whole = every_offset(facts.base_offset, facts.last_offset, facts.records)
    return lines.BatchLine(
        segment=segment,
        position=facts.position,
        magic=facts.magic,
        base_offset=facts.base_offset,
        last_offset=facts.last_offset,
        records=facts.records,
        offsets=None if facts.offsets == whole else list(facts.offsets),
        producer_id=facts.producer_id,
        producer_epoch=facts.producer_epoch,
        base_sequence=facts.base_sequence,
        last_sequence=facts.last_sequence,
        is_transactional=facts.is_transactional,
        control_type=facts.control_type,
        coordinator_epoch=facts.coordinator_epoch,
        max_timestamp=facts.max_timestamp,
        size=layout.size,
        codec=layout.codec,
        leader_epoch=layout.leader_epoch,
        damage=None if facts.damage is None else damage_text(facts.damage),
    )


def damage_text(says: str) -> str:
    """The places and kinds of damage, without the damaged bytes, in at most 300 characters. `says`: the full
    text about the damage."""
    found = [f"byte {at}: {kind}" for at, kind in _PLACE_OF_DAMAGE.findall(says) if kind in _KINDS]
    return "; ".join(found)[:300] or "damaged"


def _coordinator(coordinator: Coordinator, names: Pseudonyms) -> Iterator[lines.Line]:
    yield lines.CoordinatorLine(
        partitions=list(coordinator.partitions),
        lists=[names.place(one) for one in coordinator.lists],
        records=coordinator.records,
        damaged=coordinator.damaged,
        newest_ms=coordinator.newest_ms,
    )
    for name, log in coordinator.logs.items():
        yield lines.CoordinatorLogLine(
            name=name,
            newest_ms=log.newest_ms,
            has_holes=log.has_holes or log.segment_gap is not None,
            is_cleaned=log.is_cleaned,
            is_printed=log.is_printed,
            is_bare=log.is_bare,
            flaws=[one.key for one in log.flaws],
            cluster=names.cluster(log.cluster_id),
            topic_id=names.cluster(log.topic_id),
        )
    yield from (lines.DamageLine("coordinator", damage_text(one)) for one in coordinator.damage)
    latest = {id(entry) for entry in coordinator.latest.values()}
    for producer_id, entries in coordinator.history.items():
        for entry in entries:
            yield _transaction(entry, producer_id, id(entry) in latest, names)
            latest.discard(id(entry))
    for entry in coordinator.latest.values():
        if id(entry) in latest:
            yield _transaction(entry, None, True, names)
    for producer_id, one in coordinator.listed.items():
        yield lines.ListedLine(
            producer_id, names.transactional_id(one.transactional_id), one.state, names.place(one.place)
        )


def _transaction(
    entry: CoordinatorEntry, of: int | None, is_latest: bool, names: Pseudonyms
) -> lines.TransactionLine:
    internal = entry.text_place == ""
    return lines.TransactionLine(
        of=of,
        is_latest=is_latest,
        transactional_id=names.transactional_id(entry.transactional_id),
        partition=entry.partition if internal else names.place(entry.partition),
        offset=entry.offset,
        timestamp=entry.timestamp,
        said_at=names.place(entry.text_place),
        value=None if entry.value is None else _value(entry.value, names),
    )


def _value(value: TransactionLogValue, names: Pseudonyms) -> lines.ValueLine:
    return lines.ValueLine(
        producer_id=value.producer_id,
        producer_epoch=value.producer_epoch,
        timeout_ms=value.timeout_ms,
        status=int(value.status),
        partitions=[(names.topic(topic), number) for topic, number in value.partitions],
        last_update_ms=value.last_update_ms,
        start_ms=value.start_ms,
        previous_producer_id=value.previous_producer_id,
        next_producer_id=value.next_producer_id,
        next_producer_epoch=value.next_producer_epoch,
        client_transaction_version=value.client_transaction_version,
    )


def _groups(groups: GroupOffsets, names: Pseudonyms) -> Iterator[lines.Line]:
    yield lines.GroupsLine(list(groups.partitions), groups.damaged)
    yield from (lines.DamageLine("groups", damage_text(one)) for one in groups.damage)
    every: list[tuple[int | None, Mapping[OffsetKey, CommittedOffset | None]]] = [
        (None, groups.committed),
        *groups.pending.items(),
    ]
    for pending_of, offsets in every:
        for key, value in offsets.items():
            yield lines.OffsetLine(
                group=names.group(key.group),
                topic=names.topic(key.topic),
                partition=key.partition,
                offset=None if value is None else value.offset,
                commit_ms=-1 if value is None else value.commit_ms,
                pending_of=pending_of,
            )


def _log_line(line: LogLine, names: Pseudonyms) -> lines.LogLine:
    return lines.LogLine(
        kind=line.kind,
        said_at=names.place(line.place),
        time=line.time,
        partition=None if line.partition is None else names.partition(line.partition),
        producer_id=line.producer_id,
        epoch=line.epoch,
        transactional_id=None
        if line.transactional_id is None
        else names.transactional_id(line.transactional_id),
        params=dict(line.params),
    )
