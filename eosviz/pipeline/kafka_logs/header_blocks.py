"""Reads thousands of batch headers at once, as columns. This is a fast path for ordinary batches.

A batch is accepted if its checksum is right and its header alone is enough. Where every record is to be read,
the records must be right too (`record_columns.py`). A marker is accepted if its bytes are those that brokers
write. Every other batch (another control batch, one with holes from the log cleaner, anything that may be
damaged) goes to the segment reader. A block ends before the first damaged batch.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from engine.codec.control_record import MARKER_TYPES, ControlType
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
    encode_marker,
)
from engine.codec.segment import DECOMPRESSED_BYTES_MAX, BatchRow, SegmentReader
from engine.messages import INT_MAX, NO_SEQUENCE
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Range, batch_facts, every_offset
from eosviz.pipeline.kafka_logs.compiled import checksum, segment_reader
from eosviz.pipeline.kafka_logs.depth import RECORDS, Depth
from eosviz.pipeline.kafka_logs.record_columns import batches_that_hold
from eosviz.pipeline.kafka_logs.stretches import Stretch, StretchRows

BATCHES_MAX = 4096
"""At most this many batches are in one block."""
_BLOCK_MIN = 16
NO_MARKER = -1
_TYPE_NAMES = {int(one): one.name for one in MARKER_TYPES}
_MARKER = np.frombuffer(
    encode_marker(ControlType.ABORT, 0, producer_id=0, producer_epoch=0, timestamp=0), dtype=np.uint8
)[HEADER_BYTES:]
"""The record of a marker. Markers differ only in type and coordinator epoch."""
_MARKER_TYPE = 8
_MARKER_EPOCH = slice(12, 16)
_MARKER_FREE = np.zeros(len(_MARKER), dtype=bool)
_MARKER_FREE[[_MARKER_TYPE, *range(_MARKER_EPOCH.start, _MARKER_EPOCH.stop)]] = True
_DECOMPRESSED_TOGETHER_BYTES = 16 * 1024 * 1024
"""About how many bytes of decompressed batches are checked together."""

_LENGTH = struct.Struct(">i")
_TYPES = {"b": "i1", "h": ">i2", "i": ">i4", "I": ">u4", "q": ">i8"}
HEADER = np.dtype(
    [(one.name, _TYPES[letter]) for one, letter in zip(fields(BatchHeader), HEADER_FORMAT[1:], strict=True)]
)
"""`BatchHeader` as a row type of NumPy."""


Read = TypeVar("Read")


@dataclass(slots=True)
class HeaderBlock(Generic[Read]):
    """Undamaged batches that follow each other without a gap."""

    positions: np.ndarray
    headers: np.ndarray
    """The headers, with the row type `HEADER`."""
    behind: int
    """The byte after the last batch."""
    offset_behind: int
    """The lowest offset that the next batch may have."""
    marker_types: np.ndarray
    """The `ControlType` of each marker that is not in `read`; NO_MARKER for the other batches."""
    coordinator_epochs: np.ndarray
    """The coordinator epoch of each marker that is not in `read`; -1 for the other batches."""
    read: dict[int, Read] = field(default_factory=dict)
    """Index of a batch in the block → the result of the segment reader, for the batches that it read."""

    def __len__(self) -> int:
        return len(self.positions)


Part = HeaderBlock[BatchFacts] | list[BatchFacts]
"""A part of a stretch: either a block of the fast path, or a list with the one row that the segment reader read."""


def parts_of(file: str, stretch: Stretch, depth: Depth) -> Iterator[Part]:
    """All parts of a stretch, in order. `file` is the name of the file in the facts. Raises LogsError."""
    every_record = depth is Depth.DEEP
    reader = segment_reader(RECORDS[depth])
    rows = StretchRows(stretch, reader)
    position, offset_min = stretch.start, stretch.offset_min
    batches_max = _BLOCK_MIN
    while position < rows.stop:
        offsets = range(offset_min, stretch.offset_end)
        block = header_block(
            rows.view,
            position,
            stretch.stop,
            offsets,
            reader,
            batches_max,
            every_record,
            partial(batch_facts, ""),
        )
        if len(block):
            yield block
            position, offset_min = block.behind, block.offset_behind
            batches_max = min(2 * batches_max, BATCHES_MAX)
            continue
        row = rows.at(position, offset_min)
        yield [batch_facts(file, row)]
        position, offset_min = rows.behind(row, offset_min)
        # More damage often follows, and every block ends before damage. So the next block is short.
        batches_max = _BLOCK_MIN


def header_block(
    view: memoryview,
    start: int,
    stop: int,
    offsets: range,
    reader: SegmentReader,
    batches_max: int,
    every_record: bool,
    kept: Callable[[BatchRow], Read],
) -> HeaderBlock[Read]:
    """The undamaged batches from byte `start` on: at most `batches_max`, and none that begins at or after
    `stop`. Empty if the first batch may be damaged. `offsets`: the allowed offsets. `every_record`: whether
    the records of data batches are checked too. `kept`: what is kept of a row from the segment reader."""
    places, behind = _walk(view, start, stop, batches_max)
    positions = np.array(places, dtype=np.int64)
    if not places:
        none = np.empty(0, np.int64)
        return HeaderBlock(positions, np.empty(0, HEADER), start, offsets.start, none, none)
    data = np.frombuffer(view, dtype=np.uint8)
    headers = np.ascontiguousarray(data[positions[:, None] + np.arange(HEADER_BYTES)]).view(HEADER)[:, 0]
    base = headers["base_offset"].astype(np.int64)
    next_offset = base + np.maximum(headers["last_offset_delta"].astype(np.int64), 0) + 1
    lowest = np.concatenate(([offsets.start], next_offset[:-1]))
    ends = np.append(positions[1:], behind)
    whole = _whole(headers) & (base >= lowest) & (base < offsets.stop)
    is_data = headers["attributes"] & Attribute.CONTROL == 0
    marker_types, coordinator_epochs = _markers(data, positions, ends, headers, whole & ~is_data)
    block: HeaderBlock[Read] = HeaderBlock(
        positions, headers, behind, int(next_offset[-1]), marker_types, coordinator_epochs
    )
    known = whole & (is_data | (marker_types != NO_MARKER))
    good = known & _checksums_hold(view, positions, ends, headers["crc"], known)
    if every_record:
        good &= ~is_data | _records_hold(view, positions, ends, headers, good & is_data, reader)
    for index in np.flatnonzero(~good).tolist():
        row = reader.row(view, places[index], range(int(lowest[index]), offsets.stop))
        if row.damage or not isinstance(row, BatchRow):
            return _cut(block, index, int(lowest[index]))
        block.read[index] = kept(row)
    return block


def _checksums_hold(
    view: memoryview, positions: np.ndarray, ends: np.ndarray, expected: np.ndarray, asked: np.ndarray
) -> np.ndarray:
    """For each batch in `asked` whether its checksum is right. False for the other batches."""
    computed = [
        checksum(view[start:end]) if is_asked else -1
        for start, end, is_asked in zip(
            (positions + ATTRIBUTES_POSITION).tolist(), ends.tolist(), asked.tolist(), strict=True
        )
    ]
    holds: np.ndarray = np.array(computed, dtype=np.int64) == expected
    return holds


def _records_hold(
    view: memoryview,
    positions: np.ndarray,
    ends: np.ndarray,
    headers: np.ndarray,
    asked: np.ndarray,
    reader: SegmentReader,
) -> np.ndarray:
    """For each batch in `asked` whether its records are right; False also if that is unknown."""
    holds = np.zeros(len(positions), dtype=bool)
    starts, counts = positions + HEADER_BYTES, headers["record_count"].astype(np.int64)
    codes = headers["attributes"] & CODEC_MASK
    plain = np.flatnonzero(asked & (codes == 0))
    data = np.frombuffer(view, dtype=np.uint8)
    holds[plain] = batches_that_hold(data, starts[plain], ends[plain], counts[plain])
    together: list[int] = []
    blocks: list[bytes] = []
    size = 0
    for index in np.flatnonzero(asked & (codes != 0)).tolist():
        decompress = reader.decompressors[CODEC_NAMES[codes[index]]]
        try:
            block = decompress(bytes(view[starts[index] : ends[index]]), DECOMPRESSED_BYTES_MAX)
        except ValueError:
            continue
        together.append(index)
        blocks.append(block)
        size += len(block)
        if size >= _DECOMPRESSED_TOGETHER_BYTES:
            holds[together] = _decompressed_hold(blocks, counts[together])
            together, blocks, size = [], [], 0
    holds[together] = _decompressed_hold(blocks, counts[together])
    return holds


def _decompressed_hold(blocks: list[bytes], counts: np.ndarray) -> np.ndarray:
    ends = np.cumsum([len(block) for block in blocks], dtype=np.int64)
    starts = np.concatenate(([0], ends[:-1])) if blocks else ends
    return batches_that_hold(np.frombuffer(b"".join(blocks), dtype=np.uint8), starts, ends, counts)


def _walk(view: memoryview, start: int, stop: int, batches_max: int) -> tuple[list[int], int]:
    """Returns the positions at which batches begin, according to their lengths alone, and the byte after the last
    batch."""
    places: list[int] = []
    position, last = start, len(view) - HEADER_BYTES
    while position < stop and position <= last and len(places) < batches_max:
        (length,) = _LENGTH.unpack_from(view, position + LENGTH_POSITION)
        if length < LENGTH_MIN or length > len(view) - position - OVERHEAD_BYTES:
            break
        places.append(position)
        position += length + OVERHEAD_BYTES
    return places, position


def _whole(headers: np.ndarray) -> np.ndarray:
    """For each batch whether it has the current format, a record for every offset, and a codec that exists."""
    delta, attributes = headers["last_offset_delta"].astype(np.int64), headers["attributes"]
    whole: np.ndarray = (
        (headers["magic"] == MAGIC)
        & (delta >= 0)
        & (headers["record_count"] == delta + 1)
        & (attributes & CODEC_MASK < len(CODEC_NAMES))
    )
    return whole


def _markers(
    data: np.ndarray, positions: np.ndarray, ends: np.ndarray, headers: np.ndarray, asked: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The type and the coordinator epoch of each batch in `asked` that is a marker in its usual form;
    NO_MARKER and -1 for the others."""
    types = np.full(len(positions), NO_MARKER, dtype=np.int64)
    epochs = np.full(len(positions), -1, dtype=np.int64)
    sized = asked & (ends - positions == HEADER_BYTES + len(_MARKER)) & (headers["record_count"] == 1)
    some = np.flatnonzero(sized & (headers["attributes"] & CODEC_MASK == 0))
    if len(some):
        bodies = data[positions[some][:, None] + np.arange(HEADER_BYTES, HEADER_BYTES + len(_MARKER))]
        codes = bodies[:, _MARKER_TYPE]
        usual = ((bodies == _MARKER) | _MARKER_FREE).all(axis=1) & (codes <= max(MARKER_TYPES))
        types[some[usual]] = codes[usual]
        epoch = np.ascontiguousarray(bodies[usual, _MARKER_EPOCH]).view(">i4")[:, 0]
        epochs[some[usual]] = epoch
    return types, epochs


