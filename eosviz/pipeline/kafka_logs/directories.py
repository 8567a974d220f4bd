"""Finds the folders of partitions under the given paths, and reads the files beside their segments."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from engine.codec.checkpoint_file import decode_leader_epochs, decode_offset_checkpoint
from engine.codec.damage import DamagedError
from engine.codec.partition_folder import base_offset_of
from engine.codec.producer_snapshot import ProducerEntry, decode_producer_snapshot
from engine.codec.segment import BatchRow, Records, Row, SegmentReader
from engine.codec.transaction_index import AbortedTransaction, decode_transaction_index
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Layout, batch_facts, layout_of
from eosviz.pipeline.kafka_logs.compiled import checksum, segment_reader
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.origins import Origin, origin_of
from eosviz.pipeline.kafka_logs.stretch_facts import stretch_facts, stretch_rows
from eosviz.pipeline.kafka_logs.stretches import SPLIT_BYTES, LogsError, Stretch, read_rows, stretches

_SET_ASIDE = re.compile(r".+\.[0-9a-f]{32}-(?:delete|stray)")
_MOVING = re.compile(r"(.+)\.[0-9a-f]{32}-future")
"""These two patterns match names that Kafka's `LogManager` and `UnifiedLog` give to folders: of partitions
that are to be deleted or are stray, and of partitions that are being moved to another disk (KIP-113)."""
CLEANER_CHECKPOINT = "cleaner-offset-checkpoint"
LOG_START_CHECKPOINT = "log-start-offset-checkpoint"
LEADER_EPOCHS = "leader-epoch-checkpoint"
OF_A_SEGMENT = (".log", ".index", ".timeindex", ".txnindex")
"""The endings of files that belong to one segment and are deleted with it. A `.snapshot` is not among them:
it may belong to the end of the log."""
SEGMENT_BYTES_STEP = 1024
"""The configured length of segments, `segment.bytes`, is assumed to be a multiple of this."""
PARTITIONS_MAX = 20_000
"""`find` raises an error if there are more folders than this."""


@dataclass(frozen=True)
class PartitionDirectory:
    """A folder with segments. Kafka names it `topic-N`."""

    path: Path
    segments: tuple[Path, ...]
    """The files of the segments, sorted by base offset."""

    @property
    def name(self) -> str:
        """The partition's name. A folder that the broker was moving to another disk (`-future`) has a longer
        name."""
        name = self.path.resolve().name
        moving = _MOVING.fullmatch(name)
        return moving[1] if moving else name

    @property
    def size(self) -> int:
        """The size of all segments together, in bytes."""
        return sum(segment.stat().st_size for segment in self.segments)

    def stretches(self, split_bytes: int = SPLIT_BYTES) -> tuple[Stretch, ...]:
        """All segments in order. Segments longer than `split_bytes` are divided into several stretches.
        Raises LogsError."""
        return tuple(stretches(self.segments, split_bytes))

    def rows(self, reader: SegmentReader) -> Iterator[Row]:
        """The parts of all segments in order, as `reader` reads them. Raises LogsError if a segment cannot be
        opened."""
        for stretch in self.stretches():
            yield from stretch_rows(stretch, reader)

    def batches(self, depth: Depth = Depth.HEADERS, split_bytes: int = SPLIT_BYTES) -> Iterator[BatchFacts]:
        """The facts of all batches, for the analysis. The file names in them begin with the partition's
        name."""
        for stretch in self.stretches(split_bytes):
            yield from stretch_facts(self.name, stretch, depth)

    def shown(self) -> Iterator[tuple[int, BatchFacts, Layout]]:
        """For each batch, in order: the base offset of its segment, its facts and its layout. Raises
        LogsError."""
        reader = segment_reader(Records.HOLES)
        for stretch in self.stretches():
            file = f"{self.name}/{stretch.base_offset:020}.log"
            for row in read_rows(stretch, reader):
                yield stretch.base_offset, batch_facts(file, row), layout_of(row)

    @property
    def segment_bases(self) -> tuple[int, ...]:
        return tuple(base_offset_of(segment.name) or 0 for segment in self.segments)

    @property
    def asked(self) -> tuple[tuple[ProducerEntry, str], ...]:
        """Producers that a running broker listed. Empty, since a folder contains no such list; texts and
        bundles may."""
        return ()

    @property
    def text_damage(self) -> tuple[str, ...]:
        """Damage outside batches. Empty, since damage of a folder is among its batches; texts and bundles may
        have some."""
        return ()

    @property
    def log_end_min(self) -> int:
        """The lowest possible log end offset: the base offset of the last segment, which may be empty."""
        return base_offset_of(self.segments[-1].name) or 0

    @cached_property
    def origin(self) -> Origin:
        """The cluster and the topic id that files beside the log contain."""
        return origin_of(self.path)

    @property
    def is_empty_segment_alone(self) -> bool:
        """Whether the folder's segments and all its other files are empty."""
        return self.size == 0 and not any(path.stat().st_size for path in self.path.iterdir())

    @property
    def is_preallocated(self) -> bool:
        """Whether zeros at the end of the last segment may be space that `log.preallocate` reserved, as far
        as its length shows."""
        return self.segments[-1].stat().st_size % SEGMENT_BYTES_STEP == 0

    @cached_property
    def log_start(self) -> tuple[int, str]:
        """The log start offset that the files of this folder show, and the name of the file that shows it.
        DeleteRecords moves the start of the oldest leader epoch (`LeaderEpochFileCache`)."""
        first = base_offset_of(self.segments[0].name) or 0
        epochs = self.path / LEADER_EPOCHS
        rows = self.rows(segment_reader(Records.SKIP))
        header = next((row.header for row in rows if isinstance(row, BatchRow) and not row.damage), None)
        if epochs.is_file() and header is not None:
            try:
                entries = decode_leader_epochs(epochs.read_bytes())
            except (OSError, ValueError):
                return first, "first segment; leader-epoch-checkpoint is damaged"
            if entries and 0 <= header.partition_leader_epoch <= entries[0].epoch:
                return max(first, entries[0].start_offset), "leader-epoch-checkpoint"
        return first, "first segment"

    @cached_property
    def newest_epoch_start(self) -> int:
        """The offset at which the newest leader epoch begins, which was the end of the log at that time. 0 if
        unknown."""
        try:
            entries = decode_leader_epochs((self.path / LEADER_EPOCHS).read_bytes())
        except (OSError, ValueError):
            return 0
        return entries[-1].start_offset if entries else 0

    @cached_property
    def has_later_segments(self) -> bool:
        """Whether the folder has a segment, or a file that belongs to a segment, after those that are
        read."""
        behind = base_offset_of(self.segments[-1].name) or 0
        names = (path.with_suffix(".log").name for path in self.path.iterdir() if path.suffix in OF_A_SEGMENT)
        return any((base_offset_of(name) or 0) > behind for name in names)

    @cached_property
    def aborted_in_files(self) -> tuple[tuple[AbortedTransaction, ...], tuple[str, ...]]:
        """The entries of all `.txnindex` files in order, and the damage in these files."""
        entries: list[AbortedTransaction] = []
        damage: list[str] = []
        for path in sorted(self.path.glob("*.txnindex")):
            read, broken = decode_transaction_index(path.read_bytes())
            entries.extend(read)
            damage.extend(f"{self.name}/{path.name}: {one}" for one in broken)
        return tuple(entries), tuple(damage)

    @cached_property
    def newest_snapshot(self) -> tuple[str, tuple[ProducerEntry, ...]] | None:
        """The file name and the entries of the newest `.snapshot` that is not damaged; None if there is
        none."""
        for path in sorted(self.path.glob("*.snapshot"), reverse=True):
            try:
                return path.name, decode_producer_snapshot(path.read_bytes(), checksum)
            except DamagedError:
                continue
        return None


