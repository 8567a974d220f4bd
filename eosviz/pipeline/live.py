"""Progress and results of jobs, over the channel layer, to whoever looks at their pages."""

from __future__ import annotations

import uuid

from django.template.loader import render_to_string

from eosviz.live_page import LivePart
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.streaming import send_to_group


def group_of_job(job_id: uuid.UUID) -> str:
    return f"job.{job_id.hex}"


def tell_watchers(job_id: uuid.UUID) -> None:
    """Something of the job changed. Never raises: a page that is not told looks by itself."""
    send_to_group(group_of_job(job_id), {"type": "part.changed"})


class JobConsumer(LivePart):
    """The state of one job as its page shows it."""

    kind = ""
    """The model's name."""
    template = ""

    def group(self) -> str:
        return group_of_job(self.scope["url_route"]["kwargs"]["job_id"])

    def part(self) -> str | None:
        from eosviz.pipeline import models

        kind = getattr(models, self.kind)
        found = kind.objects.seen_by(browser_of(self.scope["session"]))
        job = found.filter(id=self.scope["url_route"]["kwargs"]["job_id"]).first()
        if job is None:
            return None
        own = job.owner != "" and job.owner == browser_of(self.scope["session"])
        return render_to_string(self.template, {"job": job, "own": own})


class SweepConsumer(JobConsumer):
    """`/ws/sweeps/<id>/?lang=en`"""

    kind = "Sweep"
    template = "pipeline/sweep_state.html"


class ShrinkConsumer(JobConsumer):
    """`/ws/shrinks/<id>/?lang=en`"""

    kind = "Shrink"
    template = "pipeline/shrink_state.html"
