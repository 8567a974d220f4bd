"""The errors that say why a bounded process gave no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class NoAnswer(Exception):
    """The process gave no answer. `key` and `params`: the sentence that says why."""

    def __init__(self, key: str, params: Mapping[str, Any] | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.params = dict(params or {})


class Refused(NoAnswer):
    """The task's function refused the input."""


class BeyondBounds(NoAnswer):
    """The process used more processor time or memory than its row of `tasks.py` allows. The subclass
    NotThisTime is for failures that may not happen again."""


class NotThisTime(BeyondBounds):
    """The process took longer than it may, or failed for another reason. The same question may be answered at
    another time."""


class Busy(NoAnswer):
    """The queue is full, or the process could not start in time."""

    def __init__(self, key: str, params: Mapping[str, Any] | None = None, *, seconds: int) -> None:
        super().__init__(key, params)
        self.seconds = seconds
        """The value of the header Retry-After, in seconds."""


class Cancelled(Exception):
    """The request was cancelled while it waited or ran."""


class Stopped(Exception):
    """The process was ended from outside, as when the site stops. The same request may be run again."""
