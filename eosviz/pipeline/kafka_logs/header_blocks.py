"""Reads the headers of thousands of batches at once, as columns: a fast path for ordinary batches.

A batch is accepted if its checksum is right and its header alone says all that the analysis needs. If every
record is to be checked, its records must be right, too (`record_columns.py`). A marker is accepted if it has
the bytes that brokers write. All other batches go to the slower segment reader: other control batches,
batches from which the log cleaner removed records, and those that may be damaged. A block ends before the
first damaged batch.
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
"""One block has at most this many batches."""
_BLOCK_MIN = 16
NO_MARKER = -1
_TYPE_NAMES = {int(one): one.name for one in MARKER_TYPES}
_MARKER = np.frombuffer(
    encode_marker(ControlType.ABORT, 0, producer_id=0, producer_epoch=0, timestamp=0), dtype=np.uint8
)[HEADER_BYTES:]
"""The bytes of a marker's record. Markers differ only in their type and coordinator epoch."""
_MARKER_TYPE = 8
_MARKER_EPOCH = slice(12, 16)
_MARKER_FREE = np.zeros(len(_MARKER), dtype=bool)
_MARKER_FREE[[_MARKER_TYPE, *range(_MARKER_EPOCH.start, _MARKER_EPOCH.stop)]] = True
_DECOMPRESSED_TOGETHER_BYTES = 16 * 1024 * 1024
"""Decompressed batches are checked together in groups of about this many bytes."""

_LENGTH = struct.Struct(">i")
_TYPES = {"b": "i1", "h": ">i2", "i": ">i4", "I": ">u4", "q": ">i8"}
HEADER = np.dtype(
    [(one.name, _TYPES[letter]) for one, letter in zip(fields(BatchHeader), HEADER_FORMAT[1:], strict=True)]
)
"""`BatchHeader` as a row type of NumPy."""


Read = TypeVar("Read")


@dataclass(slots=True)
class HeaderBlock(Generic[Read]):
    """A sequence of undamaged batches, without a gap between them."""

    positions: np.ndarray
    headers: np.ndarray
    """The headers of the batches, as an array of `HEADER`."""
    behind: int
    """The byte of the file after the last batch."""
    offset_behind: int
    """The lowest offset that the next batch may have."""
    marker_types: np.ndarray
    """For each batch: the `ControlType` if it is a marker of the fast path, else NO_MARKER."""
    coordinator_epochs: np.ndarray
    """For each batch: the coordinator epoch if it is a marker of the fast path, else -1."""
    read: dict[int, Read] = field(default_factory=dict)
    """Dict of index of a batch in the block → what the segment reader's result became, for the batches that
    the fast path did not accept."""

    def __len__(self) -> int:
        return len(self.positions)


Part = HeaderBlock[BatchFacts] | list[BatchFacts]
"""A part of a stretch: a block of the fast path, or a list with the facts of one row of the segment
reader."""


def parts_of(file: str, stretch: Stretch, depth: Depth) -> Iterator[Part]:
    """All parts of a stretch, in order. `file`: the file's name, for the facts. Raises LogsError."""
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
        # Damage is often followed by more, and every block ends before damage. So the next block is short.
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
    """The undamaged batches of `view` from byte `start` on: at most `batches_max`, and only batches that
    begin before `stop`. Empty if the first batch may be damaged. `offsets`: the offsets that the batches may
    have. `every_record`: whether the records of data batches are also checked. `kept`: makes the value for
    `HeaderBlock.read` of a row of the segment reader."""
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
    """An array with True for each batch in `asked` whose checksum is right, and False for all others."""
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
    """An array with True for each batch in `asked` whose records are right, and False for all others; also
    False if this cannot be determined here."""
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
    """The positions at which batches begin, judged only by the lengths in their headers, and the byte after
    the last of these batches."""
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
    """An array with True for each batch that has the current format, a record for every offset, and a codec
    that exists."""
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
    """Two arrays: the control type and the coordinator epoch of each batch in `asked` that is a marker with
    the bytes that brokers write; NO_MARKER and -1 for all others."""
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
    """The offsets of the batch's records, if some between the first and the last one are missing; otherwise
    None."""
    every = every_offset(facts.base_offset, facts.last_offset, facts.records)
    return None if facts.offsets == every else facts.offsets


def columns_of(block: HeaderBlock[BatchFacts]) -> dict[str, np.ndarray | list[Any]]:
    """Dict of field of `BatchFacts` → column of a block, for all fields except `file`. In the column
    `offsets`, None stands for a batch that has all of its records or none."""
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
    """The columns of `columns_of`, as Python lists."""
    columns = columns_of(block)
    return {name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in columns.items()}


def _last_sequences(first: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """The last sequence of each batch, like `BatchHeader.last_sequence` but for arrays: 0 follows after 2^31
    - 1."""
    last = first + delta
    return np.where(first == NO_SEQUENCE, NO_SEQUENCE, np.where(last > INT_MAX, last - INT_MAX - 1, last))
