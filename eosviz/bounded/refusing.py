"""Why a bounded process gave no answer: each has a sentence of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class NoAnswer(Exception):
    """`key` and `params` are the sentence."""

    def __init__(self, key: str, params: Mapping[str, Any] | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.params = dict(params or {})


class Refused(NoAnswer):
    """The task's function does not take what it was given."""


class BeyondBounds(NoAnswer):
    """The process grew beyond the bounds of its row, or ended by a fault of ours, which is in the log."""


class NotThisTime(BeyondBounds):
    """The machine was busy for so long that the clock ran out, or the process ended by what its row does not bound.
    Another time the same question may have an answer: nothing is concluded from this one."""


class Busy(NoAnswer):
    """The queue is full, or the turn did not come in time."""

    def __init__(self, key: str, params: Mapping[str, Any] | None = None, *, seconds: int) -> None:
        super().__init__(key, params)
        self.seconds = seconds
        """After which to ask again."""


class Cancelled(Exception):
    """The request was cancelled while it waited or ran."""


class Stopped(Exception):
    """The process was ended from outside, as when the site stops. The same request may be run again."""
