"""The files of a sweep: chunks of consecutive runs, each written once under its own key.

A chunk is a folder `runs/first=…-last=…` of Parquet files. It is written under a hidden name and renamed once when it
is complete: a driver that is killed leaves nothing that would be counted, and the next one runs what no chunk covers.
Driver and executors must share the folder.
"""

import logging
import re
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from eosviz.launch.storage import Level, room_in
from eosviz.pipeline.sweep_document import SweepDocument
from eosviz.pipeline.sweep_facts import facts_of
from eosviz.pipeline.sweep_runs import RUNS_SCHEMA, runs_of

logger = logging.getLogger(__name__)

CHUNK_SECONDS = 10.0
"""The time in seconds that a chunk should take. A killed sweep loses the AT_ONCE chunks under way."""
FIRST_CHUNK_RUNS = 64
"""The number of runs in the first chunk. Later chunks have at least as many, because starting a job takes time,
unless they would then take longer than ``LONG_CHUNK_SECONDS`` or fewer runs are left."""
LONG_CHUNK_SECONDS = 60.0
CHUNK_RUNS_MAX = 100_000
LAST_CHUNK_SHARE = 0.1
"""At the end of a sweep chunks become smaller, but not below this share of a whole chunk."""
AT_ONCE = 2
"""This many chunks run at the same time: while the last tasks of one end, the next has begun."""
ATTEMPTS = 3
"""The job of a chunk is tried at most this often; waits for disk space do not count, and after an EngineError it is
not tried again. On one machine, Spark itself does not repeat a failed task, so every failure ends the job."""
ROOM_SECONDS = 5.0
"""The interval at which a sweep without disk space checks again."""
_KEY = re.compile(r"first=(\d+)-last=(\d+)")

Span = tuple[int, int]


class Stopped(Exception):
    """The job was asked to stop. The finished chunks of a sweep stay."""


class NotShared(Exception):
    """The output of the executors is not in the driver's folder. The text is one line and contains the remedy."""


def spans_done(folder: Path) -> list[Span]:
    """The first and the last run of every finished chunk, in order."""
    found = (_KEY.fullmatch(path.name) for path in (folder / "runs").glob("first=*"))
    return sorted((int(match[1]), int(match[2])) for match in found if match)


def missing(done: list[Span], runs: int) -> list[Span]:
    """The first and the last run of every stretch of runs that no chunk covers."""
    gaps, at = [], 0
    for first, last in done:
        if first > at:
            gaps.append((at, first - 1))
        at = max(at, last + 1)
    if at < runs:
        gaps.append((at, runs - 1))
    return gaps


def read_runs(spark: SparkSession, folder: Path) -> DataFrame:
    """The runs of all chunks: ``RUNS_SCHEMA``, with a row for each run."""
    chunks = [str(path) for path in sorted((folder / "runs").glob("first=*")) if _KEY.fullmatch(path.name)]
    if not chunks:
        return spark.createDataFrame([], RUNS_SCHEMA)
    return spark.read.schema(RUNS_SCHEMA).parquet(*chunks)


def write_chunks(
    spark: SparkSession,
    sweep: SweepDocument,
    folder: Path,
    progress: Callable[[int], None] = lambda done: None,
    stop: threading.Event | None = None,
    chunk_seconds: float = CHUNK_SECONDS,
    facts: bool = False,
) -> None:
    """Make the runs that no chunk covers yet. With ``facts``, write `facts/first=…-last=…`, too. ``progress``
    gets the number of finished runs, in this thread. Raises Stopped if ``stop`` was set, NotShared, and the
    exception of a job that is not tried again (see ``ATTEMPTS``)."""
    _clear(folder)
    done = sum(last - first + 1 for first, last in spans_done(folder))
    progress(done)
    pace = _Pace(chunk_seconds)
    spans = _spans(missing(spans_done(folder), sweep.runs), pace)
    stop = stop or threading.Event()
    with ThreadPoolExecutor(AT_ONCE, "chunk") as pool:
        under_way: set[Future[int]] = set()
        try:
            while True:
                while len(under_way) < AT_ONCE and not stop.is_set() and (span := next(spans, None)):
                    under_way.add(pool.submit(_write, spark, sweep, folder, span, pace, stop, facts))
                if not under_way:
                    break
                ended, under_way = wait(under_way, return_when=FIRST_COMPLETED, timeout=0.5)
                if stop.is_set():
                    raise Stopped
                for one in ended:
                    done += one.result()
                    progress(done)
        except BaseException:
            stop.set()
            spark.sparkContext.cancelAllJobs()
            raise
    if stop.is_set():
        raise Stopped


