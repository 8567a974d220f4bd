"""The files of a sweep. Runs are written in chunks of consecutive runs; each chunk is written once, under its
own name.

A chunk is a folder `runs/first=…-last=…` of Parquet files. It is written under a hidden name and renamed when
it is complete. So a driver that is killed leaves nothing that would be counted, and the next one makes the
runs that are in no chunk. Driver and executors must share the folder.
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
"""The time that a chunk should take, in seconds. If a sweep is killed, the AT_ONCE unfinished chunks are
lost."""
FIRST_CHUNK_RUNS = 64
"""The number of runs in the first chunk. Later chunks have at least as many, because starting a Spark job
takes time; they have fewer only if they would otherwise take longer than ``LONG_CHUNK_SECONDS``, or if fewer
are left."""
LONG_CHUNK_SECONDS = 60.0
CHUNK_RUNS_MAX = 100_000
LAST_CHUNK_SHARE = 0.1
"""The last chunks of a sweep are smaller, but not smaller than this share of a full chunk."""
AT_ONCE = 2
"""This many chunks are computed at the same time: while the last tasks of one are ending, the next one has
begun."""
ATTEMPTS = 3
"""The job of a chunk is tried at most this often. A try that waited for disk space does not count, and after
an EngineError there is no other try. On one machine, Spark itself does not repeat a failed task, so every
failure of a task ends its job."""
ROOM_SECONDS = 5.0
"""If the disk is full, a sweep looks for space at this interval, in seconds."""
_KEY = re.compile(r"first=(\d+)-last=(\d+)")

Span = tuple[int, int]


class Stopped(Exception):
    """The job was to stop. The finished chunks of a sweep stay."""


class NotShared(Exception):
    """The executors' output is not in the driver's folder. The text is one line and says what to do."""


def spans_done(folder: Path) -> list[Span]:
    """The numbers of the first and the last run of every finished chunk, in order."""
    found = (_KEY.fullmatch(path.name) for path in (folder / "runs").glob("first=*"))
    return sorted((int(match[1]), int(match[2])) for match in found if match)


def missing(done: list[Span], runs: int) -> list[Span]:
    """The gaps, in order, each as the numbers of its first and its last run. A gap consists of consecutive runs
    that are in no chunk."""
    gaps, at = [], 0
    for first, last in done:
        if first > at:
            gaps.append((at, first - 1))
        at = max(at, last + 1)
    if at < runs:
        gaps.append((at, runs - 1))
    return gaps


def read_runs(spark: SparkSession, folder: Path) -> DataFrame:
    """All runs of all chunks, with the columns ``RUNS_SCHEMA``."""
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
    """Make the runs that are in no chunk yet. With ``facts``, also write their facts to
    `facts/first=…-last=…`. ``progress`` is called in this thread with the number of finished runs. Raises
    Stopped if ``stop`` was set, NotShared, and the exception of a job that is not tried again (see
    ``ATTEMPTS``)."""
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
    """Estimates how many runs take as long as a chunk should, by the chunk that finished last."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._runs_per_second: float | None = None
        self._guard = threading.Lock()

    def measure(self, runs: int, seconds: float) -> None:
        with self._guard:
            self._runs_per_second = runs / max(seconds, 0.001)

    def next_size(self, left: int) -> int:
        """The number of runs that the next chunk should have at most, if ``left`` runs are left. The last
        chunks are smaller."""
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
        # Facts are written first, because a chunk counts as written when its runs are.
        _once(lambda: facts_of(spark, sweep, first, last), folder / "facts" / key, stop)
    _once(lambda: runs_of(spark, sweep, first, last), folder / "runs" / key, stop, last - first + 1)
    pace.measure(last - first + 1, time.monotonic() - begin)
    return last - first + 1


def _once(
    made: Callable[[], DataFrame], target: Path, stop: threading.Event, rows: int | None = None
) -> None:
    """Write a data set as the folder `target`, completely or not at all. ``rows``: the number of rows that it
    must have; raises NotShared if it has another number."""
    # The name is unique, because the Java process of a killed driver may still write for a moment.
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
    """Wait until the disk has space or the sweep is to stop. Returns False if there was space already, and
    True after a wait."""
    waited = False
    while room_in(folder).level is Level.NONE and not stop.is_set():
        if not waited:
            logger.warning("%s: nothing can be stored; the sweep waits until it can", folder)
        waited = True
        stop.wait(ROOM_SECONDS)
    return waited


def _rows_in(part: Path) -> int:
    """The number of rows that this machine finds in the folder. It may be too small, if executors wrote to
    folders of their own."""
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
