"""A real cluster of one master and two workers, from the wheel: the same sweep and the same logs as on one machine."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.java import find_java_home
from eosviz.pipeline.sweep_chunks import missing, read_runs, spans_done, write_chunks
from eosviz.pipeline.sweep_document import parse_sweep

ROOT = Path(__file__).parents[2]
KAFKA_LOGS = ROOT / "tests" / "oracles" / "kafka-logs"
SWEEP = (ROOT / "docs" / "examples" / "first-sweep.toml").read_text().replace("seeds = 100", "seeds = 5")
READY_SECONDS_MAX = 180.0
DRIVER = """
import sys
from pathlib import Path
from eosviz.pipeline.spark import start_session
from eosviz.pipeline.sweep_chunks import write_chunks
from eosviz.pipeline.sweep_document import parse_sweep
master, text, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
write_chunks(start_session(master, folder / "work"), parse_sweep(text), folder)
"""
pytestmark = [pytest.mark.spark, pytest.mark.slow]


class Daemon:
    """A process of the cluster, in a group of its own, with what it writes."""

    def __init__(self, folder: Path, name: str, *arguments: str) -> None:
        self.log = folder / f"{name}.log"
        environment = {
            **os.environ,
            "JAVA_HOME": str(find_java_home(folder)),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_WORKER_DIR": str(folder / name),
        }
        program = Path(pyspark.__file__).parent / "bin" / "spark-class"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [program, *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_for(self, pattern: str) -> str:
        deadline = time.monotonic() + READY_SECONDS_MAX
        while True:
            text = self.log.read_text(errors="replace")
            found = re.search(pattern, text)
            if found:
                return found.group(0)
            assert self.process.poll() is None and time.monotonic() < deadline, text[-3000:]
            time.sleep(0.1)

    def end(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@dataclass(frozen=True)
class Cluster:
    address: str
    workers: list[int]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """When both workers have registered."""
    folder = tmp_path_factory.mktemp("cluster")
    started: list[Daemon] = []
    try:
        master = Daemon(
            folder, "master", "org.apache.spark.deploy.master.Master",
            "--host", "127.0.0.1", "--port", "0", "--webui-port", "0",
        )  # fmt: skip
        started.append(master)
        address = master.wait_for(r"spark://127\.0\.0\.1:\d+")
        for name in ("worker-1", "worker-2"):
            worker = Daemon(
                folder, name, "org.apache.spark.deploy.worker.Worker",
                "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", address,
            )  # fmt: skip
            started.append(worker)
        for worker in started[1:]:
            worker.wait_for("Successfully registered with master")
        yield Cluster(address, [worker.process.pid for worker in started[1:]])
    finally:
        for daemon in reversed(started):
            daemon.end()


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
        assert executors_of(cluster)
        os.kill(executors_of(cluster)[0], signal.SIGKILL)
        assert driver.wait(900) == 0
    finally:
        if driver.poll() is None:
            driver.kill()
            driver.wait()
    here = tmp_path / "here"
    write_chunks(spark, parse_sweep(sweep), here)
    assert rows(spark, tmp_path) == rows(spark, here)


def executors_of(cluster: Cluster) -> list[int]:
    """The executors that this cluster's workers started: they are of their sessions."""
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

    def told(*options: str) -> object:
        command = [sys.executable, "manage.py", "logs", str(folder), "--json", *options]
        done = subprocess.run(command, cwd=ROOT, check=True, timeout=900, capture_output=True)
        return json.loads(done.stdout)

    assert told("--master", cluster.address) == told()
