"""Which errors mean that nothing can be stored now: the disk is full or broken, or Redis takes no writes.

They end by themselves once an operator acts. A process goes on, a person reads why, and what asks again by itself
succeeds later.
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
"""Primary result codes, https://www.sqlite.org/rescode.html; an extended code holds one in its lowest byte."""
POSTGRESQL_STATES = frozenset({"53100", "58030", "25006"})
"""disk_full, io_error, read_only_sql_transaction: PostgreSQL's documentation, appendix A."""
MISCONF = re.compile(r"^(Command # .* of pipeline caused error: )?MISCONF ", re.DOTALL)
"""How Redis refuses to write where its file cannot be appended; the library has no class for it."""


def means_no_room(error: BaseException) -> bool:
    """True where this error, or one that led to it, says that nothing can be stored."""
    return any(_says_no_room(each) for each in _with_causes(error))


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _says_no_room(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        return (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF in SQLITE_CODES
    if isinstance(error, ResponseError):
        return isinstance(error, OutOfMemoryError | ReadOnlyError) or MISCONF.match(str(error)) is not None
    if isinstance(error, OSError):
        return error.errno in CANNOT_WRITE
    return getattr(error, "sqlstate", None) in POSTGRESQL_STATES
