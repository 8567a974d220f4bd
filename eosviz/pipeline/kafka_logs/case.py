"""Reads the files under several paths as one case: reads and folds every partition, combines the partitions
with the coordinators' records, and makes the verdicts. `document` returns the JSON of `manage.py logs --json`
(docs/logs.md)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from eosviz.pipeline.kafka_logs.case_sentences import coordinator_sentence, now_sentence, written_sentence
from eosviz.pipeline.kafka_logs.coordinator import Coordinator
from eosviz.pipeline.kafka_logs.copy_proofs import Copies, partition_count
from eosviz.pipeline.kafka_logs.declared import Declared
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.directories import (
    Found,
    PartitionDirectory,
    find,
    log_start_checkpoints,
)
from eosviz.pipeline.kafka_logs.evidence import Evidence
from eosviz.pipeline.kafka_logs.groups import GroupOffsets
from eosviz.pipeline.kafka_logs.internal_topics import (
    ClusterMetadata,
    Internal,
    is_internal,
    read_internal,
    together,
)
from eosviz.pipeline.kafka_logs.log_lines import LoggedLines, LogLine, left_by, line_sentence
from eosviz.pipeline.kafka_logs.log_tails import base_offset_of_snapshot
from eosviz.pipeline.kafka_logs.notes import Note
from eosviz.pipeline.kafka_logs.origins import refuse_two_clusters
from eosviz.pipeline.kafka_logs.partition import Partition, Producer, Transaction, fold, know_deleted
from eosviz.pipeline.kafka_logs.remedies import Remedy, remedy_of
from eosviz.pipeline.kafka_logs.text_files import by_kind, read_texts
from eosviz.pipeline.kafka_logs.text_partition import TextPartition
from eosviz.pipeline.kafka_logs.text_reader import Skipped, TextReading
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind
from eosviz.pipeline.kafka_logs.verdicts import Verdict, verdicts_of
from eosviz.pipeline.kafka_logs.words import Words

SCHEMA = 1
LISTED_MAX = 100_000
"""A document lists at most this many transactions, producers, groups, verdicts, notes of all verdicts
together, ranges of one partition, and ranges of all remedies together. It counts the others under
`not_listed`. It also lists at most this many folders in `left_out`, and differences of an index of aborted
transactions; others of these are not counted."""


if TYPE_CHECKING:
    from eosviz.pipeline.kafka_logs.bundle_reading import Bundle, BundledPartition

Source: TypeAlias = "PartitionDirectory | TextPartition | BundledPartition"
"""What a partition was read from: a folder, printed text or a bundle. All three have the properties that the
analysis reads."""


@dataclass(frozen=True, slots=True)
class ReadPartition:
    """A partition, what it was read from (`directory`), and its verdicts."""

    directory: Source
    partition: Partition
    start_source: str
    """The name of the file or segment from which the log start offset is known."""
    verdicts: tuple[Verdict, ...]


@dataclass(slots=True)
class Case:
    """Everything that was read under the given paths, and the verdicts."""

    paths: tuple[str, ...]
    now: int
    """The time against which timeouts are measured, in milliseconds since 1970; -1 if unknown."""
    partitions: list[ReadPartition] = field(default_factory=list)
    """The partitions with verdicts, by name. Of several copies of a partition, the one with the highest end
    offset is here; if several have the same, the one whose path has the fewest parts."""
    copies: list[ReadPartition] = field(default_factory=list)
    """The other copies of partitions: replicas of other brokers, or older copies."""
    coordinator: Coordinator = field(default_factory=Coordinator)
    groups: GroupOffsets = field(default_factory=GroupOffsets)
    text: TextReading | None = None
    """What printed text contained; None if none was given."""
    log_lines: list[LogLine] = field(default_factory=list)
    """Lines about transactions from the log output of brokers and clients."""
    left_out: tuple[Path, ...] = ()
    """Folders that were not read, because the broker had renamed them: it was going to delete them, or they
    were stray."""
    copies_known: Copies = field(default_factory=lambda: Copies(Coordinator()))
    """What the files show about the copies, and what the person who gave them states."""
    times_moved: bool = False
    """Whether a bundle says that its times were moved."""


class Reading(Protocol):
    """A way to read folders, in this process or on Spark. Results are in the order of `directories`."""

    def folds(self, directories: Sequence[PartitionDirectory]) -> list[Partition]: ...

    def internal(self, directories: Sequence[PartitionDirectory]) -> list[Internal]: ...


class ReadingHere:
    """Reads one folder after the other in this process."""

    def __init__(self, depth: Depth = Depth.HEADERS) -> None:
        self._depth = depth

    def folds(self, directories: Sequence[PartitionDirectory]) -> list[Partition]:
        return [fold(one.name, one.batches(self._depth)) for one in directories]

    def internal(self, directories: Sequence[PartitionDirectory]) -> list[Internal]:
        return [read_internal(one) for one in directories]


def read_case(
    paths: Sequence[Path], declared: Declared | None = None, reading: Reading | None = None
) -> Case:
    """Reads the case under `paths`, which are folders, segments, bundles and printed texts. Raises LogsError
    if a path is none of these, or if the files and the statements (`declared`) contradict each other. Damage
    in a log raises no error."""
    reading = reading or ReadingHere()
    given = by_kind(paths)
    directories, left_out = find(given.logs) if given.logs else Found((), ())
    refuse_two_clusters((one.path, one.origin) for one in directories)
    text = read_texts(given.texts) if given.texts else None
    bundles = _bundles(given.bundles)
    declared = declared or Declared()
    if len(bundles) == 1 and not directories and text is None:
        # Statements that were saved in a bundle apply only to the files of this bundle.
        declared = declared.completed_by(bundles[0].declared)
    log_lines = [
        *(text.log_lines if text is not None else ()),
        *chain.from_iterable(one.log_lines for one in bundles),
    ]
    printed: list[TextPartition | BundledPartition] = [
        *(text.partitions.values() if text is not None else ()),
        *chain.from_iterable(one.partitions for one in bundles),
    ]
    named = {one.name for one in (*directories, *printed)}
    printed += [TextPartition(name, Path()) for name in _only_logged(log_lines) if name not in named]
    folded = _folded(directories, printed, reading, log_start_checkpoints(given.logs))
    judged = {partition.name: directory for directory, partition, _ in reversed(folded)}
    internal = [
        one for _, one in sorted(judged.items()) if isinstance(one, PartitionDirectory) and is_internal(one)
    ]
    sources: list[TextReading | Bundle] = [*([text] if text else []), *bundles]
    others = [one for source in sources for one in (source.coordinator, source.groups)]
    coordinator, groups, metadata = together([*reading.internal(internal), *others])
    now = declared.now
    if now is None:
        asked_ms = [-1 if text is None else text.asked_ms, *(one.now for one in bundles)]
        markers_ms = (partition.newest_marker_ms for _, partition, _ in folded)
        now = max([coordinator.newest_ms, declared.copied_after or -1, *asked_ms, *markers_ms])
    case = Case(
        tuple(map(str, paths)), now, coordinator=coordinator, groups=groups, text=text, log_lines=log_lines
    )
    case.left_out = left_out
    case.times_moved = any(one.times_moved for one in bundles)
    case.copies_known = _copies_of(folded, judged, coordinator, metadata, declared)
    case.copies_known.has_mixed_names = len(given.bundles) > bool(
        bundles and not directories and text is None
    )
    logged = LoggedLines(log_lines)
    for directory, partition, source in folded:
        verdicts = verdicts_of(partition, case.copies_known, now, directory, logged)
        read = ReadPartition(directory, partition, source, verdicts)
        is_copy = bool(case.partitions) and case.partitions[-1].partition.name == partition.name
        (case.copies if is_copy else case.partitions).append(read)
    return case


Folded: TypeAlias = "tuple[Source, Partition, str]"
"""(what a partition was read from, the folded partition, the name of the file or segment from which its log
start offset is known)."""


def _folded(
    directories: Sequence[PartitionDirectory],
    printed: "Sequence[TextPartition | BundledPartition]",
    reading: Reading,
    starts: dict[str, int],
) -> list[Folded]:
    """All copies of all partitions, sorted by the partition's name. The first copy of each partition is the
    one that gets verdicts."""
    folds = [*(reading.folds(directories) if directories else ()), *(one.folded() for one in printed)]
    sources = zip([*directories, *printed], folds, strict=True)
    folded = [(one, partition, _placed(one, partition, starts)) for one, partition in sources]
    # Of copies with the same end, the one with the shortest path comes first: the others may be older copies
    # that were put into subfolders.
    folded.sort(key=lambda one: (one[1].name, -one[1].log_end, len(one[0].path.parts), str(one[0].path)))
    return folded


def _copies_of(
    folded: Sequence[Folded],
    judged: Mapping[str, Source],
    coordinator: Coordinator,
    metadata: ClusterMetadata,
    declared: Declared,
) -> Copies:
    """What the files show about all copies, and what the person who gave them states. `judged`: the copy with
    verdicts, by partition's name. Raises LogsError if these contradict each other."""
    topic_ids: dict[str, set[str]] = {}
    for source, partition, _ in folded:
        topic_ids.setdefault(partition.name.rpartition("-")[0], set()).add(source.origin.topic_id)
    mixed = frozenset(topic for topic, ids in topic_ids.items() if len(ids - {""}) > 1)
    names: dict[str, set[str]] = {}
    for topic, ids in topic_ids.items():
        for topic_id in ids - {""}:
            names.setdefault(topic_id, set()).add(topic)
    renamed = frozenset(chain.from_iterable(topics for topics in names.values() if len(topics) > 1))
    count = partition_count(coordinator, metadata, declared)
    origins = {name: source.origin for name, source in judged.items()}
    return Copies(coordinator, declared, count, origins, mixed, renamed)


