"""Counts the steps that the engine makes for one click. If the worker holds the run at the newest step of the
branch, there are at most two, because the worker makes some steps ahead. A large number means that the engine
made stored steps again."""

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
    """Adds to the number of steps that this thread has made. The code that makes steps calls it."""
    _made.steps += steps


@contextmanager
def counted_clicks(count: int) -> Iterator[None]:
    """Records how many steps the engine makes in the `with` block, which does the work for `count` clicks. A
    block that raises is not recorded."""
    _made.steps = 0
    yield
    for _ in range(count):
        per_click.observe(_made.steps / count)
