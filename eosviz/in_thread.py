"""Runs code that reads the database in a thread, for code on an event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from channels.db import DatabaseSyncToAsync


def in_thread(function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Makes a coroutine of `function`, which then runs in a thread. Several may run at the same time. Expired
    database connections are closed before and after the call."""
    in_its_thread: Callable[..., Awaitable[Any]] = DatabaseSyncToAsync(function, thread_sensitive=False)
    return in_its_thread
