"""Writes and reads a replay as a Parquet file with one row for each step, for computations over many steps
(docs/replay-format.md).

The columns from `number` to `broken` repeat parts of `step`, so that queries need not parse JSON. The first
and the last line of the replay are in the file's metadata. With them each row's digest can be checked, and
the file can be imported again. Parquet files of users are read in a bounded process (`bounded_check.py`).
"""

from __future__ import annotations

import json
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from eosviz.replays.bounds import BOUNDS, Bounds
from eosviz.replays.lines import GZIP, canonical, split_lines, unpacked
from eosviz.replays.refusal import ReplayRefused

SCHEMA = pa.schema(
    [
        pa.field("branch", pa.string(), nullable=False),
        pa.field("number", pa.int64(), nullable=False),
        pa.field("at", pa.int64(), nullable=False),
        pa.field("actor", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("key", pa.string(), nullable=False),
        pa.field("interesting", pa.bool_(), nullable=False),
        pa.field("rules", pa.list_(pa.string()), nullable=False),
        pa.field("broken", pa.list_(pa.string()), nullable=False),
        pa.field("step", pa.string(), nullable=False),
        pa.field("digest", pa.string(), nullable=False),
    ]
)
"""`broken`: the guarantees that the step broke. `step`: the step in canonical JSON (docs/frame.md)."""
HEADER, END = b"eosviz.header", b"eosviz.end"
ROWS_IN_A_GROUP = 10_000
_ROWS_READ_AT_ONCE = 500
_PIECE = 256 * 1024
_BROKEN_FILE = (
    pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError, MemoryError,
)  # fmt: skip
"""The exceptions that reading raises if the file is not Parquet or is damaged. UnicodeDecodeError is a
ValueError."""


def columns_of(step: dict[str, Any]) -> dict[str, Any]:
    """The values of those columns that repeat parts of the step."""
    return {
        **{name: step[name] for name in ("number", "at", "actor", "kind", "key", "interesting", "rules")},
        "broken": [broken["guarantee"] for broken in step["broken"]],
    }


def parquet_file(replay: BinaryIO, each: Callable[[], None]) -> Iterator[bytes]:
    """The Parquet file in pieces. ``replay``: a replay file of this site. ``each``: called after each
    step."""
    lines = split_lines(unpacked(replay, BOUNDS), BOUNDS)
    _, header = next(lines)
    with tempfile.TemporaryFile() as file:
        writer = pq.ParquetWriter(file, SCHEMA, compression="zstd")
        try:
            rows: list[dict[str, Any]] = []
            for _, line in lines:
                read = msgspec.json.decode(line)
                if read["type"] == "end":
                    writer.add_key_value_metadata({HEADER: header, END: line})
                    break
                step = read["step"]
                row = {"branch": read["branch"], "step": canonical(step).decode(), "digest": read["digest"]}
                rows.append({**columns_of(step), **row})
                each()
                if len(rows) == ROWS_IN_A_GROUP:
                    writer.write_table(pa.Table.from_pylist(rows, SCHEMA))
                    rows.clear()
            if rows:
                writer.write_table(pa.Table.from_pylist(rows, SCHEMA))
        finally:
            writer.close()
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def replay_lines(path: Path, bounds: Bounds = BOUNDS) -> Iterator[bytes]:
    """The lines of a replay, without line feeds, from a Parquet file. They still have to be checked, like
    those of a replay file. Raises ReplayRefused."""
    try:
        with pq.ParquetFile(path) as file:
            yield from _lines(file, bounds)
    except _BROKEN_FILE as error:
        raise ReplayRefused("not_parquet") from error


def _lines(file: pq.ParquetFile, bounds: Bounds) -> Iterator[bytes]:
    metadata = file.metadata
    marks = metadata.metadata or {}
    if not file.schema_arrow.remove_metadata().equals(SCHEMA):
        raise ReplayRefused("parquet_columns")
    if HEADER not in marks or END not in marks:
        raise ReplayRefused("parquet_unmarked")
    if metadata.num_rows + 2 > bounds.lines:
        raise ReplayRefused("too_many_lines", limit=bounds.lines)
    size = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
    if size > bounds.content_bytes:
        raise ReplayRefused("content_too_large", limit=bounds.content_bytes)
    yield marks[HEADER]
    number = 0
    for batch in file.iter_batches(_ROWS_READ_AT_ONCE):
        for row in batch.to_pylist():
            number += 1
            step = row.pop("step").encode()
            place = {name: row.pop(name) for name in ("branch", "digest")}
            if row != columns_of(json.loads(step)):
                raise ReplayRefused("parquet_row_differs", row=number)
            yield (
                b'{"branch":%s,"digest":%s,"step":%s,"type":"step"}'
                % (canonical(place["branch"]), canonical(place["digest"]), step)
            )
    yield marks[END]


def write_replay(path: Path, into: BinaryIO) -> None:
    """Write the lines of a Parquet file to ``into`` as a replay file, which still has to be checked. Raises
    ReplayRefused."""
    packer = zlib.compressobj(level=1, wbits=GZIP)
    for line in replay_lines(path):
        into.write(packer.compress(line + b"\n"))
    into.write(packer.flush())
