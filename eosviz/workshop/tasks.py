"""The tasks of the workshop: they publish scenarios, and compare published scenarios with runs of this
engine."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from eosviz.bounded.waiting_rows import untaken
from eosviz.bounded.waiting_threads import aside
from eosviz.celery import app
from eosviz.workshop import actions, publishing
from eosviz.workshop.models import Publishing

logger = logging.getLogger(__name__)


@app.task(name="workshop.publish", bind=True, ignore_result=True, acks_late=False)
def publish(task: Any, draft_id: str) -> None:
    aside(task, publishing.carry_out, uuid.UUID(draft_id))


def publish_again() -> None:
    """When a worker starts, starts the publications that no worker is working on."""
    for row in untaken(Publishing.objects.unfinished()):
        publish.delay(str(row.draft_id))


@app.task(name="workshop.check_editions", ignore_result=True, acks_late=False)
def check_editions() -> None:
    """Compares the editions that were not yet compared with this engine. Runs when a worker starts and, with
    `celery beat`, once a day."""
    compared = differing = failed = 0
    for _, differs, error in actions.check_all():
        compared += 1
        differing += differs is not None
        failed += error is not None
    if compared:
        logger.info(
            "%d published scenarios compared, %d differ, %d could not be run", compared, differing, failed
        )
