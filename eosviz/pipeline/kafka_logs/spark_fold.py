"""Folds partitions and reads internal topics on Spark.

Each partition is folded in one task. The task gets the batches in the order of the log and keeps none of
them, so its memory depends on the result and not on the size of the partition. The tasks run the same code as
folding in this process. They return the same objects, pickled.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from eosviz.pipeline.kafka_logs.batch_columns import facts_of
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.directories import PartitionDirectory
from eosviz.pipeline.kafka_logs.internal_topics import Internal, read_internal
from eosviz.pipeline.kafka_logs.partition import Partition, fold
from eosviz.pipeline.kafka_logs.spark_source import read_batches

FOLD_SCHEMA = t.StructType(
    [
        t.StructField("path", t.StringType(), nullable=False),
        t.StructField("folded", t.BinaryType(), nullable=False),
    ]
)
"""One row for each folder, with the pickled result."""
_ARROW = pa.schema([("path", pa.string()), ("folded", pa.binary())])


def folded(batches: DataFrame) -> DataFrame:
    """Folds batches: takes rows of BATCHES_SCHEMA and returns rows of FOLD_SCHEMA with a pickled Partition in
    each. A folder without batches has no row."""
    ordered = batches.repartition(f.col("path")).sortWithinPartitions("path", "segment", "position")
    return ordered.mapInArrow(_fold, FOLD_SCHEMA)


def _fold(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    path, partition = "", Partition("")
    for columns in batches:
        for of_one in _runs(columns):
            name = of_one.column("path")[0].as_py()
            if name != path:
                if path:
                    yield _row(path, partition)
                path, partition = name, Partition(of_one.column("partition")[0].as_py())
            for facts in facts_of(of_one):
                partition.add(facts)
    if path:
        yield _row(path, partition)


def _runs(columns: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    paths = columns.column("path")
    if len(paths):
        changed = pc.indices_nonzero(pc.not_equal(paths[1:], paths[:-1])).to_numpy() + 1
        bounds = [0, *changed.tolist(), len(paths)]
        for start, stop in pairwise(bounds):
            yield columns.slice(start, stop - start)


def _row(path: str, found: Partition | Internal) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{"path": path, "folded": pickle.dumps(found)}], schema=_ARROW)


def of_each_folder(
    spark: SparkSession,
    directories: Sequence[PartitionDirectory],
    find: Callable[[PartitionDirectory], Partition | Internal],
) -> DataFrame:
    """Calls `find` for each of `directories`, each folder in one task. Returns rows of FOLD_SCHEMA with the
    results."""
    tasks = max(1, min(len(directories), spark.sparkContext.defaultParallelism * 4))
    by_size = sorted(directories, key=lambda one: one.size, reverse=True)
    # Spark gives each task a contiguous part of the list. So the folders are sorted such that each part has
    # large and small ones.
    dealt = [directory for task in range(tasks) for directory in by_size[task::tasks]]

    def find_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column("id").to_pylist():
                yield _row(str(dealt[index].path.resolve()), find(dealt[index]))

    return spark.range(0, len(dealt), 1, tasks).mapInArrow(find_all, FOLD_SCHEMA)


class SparkReading:
    """Reads a case on Spark, with the same results as `case.ReadingHere`. Each folder is
    read in one task. But if every record is read and one folder is larger than a core's share of all of them,
    the segments of all folders are divided into stretches, which several tasks read."""

    def __init__(self, spark: SparkSession, paths: Sequence[Path], depth: Depth) -> None:
        self._spark, self._paths, self._depth = spark, paths, depth

    def folds(self, directories: Sequence[PartitionDirectory]) -> list[Partition]:
        """The folded partition of each directory, in their order, without its log start offset."""
        if self._depth is Depth.HEADERS or self.is_even(directories):
            rows = of_each_folder(self._spark, directories, partial(_folded_whole, self._depth))
        else:
            rows = folded(read_batches(self._spark, self._paths, self._depth))
        found = _collected(rows)
        return [found.get(one.path.resolve(), Partition(one.name)) for one in directories]

    def is_even(self, directories: Sequence[PartitionDirectory]) -> bool:
        """Whether no folder is larger than one core's share of all of them."""
        sizes = [one.size for one in directories]
        return max(sizes) * self._spark.sparkContext.defaultParallelism <= sum(sizes)

    def internal(self, directories: Sequence[PartitionDirectory]) -> list[Internal]:
        """What was read of each of `directories`, which are partitions of internal topics, in their order."""
        if not directories:
            return []
        found = _collected(of_each_folder(self._spark, directories, read_internal))
        return [found[one.path.resolve()] for one in directories]


def _folded_whole(depth: Depth, directory: PartitionDirectory) -> Partition:
    return fold(directory.name, directory.batches(depth))


def _collected(rows: DataFrame) -> dict[Path, Any]:
    # Unpickling is safe here, because only jobs of this module have pickled these rows.
    return {Path(row["path"]): pickle.loads(row["folded"]) for row in rows.collect()}
