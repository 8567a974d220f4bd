"""Reads an audit's facts from replay files, from replays that were exported as Parquet, and from Parquet
files of facts that a sweep wrote.

Executors read the replays. Each replay is read in one task, because its steps must be applied in order.
Executors import this module, so it needs only Arrow, Spark and ``facts``.
"""

import contextlib
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from eosviz.pipeline.facts import ARROW_SCHEMA, FACTS_SCHEMA, FactReader, Row

ENDING = ".eosviz.jsonl.gz"
PARQUET = ".parquet"
EXPORT_HEADER, EXPORT_END = b"eosviz.header", b"eosviz.end"
"""The keys of a replay's first and last line in the metadata of its Parquet file (docs/replay-format.md)."""
SCHEMA = 1
BATCH_ROWS = 4096
CONTENT_MAX = 512 * 2**20
"""An unpacked replay file may have at most this many bytes (docs/replay-format.md)."""
TOO_LARGE = "more than the {limit} bytes that a replay may hold"


class NothingToAudit(Exception):
    """The path contains nothing that can be audited. The text says what to do."""


class DamagedReplay(Exception):
    """A file is no complete replay, or has more than CONTENT_MAX bytes when unpacked."""


@dataclass
class Found:
    """The files under a path, by their contents. ``others``: Parquet files of other contents, such as the
    runs that a sweep stores beside its facts."""

    replays: list[Path] = field(default_factory=list)
    facts: list[Path] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.replays or self.facts)


def find(path: Path) -> Found:
    """Find the files under ``path`` that can be audited. ``path``: a file, or a folder with files of any
    kind. Raises NothingToAudit if there is none, or if a Parquet file is damaged."""
    if not path.exists():
        raise NothingToAudit(
            f"{path}: does not exist; give a replay file, or a folder of replay or Parquet files"
        )
    if path.is_file() and not path.name.endswith((ENDING, PARQUET)):
        raise NothingToAudit(
            f"{path}: neither a replay file (*{ENDING}) nor Parquet; export the session anew"
        )
    found = Found()
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    for file in files:
        # A job gives its unfinished output a hidden name.
        if any(part.startswith((".", "_")) for part in file.relative_to(path).parts):
            continue
        if file.name.endswith(ENDING):
            found.replays.append(file)
        elif file.name.endswith(PARQUET):
            _kind_of(file, found).append(file)
    if not found:
        raise NothingToAudit(_nothing_in(path, found))
    return found


def _kind_of(file: Path, found: Found) -> list[Path]:
    try:
        footer = pq.read_metadata(file)
    except (pa.ArrowException, OSError) as error:
        raise NothingToAudit(
            f"{file}: not a whole Parquet file ({error}); take it out, or make it anew"
        ) from error
    if EXPORT_HEADER in (footer.metadata or {}):
        return found.replays
    columns = footer.schema.to_arrow_schema().names
    return found.facts if set(FACTS_SCHEMA.fieldNames()) <= set(columns) else found.others


def _nothing_in(path: Path, found: Found) -> str:
    if found.others:
        missing = sorted(set(FACTS_SCHEMA.fieldNames()) - set(pq.read_schema(found.others[0]).names))
        return (
            f"{found.others[0]}: has no column {', '.join(missing[:3])}: no facts of this version and no replay"
            " (docs/audit.md); make them anew"
        )
    return f"{path}: no *{ENDING} and no *{PARQUET} in it; export sessions or sweep with --facts first"


@contextlib.contextmanager
def facts_of(spark: SparkSession, path: Path) -> Iterator[DataFrame]:
    """A block with the facts of every replay file, exported replay and file of facts under ``path``. Raises
    NothingToAudit."""
    found = find(path)
    root = path.resolve()
    parts = []
    folded: DataFrame | None = None
    if found.replays:
        # Files with the same name in different folders are different replays.
        above = root.parent if path.is_file() else root
        files = [str(one.resolve()) for one in found.replays]
        # Cached, because each read would apply all steps again. Facts in Parquet are cheap to read again.
        folded = facts_of_replays(spark, files, above).cache()
        parts.append(folded)
    if found.facts:
        read = spark.read.schema(FACTS_SCHEMA).parquet(*(str(one.resolve()) for one in found.facts))
        parts.append(read.select(*FACTS_SCHEMA.fieldNames()))
    try:
        yield reduce(DataFrame.unionByName, parts)
    finally:
        if folded is not None:
            folded.unpersist()


