"""Long sweeps: whether the time of a sweep grows in proportion to its runs, and whether its memory stays the same.

Each sweep has a process and a Java of its own; its memory is the most that they held at any time. The longest sweep
takes hours, so it may be stopped: finished runs and the time they took stay in `var/bench`, and the next call
continues.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.processes import below, peak_megabytes, processor_seconds
from benchmarks.report import print_figure, remark
from benchmarks.sweeps import PROCESSES, document, session
from benchmarks.turns import in_turns, ratios, report_rounds
from engine.scenario.header import ENGINE_VERSION
from eosviz.pipeline.sweep_chunks import read_runs, write_chunks
from eosviz.pipeline.sweep_table import rows_of

RUNS = (10_000, 100_000)
MILLION = 1_000_000
GROWTH_GOAL = 1.2
"""How many times as much processor time a run may cost, and as much memory a sweep may hold, if the sweep has ten or
a hundred times as many runs.
"""
KEPT = Path(__file__).parents[1] / "var" / "bench" / f"million-sweep-{ENGINE_VERSION}"
REMARK_SECONDS = 60.0


@dataclass(kw_only=True)
class Spent:
    """What one sweep has cost, all calls together: finished runs, seconds by the clock, seconds of processor time
    (``processor``), the most memory in megabytes (``held``), and the number of calls.
    """

    runs: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    held: float = 0.0
    calls: int = 0


def main(runs: tuple[int, ...] = RUNS) -> None:
    """Benchmark `long-sweep`: compares, in turns, 10,000 runs with 100,000 in time for each run and in memory."""
    _compared(in_turns({str(count): partial(_anew, count) for count in runs}))


def million() -> None:
    """Benchmark `million-sweep`: compares 10,000 runs with a million. Ctrl-C stops it: it prints how many runs are
    finished, and the next call continues.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    _compared({str(count): [_in_own_process(count, KEPT)] for count in (RUNS[0], MILLION)})


def _compared(spent: Mapping[str, list[Spent]]) -> None:
    """Print the costs of both sweeps and how much they grow. ``spent``: number of runs → costs in each round, the
    smaller sweep first.
    """
    for count, some in spent.items():
        _report(int(count), some)
    small, large = spent.values()
    if large[0].runs <= small[0].runs:
        remark(f"{large[0].runs} runs so far: too few to compare")
        return
    print_figure("sweep_growth_runs", large[0].runs / small[0].runs, "times")
    per_run = ratios(*([one.processor / one.runs for one in some] for some in (large, small)))
    report_rounds("sweep_growth_per_run", per_run, "times", GROWTH_GOAL)
    held = ratios([one.held for one in large], [one.held for one in small])
    report_rounds("sweep_growth_of_memory", held, "times", GROWTH_GOAL)


def _anew(count: int) -> Spent:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-sweeps-") as folder:
        spent = _in_own_process(count, Path(folder))
    if spent.runs < count:
        raise SystemExit("stopped; nothing of this sweep is kept")
    return spent


def _in_own_process(count: int, folder: Path) -> Spent:
    """Run a sweep of ``count`` runs in a process of its own, to its end or until Ctrl-C."""
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_sweep, args=(count, folder, sending))
    process.start()
    sending.close()
    # Ctrl-C also reaches the child process, which then sends what it has done so far.
    spent = None
    while spent is None:
        with contextlib.suppress(KeyboardInterrupt):
            spent = receiving.recv()
    process.join()
    return Spent(**spent)


def _sweep(count: int, folder: Path, results: Connection) -> None:
    file = folder / f"{count}.json"
    with contextlib.suppress(KeyboardInterrupt):
        if _read(file).runs < count:
            with session(f"local[{PROCESSES}]") as (spark, _):
                _run(spark, count, folder, file)
    results.send(asdict(_read(file)))


def _read(file: Path) -> Spent:
    return Spent(**json.loads(file.read_text())) if file.exists() else Spent()


def _run(spark: SparkSession, count: int, folder: Path, file: Path) -> None:
    target, counted = folder / str(count), _Counted(spark, count, file)
    write_chunks(spark, document(count), target, counted.add)
    (row,) = rows_of(read_runs(spark, target))
    assert row["runs"] == count and not row["refused"] and not row["unfinished"]
    counted.add(count, with_table=True)


class _Counted:
    """Adds the cost of this call to that of the earlier calls, and saves the sum after every chunk of runs. If a stop
    cuts off a chunk, its runs are not kept and its time is not counted.
    """

    def __init__(self, spark: SparkSession, count: int, file: Path) -> None:
        gateway = spark.sparkContext._gateway
        assert gateway is not None
        self._java = gateway.proc.pid
        self._count = count
        self._before = _read(file)
        self._file = file
        self._begin = self._remarked = time.perf_counter()
        self._processor = processor_seconds([os.getpid()])

    def add(self, done: int, with_table: bool = False) -> None:
        now = time.perf_counter()
        before = self._before
        spent = Spent(
            # A sweep is complete only once its table is made; until then, at least one run counts as missing.
            runs=done if with_table else min(done, self._count - 1),
            seconds=before.seconds + now - self._begin,
            processor=before.processor + processor_seconds([os.getpid()]) - self._processor,
            held=max(before.held, self._megabytes()),
            calls=before.calls + 1,
        )
        beside = self._file.with_suffix(".part")
        beside.write_text(json.dumps(asdict(spent)))
        beside.replace(self._file)
        if now - self._remarked >= REMARK_SECONDS:
            self._remarked = now
            each = 1000 * spent.processor / max(done, 1)
            remark(f"{done} of {self._count} runs, {each:.2f} ms of processor time each")

    def _megabytes(self) -> float:
        """Return the most memory that driver, Java and executors held, summed."""
        return sum(
            peak_megabytes(process) for process in (os.getpid(), *below(self._java)) if _lives(process)
        )


def _lives(process: int) -> bool:
    return Path("/proc", str(process), "status").exists()


def _report(count: int, spent: list[Spent]) -> None:
    """Print the costs of one sweep; ``spent`` has one element for each round."""
    name = f"sweep_{count}"
    if spent[0].runs < count:
        print_figure(f"{name}_so_far", spent[0].runs, "runs")
    report_rounds(f"{name}_runs", [one.seconds for one in spent], "s")
    report_rounds(f"{name}_processor", [one.processor for one in spent], "s")
    each = [1000 * one.processor / max(one.runs, 1) for one in spent]
    report_rounds(f"{name}_processor_per_run", each, "ms")
    report_rounds(f"{name}_peak", [one.held for one in spent], "MB")
    if spent[0].calls > 1:
        remark(f"in {spent[0].calls} parts")
