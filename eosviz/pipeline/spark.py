"""Starts the Spark session of every job. All sessions are made here, so that `local[2]` and a cluster run the
same code. If a standalone cluster cannot be used, this is reported after about a minute; Spark itself would
try longer, or wait silently."""

import atexit
import logging
import os
import re
import shutil
import socket
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from pyspark.sql import SparkSession

from eosviz.launch.private import umask_asked
from eosviz.pipeline.java import find_java_home

ROOT = Path(__file__).resolve().parents[2]
_JAVA_LOGGING = Path(__file__).with_name("log4j2.properties")
_JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=96m"
"""Options for Java. There are few rows, and Python makes them. So on two cores Java's second compiler and its
parallel garbage collector only cost time, about a tenth (a sweep of 10,000 runs took 24.1 s with them and
21.4 s without; headers of logs were read at 725 and 862 MB/s). With one compiler Java reserves 48 MB for
compiled code. A sweep of a million runs filled these, and Java stopped compiling; so more is reserved."""
_STANDALONE = "spark://"
MASTER_SECONDS_MAX = 5.0
"""The longest wait for an address of a Spark master to accept a connection, in seconds."""
EXECUTOR_SECONDS_MAX = 60.0
"""The longest wait for the first executor, whose Java has to start, in seconds."""
_LOOK_SECONDS = 0.2
SHIPPED = ("engine", "eosviz/__init__.py", "eosviz/pipeline")
"""The paths of the code that executors import. It is sent to a cluster as one archive."""


class NoCluster(Exception):
    """The cluster cannot be used. The text is one line and says what to do."""


def start_session(master: str, data_dir: Path, name: str = "eosviz") -> SparkSession:
    """A Spark session on ``master``. Spark's working files are in ``data_dir``. Raises NoJava or
    NoCluster."""
    _check_master(master)
    os.environ["JAVA_HOME"] = str(find_java_home(data_dir))
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # Otherwise Spark looks up the machine's name in the network, and may wait for a reply.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    work = data_dir / "spark"
    work.mkdir(parents=True, exist_ok=True)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in _settings(master, work).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    if not master.startswith("local"):
        # An executor fetches the archive with its first task. A new executor may do so much later.
        folder = Path(tempfile.mkdtemp(prefix="code-", dir=work))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = list(sys.path)
        session.sparkContext.addPyFile(str(pack_code(folder / "eosviz-code.zip")))
        # addPyFile has also put the archive on this process's path. A child process would import only a part
        # of eosviz from there.
        sys.path[:] = path
    if master.startswith(_STANDALONE):
        _wait_for_executor(session, master)
    return session


def _check_master(master: str) -> None:
    """Raises NoCluster if no address of `spark://host:port,host:port` accepts a connection."""
    if not master.startswith(_STANDALONE):
        return
    reason = "its address is spark://host:port"
    for address in master.removeprefix(_STANDALONE).split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), MASTER_SECONDS_MAX).close()
            return
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or reason
    raise NoCluster(f"no Spark master answers at {master} ({reason}); start one there (docs/clusters.md)")


def _wait_for_executor(session: SparkSession, master: str) -> None:
    """Raises NoCluster, and stops the session, if no worker provides an executor in time."""
    until = time.monotonic() + EXECUTOR_SECONDS_MAX
    tracker = session.sparkContext._jsc.sc().statusTracker()
    while len(tracker.getExecutorInfos()) < 2:  # The driver also counts as an executor.
        if time.monotonic() > until:
            session.stop()
            raise NoCluster(
                f"no worker of {master} gave an executor within {EXECUTOR_SECONDS_MAX:.0f} seconds; start a worker"
                " with a free core and 1 GiB that reaches this machine under SPARK_LOCAL_IP (docs/clusters.md)"
            )
        time.sleep(_LOOK_SECONDS)


def _settings(master: str, work: Path) -> dict[str, str]:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_JAVA_LOGGING.as_uri()} {_JAVA_OPTIONS}",
        "spark.executor.extraJavaOptions": _JAVA_OPTIONS,
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        "spark.local.dir": str(work),
        # Hadoop's file system has its own umask, which would permit every user of the machine to read a
        # sweep.
        "spark.hadoop.fs.permissions.umask-mode": f"{umask_asked(os.environ):03o}",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        # With this, rows that are partitioned once need no shuffle in joins.
        "spark.sql.requireAllClusterKeysForCoPartition": "false",
        # With this, computing a table gets its share of the cores while runs are made.
        "spark.scheduler.mode": "FAIR",
        # Python workers start in the command's folder, whose files must not be imported.
        "spark.executorEnv.PYTHONSAFEPATH": "1",
    }
    if master.startswith("local"):
        settings |= {
            "spark.executorEnv.PYTHONPATH": str(ROOT),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "768m",
            # For a few thousand rows, two hundred shuffle partitions would only take time to start.
            "spark.sql.shuffle.partitions": "4",
        }
    return settings


def job_reason(error: Exception) -> str:
    """The line of an error's text that states the reason, cut after 500 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Refused|Exception|Damaged\w+): ", line)]
    return (named or lines or [type(error).__name__])[-1 if named else 0][:500]


def pack_code(target: Path) -> Path:
    """Write the code that executors need to an archive from which Python can import it. Returns its path."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for shipped in SHIPPED:
            path = ROOT / shipped
            files = [path] if path.is_file() else sorted(path.rglob("*"))
            for file in files:
                if file.is_file() and file.suffix in (".py", ".toml"):
                    archive.write(file, file.relative_to(ROOT).as_posix())
    return target
