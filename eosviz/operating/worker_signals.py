"""Handlers of Celery's signals in a worker: they measure its tasks, add task and session to its log lines,
and serve its metrics."""

from __future__ import annotations

import re
import time
import uuid
from contextlib import ExitStack
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_ready
from django.conf import settings
from prometheus_client import start_http_server

from eosviz.interpreter import prepare_to_serve
from eosviz.operating.log_context import about
from eosviz.operating.metrics import tasks

_NUMBERED = re.compile(r"worker-(\d+)@")
"""Matches the names of the second and further workers of a machine (`eosviz/launch/services.py`)."""

_running: dict[str, tuple[ExitStack, float]] = {}
"""Dict of task's id → its log context and the `perf_counter` at its start. The thread that adds an entry also
removes it."""


def connect() -> None:
    """Connect the handlers to Celery's signals. Called once, when the site is loaded."""
    task_prerun.connect(_begin, weak=False, dispatch_uid="operating begin")
    task_postrun.connect(_end, weak=False, dispatch_uid="operating end")
    worker_ready.connect(_begin_to_serve, weak=False, dispatch_uid="operating tell")


def _begin(task_id: str, task: Any, args: Any = (), **kwargs: Any) -> None:
    stack = ExitStack()
    stack.enter_context(about(task=task_id, task_name=task.name, **_session(args)))
    _running[task_id] = (stack, time.perf_counter())


def _end(task_id: str, task: Any, state: str | None = None, **kwargs: Any) -> None:
    if task_id in _running:
        stack, began = _running.pop(task_id)
        stack.close()
        tasks.labels(task.name, (state or "none").lower()).observe(time.perf_counter() - began)


def _session(arguments: Any) -> dict[str, str]:
    """A dict with the first argument of a task as `session`, for log lines, if it is a UUID; else empty."""
    first = arguments[0] if arguments else None
    try:
        return {"session": str(uuid.UUID(first))} if isinstance(first, str) else {}
    except ValueError:
        return {}


def _begin_to_serve(sender: Any = None, **kwargs: Any) -> None:
    prepare_to_serve()
    if settings.WORKER_METRICS_PORT:
        numbered = _NUMBERED.match(getattr(sender, "hostname", ""))
        further = int(numbered[1]) - 1 if numbered else 0
        start_http_server(settings.WORKER_METRICS_PORT + further, addr=settings.WORKER_METRICS_HOST)