class Found(NamedTuple):
    """The folders that were found under some paths."""

    directories: tuple[PartitionDirectory, ...]
    """The folders, each once, sorted by path."""
    left_out: tuple[Path, ...]
    """Folders that are not read, because the broker has renamed them: it was going to delete them, or they
    are stray."""


def find_directories(paths: Sequence[Path]) -> tuple[PartitionDirectory, ...]:
    """Every folder with segments under `paths`. If a path is a segment, its folder with only this segment.
    Raises LogsError."""
    return find(paths).directories


def find(paths: Sequence[Path]) -> Found:
    """Every folder with segments under `paths`, and the folders that are left out. Raises LogsError if there
    is nothing to read, if a folder cannot be read, or if there are more than PARTITIONS_MAX folders."""
    found: dict[Path, tuple[Path, set[str]]] = {}
    left_out: list[Path] = []
    for folder, names in _folders(paths):
        segments = {name for name in names if base_offset_of(name) is not None}
        if segments and _SET_ASIDE.fullmatch(folder.name):
            left_out.append(folder)
        elif segments:
            found.setdefault(folder.resolve(), (folder, set()))[1].update(segments)
        if len(found) > PARTITIONS_MAX:
            raise LogsError(f"{folder} is beyond {PARTITIONS_MAX} partition folders: give parts of them")
    if not found:
        listed = ", ".join(map(str, paths))
        aside = f"; left out, the broker has set it aside: {left_out[0]}" if left_out else ""
        raise LogsError(f"no segment (twenty digits and .log) under {listed}{aside}")
    directories = (
        PartitionDirectory(place, tuple(place / name for name in sorted(names)))
        for _, (place, names) in sorted(found.items())
    )
    return Found(tuple(directories), tuple(sorted(left_out)))


