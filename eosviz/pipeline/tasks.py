"""What the worker does for jobs: it starts the process that runs them (`runner.py`)."""

import subprocess
import sys
import threading
from pathlib import Path

from django.conf import settings

from eosviz.celery import app
from eosviz.pipeline.waiting import waiting

ROOT = Path(__file__).resolve().parents[2]


@app.task(name="pipeline.start_jobs", ignore_result=True, acks_late=True)
def start_jobs() -> None:
    """A second start finds the first and ends."""
    start_process()


@app.task(name="pipeline.start_what_waits", ignore_result=True, acks_late=True)
def start_what_waits() -> None:
    """What was asked for before a machine stopped and whose message went with it."""
    if waiting() is not None:
        start_process()


def start_process() -> None:
    """Start the process, unless it runs. Returns at once."""
    log = settings.DATA_DIR / "log" / "pipeline.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run_jobs"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    # Somebody has to hear of its end, or it stays in the system's table.
    threading.Thread(target=process.wait, name="pipeline-end", daemon=True).start()
