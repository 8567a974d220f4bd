"""Benchmark `long-logs`: whether the memory of the driver and the executors stays the same when logs grow from 1 GB
to 4 GB, for headers and for every record. Each reading has a Spark session of its own on `local[2]`.

Each size is read five times, in turns. Segments are mapped into memory: while they are read, their pages count as
resident, but they cost nothing when memory is short. So only anonymous memory is measured, which the processes
themselves hold: the largest sum over driver, JVM and Python workers, and the largest value of each kind.

`python -m benchmarks long-logs`
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from functools import partial
from pathlib import Path

from benchmarks.generated_logs import make_logs
from benchmarks.report import remark
from benchmarks.turns import in_turns, ratios, report_rounds
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.depth import Depth

GIGABYTE = 1_000_000_000
SIZES = (1, 4)
PARTITIONS = 8
GROWTH_GOAL = 1.2
_SECONDS_BETWEEN = 0.1
_KINDS = ("driver", "jvm", "workers")
Watched = tuple[float, dict[str, int]]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-long-logs-") as folder:
        places = {f"{gigabytes}_gb": Path(folder) / str(gigabytes) for gigabytes in SIZES}
        megabytes = {}
        for (name, place), gigabytes in zip(places.items(), SIZES, strict=True):
            megabytes[name] = make_logs(place / "logs", PARTITIONS, gigabytes * GIGABYTE) / 1e6
            remark(f"{megabytes[name]:.0f} MB in {PARTITIONS} partitions")
        for depth in Depth:
            found = in_turns({name: partial(_watched, place, depth) for name, place in places.items()})
            _report(f"logs_{depth.value}", megabytes, found)


def _report(name: str, megabytes: dict[str, float], found: dict[str, list[Watched]]) -> None:
    for size, some in found.items():
        report_rounds(f"{name}_{size}", [megabytes[size] / seconds for seconds, _ in some], "MB/s")
    for kind in (*_KINDS, "all"):
        held = {size: [most[kind] / 1e6 for _, most in some] for size, some in found.items()}
        for size, values in held.items():
            report_rounds(f"{name}_{size}_{kind}", values, "MB")
        small, large = held.values()
        goal = GROWTH_GOAL if kind == "all" else None
        report_rounds(f"{name}_{kind}_growth", ratios(large, small), "times", goal)


def _watched(place: Path, depth: Depth) -> Watched:
    """Read the logs in a child process. Returns the seconds of the reading without the session's start, and the
    largest number of bytes that each kind of process, and all together, held.
    """
    command = [sys.executable, "-m", __name__, str(place), depth.value]
    most = dict.fromkeys((*_KINDS, "all"), 0)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reading:
        while reading.poll() is None:
            held = _held(reading.pid)
            for kind in most:
                most[kind] = max(most[kind], sum(held.values()) if kind == "all" else held[kind])
            time.sleep(_SECONDS_BETWEEN)
        assert reading.stdout is not None
        said = reading.stdout.read().split()
    if reading.returncode != 0:
        raise RuntimeError(f"reading {place} {depth.value} ended with {reading.returncode}")
    return float(said[-1]), most


def _held(pid: int) -> dict[str, int]:
    """Return the anonymous memory of a process and of all processes below it, in bytes, summed by kind."""
    children: dict[int, list[int]] = defaultdict(list)
    memory: dict[int, int] = {}
    java: set[int] = set()
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        try:
            status = Path(entry.path, "status").read_text()
        except OSError:
            # This process has ended in the meantime.
            continue
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        number = int(entry.name)
        children[int(fields["PPid"])].append(number)
        memory[number] = int(fields.get("RssAnon", "0 kB").split()[0]) * 1024
        if fields["Name"] == "java":
            java.add(number)
    held = dict.fromkeys(_KINDS, 0)
    waiting = [(pid, "driver")]
    while waiting:
        number, kind = waiting.pop()
        held["jvm" if number in java else kind] += memory.get(number, 0)
        # The processes that the JVM starts are the Python workers, which run our code.
        below = "workers" if number in java else kind
        waiting.extend((child, below) for child in children[number])
    return held


def read(place: Path, depth: Depth) -> None:
    """Read the logs and print the seconds that this took. `main` runs this function in a child process and watches
    its memory.
    """
    from eosviz.pipeline.kafka_logs.spark_fold import SparkReading
    from eosviz.pipeline.spark import start_session

    spark = start_session("local[2]", place, "benchmarks")
    spark.range(1).count()
    begin = time.perf_counter()
    case = read_case([place / "logs"], reading=SparkReading(spark, [place / "logs"], depth))
    seconds = time.perf_counter() - begin
    for one in case.partitions:
        assert one.partition.corrupt == 0
        assert len(one.partition.transactions) == one.partition.control_batches > 0
    spark.stop()
    print(seconds)


if __name__ == "__main__":
    read(Path(sys.argv[1]), Depth(sys.argv[2]))
