"""Counts the steps that the engine makes for one click: at most two if the worker holds the run at the newest
step of the branch, as some of them are made ahead. Many steps mean that stored steps were made again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Histogram

per_click = Histogram(
    "eosviz_click_engine_steps",
    "Steps that the engine made for one click: a command to advance by one step",
    buckets=(1, 2, 3, 5, 10, 100, 1_000, 10_000),
)


class _Made(threading.local):
    steps = 0


_made = _Made()


def note_made(steps: int) -> None:
    """Adds steps to the count of this thread. The code that makes steps calls it."""
    _made.steps += steps


@contextmanager
def counted_clicks(count: int) -> Iterator[None]:
    """Counts the engine's steps in a `with` block with the work for so many clicks. A block that raises is
    not counted."""
    _made.steps = 0
    yield
    for _ in range(count):
        per_click.observe(_made.steps / count)
