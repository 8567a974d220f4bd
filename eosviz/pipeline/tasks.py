"""The worker's tasks for jobs. They start the process that runs jobs (`runner.py`)."""

import logging
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from django.conf import settings
from kombu.exceptions import OperationalError

from eosviz.celery import app
from eosviz.launch.supervisor import open_log
from eosviz.pipeline.waiting import waiting

logger = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parents[2]


@app.task(name="pipeline.start_jobs", ignore_result=True, acks_late=True)
def start_jobs() -> None:
    """Start the process that runs jobs. If one is running already, the new one finds its lock and ends."""
    start_process()


@app.task(name="pipeline.start_what_waits", ignore_result=True, acks_late=True)
def start_what_waits() -> None:
    """Start the process that runs jobs, if a job is waiting. The message that should have started it may have
    been lost, for example when the machine stopped."""
    if waiting() is not None:
        start_process()


def ask_for_process() -> None:
    """Ask a worker to start the process that runs jobs, because a page has stored one."""
    _send(start_jobs)


def ask_for_what_waits() -> None:
    _send(start_what_waits)


def _send(task: Any) -> None:
    try:
        task.delay()
    except (OperationalError, OSError) as error:
        logger.warning("%s was not asked for: %s", task.name, error)


def start_process() -> None:
    """Start a process that runs jobs, without waiting for it. If one is running already, the new one finds
    its lock and ends."""
    with open_log(settings.DATA_DIR / "log" / "pipeline.log") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run_jobs"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    # A thread waits for the end of the process. Otherwise the ended process would stay in the system's
    # process table.
    threading.Thread(target=process.wait, name="pipeline-end", daemon=True).start()
