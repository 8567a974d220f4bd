"""Progress and results of jobs for their open pages, over the channel layer."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

from django.http import QueryDict
from django.template.loader import render_to_string

from eosviz.browser import browser_of
from eosviz.groups import send_to_group
from eosviz.live_page import LivePart
from eosviz.rights import Ending, Right, of_job

if TYPE_CHECKING:
    from eosviz.pipeline.models import Job, JobQuerySet


def group_of_job(job_id: uuid.UUID) -> str:
    return f"job.{job_id.hex}"


SILENT_SECONDS = 60.0
"""After a message could not be sent, none is tried for this long. Each attempt waits some seconds for the server of
the channel layer, and there may be no web process to receive a message while a command runs."""


class _Watchers:
    """Notifies the open pages of jobs, unless a message could not be sent in the last SILENT_SECONDS."""

    def __init__(self) -> None:
        self._silent_until = 0.0

    def notify(self, job_id: uuid.UUID) -> None:
        if time.monotonic() < self._silent_until:
            return
        if not send_to_group(group_of_job(job_id), {"type": "part.changed"}):
            self._silent_until = time.monotonic() + SILENT_SECONDS


_watchers = _Watchers()


def notify_watchers(job_id: uuid.UUID) -> None:
    """Notify the pages of a job that changed. Errors are logged."""
    _watchers.notify(job_id)


class JobConsumer(LivePart):
    """Keeps the state of one job up to date on its page."""

    kind = ""
    """The model's class name."""
    template = ""

    def group(self) -> str:
        return group_of_job(self.scope["url_route"]["kwargs"]["job_id"])

    unread: tuple[str, ...] = ()
    """Fields that are too long to read each time."""

    def _found(self) -> JobQuerySet:
        from eosviz.pipeline import models

        found: JobQuerySet = getattr(models, self.kind).objects.seen_by(browser_of(self.scope["session"]))
        return found.filter(id=self.scope["url_route"]["kwargs"]["job_id"])

    def right(self) -> Right:
        wanted, browser = self.scope["url_route"]["kwargs"]["job_id"], browser_of(self.scope["session"])
        found = self._found()

        def ask() -> Ending | None:
            return None if found.exists() else Ending.GONE

        return Right(f"{self.kind} {wanted} {browser}", frozenset({of_job(wanted)}), ask)

    def part(self) -> str | None:
        job = self._found().defer(*self.unread).first()
        return None if job is None else self.rendered(job)

    def rendered(self, job: Job) -> str:
        return render_to_string(self.template, {"job": job})


class SweepConsumer(JobConsumer):
    """`/ws/sweeps/<id>/?lang=en&measure=…`: the progress, and the heat maps of the finished runs. The parameters of
    the address choose the measure, axes and filters (`sweep_figures.read_look`)."""

    kind = "Sweep"
    template = "pipeline/sweep_map.html"
    unread = ("table", "document")

    async def connect(self) -> None:
        self.runs_in_map: int | None = None
        await super().connect()

    def rendered(self, job: Job) -> str:
        from eosviz.pipeline.models import Sweep
        from eosviz.pipeline.sweep_page import map_context

        if not isinstance(job, Sweep):
            raise TypeError(f"{job} is no sweep")

        state = render_to_string("pipeline/sweep_state.html", {"job": job})
        if job.table_runs == self.runs_in_map:
            return state  # The page keeps its maps, which may be long, if they are not sent again.
        self.runs_in_map = job.table_runs
        context = map_context(job, QueryDict(self.scope["query_string"]))
        return state + render_to_string(self.template, context)


class ShrinkConsumer(JobConsumer):
    """`/ws/shrinks/<id>/?lang=en`: the progress and the result of a shrink."""

    kind = "Shrink"
    template = "pipeline/shrink_state.html"
