"""How fast logs are read, headers and markers only, and every record: in this process, on Spark `local[2]`, and, for
comparison, reading of the bytes only; all in turns. The start of the Spark session is a separate figure.
"""

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.generated_logs import make_logs
from benchmarks.report import print_figure, remark
from benchmarks.turns import in_turns, ratios, report_rounds
from eosviz.pipeline.kafka_logs.case import Case, Reading, ReadingHere, read_case
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.spark_fold import SparkReading
from eosviz.pipeline.spark import start_session

MEGABYTE = 1_000_000
BYTES = 250 * MEGABYTE
PARTITIONS = 4
PLAIN = "logs_plain_reading"
GOALS = {"logs_headers": 600, "logs_deep": 50}
_CHUNK_BYTES = 1 << 20


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-logs-") as place:
        logs = Path(place) / "logs"
        megabytes = make_logs(logs, PARTITIONS, BYTES) / MEGABYTE
        remark(f"{megabytes:.0f} MB in {PARTITIONS} partitions")
        begin = time.perf_counter()
        spark = start_session("local[2]", Path(place), "benchmarks")
        spark.range(1).count()
        print_figure("logs_spark_session", time.perf_counter() - begin, "s")
        try:
            sides = {PLAIN: lambda: _seconds(lambda: _read_bytes(logs))}
            for depth in Depth:
                here, there = partial(ReadingHere, depth), partial(SparkReading, spark, [logs], depth)
                sides[f"logs_{depth.value}_one_process"] = partial(_read_seconds, logs, here)
                sides[f"logs_{depth.value}"] = partial(_read_seconds, logs, there)
                sides[f"logs_{depth.value}"]()  # The first reading only warms the session.
            found = in_turns(sides)
        finally:
            spark.stop()
    for name, seconds in found.items():
        report_rounds(name, [megabytes / one for one in seconds], "MB/s", GOALS.get(name))
        if name != PLAIN:
            report_rounds(f"{name}_of_plain", ratios(seconds, found[PLAIN]), "times")


def _read_seconds(logs: Path, reading: Callable[[], Reading]) -> float:
    return _seconds(lambda: _check(read_case([logs], reading=reading())))


def _check(case: Case) -> None:
    """Check that every transaction of the generated logs was found: the speed of a wrong reading means nothing."""
    for read in case.partitions:
        partition = read.partition
        assert partition.corrupt == 0
        assert len(partition.transactions) == partition.control_batches > 0
        assert not partition.open_transactions


def _read_bytes(logs: Path) -> None:
    for path in sorted(logs.rglob("*.log")):
        with path.open("rb") as file:
            while file.read(_CHUNK_BYTES):
                pass


def _seconds(measured: Callable[[], object]) -> float:
    begin = time.perf_counter()
    measured()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
