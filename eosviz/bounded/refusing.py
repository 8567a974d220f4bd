"""Reasons why a bounded process gave no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class NoAnswer(Exception):
    """The process gave no answer. `key` and `params` are those of the sentence."""

    def __init__(self, key: str, params: Mapping[str, Any] | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.params = dict(params or {})


class Refused(NoAnswer):
    """The task's function refused its input."""


class BeyondBounds(NoAnswer):
    """The process exceeded the processor time or memory of its row of `tasks.py`. The subclass NotThisTime is
    for other failures."""


class NotThisTime(BeyondBounds):
    """The process exceeded its elapsed time or failed for another reason. The same question may be answered another
    time."""


class Busy(NoAnswer):
    """The queue is full, or the process could not start in time."""

    def __init__(self, key: str, params: Mapping[str, Any] | None = None, *, seconds: int) -> None:
        super().__init__(key, params)
        self.seconds = seconds
        """The seconds of Retry-After."""


class Cancelled(Exception):
    """The request was cancelled while it waited or ran."""


class Stopped(Exception):
    """The process was ended from outside, as when the site stops. The same request may be run again."""
