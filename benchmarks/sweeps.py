"""A sweep of SC-44 on Spark `local[2]` beside two bare Python processes that play the same runs, judged and made into
rows alike. Starts are reported apart: the session's, and of the processes nothing is counted before both are ready.
"""

import multiprocessing
import tempfile
import time
from multiprocessing.synchronize import Barrier
from pathlib import Path

from benchmarks.report import remark, tell
from eosviz.pipeline.spark import start_session
from eosviz.pipeline.sweep_chunks import read_runs, write_chunks
from eosviz.pipeline.sweep_document import SweepDocument, parse_sweep
from eosviz.pipeline.sweep_runs import Player

RUNS = (1_000, 10_000)
PROCESSES = 2
WARM_RUNS = 200
RATIO_GOAL = 0.85
_DOCUMENT = 'scenario = "SC-44"\nvariant = "k28"\nseeds = {runs}\n'


def document(runs: int) -> SweepDocument:
    return parse_sweep(_DOCUMENT.format(runs=runs))


def main(runs: tuple[int, ...] = RUNS) -> None:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-sweeps-") as place:
        folder = Path(place)
        begin = time.perf_counter()
        spark = start_session(f"local[{PROCESSES}]", folder, "benchmarks")
        spark.range(1).count()
        tell("sweep_spark_session", time.perf_counter() - begin, "s")
        try:
            write_chunks(spark, document(WARM_RUNS), folder / "warm")
            seconds = 0.0
            for count in runs:
                begin = time.perf_counter()
                write_chunks(spark, document(count), folder / str(count))
                seconds = time.perf_counter() - begin
                assert read_runs(spark, folder / str(count)).where("outcome = 'complete'").count() == count
                tell(f"sweep_{count}_runs", seconds, "s")
        finally:
            spark.stop()
    bare = bare_seconds(runs[-1])
    tell("sweep_runs_per_second", runs[-1] / seconds, "runs/s")
    tell("sweep_bare_runs_per_second", runs[-1] / bare, "runs/s")
    remark(f"the same {runs[-1]} runs in {PROCESSES} bare processes: {bare:.1f} s")
    tell("sweep_share_of_bare", bare / seconds, "", RATIO_GOAL)


def bare_seconds(runs: int) -> float:
    """From when all processes are ready until all have played their part."""
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(PROCESSES + 1)
    played = [context.Process(target=_play, args=(runs, part, ready)) for part in range(PROCESSES)]
    for process in played:
        process.start()
    ready.wait()
    begin = time.perf_counter()
    for process in played:
        process.join()
        assert process.exitcode == 0
    return time.perf_counter() - begin


def _play(runs: int, part: int, ready: Barrier) -> None:
    player = Player(document(runs))
    for run in range(WARM_RUNS // PROCESSES):
        player.play(run)
    ready.wait()
    rows = [player.play(run) for run in range(part, runs, PROCESSES)]
    assert all(row["outcome"] == "complete" for row in rows)
