"""Reads the rows of a stretch, with their records, in blocks of columns. It is meant for internal topics.
Their batches have one or two records each, so reading every batch by itself takes longer than reading its
records. The result is the same as of `stretches.read_rows`. Only ordinary batches are made of the columns;
the segment reader reads the others."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.codec.record import Record
from engine.codec.record_batch import CODEC_MASK, HEADER_BYTES, Attribute, BatchHeader, header_of
from engine.codec.segment import BatchRow, Row, SegmentReader
from eosviz.pipeline.kafka_logs.header_blocks import HEADER, HeaderBlock, header_block
from eosviz.pipeline.kafka_logs.record_columns import RECORDS_MAX, fields_of
from eosviz.pipeline.kafka_logs.stretches import Stretch, StretchRows

BATCHES_MAX = 512
"""One block has at most this many batches. The records of its ordinary batches are in memory at the same
time."""
_APPEND_TIME = int(Attribute.LOG_APPEND_TIME)


def rows_in_blocks(stretch: Stretch, reader: SegmentReader) -> Iterator[Row]:
    """The rows of the stretch, in order. `reader` must keep records. Raises LogsError."""
    rows = StretchRows(stretch, reader)
    position, offset_min = stretch.start, stretch.offset_min
    while position < rows.stop:
        offsets = range(offset_min, stretch.offset_end)
        block = header_block(
            rows.view, position, stretch.stop, offsets, reader, BATCHES_MAX, False, _as_it_is
        )
        if len(block):
            yield from _rows(rows.view, block, range(offset_min, stretch.offset_end), reader)
            position, offset_min = block.behind, block.offset_behind
            continue
        row = rows.at(position, offset_min)
        yield row
        position, offset_min = rows.behind(row, offset_min)


def _as_it_is(row: BatchRow) -> BatchRow:
    return row


def _rows(
    view: memoryview, block: HeaderBlock[BatchRow], offsets: range, reader: SegmentReader
) -> Iterator[Row]:
    records = _records(view, block)
    positions = block.positions.tolist()
    headers = zip(*(block.headers[name].tolist() for name in HEADER.names or ()), strict=True)
    for index, fields in enumerate(headers):
        read: Row | None = block.read.get(index)
        if read is None and index in records:
            header = header_of(fields)
            decoded = _made(view, header, records[index])
            read = BatchRow(
                position=positions[index],
                header=header,
                computed_crc=header.crc,
                records=decoded,
                records_read=len(decoded),
            )
        elif read is None:
            # The checksum is right, so this is a batch. The reader decodes its records.
            read = reader.row(view, positions[index], offsets)
        yield read


class _Place(NamedTuple):
    """The timestamp delta of one record, and where its key and value are: the byte of the stretch's file at
    which each of them begins, and its length in bytes."""

    timestamp_delta: int
    key: int
    key_length: int
    value: int
    value_length: int


def _records(view: memoryview, block: HeaderBlock[BatchRow]) -> dict[int, list[_Place]]:
    """Dict of index of an ordinary batch in the block → its records, RECORDS_MAX in all at most. An ordinary
    batch is an uncompressed data batch with a record for every offset, whose records have no headers."""
    headers = block.headers
    counts = headers["record_count"].astype(np.int64)
    asked = headers["attributes"] & (CODEC_MASK | Attribute.CONTROL) == 0
    asked[list(block.read)] = False
    some = np.flatnonzero(asked)
    some = some[np.cumsum(counts[some]) <= RECORDS_MAX]
    if not len(some):
        return {}
    ends = np.append(block.positions[1:], block.behind)
    data = np.frombuffer(view, dtype=np.uint8)
    holds, fields = fields_of(data, block.positions[some] + HEADER_BYTES, ends[some], counts[some])
    columns = (fields.timestamp_deltas, fields.keys, fields.key_lengths, fields.values, fields.value_lengths)
    places = map(_Place, *(one.tolist() for one in columns))
    return {
        index: [next(places) for _ in range(count)]
        for index, count in zip(some[holds].tolist(), counts[some[holds]].tolist(), strict=True)
    }


def _made(view: memoryview, header: BatchHeader, places: list[_Place]) -> tuple[Record, ...]:
    append = header.max_timestamp if header.attributes & _APPEND_TIME else None
    return tuple(
        Record(
            header.base_offset + index,
            header.base_timestamp + one.timestamp_delta if append is None else append,
            None if one.key_length < 0 else bytes(view[one.key : one.key + one.key_length]),
            None if one.value_length < 0 else bytes(view[one.value : one.value + one.value_length]),
        )
        for index, one in enumerate(places)
    )
