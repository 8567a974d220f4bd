"""Benchmarks `sweep` and `sweep-cluster`: a sweep of SC-44 on Spark, on `local[2]` or on a cluster of a master and
two workers, in turns with two bare Python processes that make the same runs, judge them and convert them to rows.
Both sides must compute the same digests. The start of the Spark session is a separate figure; the bare processes are
measured only once both are ready.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from benchmarks.processes import processor_seconds
from benchmarks.report import print_figure, remark
from benchmarks.turns import in_turns, ratios, report_rounds
from eosviz.pipeline.spark import start_session
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_chunks import read_runs, write_chunks
from eosviz.pipeline.sweep_document import SweepDocument
from eosviz.pipeline.sweep_runs import Player, settle
from eosviz.pipeline.sweep_table import rows_of
from tests.spark_cluster import running_cluster

RUNS = (1_000, 10_000)
PROCESSES = 2
WARM_RUNS = 200
RATIO_GOAL = 0.85
_DOCUMENT = 'scenario = "SC-44"\nvariant = "k28"\nseeds = {runs}\n'


@dataclass(frozen=True)
class Taken:
    """What one sweep took: seconds by the clock, and seconds of processor time."""

    seconds: float
    processor: float
    digests: Mapping[int, str] = field(default_factory=dict)
    """Number of a run → digest of the run."""


def document(runs: int) -> SweepDocument:
    return parse_sweep(_DOCUMENT.format(runs=runs))


def main(runs: tuple[int, ...] = RUNS) -> None:
    """Benchmark `sweep`: the runs on `local[2]`, in turns with two bare processes."""
    *short, count = runs
    with session(f"local[{PROCESSES}]", "sweep") as (spark, folder):
        for few in short:
            print_figure(f"sweep_{few}_runs", swept(spark, folder, few).seconds, "s")
        found = in_turns({"spark": lambda: swept(spark, folder, count), "bare": lambda: bare_run(count)})
    report_compared("sweep", count, found)


def on_cluster() -> None:
    """Benchmark `sweep-cluster`: the same on a master and two workers with one core each."""
    count = RUNS[-1]
    with (
        tempfile.TemporaryDirectory(prefix="eosviz-bench-cluster-") as place,
        running_cluster(Path(place)) as cluster,
        session(cluster.address, "sweep_cluster", Path(place) / "there") as (spark, there),
    ):
        daemons = [cluster.master, *cluster.workers]
        found = in_turns(
            {
                "spark": lambda: swept(spark, there, count, daemons),
                "bare": lambda: bare_run(count),
            }
        )
    report_compared("sweep_cluster", count, found)


def report_compared(name: str, count: int, found: Mapping[str, list[Taken]]) -> None:
    """Print Spark's rate as a share of the bare processes' rate, by the clock and by processor time. Fails if a run
    had different digests on the two sides or in two rounds.
    """
    first = found["bare"][0].digests
    assert all(one.digests == first for some in found.values() for one in some), "a run came out differently"
    clock = {side: [one.seconds for one in some] for side, some in found.items()}
    processor = {side: [one.processor for one in some] for side, some in found.items()}
    report_rounds(f"{name}_{count}_runs", clock["spark"], "s")
    report_rounds(f"{name}_{count}_processor", processor["spark"], "s")
    report_rounds(f"{name}_runs_per_second", [count / seconds for seconds in clock["spark"]], "runs/s")
    report_rounds(f"{name}_bare_runs_per_second", [count / seconds for seconds in clock["bare"]], "runs/s")
    report_rounds(f"{name}_share_of_bare", ratios(clock["bare"], clock["spark"]), "", RATIO_GOAL)
    report_rounds(f"{name}_share_of_bare_processor", ratios(processor["bare"], processor["spark"]), "")


@contextlib.contextmanager
def session(
    master: str, name: str | None = None, place: Path | None = None
) -> Iterator[tuple[SparkSession, Path]]:
    """Yield a warm Spark session and a folder for its sweeps. With a ``name``, the time of the session's start is
    printed.
    """
    with contextlib.ExitStack() as stack:
        if place is None:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="eosviz-bench-sweeps-")))
        place.mkdir(exist_ok=True)
        begin = time.perf_counter()
        spark = start_session(master, place, "benchmarks")
        stack.callback(spark.stop)
        spark.range(1).count()
        if name is not None:
            print_figure(f"{name}_spark_session", time.perf_counter() - begin, "s")
        warm(spark, place)
        yield spark, place


def warm(spark: SparkSession, place: Path) -> None:
    """Make a short sweep, because the bare processes also make some runs before they are measured. It is needed
    before each turn: Spark ends workers that were idle for a minute, and the other side's turn may take longer.
    """
    with tempfile.TemporaryDirectory(prefix="warm-", dir=place) as folder:
        write_chunks(spark, document(WARM_RUNS), Path(folder))
        rows_of(read_runs(spark, Path(folder)))


def swept(spark: SparkSession, place: Path, count: int, daemons: Sequence[int] = ()) -> Taken:
    """Make ``count`` runs and their table, like a sweep of a page, and measure them. ``daemons``: process ids of the
    cluster, whose processor time counts as well.
    """
    sweep = document(count)
    warm(spark, place)
    with tempfile.TemporaryDirectory(prefix=f"{count}-", dir=place) as folder:
        target = Path(folder)

        def run() -> None:
            write_chunks(spark, sweep, target)
            (row,) = rows_of(read_runs(spark, target))
            assert row["runs"] == count and not row["refused"] and not row["unfinished"]

        taken = taken_by(run, [os.getpid(), *daemons])
        remark(f"{count} runs: {taken.seconds:.1f} s, {taken.processor:.1f} s of processors")
        return replace(taken, digests=_digests(target))


def taken_by(run: Callable[[], None], roots: list[int]) -> Taken:
    processor, begin = processor_seconds(roots), time.perf_counter()
    run()
    return Taken(time.perf_counter() - begin, processor_seconds(roots) - processor)


def _digests(folder: Path) -> dict[int, str]:
    table = pq.read_table([*folder.glob("runs/first=*/*.parquet")], columns=["run", "digest"])
    return dict(zip(*(table[name].to_pylist() for name in ("run", "digest")), strict=True))


def bare_run(runs: int) -> Taken:
    """Make the runs in bare processes, and measure from the moment at which all processes are ready until all have
    made their part.
    """
    context = multiprocessing.get_context("spawn")
    ready, ended = context.Barrier(PROCESSES + 1), context.Barrier(PROCESSES + 1)
    said: SimpleQueue[dict[int, str]] = context.SimpleQueue()
    played = [
        context.Process(target=_play, args=(runs, part, ready, ended, said)) for part in range(PROCESSES)
    ]
    for process in played:
        process.start()
    ready.wait()
    # The processes wait for each other at the end, so that their processor time can be read while they live.
    taken = taken_by(lambda: _await(ended), [process.pid or 0 for process in played])
    ended.wait()
    digests = {run: digest for _ in played for run, digest in said.get().items()}
    for process in played:
        process.join()
        assert process.exitcode == 0
    remark(f"{runs} runs in bare processes: {taken.seconds:.1f} s, {taken.processor:.1f} s of processors")
    return replace(taken, digests=digests)


def _await(barrier: Barrier) -> None:
    barrier.wait()


def _play(runs: int, part: int, ready: Barrier, ended: Barrier, said: SimpleQueue[dict[int, str]]) -> None:
    player = Player(document(runs))
    for run in range(WARM_RUNS // PROCESSES):
        player.play(run)
    settle()
    ready.wait()
    digests = {}
    for run in range(part, runs, PROCESSES):
        row = player.play(run)
        assert row["outcome"] == "complete"
        digests[run] = row["digest"]
    ended.wait()
    ended.wait()
    said.put(digests)
