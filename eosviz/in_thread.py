"""Runs code that reads the database in a thread, for code on an event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from channels.db import DatabaseSyncToAsync


def in_thread(function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """The function as a coroutine that runs it in a thread; several run in parallel. Old database connections are
    closed before and after."""
    in_its_thread: Callable[..., Awaitable[Any]] = DatabaseSyncToAsync(function, thread_sensitive=False)
    return in_its_thread