def is_segment(path: Path) -> bool:
    """Whether the path is a file with the name of a segment."""
    return base_offset_of(path.name) is not None and path.is_file()


def _folders(paths: Sequence[Path]) -> Iterator[tuple[Path, list[str]]]:
    """(folder, names of its files) for each folder at and below `paths`. If a path is a segment, its folder
    with only this name. Raises LogsError for any other path."""
    for path in paths:
        if is_segment(path):
            yield path.parent, [path.name]
            continue
        if not path.is_dir():
            what = "is not a folder" if path.exists() else "does not exist"
            raise LogsError(f"{path} {what}: give partition folders or log directories of a broker")
        yield from _under(path)


def _under(path: Path) -> Iterator[tuple[Path, list[str]]]:
    """(folder, names of its files) for each folder at and below `path`, each folder once. Links to folders
    are followed, because a partition may be on another disk."""
    seen: set[str] = set()
    for folder, names, files in os.walk(path, onerror=_raise, followlinks=True):
        place = os.path.realpath(folder)
        if place in seen:
            names.clear()
            continue
        seen.add(place)
        names.sort()
        yield Path(folder), files


def log_start_checkpoints(paths: Sequence[Path]) -> dict[str, int]:
    """Dict of partition → its log start offset, from the checkpoints of log directories under `paths`. If
    several checkpoints contain a partition, the highest offset counts. A damaged checkpoint is ignored."""
    starts: dict[str, int] = {}
    for path in paths:
        for file in sorted(path.rglob(LOG_START_CHECKPOINT)):
            try:
                read = decode_offset_checkpoint(file.read_bytes())
            except (OSError, ValueError):
                continue
            for name, offset in read.items():
                starts[name] = max(offset, starts.get(name, 0))
    return starts


def cleaned_up_to(directory: PartitionDirectory) -> int:
    """The offset up to which (exclusive) the log cleaner has cleaned the partition, from the log directory's
    checkpoint; 0 if unknown."""
    for place in (directory.path.parent, directory.path.resolve().parent):
        try:
            read = decode_offset_checkpoint((place / CLEANER_CHECKPOINT).read_bytes())
        except (OSError, ValueError):
            continue
        return read.get(directory.name, 0)
    return 0


def _raise(error: OSError) -> None:
    raise LogsError(f"{error.filename}: {error.strerror}: make it readable, or give other folders") from error
