"""A real Spark cluster of one master and two workers, started from the installed package, for tests and benchmarks."""

import contextlib
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

from eosviz.pipeline.java import find_java_home

READY_SECONDS_MAX = 180.0


class Daemon:
    """A process of the cluster, in a process group of its own, with a log of its output."""

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
    """The address of the master, and the process ids of master and workers."""

    address: str
    master: int
    workers: list[int]


@contextlib.contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Run a cluster, and yield it when both workers, of one core each, have registered."""
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
        yield Cluster(address, master.process.pid, [worker.process.pid for worker in started[1:]])
    finally:
        for daemon in reversed(started):
            daemon.end()
