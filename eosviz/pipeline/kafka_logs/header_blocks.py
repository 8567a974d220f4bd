"""Thousands of batch headers at once, in columns: the fast way over batches in which nothing is remarkable.

It decides nothing. A batch is taken as it is when its checksum holds and its header alone tells all; every
other one (a control batch, one that the cleaner left holes in, anything that may be damaged) goes to the
segment reader, and behind a damaged one the block ends.
"""

import struct
from dataclasses import dataclass, field, fields

import numpy as np

from engine.codec.record_batch import (
    ATTRIBUTES_POSITION,
    CODEC_MASK,
    CODEC_NAMES,
    HEADER_BYTES,
    HEADER_FORMAT,
    LENGTH_MIN,
    LENGTH_POSITION,
    MAGIC,
    OVERHEAD_BYTES,
    Attribute,
    BatchHeader,
)
from engine.codec.segment import BatchRow, SegmentReader
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, batch_facts
from eosviz.pipeline.kafka_logs.compiled import checksum

BATCHES_MAX = 4096
"""Batches of one block."""

_LENGTH = struct.Struct(">i")
_TYPES = {"b": "i1", "h": ">i2", "i": ">i4", "I": ">u4", "q": ">i8"}
HEADER = np.dtype(
    [(one.name, _TYPES[letter]) for one, letter in zip(fields(BatchHeader), HEADER_FORMAT[1:], strict=True)]
)
"""`BatchHeader` as a row of bytes."""


@dataclass(slots=True)
class HeaderBlock:
    """Undamaged batches, one behind the other."""

    positions: np.ndarray
    headers: np.ndarray
    """`HEADER`."""
    behind: int
    """The byte behind the last one."""
    offset_behind: int
    """The lowest offset that may follow."""
    read: dict[int, BatchFacts] = field(default_factory=dict)
    """By index: what the segment reader said of those that it was asked about."""

    def __len__(self) -> int:
        return len(self.positions)


def header_block(
    view: memoryview, start: int, stop: int, offsets: range, reader: SegmentReader, batches_max: int
) -> HeaderBlock:
    """The undamaged batches from byte `start` on, at most `batches_max` and none that begins at `stop` or
    behind; empty when the first one may be damaged. `offsets`: those that may stand there.
    """
    places, behind = _walk(view, start, stop, batches_max)
    positions = np.array(places, dtype=np.int64)
    if not places:
        return HeaderBlock(positions, np.empty(0, HEADER), start, offsets.start)
    data = np.frombuffer(view, dtype=np.uint8)
    headers = np.ascontiguousarray(data[positions[:, None] + np.arange(HEADER_BYTES)]).view(HEADER)[:, 0]
    base = headers["base_offset"].astype(np.int64)
    next_offset = base + np.maximum(headers["last_offset_delta"].astype(np.int64), 0) + 1
    lowest = np.concatenate(([offsets.start], next_offset[:-1]))
    plain = _plain(headers) & (base >= lowest) & (base < offsets.stop)
    block = HeaderBlock(positions, headers, behind, int(next_offset[-1]))
    ends = [*places[1:], behind]
    checks = headers["crc"].tolist()
    for index, is_plain in enumerate(plain.tolist()):
        position = places[index]
        if is_plain and checksum(view[position + ATTRIBUTES_POSITION : ends[index]]) == checks[index]:
            continue
        row = reader.row(view, position, range(int(lowest[index]), offsets.stop))
        if row.damage or not isinstance(row, BatchRow):
            return _cut(block, index, int(lowest[index]))
        block.read[index] = batch_facts("", row)
    return block


def _walk(view: memoryview, start: int, stop: int, batches_max: int) -> tuple[list[int], int]:
    """Where batches begin, by their lengths alone, and the byte behind the last."""
    places: list[int] = []
    position, last = start, len(view) - HEADER_BYTES
    while position < stop and position <= last and len(places) < batches_max:
        (length,) = _LENGTH.unpack_from(view, position + LENGTH_POSITION)
        if length < LENGTH_MIN or length > len(view) - position - OVERHEAD_BYTES:
            break
        places.append(position)
        position += length + OVERHEAD_BYTES
    return places, position


def _plain(headers: np.ndarray) -> np.ndarray:
    """Those whose header alone tells all that is asked."""
    delta, attributes = headers["last_offset_delta"].astype(np.int64), headers["attributes"]
    return (
        (headers["magic"] == MAGIC)
        & (delta >= 0)
        & (headers["record_count"] == delta + 1)
        & (attributes & Attribute.CONTROL == 0)
        & (attributes & CODEC_MASK < len(CODEC_NAMES))
    )


def _cut(block: HeaderBlock, count: int, offset_behind: int) -> HeaderBlock:
    """The first `count` batches; the one behind them may be damaged."""
    behind = int(block.positions[count])
    kept = {index: facts for index, facts in block.read.items() if index < count}
    return HeaderBlock(block.positions[:count], block.headers[:count], behind, offset_behind, kept)
