"""The nightly task of `celery beat`."""

from __future__ import annotations

from eosviz.analytics import actions
from eosviz.celery import app
from eosviz.pipeline.tasks import ask_for_process


@app.task(name="analytics.ask_for_all", ignore_result=True, acks_late=False)
def ask_for_all() -> None:
    """Create the nightly analyses and ask for a process that runs them. If nothing has changed since the last
    ones, none is created and Spark is not started."""
    if actions.ask_for_all():
        ask_for_process()