def _bundles(paths: Sequence[Path]) -> "Sequence[Bundle]":
    if not paths:
        return ()
    # Imported here, because most cases have no bundle and the imports of that module take long.
    from eosviz.pipeline.kafka_logs.bundle_reading import read_bundles

    return read_bundles(paths)


def _only_logged(log_lines: Sequence[LogLine]) -> list[str]:
    """The names of partitions in log lines that rule out some verdicts, sorted."""
    return sorted({one.partition for one in log_lines if one.partition is not None and left_by(one)})


def _placed(directory: Source, partition: Partition, starts: dict[str, int]) -> str:
    """Complete a folded partition with what the folder, text or bundle shows beside its batches. Returns the
    name of the file or segment from which its log start offset is known."""
    start, source = directory.log_start
    if starts.get(directory.name, -1) > start:
        start, source = starts[directory.name], "log-start-offset-checkpoint"
    partition.log_start = start
    if partition.log_end >= 0:
        partition.log_end = max(partition.log_end, directory.log_end_min)
    if directory.has_later_segments or (partition.reserved is not None and not directory.is_preallocated):
        partition.doubt(partition.log_end)
    if (snapshot := directory.newest_snapshot) is not None:
        name, entries = snapshot
        taken_at = base_offset_of_snapshot(name)
        if taken_at < (first := next(iter(directory.segment_bases), taken_at)):
            # The batches between the snapshot and the first segment are missing. They may have ended any
            # transaction that is open in the snapshot.
            partition.doubt(first)
        for entry in entries:
            know_deleted(partition, entry, taken_at, f"{partition.name}/{name}")
    return source


