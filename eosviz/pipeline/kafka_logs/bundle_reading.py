"""Reads a bundle into the types in which the analysis also gets the contents of files."""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engine.codec.consumer_offsets_record import CommittedOffset, OffsetKey
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_index import AbortedTransaction
from engine.codec.transaction_log_record import TransactionLogValue, TransactionStatus
from eosviz.pipeline.kafka_logs import bundle_lines as lines
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Layout, every_offset
from eosviz.pipeline.kafka_logs.coordinator import (
    DAMAGE_MAX,
    Coordinator,
    CoordinatorEntry,
    Listed,
    ReadLog,
)
from eosviz.pipeline.kafka_logs.declared import Declared
from eosviz.pipeline.kafka_logs.groups import GroupOffsets
from eosviz.pipeline.kafka_logs.log_lines import LogLine
from eosviz.pipeline.kafka_logs.log_tails import FolderlessPartition
from eosviz.pipeline.kafka_logs.origins import Origin
from eosviz.pipeline.kafka_logs.partition import Partition, know
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.words import words
from eosviz.unreadable_json import UNREADABLE

UNPACKED_BYTES_MAX = 512 * 1024 * 1024
LINE_BYTES_MAX = 1024 * 1024


@dataclass(slots=True)
class BundledPartition(FolderlessPartition):
    """A partition of a bundle. It has the properties of a `PartitionDirectory` that the analysis reads."""

    name: str
    path: Path
    """The path of the bundle, followed by the number of the partition in the bundle."""
    line: lines.PartitionLine
    batch_lines: list[lines.BatchLine] = field(default_factory=list)
    snapshot: list[ProducerEntry] = field(default_factory=list)
    asked: list[tuple[ProducerEntry, str]] = field(default_factory=list)
    aborted: list[AbortedTransaction] = field(default_factory=list)
    index_damage: list[str] = field(default_factory=list)
    text_damage: list[str] = field(default_factory=list)

    @property
    def origin(self) -> Origin:
        return Origin(*(_own(self.path.parent, name) for name in (self.line.cluster, self.line.topic_id)))

    @property
    def is_empty_segment_alone(self) -> bool:
        return self.line.is_empty_segment_alone

    @property
    def segments(self) -> tuple[int, ...]:
        return tuple(self.line.segments)

    @property
    def segment_bases(self) -> tuple[int, ...]:
        return self.segments

    @property
    def log_start(self) -> tuple[int, str]:
        return self.line.log_start, self.line.log_start_from

    @property
    def log_end_min(self) -> int:
        return self.line.log_end

    @property
    def aborted_in_files(self) -> tuple[tuple[AbortedTransaction, ...], tuple[str, ...]]:
        return tuple(self.aborted), tuple(self.index_damage)

    @property
    def newest_snapshot(self) -> tuple[str, tuple[ProducerEntry, ...]] | None:
        return (self.line.snapshot, tuple(self.snapshot)) if self.line.snapshot else None

    def shown(self) -> Iterator[tuple[int, BatchFacts, Layout]]:
        """For each batch: the base offset of its segment, its facts and its layout."""
        for line in self.batch_lines:
            yield line.segment, facts_of(self.name, line), Layout(line.size, line.codec, line.leader_epoch)

    def folded(self) -> Partition:
        partition = Partition(self.name, damage=list(self.text_damage), corrupt=len(self.text_damage))
        partition.is_printed = self.line.is_printed
        for _, facts, _ in self.shown():
            partition.add(facts)
        partition.doubt(self.line.doubted_from)
        if self.text_damage:
            partition.doubt(partition.log_end)
        if not self.batch_lines:
            for entry, place in self.asked:
                know(partition, entry, place)
            partition.log_end = self.line.log_end
        return partition


