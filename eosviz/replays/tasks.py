"""What the workers do for replays: one task, a door to `exporting.carry_out`.

It is acknowledged early, because it may run for minutes: a task whose worker was killed does not come back, its page
says so, and whoever still wants the file asks again.
"""

from __future__ import annotations

import uuid

from eosviz.celery import app
from eosviz.replays import exporting


@app.task(name="replays.make_export", ignore_result=True, acks_late=False)
def make_export(export_id: str) -> None:
    exporting.carry_out(uuid.UUID(export_id))