Wording = Callable[[Words], Any]
"""The type of a function that makes the text or object by which a document shows a sentence."""


_One = TypeVar("_One")


class _Room:
    """A document's limit on entries of one sort. Counts how many more may be listed, and how many were left
    out."""

    def __init__(self) -> None:
        self._left = LISTED_MAX
        self.left_out = 0

    def of(self, every: Sequence[_One]) -> Sequence[_One]:
        """The first entries of `every`, as many as may still be listed."""
        listed = every[: self._left]
        self._left -= len(listed)
        self.left_out += len(every) - len(listed)
        return listed


def document(case: Case, word: Wording) -> dict[str, Any]:
    """The case as the JSON of `manage.py logs --json`. The keys have a fixed order. `word`: makes the form of
    each sentence."""
    transactions, producers, verdicts, notes, ranges = (_Room() for _ in range(5))
    committed = {read.partition.name: read.partition.visible_committed() for read in case.partitions}
    uncommitted = {read.partition.name: read.partition.visible_uncommitted() for read in case.partitions}
    groups = group_rows(case)
    of_partitions = [*committed.values(), *uncommitted.values()]
    kinds = {verdict.kind for read in case.partitions for verdict in read.verdicts}
    return {
        "schema": SCHEMA,
        "paths": list(case.paths),
        "now": case.now,
        "given": [
            word(now_sentence(case.now, case.copies_known)),
            word(coordinator_sentence(case.coordinator, case.copies_known, kinds != {VerdictKind.HEALTHY})),
            word(written_sentence(case.coordinator, (read.partition for read in case.partitions))),
        ],
        "partitions": [_partition(read) for read in case.partitions],
        "copies": [_partition(read) for read in case.copies],
        "left_out": [str(path) for path in case.left_out[:LISTED_MAX]],
        "transactions": [
            _transaction(case, read.partition.name, one)
            for read in case.partitions
            for one in transactions.of(read.partition.transactions)
        ],
        "producers": [
            {"partition": read.partition.name} | _producer(one)
            for read in case.partitions
            for one in producers.of([*read.partition.producers.values()])
        ],
        "visible_read_committed": {name: one[:LISTED_MAX] for name, one in committed.items()},
        "visible_read_uncommitted": {name: one[:LISTED_MAX] for name, one in uncommitted.items()},
        "coordinator": {
            "partitions": sorted(case.coordinator.partitions),
            "transactional_ids": len(case.coordinator.latest),
            "records": case.coordinator.records,
            "topic_partitions": case.copies_known.transaction_partitions,
            "corrupt": case.coordinator.damaged,
            "damage": case.coordinator.damage,
        },
        "groups": groups[:LISTED_MAX],
        "verdicts": [
            _verdict(one, read.partition, word, notes, ranges)
            for read in case.partitions
            for one in verdicts.of(read.verdicts)
        ],
        "log_lines": [_log_line(one, word) for one in case.log_lines],
        "not_listed": {
            "log_lines": 0 if case.text is None else case.text.log_lines_left_out,
            "transactions": transactions.left_out,
            "producers": producers.left_out,
            "groups": max(0, len(groups) - LISTED_MAX),
            "ranges": sum(max(0, len(one) - LISTED_MAX) for one in of_partitions) + ranges.left_out,
            "verdicts": verdicts.left_out,
            "notes": notes.left_out + sum(read.verdicts[0].notes_left_out for read in case.partitions),
        },
        "text": None if case.text is None else _text(case.text),
    }