def facts_of(name: str, line: lines.BatchLine) -> BatchFacts:
    """The facts of one batch line of the partition `name`."""
    whole = every_offset(line.base_offset, line.last_offset, line.records)
    return BatchFacts(
        file=f"{name}/{line.segment:020}.log",
        position=line.position,
        magic=line.magic,
        base_offset=line.base_offset,
        last_offset=line.last_offset,
        records=line.records,
        offsets=whole if line.offsets is None else tuple(line.offsets),
        producer_id=line.producer_id,
        producer_epoch=line.producer_epoch,
        base_sequence=line.base_sequence,
        last_sequence=line.last_sequence,
        is_transactional=line.is_transactional,
        control_type=line.control_type,
        coordinator_epoch=line.coordinator_epoch,
        max_timestamp=line.max_timestamp,
        damage=line.damage,
    )


@dataclass(slots=True)
class Bundle:
    """What one bundle contains."""

    now: int
    times_moved: bool
    declared: Declared = field(default_factory=Declared)
    partitions: list[BundledPartition] = field(default_factory=list)
    coordinator: Coordinator = field(default_factory=Coordinator)
    groups: GroupOffsets = field(default_factory=GroupOffsets)
    log_lines: list[LogLine] = field(default_factory=list)


def read_bundles(paths: Sequence[Path]) -> list[Bundle]:
    """Reads every bundle. Raises LogsError if a file is no bundle, or is truncated or too large."""
    return [_Reading(path).read() for path in paths]


class _Reading:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._bundle = Bundle(-1, False)
        self._number = 0

    def read(self) -> Bundle:
        ended = False
        for line in self._lines():
            if ended or (self._number == 1) != isinstance(line, lines.Head):
                raise self._refused("stands in the wrong place")
            ended = isinstance(line, lines.End)
            self._take(line)
        if not ended:
            raise self._refused("is the last one, and no end follows: the file was cut short")
        coordinator = self._bundle.coordinator
        known = (entry.transactional_id for entries in coordinator.history.values() for entry in entries)
        if any(transactional_id not in coordinator.latest for transactional_id in known):
            raise self._refused("ends it, and a transactional id has no newest record")
        return self._bundle

    def _lines(self) -> Iterator[lines.Line]:
        decoder = msgspec.json.Decoder(lines.Line)
        left = UNPACKED_BYTES_MAX
        try:
            with gzip.open(self._path) as file:
                while raw := file.readline(LINE_BYTES_MAX):
                    self._number += 1
                    left -= len(raw)
                    if left < 0:
                        raise self._refused(f"is beyond the {UNPACKED_BYTES_MAX} bytes that are read")
                    yield decoder.decode(raw)
        except UNREADABLE as error:
            raise self._refused(str(error)) from error
        except (OSError, EOFError, zlib.error) as error:
            raise LogsError(f"{self._path} is no whole gzipped file: {error}") from error

    def _refused(self, why: str) -> LogsError:
        return LogsError(f"{self._path}: line {self._number} {why}: give a bundle that manage.py logs saved")

    def _take(self, line: lines.Line) -> None:
        match line:
            case lines.Head():
                self._bundle.now, self._bundle.times_moved = line.now, line.times == "moved"
                self._bundle.declared = Declared(
                    transaction_partitions=line.transaction_partitions,
                    rest_empty=line.rest_empty,
                    one_cluster=line.one_cluster,
                    copied_after=line.copied_after if line.copied_after >= 0 else None,
                )
            case lines.PartitionLine():
                place = self._path / f"{len(self._bundle.partitions):06}"
                self._bundle.partitions.append(BundledPartition(line.name, place, line))
            case lines.BatchLine() | lines.ProducerLine() | lines.AbortedLine():
                self._of_partition(line)
            case lines.DamageLine():
                self._damage(line)
            case lines.CoordinatorLine() | lines.TransactionLine() | lines.ListedLine():
                self._of_coordinator(line)
            case lines.CoordinatorLogLine():
                self._bundle.coordinator.logs[line.name] = _log(line, self._path)
            case lines.GroupsLine():
                self._bundle.groups.partitions += line.partitions
                self._bundle.groups.damaged += line.damaged
            case lines.OffsetLine():
                self._offset(line)
            case lines.LogLine():
                self._bundle.log_lines.append(_log_line(line))
            case lines.End():
                if line.lines != self._number - 1:
                    raise self._refused(
                        f"says {line.lines} lines, and {self._number - 1} stand in front of it"
                    )

    def _last(self) -> BundledPartition:
        if not self._bundle.partitions:
            raise self._refused("belongs to no partition")
        return self._bundle.partitions[-1]

    def _of_partition(self, line: lines.BatchLine | lines.ProducerLine | lines.AbortedLine) -> None:
        partition = self._last()
        if isinstance(line, lines.BatchLine):
            partition.batch_lines.append(line)
        elif isinstance(line, lines.AbortedLine):
            partition.aborted.append(AbortedTransaction(*line.entry))
        elif line.said_at is None:
            partition.snapshot.append(ProducerEntry(*line.entry))
        else:
            partition.asked.append((ProducerEntry(*line.entry), line.said_at))

    def _damage(self, line: lines.DamageLine) -> None:
        if line.of == "index":
            self._last().index_damage.append(line.says)
        elif line.of == "text":
            self._last().text_damage.append(line.says)
        else:
            of = self._bundle.coordinator if line.of == "coordinator" else self._bundle.groups
            if len(of.damage) < DAMAGE_MAX:
                of.damage.append(line.says)

    def _of_coordinator(self, line: lines.CoordinatorLine | lines.TransactionLine | lines.ListedLine) -> None:
        coordinator = self._bundle.coordinator
        if isinstance(line, lines.CoordinatorLine):
            coordinator.is_renamed = True
            coordinator.partitions += line.partitions
            coordinator.lists += line.lists
            coordinator.records += line.records
            coordinator.damaged += line.damaged
            coordinator.newest_ms = max(coordinator.newest_ms, line.newest_ms)
        elif isinstance(line, lines.ListedLine):
            coordinator.listed[line.producer_id] = Listed(line.transactional_id, line.state, line.said_at)
        else:
            entry = _entry(line)
            if line.of is not None:
                coordinator.remember(line.of, entry)
            if line.is_latest:
                coordinator.latest[entry.transactional_id] = entry

    def _offset(self, line: lines.OffsetLine) -> None:
        key, groups = OffsetKey(line.group, line.topic, line.partition), self._bundle.groups
        value = None if line.offset is None else _committed(line.offset, line.commit_ms)
        if line.pending_of is not None:
            groups.pending.setdefault(line.pending_of, {})[key] = value
        elif value is not None:
            groups.committed[key] = value


