"""Makes the runs of a sweep on Spark's executors, in their Python workers, because the engine cannot be
expressed in operations on columns. Executors import this module, so it needs only the engine, Arrow and
Spark."""

import functools
import gc
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t

from engine.errors import EngineError, Refused
from engine.scenario.document import Scenario
from engine.simulation import Simulation
from eosviz.pipeline.sweep_document import SweepDocument, with_seed
from eosviz.pipeline.sweep_measures import COUNTS, DATABASE_COUNTS, JUDGED, SUMS, TRANSACTION_COUNTS, WAITS
from eosviz.pipeline.virtual_waits import Waits

BATCH_SECONDS = 0.5
"""The interval, in seconds, at which rows are passed to Spark. A run that takes longer is finished first."""
SCENARIOS_KEPT = 64

_FIELDS: tuple[tuple[str, pa.DataType, t.DataType, bool], ...] = (
    ("run", pa.int64(), t.LongType(), False),
    ("cell", pa.int32(), t.IntegerType(), False),
    ("settings", pa.string(), t.StringType(), False),
    ("seed", pa.int64(), t.LongType(), False),
    ("outcome", pa.string(), t.StringType(), False),
    ("rule", pa.string(), t.StringType(), True),
    ("steps", pa.int64(), t.LongType(), True),
    ("duration_ms", pa.int64(), t.LongType(), True),
    *((name, pa.int64(), t.LongType(), True) for name in SUMS),
    ("first_broken", pa.int64(), t.LongType(), True),
    *((f"broken_{name}", pa.int64(), t.LongType(), True) for name in JUDGED),
    *((name, pa.int64(), t.LongType(), True) for name in WAITS),
    ("digest", pa.string(), t.StringType(), True),
)
RUNS_SCHEMA = t.StructType([t.StructField(name, kind, null) for name, _, kind, null in _FIELDS])
"""One row for each run (docs/sweeps.md). ``outcome``: how the run ended (``complete``, ``step_limit``,
``time_limit``), or ``refused``; then ``rule`` is the requirement that refused it, and all measures are null.
``broken_*``: the first step at which the guarantee was broken; null if it held or was not judged.
``settings``: the cell as JSON."""
_ARROW = pa.schema([(name, kind) for name, kind, _, _ in _FIELDS])

Row = dict[str, Any]


def runs_of(spark: SparkSession, sweep: SweepDocument, first: int, last: int) -> DataFrame:
    """Makes the runs with the numbers ``first`` to ``last``. Returns their rows, with the columns
    ``RUNS_SCHEMA``."""
    tasks = max(1, min(last - first + 1, spark.sparkContext.defaultParallelism))
    return spark.range(first, last + 1, 1, tasks).mapInArrow(_runner(sweep), RUNS_SCHEMA)


def _runner(sweep: SweepDocument) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        player = Player(sweep)
        settle()
        for batch in batches:
            for rows in timed_batches(player, batch.column("id").to_pylist()):
                yield pa.RecordBatch.from_pylist(rows, schema=_ARROW)

    return run_batches


@functools.cache
def settle() -> None:
    """Exclude what is loaded now from garbage collection."""
    pa.array([None])  # This loads pandas, as the first rows would.
    gc.collect()
    gc.freeze()


def timed_batches(
    player: "Player", runs: Iterable[int], clock: Callable[[], float] = time.monotonic
) -> Iterator[list[Row]]:
    """The rows of ``runs``, in lists. A list is returned after about ``BATCH_SECONDS``."""
    rows: list[Row] = []
    until = clock() + BATCH_SECONDS
    for run in runs:
        rows.append(player.play(run))
        if clock() >= until:
            yield rows
            rows, until = [], clock() + BATCH_SECONDS
    if rows:
        yield rows


class Player:
    """Makes the runs of one sweep."""

    def __init__(self, sweep: SweepDocument) -> None:
        self.sweep = sweep
        self._scenarios: OrderedDict[int, Scenario] = OrderedDict()

    def play(self, run: int) -> Row:
        """Make one run. Returns its row. Raises EngineError, whose text has the scenario, the settings and
        the seed."""
        cell, seed = self.sweep.place_of(run)
        values = self.sweep.cells[cell]
        known: Row = {"run": run, "cell": cell, "settings": json.dumps(values), "seed": seed}
        try:
            return {**known, **judged(self.scenario(run))}
        except Refused as refused:
            return {**known, "outcome": "refused", "rule": refused.rule}
        except EngineError as error:
            raise EngineError(f"{self.sweep.scenario} with {values}, seed {seed}: {error}") from error

    def scenario(self, run: int) -> Scenario:
        """The scenario of one run. The scenarios of the last SCENARIOS_KEPT cells are kept."""
        cell, seed = self.sweep.place_of(run)
        found = self._scenarios.get(cell)
        if found is None:
            found = self.sweep.scenario_of(self.sweep.cells[cell], self.sweep.first_seed)
            self._scenarios[cell] = found
            if len(self._scenarios) > SCENARIOS_KEPT:
                self._scenarios.popitem(last=False)
        return with_seed(found, seed)


def judged(scenario: Scenario) -> Row:
    """Run a scenario to its end; it is judged and not recorded. Returns the columns of ``RUNS_SCHEMA`` that
    depend on the run. Raises Refused."""
    simulation = Simulation(scenario, watching="judged")
    waits = Waits(simulation)
    simulation.run()
    row: Row = {
        "outcome": simulation.finished,
        "steps": simulation.number,
        "duration_ms": simulation.now,
        **_counts(simulation),
        **broken_in(simulation),
        **waits.columns(),
    }
    row["digest"] = _digest(simulation, row)
    return row


def broken_in(simulation: Simulation) -> Row:
    """The columns ``first_broken`` and ``broken_*`` for the present state of a judged run."""
    guarantees = simulation.judges.guarantees
    steps = {name: guarantees[name].broken_at for name in JUDGED if name in guarantees}
    known = [step for step in steps.values() if step is not None]
    return {"first_broken": min(known, default=None), **{f"broken_{name}": at for name, at in steps.items()}}


def _counts(simulation: Simulation) -> Row:
    verdicts = simulation.verdicts()
    row: Row = {name: sum(getattr(verdict, name) for verdict in verdicts) for name in COUNTS}
    outcomes = simulation.judges.outcome_verdict()
    if outcomes is not None:
        row |= {name: getattr(outcomes, name) for name in TRANSACTION_COUNTS}
    database = simulation.judges.database_verdict()
    if database is not None:
        row |= {name: getattr(database, name) for name in DATABASE_COUNTS}
    return row


def _digest(simulation: Simulation, row: Row) -> str:
    """A digest of the run's result. The same run has the same digest on every machine."""
    verdicts = [verdict.line() for verdict in simulation.verdicts()]
    content = [row, sorted(simulation.kinds.items()), verdicts]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
