"""Sends progress and results of jobs to their open pages, over the channel layer."""

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
"""For this many seconds after a message could not be sent, none is tried. Each attempt waits some seconds
for the channel layer's server, and while a command runs there may be no web process that could receive a
message."""


class _Watchers:
    """Notifies the open pages of jobs, except within SILENT_SECONDS after a message could not be sent."""

    def __init__(self) -> None:
        self._silent_until = 0.0

    def notify(self, job_id: uuid.UUID) -> None:
        if time.monotonic() < self._silent_until:
            return
        if not send_to_group(group_of_job(job_id), {"type": "part.changed"}):
            self._silent_until = time.monotonic() + SILENT_SECONDS


_watchers = _Watchers()


def notify_watchers(job_id: uuid.UUID) -> None:
    """Notify the open pages of a job that it has changed. An error is logged, not raised."""
    _watchers.notify(job_id)


class JobConsumer(LivePart):
    """Sends the state of one job to its page, at first and after each change."""

    kind = ""
    """The name of the job's model class."""
    template = ""

    def group(self) -> str:
        return group_of_job(self.scope["url_route"]["kwargs"]["job_id"])

    unread: tuple[str, ...] = ()
    """Names of fields that are not loaded each time, because they are long."""

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
    """`/ws/sweeps/<id>/?lang=en&measure=…`: sends the progress, and heat maps of the runs that have finished.
    The parameters of the address choose the measure, the axes and the filters (`sweep_figures.read_look`)."""

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
            # The maps may be long, so they are sent only if they have changed. The page keeps its old ones.
            return state
        self.runs_in_map = job.table_runs
        context = map_context(job, QueryDict(self.scope["query_string"]))
        return state + render_to_string(self.template, context)


class ShrinkConsumer(JobConsumer):
    """`/ws/shrinks/<id>/?lang=en`: sends the progress and the result of a shrink."""

    kind = "Shrink"
    template = "pipeline/shrink_state.html"
