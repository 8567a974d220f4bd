"""Where audits find facts: replay files, and Parquet files of facts that a sweep wrote.

Replay files are read on executors, each whole by one task: its steps have to be folded in order. Imported there, so
it needs nothing but Arrow, Spark and ``facts``.
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from eosviz.pipeline.facts import ARROW_SCHEMA, FACTS_SCHEMA, FactReader, Row

ENDING = ".eosviz.jsonl.gz"
SCHEMA = 1
BATCH_ROWS = 4096
CONTENT_MAX = 512 * 2**20
"""Bytes of one unpacked replay file (docs/replay-format.md)."""


class NothingToAudit(Exception):
    """What was given holds no facts; says what does."""


class DamagedReplay(Exception):
    """A file that is no whole replay file."""


def facts_of(spark: SparkSession, path: Path) -> DataFrame:
    """The facts under ``path``: a replay file, a folder with replay files, or one with Parquet files of facts.
    Raises NothingToAudit."""
    if not path.exists():
        raise NothingToAudit(
            f"{path}: does not exist; give a replay file, or a folder of replay or Parquet files"
        )
    replays = [path] if path.is_file() else sorted(path.rglob(f"*{ENDING}"))
    if path.is_file() and not path.name.endswith((ENDING, ".parquet")):
        raise NothingToAudit(
            f"{path}: neither a replay file (*{ENDING}) nor Parquet; export the session anew"
        )
    if replays and not path.name.endswith(".parquet"):
        return facts_of_replays(spark, [str(one.resolve()) for one in replays])
    if path.is_file() or any(path.rglob("*.parquet")):
        return facts_of_parquet(spark, path)
    raise NothingToAudit(
        f"{path}: no *{ENDING} and no *.parquet in it; export sessions or sweep with --facts first"
    )


def facts_of_parquet(spark: SparkSession, path: Path) -> DataFrame:
    """Facts as a sweep left them; ``session`` may be any column that tells its runs apart."""
    found = spark.read.option("recursiveFileLookup", "true").parquet(str(path))
    missing = [name for name in FACTS_SCHEMA.fieldNames() if name not in found.columns]
    if missing:
        raise NothingToAudit(
            f"{path}: has no column {', '.join(missing[:3])}: no facts of this version (docs/audit.md); make them anew"
        )
    return found.select(*FACTS_SCHEMA.fieldNames())


def facts_of_replays(spark: SparkSession, files: list[str]) -> DataFrame:
    """The facts of every branch of these replay files; ``session`` is the file's name and the branch's id."""
    found = spark.read.format("binaryFile").load(files).select("path", "content")
    tasks = max(1, min(len(files), spark.sparkContext.defaultParallelism * 4))
    return found.repartition(tasks).mapInArrow(_unpack, FACTS_SCHEMA)


def _unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
            rows: list[Row] = []
            for row in facts_of_replay(path.as_py().rpartition("/")[2].removesuffix(ENDING), content.as_py()):
                rows.append(row)
                if len(rows) >= BATCH_ROWS:
                    yield pa.RecordBatch.from_pylist(rows, schema=ARROW_SCHEMA)
                    rows = []
            yield pa.RecordBatch.from_pylist(rows, schema=ARROW_SCHEMA)


def facts_of_replay(name: str, content: bytes) -> Iterator[Row]:
    """The facts of one replay file, branch by branch, each with the whole line that leads to it. Raises
    DamagedReplay."""
    try:
        text = zlib.decompressobj(wbits=31).decompress(content, CONTENT_MAX)
        lines = text.splitlines()
        header, end = json.loads(lines[0]), json.loads(lines[-1])
        if header["type"] != "header" or header["schema"] != SCHEMA or end["type"] != "end":
            raise DamagedReplay(
                f"{name}: not a whole replay file of schema {SCHEMA}; export the session anew"
            )
        own: dict[str, list[bytes]] = {}
        for line in lines[1:-1]:
            own.setdefault(json.loads(line)["branch"], []).append(line)
    except (zlib.error, ValueError, LookupError, TypeError) as error:
        raise DamagedReplay(f"{name}: not a replay file ({error}); export the session anew") from error
    whole: dict[str, list[bytes]] = {}
    for branch in header["branches"]:
        before = whole.get(branch["parent"], [])[: branch["leaves_at"]]
        whole[branch["id"]] = before + own.get(branch["id"], [])
        # Folding changes what it folds: each branch reads its lines, and the header's view, for itself.
        start = json.loads(lines[0])
        reader = FactReader(f"{name}#{branch['id']}", start["header"], start["view"])
        yield from reader.first()
        for line in whole[branch["id"]]:
            yield from reader.take(json.loads(line)["step"])
        yield from reader.last(branch["finished"])
