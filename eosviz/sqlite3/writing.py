"""The queue in which threads of this process wait to write to an SQLite file, and the thread that writes the
write-ahead log back."""

from __future__ import annotations

import logging
import sqlite3
import threading
from contextlib import closing
from functools import cache

logger = logging.getLogger(__name__)

ROWS_BETWEEN = 300
"""After this many changed rows, the thread writes the write-ahead log back into the file."""
PAGES_MAX = 10_000
"""If the write-ahead log reaches this many pages (40 MB) all the same, SQLite writes it back in the thread
that commits."""
PAGES_LONG = 4_000
"""If a log with more pages than this could not be written back completely, the thread tries again at a time
when no connection of this process writes."""


class Writing:
    """The queue of the threads of this process that write to one file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._turn = threading.Lock()
        self._rows = 0
        self._enough = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, seconds_max: float) -> bool:
        """Wait for the lock. Returns False if it is not free within `seconds_max`."""
        return self._turn.acquire(timeout=seconds_max)

    def end(self, rows: int) -> None:
        """Release the lock. `rows`: the number of rows that were changed meanwhile."""
        self._rows += rows
        if self._rows >= ROWS_BETWEEN:
            self._rows = 0
            self._enough.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep_short, name="write back", daemon=True)
                self._thread.start()
        self._turn.release()

    def _keep_short(self) -> None:
        while self._enough.wait():
            self._enough.clear()
            try:
                if self.write_back() > PAGES_LONG:
                    with self._turn:
                        self.write_back()
            except sqlite3.Error:
                logger.exception("%s: the log was not written back", self._name)

    def write_back(self) -> int:
        """Write back as much of the write-ahead log as its readers permit. Returns the number of pages in the
        log; 0 if all of them were written back, so that the log can begin anew."""
        with closing(sqlite3.connect(self._name)) as connection:
            _, pages, written = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return 0 if pages == written else int(pages)


@cache
def writing(name: str) -> Writing:
    """The queue of the file with this path."""
    return Writing(name)
