"""Functions for database rows that wait for a bounded process: a row's place in the queue, and rows that no
worker has taken.

A thread of a worker waits in the queue for the row. If the worker stops, the next worker takes up the
unfinished rows. A page that shows a row without a worker offers it to the workers again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from django.utils import timezone

from eosviz.bounded import runner
from eosviz.bounded.register import Place

ASK_AGAIN_SECONDS = 15
"""If no worker takes a row within this many seconds, it is offered to the workers again."""


class WaitingRow(Protocol):
    """A database row that waits for a bounded process. Its query set has the method `unfinished`; its field
    `beat` is a time."""

    objects: Any
    pk: Any

    @property
    def place(self) -> str:
        """The name of the row's request in the register of bounded processes."""


Row = TypeVar("Row", bound=WaitingRow)


def place_of(row: WaitingRow) -> Place | None:
    return runner.register().place(row.place)


def is_forgotten(row: WaitingRow) -> bool:
    """Whether the row is unfinished, has no place in the queue, and its `beat` is older than ASK_AGAIN_SECONDS.
    If so, its `beat` is set to now, because the caller then offers it to the workers again."""
    if place_of(row) is not None:
        return False
    now = timezone.now()
    before = now - timedelta(seconds=ASK_AGAIN_SECONDS)
    forgotten = type(row).objects.unfinished().filter(pk=row.pk, beat__lt=before)
    updated: int = forgotten.update(beat=now)
    return updated > 0


def untaken(rows: Iterable[Row]) -> Iterator[Row]:
    """Those of the unfinished `rows` that no worker has taken, so that they neither wait in the queue nor
    run."""
    return (row for row in rows if place_of(row) is None)
