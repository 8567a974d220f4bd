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
"""At most this many unfinished sweeps and shrinks, counted together, belong to one person."""
PAGE_RUNS_MAX = 100_000
"""At most this many runs are in a sweep that a page starts. For the command only the limits of a sweep
document apply."""


class JobRefused(Refusal):
    words = "sweeps.refused"
    code = "conflict"


class InUse(Exception):
    """Another process is writing this sweep's files."""


def add_sweep(document: SweepDocument, text: str, out: Path, owner: str = "", facts: bool = False) -> Sweep:
    """Create a sweep that waits to be run. Raises JobRefused beyond a quota, WAITING_MAX or PAGE_RUNS_MAX."""
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
    """Create a shrink that waits to be run. Raises JobRefused: a quota is full, or the owner has WAITING_MAX
    unfinished sweeps and shrinks."""
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
    """Raise JobRefused if the owner has WAITING_MAX or more unfinished sweeps and shrinks, counted together.
    Without an owner there is no limit."""
    if not owner:
        return
    under_way = sum(jobs_of(kind).of_browser(owner).unfinished().count() for kind in (Sweep, Shrink))
    if under_way >= WAITING_MAX:
        raise JobRefused("too_many", most=WAITING_MAX)


def ask_to_stop(job: Job) -> None:
    """Cancel a waiting job at once. A running job is cancelled by its process, which checks every second."""
    kind = type(job)
    if not jobs_of(kind).filter(id=job.id, state=State.WAITING).update(state=State.CANCELLED):
        jobs_of(kind).filter(id=job.id, state=State.RUNNING).update(stop_asked=True)
    notify_watchers(job.id)


def resume(job: Job) -> None:
    """Make a job that was cancelled, failed or interrupted wait again. The finished runs of a sweep are kept;
    a shrink begins anew. Raises JobRefused if that is not possible."""
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
    """Whether the process of a running sweep has ended: nothing locks the sweep's folder."""
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
    """Delete a sweep in any state. A process that still runs it finds no row and stops; the files are deleted after the
    commit."""
    ask_to_stop(sweep)
    folder = sweep.folder
    sweep.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def clear_forgotten(sweep: Sweep) -> None:
    """Delete the folder of a sweep whose row was deleted during the run, because its process may have written files
    after the deletion."""
    if not Sweep.objects.filter(id=sweep.id).exists():
        shutil.rmtree(sweep.folder, ignore_errors=True)


def claim(job: Job) -> bool:
    """Take a job to run it here, if it waits or if its process was lost. Returns False for every other job."""
    free = Q(state=State.WAITING) | Q(state=State.RUNNING, beat__lt=job.heard_since())
    taken: int = (
        jobs_of(type(job)).filter(free, id=job.id).update(state=State.RUNNING, beat=timezone.now(), error="")
    )
    return taken == 1


@contextlib.contextmanager
def beating(job: Job, failure: Failure = Failure.FAULT) -> Iterator[threading.Event]:
    """Updates the job's beat every second. The event is set when the job should stop. If the `with` block
    raises, the job has failed; `failure` is the reason unless the exception shows another one. The caller
    logs the exception."""
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
            continue  # The beat is written again in a second, and a job counts as lost only after SILENT_SECONDS.
    connection.close()


def finish(job: Job, state: State, **fields: object) -> None:
    """Store the job's final state and notify its open pages. Does nothing for a deleted job."""
    if jobs_of(type(job)).filter(id=job.id).update(state=state, stop_asked=False, **fields):
        job.refresh_from_db()
        notify_watchers(job.id)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder of a sweep. The lock also ends with the process that holds it. Raises InUse
    if another process holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse(f"{folder}: another process runs this sweep") from None
        yield
