"""One run of a sweep after the other, on whatever machine Spark chose. The one place where a job calls Python
code of ours row by row: the engine cannot be said in columns.

Imported on executors, so it must need nothing but the engine and Arrow.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t

from engine.errors import EngineError, Refused
from engine.scenario import load
from engine.simulation import Simulation
from eosviz.pipeline.sweep_document import SweepDocument

COUNTS = ("stored", "duplicates", "lost", "failed", "reordered")
RUNS_PER_TASK = 50

RUNS_SCHEMA = t.StructType(
    [
        t.StructField("run", t.LongType(), nullable=False),
        t.StructField("cell", t.IntegerType(), nullable=False),
        t.StructField("settings", t.StringType(), nullable=False),
        t.StructField("seed", t.LongType(), nullable=False),
        t.StructField("outcome", t.StringType(), nullable=False),
        t.StructField("rule", t.StringType(), nullable=True),
        t.StructField("steps", t.LongType(), nullable=False),
        t.StructField("partition", t.StringType(), nullable=True),
        *(t.StructField(name, t.LongType(), nullable=True) for name in COUNTS),
    ]
)
"""A row per run and topic-partition. ``outcome`` is how the run ended (``complete``, ``step_limit``,
``time_limit``) or ``refused``: then ``rule`` names the requirement, and partition and counts are null.
``settings`` is the cell as JSON."""

_ARROW = pa.schema(
    [
        ("run", pa.int64()),
        ("cell", pa.int32()),
        ("settings", pa.string()),
        ("seed", pa.int64()),
        ("outcome", pa.string()),
        ("rule", pa.string()),
        ("steps", pa.int64()),
        ("partition", pa.string()),
        *((name, pa.int64()) for name in COUNTS),
    ]
)


def run_sweep(spark: SparkSession, sweep: SweepDocument) -> DataFrame:
    """Every run of the sweep, judged: ``RUNS_SCHEMA``."""
    tasks = max(1, min(sweep.runs // RUNS_PER_TASK, spark.sparkContext.defaultParallelism * 8))
    return spark.range(0, sweep.runs, 1, tasks).mapInArrow(_runner(sweep), RUNS_SCHEMA)


def _runner(sweep: SweepDocument) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    cells = sweep.cells

    def run_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows: list[dict[str, Any]] = []
            for run in batch.column("id").to_pylist():
                cell, seed = divmod(run, sweep.seeds)
                rows += run_once(sweep, run, cell, cells[cell], sweep.first_seed + seed)
            yield pa.RecordBatch.from_pylist(rows, schema=_ARROW)

    return run_batches


def run_once(
    sweep: SweepDocument, run: int, cell: int, values: dict[str, Any], seed: int
) -> list[dict[str, Any]]:
    """The rows of one run. An invariant that breaks stops the job and names scenario, settings and seed."""
    told = {"run": run, "cell": cell, "settings": json.dumps(values), "seed": seed}
    try:
        scenario = load(sweep.document, sweep.variant, sweep.settings(values, seed), source=sweep.scenario)
        simulation = Simulation(scenario, watching="judged")
        simulation.run()
    except Refused as refused:
        return [{**told, "outcome": "refused", "rule": refused.rule, "steps": 0}]
    except EngineError as error:
        raise EngineError(f"{sweep.scenario} with {values}, seed {seed}: {error}") from error
    ended = {**told, "outcome": simulation.finished, "steps": simulation.number}
    return [
        {**ended, "partition": verdict.partition, **{name: getattr(verdict, name) for name in COUNTS}}
        for verdict in simulation.verdicts()
    ]
