"""The Spark data source `kafka-logs`: the batches of partition folders, read in place, one row for each batch.

    spark.dataSource.register(KafkaLogs)
    spark.read.format("kafka-logs").option("paths", json.dumps(["/var/kafka-logs"])).load()

Options: `paths`, a JSON list of partition folders or log directories; `depth`, `headers` (default) or `deep`;
`split_bytes`, about how many bytes a task reads. Every machine that reads must have the folders at these paths.
Executors import this module, so it needs nothing of Django.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from eosviz.pipeline.kafka_logs.batch_columns import SCHEMA, stretch_columns
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.directories import find_directories
from eosviz.pipeline.kafka_logs.stretches import SPLIT_BYTES, LogsError, Stretch

FORMAT = "kafka-logs"
BATCHES_SCHEMA: StructType = from_arrow_schema(SCHEMA)


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch, with its partition and folder."""

    partition: str
    folder: Path
    stretch: Stretch

    @property
    def size(self) -> int:
        return self.stretch.stop - self.stretch.start


class Task(InputPartition):
    """The input of one task."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        super().__init__(places)
        self.places = places


class KafkaLogs(DataSource):
    """The data source `kafka-logs`. Raises LogsError if options or paths cannot be read."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return BATCHES_SCHEMA

    def reader(self, schema: StructType) -> "KafkaLogsReader":
        return KafkaLogsReader(dict(self.options))


class KafkaLogsReader(DataSourceReader):
    """Divides the stretches among tasks, and reads the stretches of one task."""

    def __init__(self, options: dict[str, str]) -> None:
        self.paths = _paths(options.get("paths"))
        self.depth = _depth(options.get("depth", Depth.HEADERS.value))
        self.split_bytes = _split_bytes(options.get("split_bytes", str(SPLIT_BYTES)))

    def partitions(self) -> Sequence[InputPartition]:
        places = (
            Place(directory.name, directory.path.resolve(), stretch)
            for directory in find_directories(self.paths)
            for stretch in directory.stretches(self.split_bytes)
        )
        return [Task(together) for together in packed(places, self.split_bytes)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, Task):
            raise TypeError(f"{partition!r} was not planned by this source")
        for place in partition.places:
            yield from stretch_columns(place.partition, place.folder, place.stretch, self.depth)


def packed(places: Iterator[Place], size_max: int) -> Iterator[tuple[Place, ...]]:
    """Divides stretches among tasks. Returns those of each task. Small stretches share a task, so that a
    broker's thousands of small files do not become thousands of tasks."""
    together: list[Place] = []
    size = 0
    for place in places:
        if together and size + place.size > size_max:
            yield tuple(together)
            together, size = [], 0
        together.append(place)
        size += place.size
    if together:
        yield tuple(together)


def read_batches(
    spark: SparkSession, paths: Sequence[Path], depth: Depth, split_bytes: int = SPLIT_BYTES
) -> DataFrame:
    """The batches under `paths`, as rows of BATCHES_SCHEMA."""
    spark.dataSource.register(KafkaLogs)
    reader = spark.read.format(FORMAT).option("paths", json.dumps([str(path.resolve()) for path in paths]))
    return reader.option("depth", depth.value).option("split_bytes", str(split_bytes)).load()


def _paths(text: str | None) -> tuple[Path, ...]:
    try:
        given = json.loads(text or "")
    except ValueError:
        given = None
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        raise LogsError(f"option paths is {text!r}: give a JSON list of folders")
    return tuple(Path(one) for one in given)


def _depth(text: str) -> Depth:
    try:
        return Depth(text)
    except ValueError:
        allowed = ", ".join(one.value for one in Depth)
        raise LogsError(f"option depth is {text!r}: give one of {allowed}") from None


def _split_bytes(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise LogsError(f"option split_bytes is {text!r}: give a number of bytes from 1")
    return int(text)
