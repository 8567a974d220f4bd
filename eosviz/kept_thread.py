"""A thread of a web process that keeps its database connection open.

Other threads keep no connection, since a web request may end in any of them (`in_thread.py`). On PostgreSQL,
opening a connection costs several times as much as a query, in this process and in the server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import DatabaseError, connection

Given = ParamSpec("Given")
Result = TypeVar("Result")


class KeptThread:
    """Runs functions one after the other in one thread. The thread's connection is closed after
    WORKER_CONNECTION_SECONDS, and after a DatabaseError."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, name)
        self._opened_at = 0.0

    async def run(
        self, function: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
    ) -> Result:
        """Call `function` in the thread and return its result. Raises the function's exceptions."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: self._result_of(lambda: function(*given, **named))
        )

    def _result_of(self, function: Callable[[], Result]) -> Result:
        if connection.connection is None:
            self._opened_at = time.monotonic()
        try:
            return function()
        except DatabaseError:
            connection.close()
            raise
        finally:
            if time.monotonic() >= self._opened_at + settings.WORKER_CONNECTION_SECONDS:
                connection.close()
