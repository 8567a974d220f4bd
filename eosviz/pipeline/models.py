"""Jobs on Spark: the base class of all kinds, and the kinds of this app. A job's row contains its input, its
progress and the result that its page shows."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from eosviz.jobs import BackgroundJob, BackgroundJobQuerySet

BEAT_SECONDS = 1.0


class State(models.TextChoices):
    """The states of a job. If a job is `running` and has had no beat for `Job.SILENT_SECONDS`, its process
    counts as lost."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Failure(StrEnum):
    """Why a job failed. Its page shows the text `sweeps.error.<value>` of the catalogue. The server's log has
    the exception, with the job's `report`."""

    FAULT = "fault"
    NO_SPARK = "no_spark"
    NO_ROOM = "no_room"
    STOPPED = "stopped"
    """The server was stopped while the job ran."""
    NOT_BROKEN = "not_broken"
    TOO_MANY_FAULTS = "too_many_faults"


REPORT_CHARACTERS = 8


class JobQuerySet(BackgroundJobQuerySet):
    def seen_by(self, browser: str) -> "JobQuerySet":
        """The jobs that this browser's key owns, and those without an owner."""
        return self.filter(Q(owner="") | Q(owner=browser))

    def recent(self) -> "JobQuerySet":
        return self.order_by("-created", "id")


class Job(BackgroundJob):
    """Work on Spark that a page or a command asked for, and its progress. `actions.py` changes its state.
    Each subclass with a table is a kind of job."""

    runner: ClassVar[str]
    """The dotted name of the function that does the work, which is called with a Spark session and the job.
    It is a name, not the function, because web processes do not load it."""

    UNFINISHED = (State.WAITING, State.RUNNING)
    BEATING = (State.RUNNING,)
    SILENT_SECONDS = 20.0

    owner = models.CharField(max_length=64, blank=True, db_index=True)
    """The owner's key (`eosviz/browser.py`); empty for a job without an owner."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.DONE)
    stop_asked = models.BooleanField(default=False)
    done = models.PositiveIntegerField(default=0)
    """How much of `total` is done, for example in runs of a sweep or tries of a shrink."""
    error = models.TextField(blank=True)
    """Why the job failed: the value of a `Failure`, or the text of an exception in rows of earlier releases.
    Empty if it has not failed."""
    beat = models.DateTimeField(null=True)
    """The time at which the job's process last reported that it is running; null if no process has taken the
    job."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    def get_absolute_url(self) -> str:
        """The address of the job's page."""
        raise NotImplementedError

    @property
    def shown_state(self) -> str:
        """The state that pages show. The catalogue has its name under `sweeps.state.<value>`."""
        if self.is_silent:
            return "interrupted"
        if self.stop_asked and self.is_active:
            return "stopping"
        return self.state

    @property
    def failure(self) -> Failure:
        """Why the job failed. For an exception's text, which earlier releases stored, this is `FAULT`."""
        return Failure(self.error) if self.error in tuple(Failure) else Failure.FAULT

    @property
    def report(self) -> str:
        """The code that the page of a failed job shows: the first characters of the job's id. The server's
        log has the exception with the same code."""
        return str(self.id)[:REPORT_CHARACTERS]

    @property
    def may_resume(self) -> bool:
        return self.is_silent or self.state in (State.CANCELLED, State.FAILED)


def jobs_of(kind: type[Job]) -> JobQuerySet:
    """All jobs of one kind. For code that handles every kind."""
    return JobQuerySet(kind)


class Sweep(Job):
    """The job that makes the runs of one sweep document. They are in `folder`, in chunks. The table is
    computed from the finished chunks."""

    runner = "eosviz.pipeline.sweep_job.run_sweep"
    title = models.JSONField()
    """The title of the sweep. Dict of language → text."""
    lesson = models.JSONField(default=dict)
    """The lesson of the sweep. Dict of language → text; empty if it has none."""
    scenario = models.CharField(max_length=100)
    variant = models.CharField(max_length=200, blank=True)
    document = models.TextField()
    """The sweep document as it was given (TOML)."""
    axes = models.JSONField()
    """The axes of the grid, as `[{"name", "path", "values"}]`."""
    seeds = models.PositiveIntegerField()
    runs = models.PositiveIntegerField()
    facts = models.BooleanField(default=False)
    """Whether facts for the audit are also to be written."""
    engine = models.CharField(max_length=40)
    folder = models.TextField()
    """The folder for the sweep's files: `runs` (Parquet, in chunks), `facts` if they are wanted, and `table`
    after the last run."""
    table = models.JSONField(default=list)
    """The table: a dict for each cell (`sweep_table.rows_of`). While the sweep runs, it is computed from time
    to time."""
    table_runs = models.PositiveIntegerField(default=0)
    """The number of runs that the table includes."""

    objects = JobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.scenario} {self.id}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:sweep", args=[self.id])

    @property
    def total(self) -> int:
        return self.runs

    @property
    def percent(self) -> int:
        return 100 * self.done // max(1, self.runs)

    @property
    def folder_in_data(self) -> str:
        """The folder's path within the data folder, for the sweep's page. Empty if the command chose a folder
        elsewhere; the command has printed it."""
        folder = Path(self.folder)
        if not folder.is_relative_to(settings.DATA_DIR):
            return ""
        return str(folder.relative_to(settings.DATA_DIR))

    def rows(self) -> list[dict[str, Any]]:
        """The table's rows. Each also has `values`, the cell's settings as JSON, in the order of the axes."""
        names = [axis["name"] for axis in self.axes]
        shown = []
        for row in self.table:
            chosen = json.loads(row["settings"])
            shown.append({**row, "values": [json.dumps(chosen[name]) for name in names]})
        return shown


class Shrink(Job):
    """The search for a smaller fault script that still breaks a guarantee."""

    runner = "eosviz.pipeline.shrink_job.run_shrink"
    sweep = models.ForeignKey(Sweep, models.CASCADE, null=True, related_name="shrinks")
    """The sweep in which the broken run was found."""
    scenario = models.CharField(max_length=100)
    guarantee = models.CharField(max_length=20)
    document = models.JSONField()
    """The scenario document of the broken run."""
    seed = models.BigIntegerField()
    total = models.PositiveIntegerField(default=0)
    """The number of tries so far, as in `done`. More may follow."""
    before = models.JSONField(default=list)
    """The fault script of the broken run. A fault that happens by chance is replaced by one entry for each
    time that it happened."""
    after = models.JSONField(default=list)
    """The smallest fault script that was found. Empty until one is found; it may also be empty then."""
    step = models.PositiveIntegerField(null=True)
    """The step at which the guarantee breaks with the fault script `after`; null until the shrink is done."""

    objects = JobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.scenario} {self.guarantee} {self.id}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:shrink", args=[self.id])

    @property
    def shrunk_document(self) -> dict[str, Any]:
        """The scenario document with `after` as its fault script."""
        return {**self.document, "faults": self.after}
