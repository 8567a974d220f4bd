"""A sweep of SC-44 on Spark `local[2]`, in turns with two bare Python processes that play the same runs, judged and
made into rows alike; and the same on a cluster of a master and two workers. All must make the same digests. Starts are
a figure of its own: the session's, and of the processes nothing is counted before both are ready.
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
    """Of one sweep: by the clock, and on processors."""

    seconds: float
    processor: float
    digests: Mapping[int, str] = field(default_factory=dict)
    """Of each run."""


def document(runs: int) -> SweepDocument:
    return parse_sweep(_DOCUMENT.format(runs=runs))


def main(runs: tuple[int, ...] = RUNS) -> None:
    """`sweep`: in turns with two bare processes."""
    *short, count = runs
    with session(f"local[{PROCESSES}]", "sweep") as (spark, folder):
        for few in short:
            print_figure(f"sweep_{few}_runs", swept(spark, folder, few).seconds, "s")
        found = in_turns({"spark": lambda: swept(spark, folder, count), "bare": lambda: bare_run(count)})
    report_compared("sweep", count, found)


def on_cluster() -> None:
    """`sweep-cluster`: the same on a master and two workers of one core each."""
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
    """Spark's rate as a share of the bare processes', by the clock and by processor time. Every run came out the same
    on both sides in every round."""
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
    """A warm session, and a folder for its sweeps. With a ``name``, the time of its start is printed."""
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
    """A short sweep, as the bare processes play some runs before they are ready. Spark ends workers that had nothing to
    do for a minute, which another side's turn may take."""
    with tempfile.TemporaryDirectory(prefix="warm-", dir=place) as folder:
        write_chunks(spark, document(WARM_RUNS), Path(folder))
        rows_of(read_runs(spark, Path(folder)))


def swept(spark: SparkSession, place: Path, count: int, daemons: Sequence[int] = ()) -> Taken:
    """The runs and their table, as a page's sweep makes them."""
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
    """From when all processes are ready until all have played their part."""
    context = multiprocessing.get_context("spawn")
    ready, ended = context.Barrier(PROCESSES + 1), context.Barrier(PROCESSES + 1)
    said: SimpleQueue[dict[int, str]] = context.SimpleQueue()
    played = [
        context.Process(target=_play, args=(runs, part, ready, ended, said)) for part in range(PROCESSES)
    ]
    for process in played:
        process.start()
    ready.wait()
    # They wait for each other at the end, so that what they cost can still be read.
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
