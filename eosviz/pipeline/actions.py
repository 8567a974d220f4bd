"""Creates sweeps and shrinks, deletes sweeps, and changes the state of jobs of every kind. Commands, pages
and the job process call these functions."""

import contextlib
import fcntl
import shutil
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from engine.scenario.header import ENGINE_VERSION
from eosviz import quotas
from eosviz.no_room import means_no_room
from eosviz.pipeline.live import notify_watchers
from eosviz.pipeline.models import BEAT_SECONDS, Failure, Job, Shrink, State, Sweep, jobs_of
from eosviz.pipeline.sweep_document import SweepDocument
from eosviz.refusals import Refusal

WAITING_MAX = 5
"""One person may have at most this many unfinished sweeps and shrinks, counted together."""
PAGE_RUNS_MAX = 100_000
"""A sweep that is started from a page has at most this many runs. A sweep of the command is limited only by
the rules for sweep documents."""


class JobRefused(Refusal):
    words = "sweeps.refused"
    code = "conflict"


class InUse(Exception):
    """Another process is writing this sweep's files."""


def add_sweep(document: SweepDocument, text: str, out: Path, owner: str = "", facts: bool = False) -> Sweep:
    """Create a sweep that waits to be run. Raises JobRefused if a quota, WAITING_MAX or PAGE_RUNS_MAX is
    exceeded."""
    with transaction.atomic():
        # `quotas.check` locks the owner: other requests that add rows of this owner wait until the transaction ends.
        quotas.check(owner, "sweeps", refused=JobRefused)
        quotas.check(owner, "sweep_runs", document.runs, refused=JobRefused)
        check_room(owner)
        if owner and document.runs > PAGE_RUNS_MAX:
            raise JobRefused("too_large", runs=document.runs, most=PAGE_RUNS_MAX)
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


def add_shrink(sweep: Sweep, document: dict[str, Any], guarantee: str, owner: str) -> Shrink:
    """Create a shrink that waits to be run. Raises JobRefused if a quota or WAITING_MAX is exceeded."""
    with transaction.atomic():
        quotas.check(owner, "shrinks", refused=JobRefused)
        check_room(owner)
        return Shrink.objects.create(
            owner=owner,
            state=State.WAITING,
            sweep=sweep,
            scenario=sweep.scenario,
            guarantee=guarantee,
            document=document,
            seed=document.get("seed", 0),
        )


def check_room(owner: str) -> None:
    """Raises JobRefused if the owner already has WAITING_MAX unfinished sweeps and shrinks, counted together.
    Without an owner there is no limit."""
    if not owner:
        return
    under_way = sum(jobs_of(kind).of_browser(owner).unfinished().count() for kind in (Sweep, Shrink))
    if under_way >= WAITING_MAX:
        raise JobRefused("too_many", most=WAITING_MAX)


def ask_to_stop(job: Job) -> None:
    """Cancel a waiting job at once. A running job is only marked; its process, which looks every second,
    cancels it."""
    kind = type(job)
    if not jobs_of(kind).filter(id=job.id, state=State.WAITING).update(state=State.CANCELLED):
        jobs_of(kind).filter(id=job.id, state=State.RUNNING).update(stop_asked=True)
    notify_watchers(job.id)


def resume(job: Job) -> None:
    """Let a cancelled, failed or interrupted job wait again. A sweep keeps its finished runs; a
    shrink begins anew. Raises JobRefused if the job cannot be resumed, if another version of the engine began the
    sweep, or if the owner has too many unfinished jobs."""
    kind = type(job)
    with transaction.atomic():
        job = jobs_of(kind).select_for_update().get(id=job.id)
        if not (job.may_resume or _lost_its_process(job)):
            raise JobRefused("not_stopped")
        if isinstance(job, Sweep) and job.engine != ENGINE_VERSION:
            raise JobRefused("other_engine", made=job.engine, now=ENGINE_VERSION)
        check_room(job.owner)
        jobs_of(kind).filter(id=job.id).update(state=State.WAITING, stop_asked=False, error="", beat=None)
    notify_watchers(job.id)


def _lost_its_process(job: Job) -> bool:
    """Whether the process of a running sweep has ended, so that it no longer locks the sweep's folder."""
    if not isinstance(job, Sweep) or job.state != State.RUNNING or not Path(job.folder).is_dir():
        return False
    try:
        with alone(Path(job.folder)):
            return True
    except InUse:
        return False


def delete_sweep(sweep: Sweep) -> None:
    """Delete a sweep with its files. Raises JobRefused while it waits or runs."""
    if sweep.is_active:
        raise JobRefused("under_way")
    forget_sweep(sweep)


def forget_sweep(sweep: Sweep) -> None:
    """Delete a sweep in any state. A process that still runs it finds no row and stops. The files are deleted
    after the commit."""
    ask_to_stop(sweep)
    folder = sweep.folder
    sweep.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def clear_forgotten(sweep: Sweep) -> None:
    """Delete the folder of a sweep whose row was deleted during the run. The process of the run may have
    written files after the first deletion."""
    if not Sweep.objects.filter(id=sweep.id).exists():
        shutil.rmtree(sweep.folder, ignore_errors=True)


def claim(job: Job) -> bool:
    """Claim a job for this process, if it waits or its earlier process was lost. Returns whether it was
    claimed."""
    free = Q(state=State.WAITING) | Q(state=State.RUNNING, beat__lt=job.heard_since())
    taken: int = (
        jobs_of(type(job)).filter(free, id=job.id).update(state=State.RUNNING, beat=timezone.now(), error="")
    )
    return taken == 1


@contextlib.contextmanager
def beating(job: Job, failure: Failure = Failure.FAULT) -> Iterator[threading.Event]:
    """A block that does a job's work. While it runs, the job's beat is updated every second. The event is set
    when the work should stop. If the block raises, the job is stored as failed, with the reason that the
    exception shows, or with `failure` if it shows none. The caller logs the exception."""
    stop, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=_beat, args=(job, stop, ended), name="beat", daemon=True)
    thread.start()
    try:
        yield stop
    except BaseException as error:
        finish(job, State.FAILED, error=_failure_of(error) or failure)
        raise
    finally:
        ended.set()
        thread.join(BEAT_SECONDS * 5)


def _failure_of(error: BaseException) -> Failure | None:
    if not isinstance(error, Exception):
        return Failure.STOPPED
    return Failure.NO_ROOM if means_no_room(error) else None


def _beat(job: Job, stop: threading.Event, ended: threading.Event) -> None:
    from django.db import DatabaseError, connection

    kind = type(job)
    while not ended.wait(BEAT_SECONDS):
        try:
            jobs_of(kind).filter(id=job.id, state=State.RUNNING).update(beat=timezone.now())
            if not jobs_of(kind).filter(id=job.id, stop_asked=False).exists():
                stop.set()
        except DatabaseError:
            continue  # The next beat follows in a second; a job counts as lost after Job.SILENT_SECONDS.
    connection.close()


def finish(job: Job, state: State, **fields: object) -> None:
    """Store the job's final state and notify its open pages. Does nothing for a deleted job."""
    if jobs_of(type(job)).filter(id=job.id).update(state=state, stop_asked=False, **fields):
        job.refresh_from_db()
        notify_watchers(job.id)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """A block that holds a lock on the folder of a sweep. The lock also ends with the process. Raises InUse
    if another process holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse(f"{folder}: another process runs this sweep") from None
        yield
