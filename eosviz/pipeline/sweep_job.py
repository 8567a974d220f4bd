"""Runs sweeps as jobs on Spark, chunk by chunk. A sweep's table is computed from the finished chunks, from
time to time during the run and at its end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from django.db import DatabaseError, connection
from django.utils import timezone
from pyspark.sql import SparkSession

from eosviz.pipeline import actions
from eosviz.pipeline.live import notify_watchers
from eosviz.pipeline.models import State, Sweep
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_chunks import CHUNK_SECONDS, Stopped, read_runs, write_chunks
from eosviz.pipeline.sweep_table import frame_of, rows_of

logger = logging.getLogger(__name__)

LOOK_SHARE = 0.25
"""Computing tables takes at most this share of the sweep's time. For most of that time the computation waits
for a core."""
LOOKS_APART_SECONDS = 5.0
"""The shortest time from the end of one computation of the table to the beginning of the next, in seconds."""


def run_sweep(spark: SparkSession, sweep: Sweep, chunk_seconds: float = CHUNK_SECONDS) -> None:
    """Run a claimed sweep to its end, or until it is to stop. After an error the sweep is marked as failed
    (`actions.beating`), and the error is raised."""
    try:
        with actions.beating(sweep) as stop:
            _run(spark, sweep, stop, chunk_seconds)
    finally:
        actions.clear_forgotten(sweep)


def _run(spark: SparkSession, sweep: Sweep, stop: threading.Event, chunk_seconds: float) -> None:
    document = parse_sweep(sweep.document)
    folder = Path(sweep.folder)
    ended = State.DONE
    with actions.alone(folder):
        with _Looks(spark, sweep, stop) as looks:
            try:
                write_chunks(spark, document, folder, looks.report, stop, chunk_seconds, sweep.facts)
            except Stopped:
                ended = State.CANCELLED
        runs = read_runs(spark, folder)
        rows = rows_of(runs)
        if ended == State.DONE:
            # One small file beside the runs, for programs that do not read the database.
            frame_of(spark, rows).coalesce(1).write.mode("overwrite").parquet(str(folder / "table"))
    # A chunk that ended after the sweep was to stop also counts, although its progress was not reported.
    counted = _counted(rows)
    actions.finish(sweep, ended, table=rows, table_runs=counted, done=counted)


class _Looks:
    """Reports a sweep's progress and, from time to time, its results so far, which are computed in a separate
    thread."""

    def __init__(
        self,
        spark: SparkSession,
        sweep: Sweep,
        stop: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spark = spark
        self._sweep = sweep
        self._stop = stop
        self._clock = clock
        self._next = clock()
        self._pool = ThreadPoolExecutor(1, "look")
        self._looking: Future[None] | None = None

    def __enter__(self) -> _Looks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The last table includes the most runs, so no earlier one may be stored after it.
        self._pool.shutdown(wait=True, cancel_futures=True)

    def report(self, done: int) -> None:
        # The next chunk reports again, so an error of the database, such as a full disk, does not end the
        # sweep.
        with suppress(DatabaseError):
            Sweep.objects.filter(id=self._sweep.id).update(done=done, beat=timezone.now())
        notify_watchers(self._sweep.id)
        is_free = self._looking is None or self._looking.done()
        if done and done < self._sweep.runs and is_free and self._clock() >= self._next:
            self._looking = self._pool.submit(self._look)

    def _look(self) -> None:
        begin = self._clock()
        try:
            self._spark.sparkContext.setLocalProperty("spark.scheduler.pool", "looks")
            rows = rows_of(read_runs(self._spark, Path(self._sweep.folder)))
            Sweep.objects.filter(id=self._sweep.id).update(table=rows, table_runs=_counted(rows))
            notify_watchers(self._sweep.id)
        except Exception:
            if not self._stop.is_set():
                logger.exception("%s: no table of what has run so far", self._sweep)
        finally:
            took = self._clock() - begin
            self._next = self._clock() + max(LOOKS_APART_SECONDS, took * (1 / LOOK_SHARE - 1))
            connection.close()


def _counted(rows: list[dict[str, object]]) -> int:
    return sum(int(str(row["runs"])) for row in rows)
