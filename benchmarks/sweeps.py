"""A sweep of SC-44 on Spark `local[2]` beside two bare Python processes that play the same runs, judged and made into
rows alike; and the same on a cluster of a master and two workers. Starts are reported apart: the session's, and of the
processes nothing is counted before both are ready.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.processes import processor_seconds
from benchmarks.report import remark, tell
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
    """Of one sweep: by the clock, and on processors."""

    seconds: float
    processor: float


def document(runs: int) -> SweepDocument:
    return parse_sweep(_DOCUMENT.format(runs=runs))


def main(runs: tuple[int, ...] = RUNS) -> None:
    """`sweep`: beside two bare processes."""
    with session(f"local[{PROCESSES}]", "sweep") as (spark, folder):
        taken = [swept(spark, folder, count, "sweep") for count in runs][-1]
    bare = bare_run(runs[-1])
    tell("sweep_runs_per_second", runs[-1] / taken.seconds, "runs/s")
    tell("sweep_bare_runs_per_second", runs[-1] / bare.seconds, "runs/s")
    remark(f"the same {runs[-1]} runs in {PROCESSES} bare processes: {bare.seconds:.1f} s")
    tell("sweep_share_of_bare", bare.seconds / taken.seconds, "", RATIO_GOAL)
    tell("sweep_share_of_bare_processor", bare.processor / taken.processor, "")


def on_cluster() -> None:
    """`sweep-cluster`: the same sweep on a master and two workers of one core each, and here; equal rows."""
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-cluster-") as place:
        folder, here = Path(place), Path(place) / "here"
        with running_cluster(folder) as cluster:
            daemons = [cluster.master, *cluster.workers]
            with session(cluster.address, "sweep_cluster", folder / "there") as (spark, there):
                taken = swept(spark, there, RUNS[-1], "sweep_cluster", daemons)
                digests = _digests(spark, there / str(RUNS[-1]))
        with session(f"local[{PROCESSES}]", "sweep_here", here) as (spark, _):
            write_chunks(spark, document(RUNS[0]), here / "same")
            same = _digests(spark, here / "same")
        assert digests.items() >= same.items(), "a run came out differently on the cluster"
    bare = bare_run(RUNS[-1])
    tell("sweep_cluster_share_of_bare", bare.seconds / taken.seconds, "")


@contextlib.contextmanager
def session(master: str, name: str, place: Path | None = None) -> Iterator[tuple[SparkSession, Path]]:
    """A warm session, and a folder for its sweeps."""
    with contextlib.ExitStack() as stack:
        if place is None:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="eosviz-bench-sweeps-")))
        place.mkdir(exist_ok=True)
        begin = time.perf_counter()
        spark = start_session(master, place, "benchmarks")
        stack.callback(spark.stop)
        spark.range(1).count()
        tell(f"{name}_spark_session", time.perf_counter() - begin, "s")
        write_chunks(spark, document(WARM_RUNS), place / "warm")
        rows_of(read_runs(spark, place / "warm"))
        yield spark, place


def swept(
    spark: SparkSession, folder: Path, count: int, name: str, daemons: list[int] | None = None
) -> Taken:
    """The runs and their table, as a page's sweep makes them."""
    sweep, target = document(count), folder / str(count)

    def run() -> None:
        write_chunks(spark, sweep, target)
        (row,) = rows_of(read_runs(spark, target))
        assert row["runs"] == count and not row["refused"] and not row["unfinished"]

    taken = taken_by(run, [os.getpid(), *(daemons or [])])
    tell(f"{name}_{count}_runs", taken.seconds, "s")
    tell(f"{name}_{count}_processor", taken.processor, "s")
    return taken


def taken_by(run: Callable[[], None], roots: list[int]) -> Taken:
    processor, begin = processor_seconds(roots), time.perf_counter()
    run()
    return Taken(time.perf_counter() - begin, processor_seconds(roots) - processor)


def _digests(spark: SparkSession, folder: Path) -> dict[int, str]:
    return {row.run: row.digest for row in read_runs(spark, folder).select("run", "digest").collect()}


def bare_run(runs: int) -> Taken:
    """From when all processes are ready until all have played their part."""
    context = multiprocessing.get_context("spawn")
    ready, ended = context.Barrier(PROCESSES + 1), context.Barrier(PROCESSES + 1)
    played = [context.Process(target=_play, args=(runs, part, ready, ended)) for part in range(PROCESSES)]
    for process in played:
        process.start()
    ready.wait()
    # They wait for each other at the end, so that what they cost can still be read.
    taken = taken_by(lambda: _await(ended), [process.pid or 0 for process in played])
    ended.wait()
    for process in played:
        process.join()
        assert process.exitcode == 0
    return taken


def _await(barrier: Barrier) -> None:
    barrier.wait()


def _play(runs: int, part: int, ready: Barrier, ended: Barrier) -> None:
    player = Player(document(runs))
    for run in range(WARM_RUNS // PROCESSES):
        player.play(run)
    settle()
    ready.wait()
    for run in range(part, runs, PROCESSES):
        assert player.play(run)["outcome"] == "complete"
    ended.wait()
    ended.wait()
