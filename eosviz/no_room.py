"""Recognises two kinds of errors: nothing can be stored now (the disk is full or broken, or Redis refuses
writes), and the database is too busy.

Such errors end by themselves, or when an operator acts.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from redis.exceptions import OutOfMemoryError, ReadOnlyError, ResponseError

from eosviz.launch.storage import CANNOT_WRITE

SQLITE_CODES = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
)
"""SQLite's primary result codes for these errors, https://www.sqlite.org/rescode.html. The lowest byte of an
extended code is the primary one."""
POSTGRESQL_STATES = frozenset({"53100", "58030", "25006"})
"""PostgreSQL's codes for disk_full, io_error and read_only_sql_transaction (its documentation, appendix
A)."""
SQLITE_BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
POSTGRESQL_BUSY_STATES = frozenset({"40001", "40P01", "53300", "55P03"})
"""PostgreSQL's codes for serialization_failure, deadlock_detected, too_many_connections and
lock_not_available."""
MISCONF = re.compile(r"^(Command # .* of pipeline caused error: )?MISCONF ", re.DOTALL)
"""Matches the error text with which Redis refuses writes because it cannot write its own file. redis-py has
no exception class for it."""


def means_no_room(error: BaseException) -> bool:
    """Whether this error, or one of its causes, means that nothing can be stored."""
    return any(_says_no_room(each) for each in _with_causes(error))


def means_busy(error: BaseException) -> bool:
    """Whether this error, or one of its causes, means that the database is too busy (SQLITE_BUSY_CODES,
    POSTGRESQL_BUSY_STATES)."""
    return any(
        _sqlite_code(each) in SQLITE_BUSY_CODES or getattr(each, "sqlstate", None) in POSTGRESQL_BUSY_STATES
        for each in _with_causes(error)
    )


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _says_no_room(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        return _sqlite_code(error) in SQLITE_CODES
    if isinstance(error, ResponseError):
        return isinstance(error, OutOfMemoryError | ReadOnlyError) or MISCONF.match(str(error)) is not None
    if isinstance(error, OSError):
        return error.errno in CANNOT_WRITE
    return getattr(error, "sqlstate", None) in POSTGRESQL_STATES


def _sqlite_code(error: BaseException) -> int:
    return (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
