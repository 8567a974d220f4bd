"""The batches of a stretch as Arrow columns, which Spark moves between tasks, or as facts one by one.

The columns are those of `BatchFacts` and where the batch stands. In them the offsets of a batch without holes
are left out, since first and last offset say them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path

import numpy as np
import pyarrow as pa

from engine.codec.record_batch import Attribute
from engine.codec.segment import Records
from engine.messages import INT_MAX, NO_SEQUENCE
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Range, batch_facts, every_offset
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.header_blocks import BATCHES_MAX, HeaderBlock, header_block
from eosviz.pipeline.kafka_logs.stretches import Stretch, behind_row, mapped, read_rows, row_at

_RANGES = pa.list_(pa.struct([("first", pa.int64()), ("last", pa.int64())]))
SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("partition", pa.string()),
        ("segment", pa.int64()),
        ("position", pa.int64()),
        ("magic", pa.int32()),
        ("base_offset", pa.int64()),
        ("last_offset", pa.int64()),
        ("records", pa.int32()),
        ("offsets", _RANGES),
        ("producer_id", pa.int64()),
        ("producer_epoch", pa.int32()),
        ("base_sequence", pa.int32()),
        ("last_sequence", pa.int32()),
        ("is_transactional", pa.bool_()),
        ("control_type", pa.string()),
        ("coordinator_epoch", pa.int32()),
        ("max_timestamp", pa.int64()),
        ("damage", pa.string()),
    ]
)
"""`path` is the folder, `segment` the base offset of the file in it, `position` the byte there; the others are
the fields of `BatchFacts`. `offsets` is null where every offset from `base_offset` to `last_offset` is there."""

_OWN = ("path", "partition", "segment")
ROWS_MAX = 1024
"""Rows of one Arrow batch where rows are read one by one."""
_BLOCK_MIN = 16


class Depth(Enum):
    """How far batches are read. Checksums are verified in both."""

    HEADERS = "headers"
    """Headers and control records; other records only where the cleaner left holes."""
    DEEP = "deep"
    """Every record, decompressed where need be."""


Part = HeaderBlock | list[BatchFacts]
"""Batches of one stretch, one behind the other: taken as they are, or read one by one."""


def stretch_columns(partition: str, folder: Path, stretch: Stretch, depth: Depth) -> Iterator[pa.RecordBatch]:
    """The batches of a stretch, `SCHEMA`. Raises LogsError; damage is a row."""
    own = (str(folder), partition, stretch.base_offset)
    for part in _parts(_file(partition, stretch.base_offset), stretch, depth):
        yield _of_block(own, part) if isinstance(part, HeaderBlock) else _of_facts(own, part)


def stretch_facts(partition: str, stretch: Stretch, depth: Depth) -> Iterator[BatchFacts]:
    """The same without Arrow."""
    file = _file(partition, stretch.base_offset)
    for part in _parts(file, stretch, depth):
        if not isinstance(part, HeaderBlock):
            yield from part
            continue
        columns = _block_columns(part)
        names = BatchFacts._fields[1:]
        lists = (one.tolist() if isinstance(one := columns[name], np.ndarray) else one for name in names)
        yield from _rows(lambda _: file, zip([0] * len(part), *lists, strict=True))


def _parts(file: str, stretch: Stretch, depth: Depth) -> Iterator[Part]:
    if depth is Depth.HEADERS:
        yield from _from_headers(file, stretch)
        return
    facts: list[BatchFacts] = []
    for row in read_rows(stretch, segment_reader(Records.KEEP)):
        facts.append(batch_facts(file, row))
        if len(facts) == ROWS_MAX:
            yield facts
            facts = []
    if facts:
        yield facts


def _file(partition: str, segment: int) -> str:
    return f"{partition}/{segment:020}.log"


def facts_of(columns: pa.RecordBatch) -> Iterator[BatchFacts]:
    """The rows of `SCHEMA` as facts, all of one folder."""
    partition = columns.column("partition")[0].as_py()
    lists = (_values(columns.column(name)) for name in SCHEMA.names[2:])
    yield from _rows(lambda segment: _file(partition, segment), zip(*lists, strict=True))


def _rows(file_of: Callable[[int], str], rows: Iterable[tuple]) -> Iterator[BatchFacts]:
    """`rows` in the order of SCHEMA from the segment on."""
    for segment, position, magic, base, last, records, holes, *others in rows:
        offsets = every_offset(base, last, records) if holes is None else _ranges(holes)
        yield BatchFacts(file_of(segment), position, magic, base, last, records, offsets, *others)


def _values(column: pa.Array) -> list:
    if pa.types.is_integer(column.type):
        return column.to_numpy().tolist()
    return [None] * len(column) if column.null_count == len(column) else column.to_pylist()


def _ranges(holes: Sequence[dict[str, int]]) -> tuple[Range, ...]:
    return tuple((one["first"], one["last"]) for one in holes)


def _from_headers(file: str, stretch: Stretch) -> Iterator[Part]:
    reader = segment_reader(Records.HOLES)
    view = memoryview(mapped(stretch.segment))
    position, offset_min = stretch.start, stretch.offset_min
    batches_max = _BLOCK_MIN
    while position < min(stretch.stop, len(view)):
        offsets = range(offset_min, stretch.offset_end)
        block = header_block(view, position, stretch.stop, offsets, reader, batches_max)
        if len(block):
            yield block
            position, offset_min = block.behind, block.offset_behind
            batches_max = min(2 * batches_max, BATCHES_MAX)
            continue
        row = row_at(stretch, view, position, offset_min, reader)
        yield [batch_facts(file, row)]
        position, offset_min = behind_row(stretch, view, row, offset_min)
        # Damage seldom comes alone: a long block would be begun again and again.
        batches_max = _BLOCK_MIN


def _of_facts(own: tuple[str, str, int], facts: Sequence[BatchFacts]) -> pa.RecordBatch:
    columns = dict(zip(BatchFacts._fields, zip(*facts, strict=True), strict=True))
    columns["offsets"] = tuple(_holes(one) for one in facts)
    return _record_batch(own, len(facts), columns)


def _holes(facts: BatchFacts) -> list[dict[str, int]] | None:
    if facts.offsets == every_offset(facts.base_offset, facts.last_offset, facts.records):
        return None
    return [{"first": first, "last": last} for first, last in facts.offsets]


def _of_block(own: tuple[str, str, int], block: HeaderBlock) -> pa.RecordBatch:
    return _record_batch(own, len(block), _block_columns(block))


def _block_columns(block: HeaderBlock) -> dict[str, np.ndarray | list]:
    """The fields of `BatchFacts` but the file, offsets as in SCHEMA."""
    headers, count = block.headers, len(block)
    columns: dict[str, np.ndarray | list] = {name: headers[name] for name in _SAME_NAME}
    delta = headers["last_offset_delta"].astype(np.int64)
    columns["position"] = block.positions
    columns["last_offset"] = headers["base_offset"] + delta
    columns["records"] = headers["record_count"]
    columns["last_sequence"] = _last_sequences(headers["base_sequence"].astype(np.int64), delta)
    columns["is_transactional"] = (headers["attributes"] & Attribute.TRANSACTIONAL) != 0
    columns |= {name: [None] * count for name in ("offsets", "control_type", "damage")}
    columns["coordinator_epoch"] = [-1] * count
    for index, facts in block.read.items():
        columns["offsets"][index] = _holes(facts)
        columns["control_type"][index] = facts.control_type
        columns["coordinator_epoch"][index] = facts.coordinator_epoch
    return columns


_SAME_NAME = ("magic", "base_offset", "producer_id", "producer_epoch", "base_sequence", "max_timestamp")


def _last_sequences(first: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """`BatchHeader.last_sequence` of many: behind 2^31 - 1 comes 0."""
    last = first + delta
    return np.where(first == NO_SEQUENCE, NO_SEQUENCE, np.where(last > INT_MAX, last - INT_MAX - 1, last))


def _record_batch(own: tuple[str, str, int], count: int, columns: dict) -> pa.RecordBatch:
    arrays = [
        pa.repeat(pa.scalar(value, SCHEMA.field(name).type), count)
        for name, value in zip(_OWN, own, strict=True)
    ]
    for name in SCHEMA.names[len(_OWN) :]:
        values = columns[name]
        if isinstance(values, np.ndarray) and values.dtype.byteorder == ">":
            values = values.astype(values.dtype.newbyteorder("="))
        arrays.append(_array(values, SCHEMA.field(name).type))
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _array(values: np.ndarray | Sequence, kind: pa.DataType) -> pa.Array:
    if isinstance(values, np.ndarray):
        return pa.array(values).cast(kind)
    return pa.array(values, kind)
