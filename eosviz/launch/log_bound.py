"""Limits the size of the logs of a site that runs for months, so that they do not fill the disk."""

import contextlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path

LOG_BYTES_MAX = 5_000_000
LOOK_SECONDS = 10.0
OLDER = ".older.log"


def rotate_log(log: Path) -> None:
    """If the log is larger than LOG_BYTES_MAX, rename it to `.older.log`, replacing the older one. Called
    before the log's process starts. Does nothing if the disk does not permit it."""
    with contextlib.suppress(OSError):
        if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
            log.replace(log.with_suffix(OLDER))


class LogBound:
    """Shortens logs that running processes hold open: a log that is larger than LOG_BYTES_MAX is copied to
    `.older.log` and emptied. Lines that are written between the two steps are lost."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._now = folder, now
        self._look_at = 0.0

    def look(self) -> None:
        """Check the logs, if the last check is at least LOOK_SECONDS ago. Called in every round of
        `Supervisor.watch`. Logs that cannot be shortened are skipped."""
        if self._now() < self._look_at:
            return
        self._look_at = self._now() + LOOK_SECONDS
        for log in self._folder.glob("*.log"):
            with contextlib.suppress(OSError):
                if not log.name.endswith(OLDER) and log.stat().st_size > LOG_BYTES_MAX:
                    shorten(log)


def shorten(log: Path) -> None:
    """Copy the log to `.older.log`, replacing the older one, then empty it. Raises OSError if the disk does
    not permit the copy; the log is then unchanged."""
    draft = log.with_suffix(".draft")
    try:
        shutil.copyfile(log, draft)
        draft.replace(log.with_suffix(OLDER))
    finally:
        draft.unlink(missing_ok=True)
    with log.open("r+b") as file:
        file.truncate(0)
