"""How fast real logs are read: headers and markers, and every record; in this process and on Spark `local[2]`,
beside plain reading of the same bytes. The session's start is reported apart.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.generated_logs import make_logs
from benchmarks.report import remark, tell
from eosviz.pipeline.kafka_logs.case import Case, Reading, ReadingHere, read_case
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.spark_fold import SparkReading
from eosviz.pipeline.spark import start_session

MEGABYTE = 1_000_000
BYTES = 250 * MEGABYTE
PARTITIONS = 4
ROUNDS = 3
HEADERS_GOAL, DEEP_GOAL = 600, 50
_CHUNK_BYTES = 1 << 20


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-logs-") as place:
        logs = Path(place) / "logs"
        written = make_logs(logs, PARTITIONS, BYTES)
        remark(f"{written / MEGABYTE:.0f} MB in {PARTITIONS} partitions")

        def read(reading: Reading) -> Case:
            case = read_case([logs], reading=reading)
            _check(case)
            return case

        rate = written / MEGABYTE
        tell("logs_plain_reading", rate / _best(lambda: _read_bytes(logs), ROUNDS), "MB/s")
        here = {depth: _best(lambda depth=depth: read(ReadingHere(depth)), 1) for depth in Depth}
        tell("logs_headers_one_process", rate / here[Depth.HEADERS], "MB/s")
        tell("logs_deep_one_process", rate / here[Depth.DEEP], "MB/s")
        begin = time.perf_counter()
        spark = start_session("local[2]", Path(place), "benchmarks")
        spark.range(1).count()
        tell("logs_spark_session", time.perf_counter() - begin, "s")
        try:
            headers = _best(lambda: read(SparkReading(spark, [logs], Depth.HEADERS)), ROUNDS + 1)
            tell("logs_headers", rate / headers, "MB/s", HEADERS_GOAL)
            deep = _best(lambda: read(SparkReading(spark, [logs], Depth.DEEP)), 1)
            tell("logs_deep", rate / deep, "MB/s", DEEP_GOAL)
        finally:
            spark.stop()


def _check(case: Case) -> None:
    """Fast and wrong is no figure: every transaction of the generator must be there."""
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


def _best(measured: Callable[[], object], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        measured()
        best = min(best, time.perf_counter() - begin)
    return best


if __name__ == "__main__":
    main()
