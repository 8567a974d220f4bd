"""Runs shrinks as jobs on Spark."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from pyspark.sql import SparkSession

from eosviz.pipeline import actions
from eosviz.pipeline.live import notify_watchers
from eosviz.pipeline.models import Failure, Shrink, State
from eosviz.pipeline.shrinking import CannotShrink, Entry, shrink, trying_on
from eosviz.pipeline.sweep_chunks import Stopped


def run_shrink(spark: SparkSession, job: Shrink) -> None:
    """Run a claimed shrink to its end, or until it is to stop. In either case the smallest script that was
    found is stored."""
    with actions.beating(job) as stop:
        found: dict[str, Any] = {}

        def progress(tries: int, left: list[Entry]) -> None:
            if left:
                found["after"] = left
            Shrink.objects.filter(id=job.id).update(done=tries, total=tries, beat=timezone.now(), **found)
            notify_watchers(job.id)
            if stop.is_set():
                raise Stopped

        test = trying_on(spark, job.document, job.guarantee)
        try:
            shrunk = shrink(job.document, job.guarantee, test, progress)
        except Stopped:
            actions.finish(job, State.CANCELLED)
        except CannotShrink as reason:
            actions.finish(job, State.FAILED, error=Failure(reason.key))
        else:
            actions.finish(
                job, State.DONE, before=shrunk.before, after=shrunk.after, step=shrunk.step, done=shrunk.tries
            )
