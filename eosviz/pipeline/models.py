"""Jobs on Spark: the base class of every kind, and the kinds of this app. The row of a job has its input, its
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
    """A job's states. `running` without a beat for `Job.SILENT_SECONDS` means that its process was lost."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Failure(StrEnum):
    """Why a job failed, as its page states it: `sweeps.error.<value>` in the catalogue. The exception's text is in
    the server's log, under the job's `report`."""

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
        """The browser's own jobs, and those without an owner."""
        return self.filter(Q(owner="") | Q(owner=browser))

    def recent(self) -> "JobQuerySet":
        return self.order_by("-created", "id")


class Job(BackgroundJob):
    """Work on Spark for a page or a command, and its progress. `actions.py` changes its state. Each subclass
    with a table is a kind of job."""

    runner: ClassVar[str]
    """The dotted name of the function that does the work, given a Spark session and the job. It is a name
    because web processes do not load the function."""

    UNFINISHED = (State.WAITING, State.RUNNING)
    BEATING = (State.RUNNING,)
    SILENT_SECONDS = 20.0

    owner = models.CharField(max_length=64, blank=True, db_index=True)
    """The owner's key (`eosviz/browser.py`); empty for a job without an owner."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.DONE)
    stop_asked = models.BooleanField(default=False)
    done = models.PositiveIntegerField(default=0)
    """The part of `total` that is done, for example how many runs of a sweep or tries of a shrink."""
    error = models.TextField(blank=True)
    """A `Failure`, or the exception's text in rows of earlier releases; empty for a job that did not fail."""
    beat = models.DateTimeField(null=True)
    """The last time at which the job's process reported that it runs; None while the job waits."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    def get_absolute_url(self) -> str:
        """The address of the job's page."""
        raise NotImplementedError

    @property
    def shown_state(self) -> str:
        """The state as pages show it: the last part of its key in the catalogue, `sweeps.state.<value>`."""
        if self.is_silent:
            return "interrupted"
        if self.stop_asked and self.is_active:
            return "stopping"
        return self.state

    @property
    def failure(self) -> Failure:
        """Why the job failed. Earlier releases stored the exception's text, which counts as a fault."""
        return Failure(self.error) if self.error in tuple(Failure) else Failure.FAULT

    @property
    def report(self) -> str:
        """The reference that the page of a failed job shows: the beginning of the job's id. The server's log
        has the error beside the same reference."""
        return str(self.id)[:REPORT_CHARACTERS]

    @property
    def may_resume(self) -> bool:
        return self.is_silent or self.state in (State.CANCELLED, State.FAILED)


def jobs_of(kind: type[Job]) -> JobQuerySet:
    """All jobs of one kind, for code that works with every kind."""
    return JobQuerySet(kind)


class Sweep(Job):
    """One sweep document, run once. Its chunks are in `folder`; the table is computed from the finished chunks."""

    runner = "eosviz.pipeline.sweep_job.run_sweep"
    title = models.JSONField()
    """Language → text."""
    lesson = models.JSONField(default=dict)
    """Language → text; empty for a sweep without a lesson."""
    scenario = models.CharField(max_length=100)
    variant = models.CharField(max_length=200, blank=True)
    document = models.TextField()
    """The sweep document as it was given (TOML)."""
    axes = models.JSONField()
    """The axes of the grid: `[{"name", "path", "values"}]`."""
    seeds = models.PositiveIntegerField()
    runs = models.PositiveIntegerField()
    facts = models.BooleanField(default=False)
    """Whether the facts for the audit are wanted too."""
    engine = models.CharField(max_length=40)
    folder = models.TextField()
    """The folder with `runs` (Parquet, in chunks), with `facts` if they are wanted, and with `table` after
    the last run."""
    table = models.JSONField(default=list)
    """A dict for each cell (`sweep_table.rows_of`). The table is computed from time to time while the sweep runs."""
    table_runs = models.PositiveIntegerField(default=0)
    """How many runs the table includes."""

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
        """The folder as the sweep's page names it; empty if the command chose a folder outside the data
        folder, which it printed."""
        folder = Path(self.folder)
        if not folder.is_relative_to(settings.DATA_DIR):
            return ""
        return str(folder.relative_to(settings.DATA_DIR))

    def rows(self) -> list[dict[str, Any]]:
        """The table's rows, each with `values`: the cell's settings in the order of the axes."""
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
    """The number of tries so far. More may follow."""
    before = models.JSONField(default=list)
    """The fault script of the broken run, with an entry of its own for each fault that hit by chance."""
    after = models.JSONField(default=list)
    """The smallest fault script found; empty also while none was found."""
    step = models.PositiveIntegerField(null=True)
    """The step at which the guarantee breaks with the entries of `after`; None until the shrink is done."""

    objects = JobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.scenario} {self.guarantee} {self.id}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:shrink", args=[self.id])

    @property
    def shrunk_document(self) -> dict[str, Any]:
        """The scenario document with the entries of `after` as its fault script."""
        return {**self.document, "faults": self.after}
