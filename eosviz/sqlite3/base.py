"""Django's SQLite backend, adapted to processes in which several threads write.

If the file is locked, SQLite sleeps for 1 ms, then 2, 5, 10, 15 ms and longer, even if the lock becomes free
earlier. And now and then a commit writes the whole write-ahead log back into the file, and its request waits
for the disk. With this backend, the writing transactions of a process queue for the lock, and a separate
thread writes the write-ahead log back.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.sqlite3 import base

from eosviz.sqlite3.writing import PAGES_MAX, Writing, writing

LOCKED_SECONDS_MAX = 5.0
"""The number of seconds that Python's SQLite module waits for a lock if no `timeout` is set."""


class DatabaseWrapper(base.DatabaseWrapper):
    _turn_at: int | None = None
    """While this connection has the process's lock: the number of rows that the connection had changed
    before. Otherwise None."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        made = super().get_new_connection(conn_params)
        made.execute(f"PRAGMA wal_autocheckpoint = {PAGES_MAX}")
        return made

    def _start_transaction_under_autocommit(self) -> None:
        if self._turn_at is None and not self.is_in_memory_db():
            seconds = self.settings_dict["OPTIONS"].get("timeout", LOCKED_SECONDS_MAX)
            # If the lock is not free in time, the transaction begins without it, and SQLite reports that the
            # file is locked.
            self._turn_at = self.connection.total_changes if self._writing.begin(seconds) else None
        try:
            # Here and below, private methods of Django's class are called, which its types do not declare.
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _close(self) -> None:
        self._end_turn()
        super()._close()  # type: ignore[misc]

    @property
    def _writing(self) -> Writing:
        return writing(str(self.settings_dict["NAME"]))

    def _end_turn(self) -> None:
        if self._turn_at is None:
            return
        began, self._turn_at = self._turn_at, None
        self._writing.end(0 if self.connection is None else self.connection.total_changes - began)