def _committed(offset: int, commit_ms: int) -> CommittedOffset:
    return CommittedOffset(
        version=-1, offset=offset, leader_epoch=-1, metadata="", commit_ms=commit_ms, expire_ms=-1
    )


def _entry(line: lines.TransactionLine) -> CoordinatorEntry:
    value = None
    if line.value is not None:
        fields = msgspec.structs.asdict(line.value)
        fields["status"] = TransactionStatus(line.value.status)
        fields["partitions"] = tuple(line.value.partitions)
        value = TransactionLogValue(**fields)
    return CoordinatorEntry(
        line.transactional_id, line.partition, line.offset, line.timestamp, value, line.said_at
    )


def _own(bundle: Path, name: str) -> str:
    """Adds the bundle's path to a pseudonym, because another bundle may use the same pseudonym for something
    else. Empty if there is none."""
    return f"{bundle}: {name}" if name else ""


def _log(line: lines.CoordinatorLogLine, bundle: Path) -> ReadLog:
    log = ReadLog(line.newest_ms, line.has_holes, is_cleaned=line.is_cleaned, is_printed=line.is_printed,
                  is_bare=line.is_bare, cluster_id=_own(bundle, line.cluster),
                  topic_id=_own(bundle, line.topic_id))  # fmt: skip
    for _ in line.flaws:
        log.add_flaw(words("flaw.declared"))
    return log


def _log_line(line: lines.LogLine) -> LogLine:
    return LogLine(
        line.kind, line.said_at, line.time, line.partition, line.producer_id, line.epoch,
        line.transactional_id, line.params,
    )  # fmt: skip
