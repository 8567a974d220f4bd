"""The facts of a sweep's runs for the audit (docs/audit.md). Executors make each run twice: once for its row
(`sweep_runs.py`), and once recorded, for its facts."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from engine.errors import Refused
from engine.scenario.document import Scenario
from engine.simulation import Simulation
from eosviz.pipeline.facts import ARROW_SCHEMA, FACTS_SCHEMA, FIELDS, READ, FactReader, Row
from eosviz.pipeline.sweep_document import SweepDocument
from eosviz.pipeline.sweep_runs import Player, settle

ROWS_MAX = 20_000
"""An Arrow batch is returned once it has this many rows, so that a long run is in several batches."""


def facts_of(spark: SparkSession, sweep: SweepDocument, first: int, last: int) -> DataFrame:
    """The facts of the runs with the numbers ``first`` to ``last``, with the columns ``FACTS_SCHEMA``.
    `session` is `run-` and the run's number. A run that is refused has no facts."""
    tasks = max(1, min(last - first + 1, spark.sparkContext.defaultParallelism))
    return spark.range(first, last + 1, 1, tasks).mapInArrow(_runner(sweep), FACTS_SCHEMA)


def _runner(sweep: SweepDocument) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[Row] = []
        player = Player(sweep)
        settle()
        for batch in batches:
            for run in batch.column("id").to_pylist():
                for facts in run_facts(f"run-{run}", functools.partial(player.scenario, run)):
                    rows += facts
                    if len(rows) >= ROWS_MAX:
                        yield pa.RecordBatch.from_pylist(rows, schema=ARROW_SCHEMA)
                        rows = []
        if rows:
            yield pa.RecordBatch.from_pylist(rows, schema=ARROW_SCHEMA)

    return run_batches


def run_facts(session: str, scenario: Callable[[], Scenario]) -> Iterator[list[Row]]:
    """The facts of one run: a list for the state before the first step, one for each step, and one for the end.
    There is no list if the run is refused."""
    try:
        simulation = Simulation(scenario())
    except Refused:
        return
    view = simulation.view()
    reader = FactReader(
        session, _plain(simulation.header()), _plain({part: view[part] for part in view if part in READ})
    )
    yield reader.first()
    while (step := simulation.step()) is not None:
        yield reader.take(_needed(step.to_json()))
    yield reader.last(simulation.finished)


def _needed(step: dict[str, Any]) -> Row:
    changes = [change for change in step["changes"] if change["path"][0] in READ]
    return _plain({**{name: step[name] for name in FIELDS if name in step}, "changes": changes})


def _plain(shown: Mapping[str, Any]) -> Row:
    """A copy, made through JSON. It is needed because the reader modifies views, and the parts of a step
    belong to the run."""
    read: Row = msgspec.json.decode(msgspec.json.encode(shown))
    return read
