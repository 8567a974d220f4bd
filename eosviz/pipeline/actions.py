"""What can be done on Spark, and everything that writes about it. Command, pages, task and tests are doors to these
functions.
"""

import contextlib
import fcntl
import shutil
import threading
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from pyspark.sql import SparkSession

from engine.scenario.header import ENGINE_VERSION
from eosviz.pipeline.live import tell_watchers
from eosviz.pipeline.models import BEAT_SECONDS, SILENT_SECONDS, Job, State, Sweep
from eosviz.pipeline.spark import job_reason
from eosviz.pipeline.sweep_chunks import CHUNK_SECONDS, Stopped, read_runs, write_chunks
from eosviz.pipeline.sweep_document import SweepDocument, parse_sweep
from eosviz.pipeline.sweep_table import rows_of, table

WAITING_MAX = 5
"""Jobs that one browser may have under way."""
PAGE_RUNS_MAX = 100_000
"""Of a sweep that is started from a page; the command has the document's own bound."""
ERROR_CHARACTERS_MAX = 500


class NotNow(Exception):
    """Refused for a reason that a page says: `key` is `sweeps.refused.<key>` in the catalogue."""

    def __init__(self, key: str, **params: object) -> None:
        super().__init__(f"{key} {params}")
        self.key = key
        self.params = params


class InUse(Exception):
    """Another process writes a sweep's files."""


def add_sweep(document: SweepDocument, text: str, out: Path, owner: str = "", facts: bool = False) -> Sweep:
    """A sweep that waits to be run. Raises NotNow for a browser that has too much under way."""
    with transaction.atomic():
        check_room(owner)
        if owner and document.runs > PAGE_RUNS_MAX:
            raise NotNow("too_large", runs=document.runs, most=PAGE_RUNS_MAX)
        identity = uuid.uuid4()
        return Sweep.objects.create(
            id=identity,
            owner=owner,
            state=State.WAITING,
            title=document.title,
            lesson=document.lesson,
            scenario=document.scenario,
            variant=document.variant or "",
            document=text,
            axes=[
                {"name": axis.name, "path": axis.path, "values": list(axis.values)} for axis in document.axes
            ],
            seeds=document.seeds,
            runs=document.runs,
            facts=facts,
            engine=ENGINE_VERSION,
            folder=str(out / str(identity)),
        )


def check_room(owner: str) -> None:
    """Raises NotNow."""
    from eosviz.pipeline.models import Shrink

    if not owner:
        return
    under_way = sum(kind.objects.of_browser(owner).unfinished().count() for kind in (Sweep, Shrink))
    if under_way >= WAITING_MAX:
        raise NotNow("too_many", most=WAITING_MAX)


def ask_to_stop(job: Job) -> None:
    """A waiting job is cancelled at once, a running one by its process, which looks every second."""
    kind = type(job)
    if not kind.objects.filter(id=job.id, state=State.WAITING).update(state=State.CANCELLED):
        kind.objects.filter(id=job.id, state=State.RUNNING).update(stop_asked=True)
    tell_watchers(job.id)


def resume(job: Job) -> None:
    """Let a job that was cancelled, failed or interrupted wait again; what it has done stays. Raises NotNow."""
    kind = type(job)
    with transaction.atomic():
        job = kind.objects.select_for_update().get(id=job.id)
        if not (job.may_resume or _lost_its_process(job)):
            raise NotNow("not_stopped")
        if isinstance(job, Sweep) and job.engine != ENGINE_VERSION:
            raise NotNow("other_engine", made=job.engine, now=ENGINE_VERSION)
        check_room(job.owner)
        kind.objects.filter(id=job.id).update(state=State.WAITING, stop_asked=False, error="", beat=None)
    tell_watchers(job.id)


def _lost_its_process(job: Job) -> bool:
    """Known at once where the process ran at this machine: its lock went with it."""
    if not isinstance(job, Sweep) or job.state != State.RUNNING or not Path(job.folder).is_dir():
        return False
    try:
        with _alone(Path(job.folder)):
            return True
    except InUse:
        return False


def delete_sweep(sweep: Sweep) -> None:
    """With its files. Raises NotNow while it is under way."""
    if sweep.is_active:
        raise NotNow("under_way")
    sweep.delete()
    shutil.rmtree(sweep.folder, ignore_errors=True)


def claim(job: Job) -> bool:
    """Take a job to run it here. False when somebody else has it, or when it was cancelled."""
    silent = timezone.now() - timedelta(seconds=SILENT_SECONDS)
    free = Q(state=State.WAITING) | Q(state=State.RUNNING, beat__lt=silent)
    taken = (
        type(job).objects.filter(free, id=job.id).update(state=State.RUNNING, beat=timezone.now(), error="")
    )
    return taken == 1


def run_sweep(spark: SparkSession, sweep: Sweep, chunk_seconds: float = CHUNK_SECONDS) -> None:
    """Run a claimed sweep to its end, or until it is asked to stop. Raises what the job raised; then it has failed,
    what was run stays, and it can be resumed.
    """
    document = parse_sweep(sweep.document)
    folder = Path(sweep.folder)
    with beating(sweep) as stop:
        ended = State.DONE
        with _alone(folder):
            try:
                write_chunks(
                    spark, document, folder, lambda done: _tell_progress(sweep, done), stop, chunk_seconds
                )
            except Stopped:
                ended = State.CANCELLED
            runs = read_runs(spark, folder)
            rows = rows_of(runs)
            if ended == State.DONE:
                # One small file, beside the runs, for whoever reads without the database.
                table(runs).coalesce(1).write.mode("overwrite").parquet(str(folder / "table"))
        finish(sweep, ended, table=rows)


@contextlib.contextmanager
def beating(job: Job) -> Iterator[threading.Event]:
    """Says every second that the job lives. The event is set when somebody asked it to stop. What is raised inside
    becomes the job's error."""
    stop, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=_beat, args=(job, stop, ended), name="beat", daemon=True)
    thread.start()
    try:
        yield stop
    except BaseException as error:
        reason = job_reason(error) if isinstance(error, Exception) else type(error).__name__
        finish(job, State.FAILED, error=reason[:ERROR_CHARACTERS_MAX])
        raise
    finally:
        ended.set()
        thread.join(BEAT_SECONDS * 5)


def _beat(job: Job, stop: threading.Event, ended: threading.Event) -> None:
    from django.db import DatabaseError, connection

    kind = type(job)
    while not ended.wait(BEAT_SECONDS):
        try:
            kind.objects.filter(id=job.id, state=State.RUNNING).update(beat=timezone.now())
            if not kind.objects.filter(id=job.id, stop_asked=False).exists():
                stop.set()
        except DatabaseError:
            continue  # Said again in a second; who looks waits for longer than that.
    connection.close()


def finish(job: Job, state: State, **fields: object) -> None:
    """The job's last word; those who look are told."""
    type(job).objects.filter(id=job.id).update(state=state, stop_asked=False, **fields)
    job.refresh_from_db()
    tell_watchers(job.id)


def _tell_progress(sweep: Sweep, done: int) -> None:
    Sweep.objects.filter(id=sweep.id).update(done=done, beat=timezone.now())
    tell_watchers(sweep.id)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two drivers at one folder would each count their runs. The lock goes with its process, however that ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse(f"{folder}: another process runs this sweep") from None
        yield
