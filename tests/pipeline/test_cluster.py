"""A real cluster of one master and two workers, from the installed package: it makes the same sweep and reads the
same logs as one machine.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_chunks import missing, read_runs, spans_done, write_chunks
from tests.spark_cluster import Cluster, running_cluster

ROOT = Path(__file__).parents[2]
KAFKA_LOGS = ROOT / "tests" / "oracles" / "kafka-logs"
SWEEP = (ROOT / "docs" / "examples" / "first-sweep.toml").read_text().replace("seeds = 100", "seeds = 5")
DRIVER = """
import sys
from pathlib import Path
from eosviz.pipeline.spark import start_session
from eosviz.pipeline.sweep_chunks import write_chunks
from eosviz.pipeline.sweep_checks import parse_sweep
master, text, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
spark = start_session(master, folder / "work")
# A process that this one starts must find the whole of eosviz, not the archive that executors get.
assert not [one for one in sys.path if one.endswith("eosviz-code.zip")], sys.path
write_chunks(spark, parse_sweep(text), folder)
"""
pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def rows(spark: SparkSession, folder: Path) -> list[tuple[object, ...]]:
    return [tuple(row) for row in read_runs(spark, folder).orderBy("run").collect()]


def test_a_sweep_gives_the_same_rows(cluster: Cluster, spark: SparkSession, tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    subprocess.run(
        [sys.executable, "-c", DRIVER, cluster.address, SWEEP, str(there)], cwd=ROOT, check=True, timeout=900
    )
    sweep = parse_sweep(SWEEP)
    assert missing(spans_done(there), sweep.runs) == []
    write_chunks(spark, sweep, here)
    assert rows(spark, there) == rows(spark, here) and len(rows(spark, here)) == sweep.runs


def test_an_executor_that_is_killed_changes_nothing(
    cluster: Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    sweep = SWEEP.replace("seeds = 5", "seeds = 30")
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, cluster.address, sweep, str(tmp_path)], cwd=ROOT)
    try:
        while not spans_done(tmp_path):
            assert driver.poll() is None
            time.sleep(0.05)
        executors = executors_of(cluster)
        assert executors
        assert all(b"-XX:+UseSerialGC" in Path(f"/proc/{one}/cmdline").read_bytes() for one in executors)
        os.kill(executors[0], signal.SIGKILL)
        assert driver.wait(900) == 0
    finally:
        if driver.poll() is None:
            driver.kill()
            driver.wait()
    here = tmp_path / "here"
    write_chunks(spark, parse_sweep(sweep), here)
    assert rows(spark, tmp_path) == rows(spark, here)


def test_a_driver_that_is_killed_changes_nothing(
    cluster: Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    text = SWEEP.replace("seeds = 5", "seeds = 30")
    sweep = parse_sweep(text)
    command = [sys.executable, "-c", DRIVER, cluster.address, text, str(tmp_path)]
    driver = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        while not spans_done(tmp_path):
            assert driver.poll() is None
            time.sleep(0.05)
    finally:
        # Its Java process is killed as well, as if its machine had failed: then no driver waits for the executors.
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    assert missing(spans_done(tmp_path), sweep.runs)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/first=*/*.parquet")}
    subprocess.run(command, cwd=ROOT, check=True, timeout=900)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    here = tmp_path / "here"
    write_chunks(spark, sweep, here)
    assert rows(spark, tmp_path) == rows(spark, here)


def executors_of(cluster: Cluster) -> list[int]:
    """Return the ids of the executors that this cluster's workers started: these belong to the workers' process
    sessions.
    """
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in cluster.workers:
            try:
                command = (entry / "cmdline").read_bytes()
                if (
                    os.getsid(int(entry.name)) in cluster.workers
                    and b"CoarseGrainedExecutorBackend" in command
                ):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_logs_give_the_same_case(cluster: Cluster) -> None:
    folder = KAFKA_LOGS / "h2_open"

    def figures_of(*options: str) -> object:
        command = [sys.executable, "manage.py", "logs", str(folder), "--json", *options]
        done = subprocess.run(command, cwd=ROOT, check=True, timeout=900, capture_output=True)
        return json.loads(done.stdout)

    assert figures_of("--master", cluster.address) == figures_of()
