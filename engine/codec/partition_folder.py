"""The files of partitions, given as a mapping from path to bytes: which are segments, in which order, and
which are not read.

Source: Kafka's `UnifiedLog` and `LogFileUtils`: a segment's file is named after its base offset, twenty
digits, and a partition's folder after topic and partition. Paths use `/`; nothing here opens a file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.codec.buffers import Buffer
from engine.codec.segment import Row, SegmentReader, offset_behind, starts_like_segment

_SEGMENT_NAME = re.compile(r"(\d{1,20})\.log")
_PARTITION_NAME = re.compile(r"(?P<topic>.{1,249})-(?P<partition>\d{1,10})")

NOT_READ_YET = {
    ".index": "offset index",
    ".timeindex": "time index",
    ".txnindex": "aborted transaction index",
    ".snapshot": "producer state snapshot",
    "leader-epoch-checkpoint": "leader epoch checkpoint",
    "partition.metadata": "topic id",
    ".deleted": "segment marked for deletion",
    ".cleaned": "segment that the cleaner did not finish",
    ".swap": "segment that the cleaner is about to put in place",
}
"""Files of a partition folder that this reader knows and does not read yet, by the end of their name."""

NOT_OF_KAFKA = "not a file that Kafka's log writes"


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """One `.log` file."""

    path: str
    base_offset: int | None
    """From the file's name; None when the name is not an offset."""
    data: Buffer


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that was given and is not read, and what it holds."""

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class PartitionFolder:
    """The segments of one folder, by base offset, and the files beside them."""

    path: str
    """The folder; empty when the files were given without one."""
    segments: tuple[SegmentFile, ...]
    not_read: tuple[UnreadFile, ...]

    @property
    def topic_partition(self) -> str | None:
        """`topic-0`, as the folder is named; None when it is not named so."""
        name = self.path.rpartition("/")[2]
        return name if _PARTITION_NAME.fullmatch(name) else None

    def rows(self, reader: SegmentReader) -> Iterator[SegmentFile | Row]:
        """The rows of all segments, each segment's behind the segment itself; offsets rise across their
        borders.

        A segment whose end is damaged does not stop the next one.
        """
        next_offset = 0
        for segment in self.segments:
            yield segment
            # A file that was renamed says nothing about its place among the others.
            offset_min = 0 if segment.base_offset is None else next_offset
            for row in reader.rows(segment.data, segment.base_offset, offset_min):
                yield row
                next_offset = offset_behind(row, next_offset)


def partition_folders(files: Mapping[str, Buffer]) -> tuple[PartitionFolder, ...]:
    """The folders of `files`, sorted by path; a folder without a segment is kept, with its unread files.

    People rename files: one whose name is not an offset counts as a segment, behind the others, when it
    starts like one.
    """
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
            not_read.append(UnreadFile(path, unread or NOT_OF_KAFKA))
    segments.sort(key=lambda segment: (segment.base_offset is None, segment.base_offset or 0, segment.path))
    return PartitionFolder(folder, tuple(segments), tuple(not_read))


def base_offset_of(path: str) -> int | None:
    """The offset that a segment's file name says, None when it says none."""
    match = _SEGMENT_NAME.fullmatch(path.rpartition("/")[2])
    return int(match[1]) if match else None


def _known_unread(path: str) -> str | None:
    """What the file holds, when its name says that it is one of those not read yet."""
    for ending, what in NOT_READ_YET.items():
        if path.endswith(ending):
            return f"{what}, not read yet"
    return None
