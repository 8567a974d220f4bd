"""Runs a worker's task in a thread of its own if it waits for a bounded process. Otherwise it would block a
thread that makes steps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import connections


def aside(task: Any, work: Callable[[UUID], None], name: UUID) -> None:
    """Run `work(name)` in a new thread. `task`: the bound Celery task. If Celery runs tasks eagerly, the work
    is done before this function returns."""
    if task.request.is_eager:
        work(name)
        return

    def run() -> None:
        try:
            work(name)
        finally:
            connections.close_all()

    threading.Thread(target=run, name=f"{task.name} {name}", daemon=True).start()
