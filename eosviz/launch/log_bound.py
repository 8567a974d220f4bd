"""Bounds the logs of a site that runs for months, so that they do not fill the disk."""

import contextlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path

LOG_BYTES_MAX = 5_000_000
LOOK_SECONDS = 10.0
OLDER = ".older.log"


def rotate_log(log: Path) -> None:
    """Move a long log to its `.older.log`, which is replaced. Called before the log's process starts. Does
    nothing if the disk forbids it."""
    with contextlib.suppress(OSError):
        if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
            log.replace(log.with_suffix(OLDER))


class LogBound:
    """Shortens logs that processes hold open: a long log is copied to its `.older.log` and emptied. Lines
    that are written in between are lost."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._now = folder, now
        self._look_at = 0.0

    def look(self) -> None:
        """Called in every round of `Supervisor.watch`; checks the logs at most every LOOK_SECONDS. Logs that
        cannot be shortened are skipped."""
        if self._now() < self._look_at:
            return
        self._look_at = self._now() + LOOK_SECONDS
        for log in self._folder.glob("*.log"):
            with contextlib.suppress(OSError):
                if not log.name.endswith(OLDER) and log.stat().st_size > LOG_BYTES_MAX:
                    shorten(log)


def shorten(log: Path) -> None:
    """Copy the log to its `.older.log`, which is replaced, then empty it. Raises OSError; then the log is
    unchanged."""
    draft = log.with_suffix(".draft")
    try:
        shutil.copyfile(log, draft)
        draft.replace(log.with_suffix(OLDER))
    finally:
        draft.unlink(missing_ok=True)
    with log.open("r+b") as file:
        file.truncate(0)
