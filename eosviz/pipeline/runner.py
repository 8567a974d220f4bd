"""The process that runs the jobs of pages. For each data folder there is at most one. It is started when a
job waits, and ends when no job waits.

A page only stores the job (`actions.py`), a task starts this process, and this process runs the waiting jobs
one after the other, on one Spark session. It is a separate process because a sweep may take hours and a
gigabyte: no web process or worker should wait for it or be killed with it. However it ends, the database
shows the end: a job without a beat counts as interrupted and can be resumed.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.utils.module_loading import import_string
from pyspark.sql import SparkSession

from eosviz.pipeline import actions
from eosviz.pipeline.models import Failure, Job
from eosviz.pipeline.spark import start_session
from eosviz.pipeline.waiting import waiting

logger = logging.getLogger(__name__)

LINGER_SECONDS = 30.0
"""After the last job, the Spark session is kept for this many seconds, because starting another one takes
several seconds."""
LOOK_SECONDS = 0.5


def run_jobs(linger: float = LINGER_SECONDS, start: Callable[[], SparkSession] | None = None) -> int:
    """Run waiting jobs until none has come for `linger` seconds after the last one, or until the parent
    process has ended. Does nothing while another process runs the jobs of this data folder. Returns the number
    of jobs that were run."""
    done, parent = 0, os.getppid()
    while True:
        with (settings.DATA_DIR / "pipeline.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return done
            done += _take_all(linger, start or _session, parent)
        # A page may have stored a job after this process looked for the last time. The process that was
        # started for this job found the lock taken and ended, so this one looks again.
        if os.getppid() != parent or waiting() is None:
            return done


def _session() -> SparkSession:
    return start_session(settings.SPARK_MASTER, settings.DATA_DIR)


def _take_all(linger: float, start: Callable[[], SparkSession], parent: int) -> int:
    spark: SparkSession | None = None
    done = 0
    until = time.monotonic()
    try:
        # When the parent has ended, the site is being stopped.
        while os.getppid() == parent:
            job = waiting()
            if job is None:
                if time.monotonic() >= until:
                    break
                time.sleep(LOOK_SECONDS)
                continue
            if not actions.claim(job):
                continue
            spark = spark or _started(job, start)
            if spark is not None:
                _run(spark, job, parent)
            done += 1
            until = time.monotonic() + linger
    finally:
        if spark is not None:
            spark.stop()
    return done


def _started(job: Job, start: Callable[[], SparkSession]) -> SparkSession | None:
    """Starts the Spark session for a job. If that fails, returns None; the job has then failed, with the
    reason."""
    try:
        with actions.beating(job, Failure.NO_SPARK):
            return start()
    except Exception:
        logger.exception("%s has no Spark session, code %s", job, job.report)
        return None


def _run(spark: SparkSession, job: Job, parent: int) -> None:
    ended = threading.Event()
    threading.Thread(target=_follow_parent, args=(job, parent, ended), name="parent", daemon=True).start()
    try:
        import_string(job.runner)(spark, job)
    except Exception:
        # The job's page says that the job has failed, and shows the code of this log entry.
        logger.exception("%s failed, code %s", job, job.report)
    finally:
        ended.set()


def _follow_parent(job: Job, parent: int, ended: threading.Event) -> None:
    while not ended.wait(LOOK_SECONDS):
        if os.getppid() != parent:
            actions.ask_to_stop(job)
            return
