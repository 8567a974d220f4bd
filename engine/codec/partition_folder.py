"""Finds the segments of partitions, their order, and the files that are not read, in a mapping from path to
bytes.

Source: Kafka's `UnifiedLog` and `LogFileUtils`: the name of a segment's file is its base offset in twenty
digits, and the name of a partition's folder is topic and partition. Paths use `/`; nothing here opens a file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.codec.buffers import Buffer
from engine.codec.segment import Row, SegmentReader, offset_behind, starts_like_segment

_SEGMENT_NAME = re.compile(r"(\d{20})\.log")
_PARTITION_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}-\d{1,10}")
"""Kafka's own pattern for a topic's name, followed by the partition."""


class FileKind(StrEnum):
    """The content of a file that is not read. The value is its name on the command line."""

    OFFSET_INDEX = "offset index, not read"
    TIME_INDEX = "time index, not read"
    TRANSACTION_INDEX = "index of aborted transactions, not read"
    PRODUCER_SNAPSHOT = "snapshot of producer state, not read"
    LEADER_EPOCHS = "leader epochs, not read"
    TOPIC_ID = "topic id, not read"
    DELETED = "file that Kafka marked for deletion, not read"
    CLEANED = "segment that the log cleaner did not finish, not read"
    SWAP = "segment that the log cleaner was about to put in place, not read"
    DIRECTORY_CHECKPOINT = "checkpoint of a whole log directory, not read"
    DIRECTORY_PROPERTIES = "properties of a log directory, not read"
    FOREIGN = "not a segment"


_KIND_BY_ENDING = {
    ".index": FileKind.OFFSET_INDEX,
    ".timeindex": FileKind.TIME_INDEX,
    ".txnindex": FileKind.TRANSACTION_INDEX,
    ".snapshot": FileKind.PRODUCER_SNAPSHOT,
    "leader-epoch-checkpoint": FileKind.LEADER_EPOCHS,
    "partition.metadata": FileKind.TOPIC_ID,
    "-offset-checkpoint": FileKind.DIRECTORY_CHECKPOINT,
    "meta.properties": FileKind.DIRECTORY_PROPERTIES,
    ".deleted": FileKind.DELETED,
    ".cleaned": FileKind.CLEANED,
    ".swap": FileKind.SWAP,
}


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """One `.log` file."""

    path: str
    base_offset: int | None
    """The offset in the file's name; None when the name is not an offset."""
    data: Buffer

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class PrintedSegment:
    """A segment without a file: its batches come from printed text or from a bundle."""

    path: str
    """The path that a file of this segment would have."""
    base_offset: int | None
    size: int
    """Size in bytes, computed from its batches."""


Segment = SegmentFile | PrintedSegment


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that was given and is not read."""

    path: str
    kind: FileKind


@dataclass(frozen=True, slots=True)
class PartitionFolder:
    """The segments of one folder, by base offset, and the files beside them."""

    path: str
    """The path of the folder; empty when the files were given without one."""
    segments: tuple[SegmentFile, ...]
    not_read: tuple[UnreadFile, ...]

    @property
    def topic_partition(self) -> str | None:
        """`topic-0`, the name of the folder; None when the folder has no such name."""
        name = self.path.rpartition("/")[2]
        return name if _PARTITION_NAME.fullmatch(name) else None

    def rows(self, reader: SegmentReader) -> Iterator[SegmentFile | Row]:
        """Each segment, followed by its rows. Offsets that do not rise from segment to segment are damage."""
        next_offset = 0
        for segment in self.segments:
            yield segment
            # If the file was renamed, its name does not show its position among the others.
            offset_min = 0 if segment.base_offset is None else next_offset
            for row in reader.rows(segment.data, segment.base_offset, offset_min):
                yield row
                next_offset = offset_behind(row, next_offset)


def partition_folders(files: Mapping[str, Buffer]) -> tuple[PartitionFolder, ...]:
    """The folders of `files`, sorted by path. A renamed file counts as a segment if it starts like one."""
    folders: dict[str, list[str]] = {}
    for path in sorted(files):
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    return tuple(_folder(folder, paths, files) for folder, paths in sorted(folders.items()))


def _folder(folder: str, paths: Sequence[str], files: Mapping[str, Buffer]) -> PartitionFolder:
    segments: list[SegmentFile] = []
    not_read: list[UnreadFile] = []
    for path in paths:
        base_offset, unread = base_offset_of(path), _known_unread(path)
        if unread is None and (base_offset is not None or starts_like_segment(files[path])):
            segments.append(SegmentFile(path, base_offset, files[path]))
        else:
            not_read.append(UnreadFile(path, unread or FileKind.FOREIGN))
    segments.sort(key=lambda segment: (segment.base_offset is None, segment.base_offset or 0, segment.path))
    return PartitionFolder(folder, tuple(segments), tuple(not_read))


def shown_name(path: str, characters_max: int | None = 100) -> str:
    """A path as one line of printable text. If it is longer than `characters_max`, its end is shown, after
    `…`."""
    name = path if path.isprintable() else ascii(path)
    return name if characters_max is None or len(name) <= characters_max else "…" + name[1 - characters_max :]


def base_offset_of(path: str) -> int | None:
    """The offset in a segment's file name; None when there is none."""
    match = _SEGMENT_NAME.fullmatch(path.rpartition("/")[2])
    return int(match[1]) if match else None


def _known_unread(path: str) -> FileKind | None:
    """The kind of a file that is not read, by its name; None for other files."""
    return next((kind for ending, kind in _KIND_BY_ENDING.items() if path.endswith(ending)), None)