def _cut(block: HeaderBlock[Read], count: int, offset_behind: int) -> HeaderBlock[Read]:
    behind = int(block.positions[count])
    kept = {index: facts for index, facts in block.read.items() if index < count}
    columns = (block.marker_types[:count], block.coordinator_epochs[:count])
    return HeaderBlock(block.positions[:count], block.headers[:count], behind, offset_behind, *columns, kept)


def holes_of(facts: BatchFacts) -> tuple[Range, ...] | None:
    """The offsets of a batch with holes; None for one without."""
    every = every_offset(facts.base_offset, facts.last_offset, facts.records)
    return None if facts.offsets == every else facts.offsets


def columns_of(block: HeaderBlock[BatchFacts]) -> dict[str, np.ndarray | list[Any]]:
    """The fields of `BatchFacts` except the file, as columns. `offsets` is None for a batch that has all of
    its records or none."""
    headers, count = block.headers, len(block)
    columns: dict[str, np.ndarray | list[Any]] = {name: headers[name] for name in _SAME_NAME}
    delta = headers["last_offset_delta"].astype(np.int64)
    columns["position"] = block.positions
    columns["last_offset"] = headers["base_offset"] + delta
    columns["records"] = headers["record_count"]
    columns["last_sequence"] = _last_sequences(headers["base_sequence"].astype(np.int64), delta)
    columns["is_transactional"] = (headers["attributes"] & Attribute.TRANSACTIONAL) != 0
    columns |= {name: [None] * count for name in ("offsets", "control_type", "damage")}
    columns["coordinator_epoch"] = block.coordinator_epochs.tolist()
    for index in np.flatnonzero(block.marker_types != NO_MARKER).tolist():
        columns["control_type"][index] = _TYPE_NAMES[block.marker_types[index]]
    for index, facts in block.read.items():
        columns["offsets"][index] = holes_of(facts)
        columns["control_type"][index] = facts.control_type
        columns["coordinator_epoch"][index] = facts.coordinator_epoch
    return columns


_SAME_NAME = ("magic", "base_offset", "producer_id", "producer_epoch", "base_sequence", "max_timestamp")


def lists_of(block: HeaderBlock[BatchFacts]) -> dict[str, list[Any]]:
    """The columns of `columns_of`, as lists."""
    columns = columns_of(block)
    return {name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in columns.items()}


def _last_sequences(first: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """`BatchHeader.last_sequence` for arrays: after 2^31 - 1 comes 0."""
    last = first + delta
    return np.where(first == NO_SEQUENCE, NO_SEQUENCE, np.where(last > INT_MAX, last - INT_MAX - 1, last))