def _log_line(line: LogLine, word: Wording) -> dict[str, Any]:
    return {
        "kind": line.kind,
        "place": line.place,
        "time": line.time,
        "partition": line.partition,
        "producer_id": line.producer_id,
        "epoch": line.epoch,
        "transactional_id": line.transactional_id,
        "says": word(line_sentence(line)),
    }


def _text(text: TextReading) -> dict[str, Any]:
    return {
        "files": text.files,
        "lines": text.lines,
        "used": text.used,
        "skipped": {reason.value: text.skipped[reason] for reason in Skipped if text.skipped[reason]},
        "examples": [
            {"reason": one.reason.value, "place": one.place, "line": one.line} for one in text.examples
        ],
    }


def _partition(read: ReadPartition) -> dict[str, Any]:
    partition, directory = read.partition, read.directory
    in_files, damage = directory.aborted_in_files
    holder = next(iter(partition.open_transactions), None)
    recomputed, kept = set(partition.aborted_index), set(in_files)
    return {
        "name": partition.name,
        "path": str(directory.path),
        "log_start": partition.log_start,
        "log_start_from": read.start_source,
        "high_watermark": partition.high_watermark,
        "last_stable_offset": partition.last_stable_offset(),
        "held_by": None
        if holder is None
        else {"producer_id": holder.producer_id, "epoch": holder.epoch, "first_offset": holder.first_offset},
        "segments": len(directory.segments),
        "batches": partition.batches,
        "records": partition.records,
        "data_records": partition.data_records,
        "control_batches": partition.control_batches,
        "corrupt": partition.corrupt,
        "legacy": partition.legacy,
        "has_holes": partition.has_holes,
        "damage": partition.damage,
        "jumps": [asdict(one) for one in partition.jumps] if partition.reports_jumps else [],
        "reserved": partition.reserved,
        "aborted_index": {
            "in_files": len(in_files),
            "recomputed": len(recomputed),
            "only_in_files": [list(one) for one in in_files if one not in recomputed][:LISTED_MAX],
            "only_recomputed": [list(one) for one in partition.aborted_index if one not in kept][:LISTED_MAX],
            "damage": list(damage),
        },
    }


def _transaction(case: Case, name: str, transaction: Transaction) -> dict[str, Any]:
    marker = transaction.marker
    entry = case.coordinator.latest_of(transaction.producer_id)
    return {
        "producer_id": transaction.producer_id,
        "epoch": transaction.epoch,
        "transactional_id": None if entry is None else entry.transactional_id,
        "partition": name,
        "first_offset": transaction.first_offset,
        "last_offset": transaction.last_offset,
        "result": transaction.result,
        "records": transaction.records,
        "first_timestamp": transaction.first_timestamp,
        "marker_offset": None if marker is None else marker.offset,
        "marker_epoch": None if marker is None else marker.epoch,
        "marker_timestamp": None if marker is None else marker.timestamp,
        "coordinator_epoch": None if marker is None else marker.coordinator_epoch,
    }


def _producer(producer: Producer) -> dict[str, Any]:
    return {
        "producer_id": producer.producer_id,
        "epoch": producer.epoch,
        "last_sequence": producer.last_sequence,
        "last_offset": producer.last_offset,
        "last_timestamp": producer.last_timestamp,
        "coordinator_epoch": producer.coordinator_epoch,
        "open_first_offset": None if producer.open is None else producer.open.first_offset,
        "gaps": producer.gap_count,
        "duplicates": producer.duplicate_count,
        "breaks": [asdict(one) for one in producer.breaks],
    }


