"""Database rows that wait for a bounded process: their place in the queue, and rows that no worker has taken.

A worker's thread waits in the queue. If that worker stops, the next worker takes up the unfinished rows; a
page that shows a row without a worker asks for one again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from django.utils import timezone

from eosviz.bounded import runner
from eosviz.bounded.register import Place

ASK_AGAIN_SECONDS = 15
"""A row that no worker has taken after this time is offered again."""


class WaitingRow(Protocol):
    """A database row that waits. Its query set has `unfinished`; its field `beat` is a time."""

    objects: Any
    pk: Any

    @property
    def place(self) -> str:
        """The row's name in the register of bounded processes."""


Row = TypeVar("Row", bound=WaitingRow)


def place_of(row: WaitingRow) -> Place | None:
    return runner.register().place(row.place)


def is_forgotten(row: WaitingRow) -> bool:
    """Whether the row has no place in the queue after ASK_AGAIN_SECONDS. Sets its time anew if so, because
    the caller then asks again."""
    if place_of(row) is not None:
        return False
    now = timezone.now()
    before = now - timedelta(seconds=ASK_AGAIN_SECONDS)
    forgotten = type(row).objects.unfinished().filter(pk=row.pk, beat__lt=before)
    updated: int = forgotten.update(beat=now)
    return updated > 0


def untaken(rows: Iterable[Row]) -> Iterator[Row]:
    """Those of the unfinished `rows` that no worker has taken: they neither wait in the queue nor run."""
    return (row for row in rows if place_of(row) is None)
