"""Spark gives the same results as one process, for all recorded folders together."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts
from eosviz.pipeline.kafka_logs.case import ReadingHere, read_case
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.directories import find_directories
from eosviz.pipeline.kafka_logs.spark_fold import SparkReading
from eosviz.pipeline.kafka_logs.spark_source import BATCHES_SCHEMA, read_batches
from eosviz.pipeline.spark import ROOT
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document
from tests.pipeline.kafka_logs.test_stretches import LOG, one_by_one

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("depth", list(Depth))
def test_every_recorded_folder_has_the_same_case(spark: SparkSession, depth: Depth) -> None:
    """The folders together have directories of several brokers, so copies of a partition must be distinguished, too."""
    ids = {path.parents[1] for path in KAFKA_LOGS.rglob("meta.properties")} - {KAFKA_LOGS}
    paths = sorted(path for path in KAFKA_LOGS.iterdir() if path.is_dir() and path not in ids)
    here = document(read_case(paths, reading=ReadingHere(Depth.DEEP)))
    assert len(here["partitions"]) > 40
    assert here["copies"]
    assert here["coordinator"]["records"] > 100
    assert json.dumps(document(read_case(paths, reading=SparkReading(spark, paths, depth)))) == json.dumps(
        here
    )


def test_a_folder_alone_is_split_and_comes_together_again(spark: SparkSession) -> None:
    """Otherwise, one task would read the folder while the other cores wait; several folders of one size are a task
    each.
    """
    alone = [KAFKA_LOGS / "wire_tv0" / "wire" / "w-txn-public-0"]
    here = document(read_case(alone, reading=ReadingHere(Depth.DEEP)))
    assert here["partitions"][0]["batches"] > 1
    reading = SparkReading(spark, alone, Depth.DEEP)
    assert not reading.is_even(find_directories(alone))
    assert reading.is_even(find_directories([KAFKA_LOGS]))
    assert document(read_case(alone, reading=reading)) == here


def test_the_source_splits_a_segment_and_gives_each_batch_once(spark: SparkSession) -> None:
    path = KAFKA_LOGS / "wire_tv0" / "wire"
    batches = read_batches(spark, [path], Depth.DEEP, split_bytes=500)
    assert batches.schema == BATCHES_SCHEMA
    assert batches.rdd.getNumPartitions() > len(find_directories([path]))
    rows = batches.orderBy("path", "segment", "position").collect()
    expected = [(facts.file, facts.position, facts.records, facts.control_type)
                for found in find_directories([path]) for facts in one_by_one(found)]  # fmt: skip
    read = [
        (f"{row.partition}/{row.segment:020}.log", row.position, row.records, row.control_type)
        for row in rows
    ]
    assert read == expected


def test_a_damaged_batch_is_a_row_and_the_job_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    source = KAFKA_LOGS / "c_commit" / "txcommit-0"
    data = bytearray((source / LOG).read_bytes())
    data[40] ^= 1
    for number in range(3):
        folder = tmp_path / f"txcommit-{number}"
        folder.mkdir()
        (folder / LOG).write_bytes(data if number == 1 else (source / LOG).read_bytes())
    case = read_case([tmp_path], reading=SparkReading(spark, [tmp_path], Depth.DEEP))
    assert [read.partition.corrupt for read in case.partitions] == [0, 1, 0]
    assert case.partitions[1].partition.damage[0].startswith(f"txcommit-1/{LOG}: byte 17: checksum")
    assert case.partitions[0].partition.batches == case.partitions[1].partition.batches + 1


def test_options_that_cannot_be_read_are_refused_in_words(spark: SparkSession) -> None:
    for name, value, words in [("paths", "[]", "JSON list"), ("depth", "shallow", "headers, deep")]:
        options = {"paths": json.dumps([str(KAFKA_LOGS)])} | {name: value}
        with pytest.raises(Exception, match=words):
            spark.read.format("kafka-logs").options(**options).load().count()


def test_facts_are_flat_rows() -> None:
    assert set(BatchFacts._fields) - {"file"} <= set(BATCHES_SCHEMA.fieldNames())


def test_spark_takes_modules_from_the_project_and_not_from_the_folder_it_was_started_in(
    spark: SparkSession,
) -> None:
    def paths(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"paths": [json.dumps(sys.path)]})

    (row,) = spark.range(0, 1, 1, 1).mapInArrow(paths, "paths string").collect()
    known = json.loads(row.paths)
    assert "" not in known
    assert str(ROOT) in known
