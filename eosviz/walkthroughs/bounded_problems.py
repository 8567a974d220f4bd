"""The problems that a user sees when a bounded process could not make the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eosviz.bounded.refusing import Busy, NoAnswer
from eosviz.refusals import Problem


class RunsFull(Problem):
    """Raised when too many other tasks are waiting for a bounded process."""

    def __init__(self, wait_seconds: int) -> None:
        self.wait_seconds = wait_seconds
        super().__init__("limit", "runs_full", seconds=wait_seconds)


@contextmanager
def problems() -> Iterator[None]:
    """Turns the exception of a bounded process that gave no answer into a Problem. Raises Problem."""
    try:
        yield
    except Busy as busy:
        raise RunsFull(busy.seconds) from None
    except NoAnswer as none:
        raise Problem("refused", none.key, **none.params) from None