def _verdict(
    verdict: Verdict, partition: Partition, word: Wording, notes: _Room, ranges: _Room
) -> dict[str, Any]:
    transaction, entry = verdict.transaction, verdict.entry
    remedy = remedy_of(verdict, partition)
    status = None if entry is None or entry.value is None else entry.value.status.kafka_name
    return {
        "kind": verdict.kind.value,
        "rests_on": None if verdict.rests_on is None else verdict.rests_on.value,
        "partition": verdict.partition,
        "producer_id": None if transaction is None else transaction.producer_id,
        "epoch": None if transaction is None else transaction.epoch,
        "transactional_id": None if entry is None else entry.transactional_id,
        "first_offset": None if transaction is None else transaction.first_offset,
        "coordinator_state": status,
        "started_at": None if entry is None or entry.value is None else _time(entry.value.start_ms),
        "timeout_at": verdict.timeout_at,
        "evidence": _evidence(verdict.evidence, word),
        "alternatives": [kind.value for kind in verdict.alternatives],
        "would_change": [word(one) for one in verdict.would_change],
        "notes": [_note(one, word) for one in notes.of(verdict.notes)],
        "remedy": None if remedy is None else _remedy(remedy, word, ranges),
    }


def _time(milliseconds: int) -> int | None:
    return milliseconds if milliseconds >= 0 else None


def _evidence(evidence: Sequence[Evidence], word: Wording) -> list[dict[str, Any]]:
    return [{"place": one.place, "says": word(one.says)} for one in evidence]


def _note(note: Note, word: Wording) -> dict[str, Any]:
    return {
        "kind": note.kind.value,
        "producer_id": note.producer_id,
        "epoch": note.epoch,
        "first_offset": note.first_offset,
        "marker_offset": note.marker_offset,
        "evidence": _evidence(note.evidence, word),
    }


def _remedy(remedy: Remedy, word: Wording, ranges: _Room) -> dict[str, Any]:
    return {
        "action": remedy.action,
        "command": remedy.command,
        "preconditions": [word(one) for one in remedy.preconditions],
        "others": [
            {
                "command": one.command,
                "since": one.since,
                "preconditions": [word(condition) for condition in one.preconditions],
            }
            for one in remedy.others
        ],
        "ends": remedy.ends,
        "last_stable_offset": remedy.last_stable_offset,
        "visible_read_committed": None
        if remedy.visible_read_committed is None
        else ranges.of(remedy.visible_read_committed),
    }


def group_rows(case: Case) -> list[dict[str, Any]]:
    """One row for each group and partition, with the group's offset there. `held_up`: whether a
    read_committed member gets no further record until an open transaction ends. `lag`: how many offsets lie
    between that offset and the high watermark; None if unknown. `pending_offset`: the offset that an open
    transaction will commit; None if there is none."""
    by_name = {read.partition.name: read.partition for read in case.partitions}
    pending = {key for held in case.groups.pending.values() for key in held}
    rows = []
    for key in sorted({*case.groups.committed, *pending}):
        name = f"{key.topic}-{key.partition}"
        partition, committed = by_name.get(name), case.groups.committed.get(key)
        stable = None if partition is None else partition.last_stable_offset()
        end = None if partition is None else partition.high_watermark
        start = 0 if partition is None else partition.log_start
        goes_on = -1 if committed is None else max(committed.offset, start)
        held_up = stable is not None and end is not None and stable <= goes_on < end
        pending_of = case.groups.pending_of(key)
        next_one = None if pending_of is None else case.groups.pending[pending_of].get(key)
        rows.append(
            {
                "group": key.group,
                "partition": name,
                "committed_offset": None if committed is None else committed.offset,
                "commit_timestamp": None if committed is None else committed.commit_ms,
                "last_stable_offset": stable,
                "high_watermark": end,
                "lag": None if committed is None or end is None or end < 0 else max(0, end - goes_on),
                "held_up": held_up,
                "pending_producer_id": pending_of,
                "pending_offset": None if next_one is None else next_one.offset,
            }
        )
    return rows


def problems(case: Case) -> list[tuple[Verdict, Partition]]:
    """The verdicts other than `HEALTHY`, each with its partition."""
    return [
        (one, read.partition)
        for read in case.partitions
        for one in read.verdicts
        if one.kind is not VerdictKind.HEALTHY
    ]
