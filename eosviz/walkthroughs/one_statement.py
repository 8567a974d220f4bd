"""Stores a step that was made ahead, and the answer to its command, in one statement. Works on PostgreSQL
only.

A transaction of three statements takes five round trips. In each of them, the web process and the database's
process wait for a processor, while the page draws the step on the same machine (`benchmarks/README.md`).
Passing the work from the event loop to a thread and back would wait in the same way, so the event loop itself
sends the statement.
"""

from __future__ import annotations

import logging
import time
from asyncio import AbstractEventLoop, Lock, get_running_loop
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from eosviz.walkthroughs.models import Branch, Command, Step

logger = logging.getLogger(__name__)

_STATEMENT = f"""
WITH moved AS (
    UPDATE {Branch._meta.db_table} SET newest = %s WHERE id = %s AND newest = %s RETURNING id
), made AS (
    INSERT INTO {Step._meta.db_table} (branch_id, number, at, interesting, body, derived)
    SELECT id, %s, %s, %s, %s, %s FROM moved
)
INSERT INTO {Command._meta.db_table} (session_id, identifier, asked, answer, answered)
SELECT %s, %s, %s, %s, %s FROM moved
"""


def is_possible() -> bool:
    """Returns whether the database can store the step, the branch and the answer in one statement."""
    return connection.vendor == "postgresql"


async def store_at_once(step: Step, command: Command) -> bool:
    """Stores the step that follows the newest step of its branch, moves the branch to it, and stores the
    command's answer. Returns False if the branch has moved meanwhile (nothing was stored), or if the statement
    failed (either nothing or everything was stored)."""
    derived = None if step.derived is None else bytes(step.derived)
    given = (
        *(step.number, step.branch_id, step.number - 1),
        *(step.number, step.at, step.interesting, bytes(step.body), derived),
        *(
            command.session_id,
            command.identifier,
            bytes(command.asked),
            bytes(command.answer),
            timezone.now(),
        ),
    )
    kept = _of_loop.setdefault(get_running_loop(), _Connection())
    try:
        return await kept.rows_of(_STATEMENT, given) == 1
    except psycopg.IntegrityError:
        return False
    except psycopg.Error as error:
        logger.warning("session %s: a step was left to the worker: %r", command.session_id, error)
        return False


class _Connection:
    """The connection of one event loop. It executes one statement at a time."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._open: psycopg.AsyncConnection[Any] | None = None
        self._until = 0.0

    async def rows_of(self, statement: str, given: tuple[Any, ...]) -> int:
        """Executes the statement, and returns how many rows its last part stored. Raises psycopg.Error."""
        async with self._turn:
            if self._open is None:
                self._open = await psycopg.AsyncConnection.connect(autocommit=True, **_parameters())
                self._until = time.monotonic() + settings.KEPT_CONNECTION_SECONDS
            keep = False
            try:
                cursor = await self._open.execute(statement, given)
                keep = time.monotonic() < self._until
                return cursor.rowcount
            except psycopg.IntegrityError:
                keep = time.monotonic() < self._until
                raise
            finally:
                if not keep:
                    unusable, self._open = self._open, None
                    await unusable.close()


_of_loop: WeakKeyDictionary[AbstractEventLoop, _Connection] = WeakKeyDictionary()


def _parameters() -> dict[str, Any]:
    """Returns Django's parameters for a connection, without those that only its own cursors need."""
    given = connection.get_connection_params()
    own = ("context", "cursor_factory", "prepare_threshold")
    return {name: value for name, value in given.items() if name not in own}