def facts_of_replays(spark: SparkSession, files: list[str], above: Path) -> DataFrame:
    """The facts of every branch of these replays. ``session`` is the file's path relative to ``above``, with
    the branch's id."""
    found = spark.read.format("binaryFile").load(files).select("path", "content")
    tasks = max(1, min(len(files), spark.sparkContext.defaultParallelism * 4))
    prefix = f"{above}/"

    def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
                name = path.as_py().removeprefix("file:").removeprefix(prefix)
                yield from _batches(facts_of_file(name, content.as_py()))

    return found.repartition(tasks).mapInArrow(unpack, FACTS_SCHEMA)


def _batches(rows: Iterator[Row]) -> Iterator[pa.RecordBatch]:
    waiting: list[Row] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) >= BATCH_ROWS:
            yield pa.RecordBatch.from_pylist(waiting, schema=ARROW_SCHEMA)
            waiting = []
    yield pa.RecordBatch.from_pylist(waiting, schema=ARROW_SCHEMA)


def facts_of_file(name: str, content: bytes) -> Iterator[Row]:
    """The facts of one replay, which is a replay file or was exported as Parquet. Raises DamagedReplay."""
    if name.endswith(PARQUET):
        return facts_of_export(name, content)
    return facts_of_replay(name, content)


def facts_of_replay(name: str, content: bytes) -> Iterator[Row]:
    """The facts of one replay file, branch after branch. The facts of each branch begin at the first step of
    the session. Raises DamagedReplay."""
    own: dict[str, list[Any]] = {}
    try:
        unpacker = zlib.decompressobj(wbits=31)
        text = unpacker.decompress(content, CONTENT_MAX)
        if unpacker.unconsumed_tail:
            raise DamagedReplay(f"{name}: {TOO_LARGE.format(limit=CONTENT_MAX)}; export fewer branches")
        lines = text.splitlines()
        start, end = lines[0], lines[-1]
        for line in lines[1:-1]:
            read = json.loads(line)
            own.setdefault(read["branch"], []).append(json.dumps(read["step"]))
    except (zlib.error, ValueError, LookupError, TypeError) as error:
        raise DamagedReplay(f"{name}: not a replay file ({error}); export the session anew") from error
    yield from _facts_of_branches(name, start, end, own)


def facts_of_export(name: str, content: bytes) -> Iterator[Row]:
    """The facts of one replay that was exported as Parquet, branch after branch as in `facts_of_replay`.
    Raises DamagedReplay."""
    own: dict[str, list[Any]] = {}
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        metadata = file.metadata.metadata or {}
        size = sum(
            file.metadata.row_group(one).total_byte_size for one in range(file.metadata.num_row_groups)
        )
        if size > CONTENT_MAX:
            raise DamagedReplay(f"{name}: {TOO_LARGE.format(limit=CONTENT_MAX)}; export fewer branches")
        start, end = metadata[EXPORT_HEADER], metadata[EXPORT_END]
        for batch in file.iter_batches(BATCH_ROWS, columns=["branch", "step"]):
            for row in batch.to_pylist():
                own.setdefault(row["branch"], []).append(row["step"])
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:
        raise DamagedReplay(f"{name}: not an exported replay ({error}); export the session anew") from error
    yield from _facts_of_branches(name, start, end, own)


def _facts_of_branches(name: str, start: bytes, end: bytes, own: dict[str, list[Any]]) -> Iterator[Row]:
    """The facts of each branch. ``start`` and ``end``: the first and last line of the replay. ``own``: the
    steps of each branch, as JSON. Raises DamagedReplay."""
    try:
        header, last = json.loads(start), json.loads(end)
        if header["type"] != "header" or header["schema"] != SCHEMA or last["type"] != "end":
            raise DamagedReplay(f"{name}: not a whole replay of schema {SCHEMA}; export the session anew")
        branches = [
            (one["id"], one["parent"], one["leaves_at"], one["finished"]) for one in header["branches"]
        ]
    except (ValueError, LookupError, TypeError) as error:
        raise DamagedReplay(f"{name}: not a replay ({error}); export the session anew") from error
    whole: dict[str, list[Any]] = {}
    for branch, parent, leaves_at, finished in branches:
        whole[branch] = whole.get(parent, [])[:leaves_at] + own.get(branch, [])
        # Applying the steps modifies the view and the steps, so the header's view and the lines are decoded
        # anew for each branch.
        decoded = json.loads(start)
        reader = FactReader(f"{name.removesuffix(ENDING)}#{branch}", decoded["header"], decoded["view"])
        yield from reader.first()
        for step in whole[branch]:
            yield from reader.take(json.loads(step))
        yield from reader.last(finished)
