"""The workers' tasks for replays.

`make_export` may run for minutes and is acknowledged when it begins. If its worker is killed, it is not
delivered again, and the page shows the export as failed. Work that waits for a bounded process runs in a
thread of its own, so that it does not block a thread that makes steps.
"""

from __future__ import annotations

import uuid
from typing import Any

from eosviz.bounded.waiting_rows import untaken
from eosviz.bounded.waiting_threads import aside
from eosviz.celery import app
from eosviz.replays import exporting, uploads
from eosviz.replays.models import Upload


@app.task(name="replays.make_export", bind=True, ignore_result=True, acks_late=False)
def make_export(task: Any, export_id: str) -> None:
    name = uuid.UUID(export_id)
    if exporting.waits(name):
        aside(task, exporting.carry_out, name)
    else:
        exporting.carry_out(name)


@app.task(name="replays.take_upload", bind=True, ignore_result=True, acks_late=False)
def take_upload(task: Any, upload_id: str) -> None:
    aside(task, uploads.carry_out, uuid.UUID(upload_id))


def take_uploads_again() -> None:
    """Take up unfinished uploads, and delete the folders of uploads that were interrupted. Called when a
    worker starts."""
    for upload in untaken(Upload.objects.unfinished()):
        take_upload.delay(upload.place)
    uploads.delete_broken_off()