class _Pace:
    """Estimates how many runs take the time of one chunk, from the newest finished chunk."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._runs_per_second: float | None = None
        self._guard = threading.Lock()

    def measure(self, runs: int, seconds: float) -> None:
        with self._guard:
            self._runs_per_second = runs / max(seconds, 0.001)

    def next_size(self, left: int) -> int:
        """The largest size of the next chunk, in runs, with ``left`` runs to go. The last chunks become smaller."""
        with self._guard:
            if self._runs_per_second is None:
                return FIRST_CHUNK_RUNS
            full = self._runs_per_second * self.seconds
            wanted = min(full, max(left / AT_ONCE, full * LAST_CHUNK_SHARE))
            least = min(FIRST_CHUNK_RUNS, self._runs_per_second * max(self.seconds, LONG_CHUNK_SECONDS))
            return max(1, min(CHUNK_RUNS_MAX, int(max(wanted, least))))


def _spans(gaps: list[Span], pace: _Pace) -> Iterator[Span]:
    left = sum(last - first + 1 for first, last in gaps)
    for first, last in gaps:
        at = first
        while at <= last:
            end = min(last, at + pace.next_size(left) - 1)
            yield at, end
            left -= end - at + 1
            at = end + 1


def _write(
    spark: SparkSession,
    sweep: SweepDocument,
    folder: Path,
    span: Span,
    pace: _Pace,
    stop: threading.Event,
    facts: bool,
) -> int:
    first, last = span
    key = f"first={first:09d}-last={last:09d}"
    begin = time.monotonic()
    if facts:
        # Facts are written before the runs, because a chunk counts as written when its runs are there.
        _once(lambda: facts_of(spark, sweep, first, last), folder / "facts" / key, stop)
    _once(lambda: runs_of(spark, sweep, first, last), folder / "runs" / key, stop, last - first + 1)
    pace.measure(last - first + 1, time.monotonic() - begin)
    return last - first + 1


def _once(
    made: Callable[[], DataFrame], target: Path, stop: threading.Event, rows: int | None = None
) -> None:
    """Write a data set under its own name, completely or not at all. ``rows``: how many rows it must have;
    raises NotShared for another number."""
    # A unique name: the Java part of a killed driver may still write for a moment.
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    attempts = 0
    while True:
        try:
            made().write.mode("overwrite").parquet(str(part))
            break
        except Exception as error:
            shutil.rmtree(part, ignore_errors=True)
            attempts += 0 if _waited_for_room(target.parent, stop) else 1
            if attempts == ATTEMPTS or stop.is_set() or "EngineError" in str(error):
                raise
    if rows is not None and (found := _rows_in(part)) != rows:
        shutil.rmtree(part, ignore_errors=True)
        raise NotShared(
            f"of {rows} runs that were played {found} are in {target.parent}: the machines of the cluster do not share"
            " this folder; give one that all of them see under the same path (docs/clusters.md)"
        )
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)


def _waited_for_room(folder: Path, stop: threading.Event) -> bool:
    """Wait until there is space or the sweep is to stop, and return True. If there is space already, return
    False at once."""
    waited = False
    while room_in(folder).level is Level.NONE and not stop.is_set():
        if not waited:
            logger.warning("%s: nothing can be stored; the sweep waits until it can", folder)
        waited = True
        stop.wait(ROOM_SECONDS)
    return waited


def _rows_in(part: Path) -> int:
    """The number of rows that the driver's machine finds in this folder: executors may have written elsewhere."""
    return sum(pq.read_metadata(file).num_rows for file in part.glob("*.parquet"))


def _clear(folder: Path) -> None:
    """Delete the unfinished output of a killed driver."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for part in folder.glob("*/.first=*"):
        shutil.rmtree(part, ignore_errors=True)
    done = {path.name for path in (folder / "runs").glob("first=*")}
    for chunk in (folder / "facts").glob("first=*"):
        if chunk.name not in done:
            shutil.rmtree(chunk, ignore_errors=True)
