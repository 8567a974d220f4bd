"""Divides segments into stretches that can be read separately, and reads them.

A stretch begins at the start of its segment, or at a batch to which the offset index points. It has its own
bounds for offsets, so it can be read without any other stretch. An entry of the index is used only if a
complete batch is at its position: files are copied, truncated and repaired, and an index may belong to
another file. Files are memory-mapped, and only the stretch is read, so a directory of any size takes only the
memory of a stretch.
"""

import mmap
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.codec.buffers import Buffer
from engine.codec.damage import DamageKind
from engine.codec.offset_index import index_entries
from engine.codec.partition_folder import base_offset_of
from engine.codec.record_batch import HEADER_BYTES, decode_header
from engine.codec.segment import BatchRow, DamageRow, Row, SegmentReader, offset_behind
from engine.messages import INT_MAX, LONG_MAX
from eosviz.pipeline.kafka_logs.compiled import checksum

SPLIT_BYTES = 32 * 1024 * 1024
"""A segment that is longer than this is divided at indexed batches that are at least this many bytes
apart."""

_FRAMES = SegmentReader(checksum=checksum)


class LogsError(ValueError):
    """Logs cannot be read, no log case can be made of them, or they cannot be saved as a bundle. The text
    says why."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of one segment, of consecutive batches, which can be read separately."""

    segment: Path
    base_offset: int
    """The segment's base offset, from its name."""
    start: int
    """The byte of the segment at which the first batch begins."""
    stop: int
    """The byte after the last batch."""
    offset_min: int
    offset_end: int
    """All offsets in the stretch are at least `offset_min` and less than `offset_end`."""


@dataclass(frozen=True, slots=True)
class _Sure:
    """A position in a segment at which reading may begin: its start, or a complete batch to which an index
    points."""

    position: int
    base_offset: int


def stretches(segments: Sequence[Path], split_bytes: int = SPLIT_BYTES) -> Iterator[Stretch]:
    """The stretches of a partition, in order. `segments`: its segments, sorted by base offset. Raises
    LogsError."""
    bases = [base_offset_of(segment.name) or 0 for segment in segments]
    for segment, base, behind in zip(segments, bases, [*bases[1:], LONG_MAX + 1], strict=True):
        try:
            size = segment.stat().st_size
        except OSError as error:
            raise LogsError(_unreadable(segment, error)) from error
        end = min(behind, base + INT_MAX + 1)
        cuts = _cuts(segment, base, size, split_bytes) if size > split_bytes else ()
        starts = [_Sure(0, base), *cuts]
        ends = [*((one.position, one.base_offset) for one in cuts), (size, end)]
        for start, (stop, offset_end) in zip(starts, ends, strict=True):
            yield Stretch(segment, base, start.position, stop, start.base_offset, offset_end)


def _cuts(segment: Path, base: int, size: int, split_bytes: int) -> tuple[_Sure, ...]:
    cuts: list[_Sure] = []
    for one in _sure_batches(segment, base, mapped(segment), split_bytes):
        behind = cuts[-1].position if cuts else 0
        if one.position >= size:
            break
        if one.position - behind >= split_bytes:
            cuts.append(one)
    return tuple(cuts)


def _sure_batches(segment: Path, base: int, data: Buffer, distance: int) -> Iterator[_Sure]:
    """The complete batches to which an index points, at least `distance` bytes apart."""
    try:
        entries = list(index_entries(segment.with_suffix(".index").read_bytes()))
    except OSError:
        return
    view, last = memoryview(data), _Sure(0, base)
    for entry in entries:
        if entry.position - last.position < distance or entry.position > len(view) - HEADER_BYTES:
            continue
        header = decode_header(view, entry.position)
        if not last.base_offset <= header.base_offset <= base + entry.relative_offset:
            continue
        row = _FRAMES.row(view, entry.position, range(base, base + INT_MAX + 1))
        if isinstance(row, BatchRow) and row.crc_ok:
            last = _Sure(entry.position, header.base_offset)
            yield last


class StretchRows:
    """Reads the rows of a stretch from any position. Raises LogsError if the file cannot be opened."""

    def __init__(self, stretch: Stretch, reader: SegmentReader) -> None:
        self.view = memoryview(mapped(stretch.segment))
        self.stop = min(stretch.stop, len(self.view))
        self._stretch, self._reader = stretch, reader
        self._sure: list[_Sure] = []
        self._coming = _sure_batches(stretch.segment, stretch.base_offset, self.view, 1)

    def at(self, position: int, offset_min: int) -> Row:
        """The row at `position`. Zeros up to the end are reserved space (`log.preallocate`), unless the index
        points to a batch there."""
        row = self._reader.row(self.view, position, range(offset_min, self._stretch.offset_end))
        if not isinstance(row, DamageRow) or not row.is_reserved:
            return row
        named = next((at for at in _indexed(self._stretch.segment) if at >= position), None)
        if named is None:
            return row
        (zeros,) = row.damage
        return replace(row, damage=(replace(zeros, kind=DamageKind.LOST, expected=str(named)),))

    def behind(self, row: Row, offset_min: int) -> tuple[int, int]:
        """The position at which reading continues after `row`, and the lowest offset that a batch there may
        have."""
        if not any(damage.ends_file for damage in row.damage):
            size = row.header.size if isinstance(row, BatchRow) else row.size
            # Later rows are compared with this one, so that one break in the order is reported only once.
            return row.position + size, offset_behind(row, offset_min)
        found = self._sure_behind(row.position)
        return (self._stretch.stop, offset_min) if found is None else (found.position, found.base_offset)

    def _sure_behind(self, position: int) -> _Sure | None:
        """The first complete batch after byte `position` to which the index points; None if there is none."""
        while not self._sure or self._sure[-1].position <= position:
            one = next(self._coming, None)
            if one is None:
                return None
            self._sure.append(one)
        return self._sure[bisect_right(self._sure, position, key=lambda one: one.position)]


def read_rows(stretch: Stretch, reader: SegmentReader) -> Iterator[Row]:
    """The rows of a stretch, in order. If the position of the next batch is unknown, reading continues at a
    later batch to which the index points."""
    rows = StretchRows(stretch, reader)
    position, offset_min = stretch.start, stretch.offset_min
    while position < rows.stop:
        row = rows.at(position, offset_min)
        yield row
        position, offset_min = rows.behind(row, offset_min)


def _indexed(segment: Path) -> list[int]:
    """The positions of all batches to which the index points. Empty if there is no index."""
    try:
        return [entry.position for entry in index_entries(segment.with_suffix(".index").read_bytes())]
    except OSError:
        return []


def mapped(path: Path) -> Buffer:
    """The content of a file, memory-mapped. Raises LogsError if the file cannot be opened."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return b""
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise LogsError(_unreadable(path, error)) from error


def _unreadable(path: Path, error: OSError) -> str:
    return f"{path}: {error.strerror}: make it readable, or give other folders"
