"""Converts the batches of a stretch (a part of a segment's file) to Arrow columns, in which Spark moves them
between tasks, and back."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Range
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.header_blocks import HeaderBlock, columns_of, holes_of, parts_of
from eosviz.pipeline.kafka_logs.stretch_facts import facts_in, file_name
from eosviz.pipeline.kafka_logs.stretches import Stretch

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
"""`path` is the folder of `partition`, `segment` the base offset of a segment's file, and `position` the byte
of this file at which the batch starts. The other columns are fields of `BatchFacts`. `offsets` is null if the
batch has all of its records or none."""

_OWN = ("path", "partition", "segment")


def stretch_columns(partition: str, folder: Path, stretch: Stretch, depth: Depth) -> Iterator[pa.RecordBatch]:
    """The batches of a stretch, with the columns of `SCHEMA`. A damaged place of the file is also a row, with
    its `damage`. Raises LogsError."""
    own = (str(folder), partition, stretch.base_offset)
    for part in parts_of(file_name(partition, stretch.base_offset), stretch, depth):
        yield _of_block(own, part) if isinstance(part, HeaderBlock) else _of_facts(own, part)


def facts_of(columns: pa.RecordBatch) -> Iterator[BatchFacts]:
    """The facts in these columns of `SCHEMA`. All rows must belong to one folder."""
    partition = columns.column("partition")[0].as_py()
    lists = {name: _values(columns.column(name)) for name in SCHEMA.names[2:]}
    files = [file_name(partition, segment) for segment in lists.pop("segment")]
    lists["offsets"] = [one if one is None else _ranges(one) for one in lists["offsets"]]
    yield from facts_in(files, lists)


Values = np.ndarray | Sequence[Any]


def _values(column: pa.Array) -> list[Any]:
    if pa.types.is_integer(column.type):
        values: list[Any] = column.to_numpy().tolist()
    elif column.null_count == len(column):
        values = [None] * len(column)
    else:
        values = column.to_pylist()
    return values


def _ranges(holes: Sequence[dict[str, int]]) -> tuple[Range, ...]:
    return tuple((one["first"], one["last"]) for one in holes)


def _of_facts(own: tuple[str, str, int], facts: Sequence[BatchFacts]) -> pa.RecordBatch:
    columns: dict[str, Sequence[Any]] = dict(zip(BatchFacts._fields, zip(*facts, strict=True), strict=True))
    columns["offsets"] = [_structs(holes_of(one)) for one in facts]
    return _record_batch(own, len(facts), columns)


def _structs(holes: tuple[Range, ...] | None) -> list[dict[str, int]] | None:
    return None if holes is None else [{"first": first, "last": last} for first, last in holes]


def _of_block(own: tuple[str, str, int], block: HeaderBlock[BatchFacts]) -> pa.RecordBatch:
    columns = columns_of(block)
    columns["offsets"] = [_structs(one) for one in columns["offsets"]]
    return _record_batch(own, len(block), columns)


def _record_batch(own: tuple[str, str, int], count: int, columns: Mapping[str, Values]) -> pa.RecordBatch:
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


def _array(values: Values, kind: pa.DataType) -> pa.Array:
    if isinstance(values, np.ndarray):
        return pa.array(values).cast(kind)
    return pa.array(values, kind)
