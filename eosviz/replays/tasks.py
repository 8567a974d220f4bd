"""What the workers do for replays. `make_export` may run for minutes and is acknowledged early: a task whose worker was
killed does not come back, its page says so, and who still wants the file asks again. `take_upload` returns at once.
"""

from __future__ import annotations

import threading
import uuid
from typing import Any

from django.db import connections

from eosviz.celery import app
from eosviz.replays import exporting, uploads


@app.task(name="replays.make_export", ignore_result=True, acks_late=False)
def make_export(export_id: str) -> None:
    exporting.carry_out(uuid.UUID(export_id))


@app.task(name="replays.take_upload", bind=True, ignore_result=True, acks_late=False)
def take_upload(task: Any, upload_id: str) -> None:
    """An upload waits for its turn and for its process in a thread of its own, so that it holds none of those that
    compute steps."""
    name = uuid.UUID(upload_id)
    if task.request.is_eager:
        uploads.carry_out(name)
        return
    threading.Thread(target=_carry_out, args=(name,), name=f"upload {name}", daemon=True).start()


def _carry_out(name: uuid.UUID) -> None:
    try:
        uploads.carry_out(name)
    finally:
        connections.close_all()
