"""The problems that a person sees when a bounded process could not make their run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eosviz.bounded.refusing import Busy, NoAnswer
from eosviz.refusals import Problem


class RunsFull(Problem):
    """Too many other tasks wait for a bounded process."""

    def __init__(self, wait_seconds: int) -> None:
        self.wait_seconds = wait_seconds
        super().__init__("limit", "runs_full", seconds=wait_seconds)


@contextmanager
def problems() -> Iterator[None]:
    """Turns the exceptions of a bounded process that gave no answer into problems. Raises Problem."""
    try:
        yield
    except Busy as busy:
        raise RunsFull(busy.seconds) from None
    except NoAnswer as none:
        raise Problem("refused", none.key, **none.params) from None
