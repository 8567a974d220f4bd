"""Runs work that is requested often, but at most once in an interval."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Coalesced:
    """Runs `work` at once when it is requested, and not again before `seconds` have passed, however often it
    is requested in this time. If it is requested while it runs, it is run once more."""

    def __init__(
        self,
        work: Callable[[], Awaitable[None]],
        seconds: float,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`work` must not raise. `seconds`: the shortest time between the end of one run of `work` and the
        next. `pause`: waits that long."""
        self._work = work
        self._seconds = seconds
        self._pause = pause
        self._wanted = False
        self._stopped = False
        self._running: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Request the work. Does nothing after `stop`: a timer that was set before may still fire."""
        if self._stopped:
            return
        self._wanted = True
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._wanted:
            self._wanted = False
            await self._work()
            await self._pause(self._seconds)

    def stop(self) -> None:
        self._stopped = True
        self._wanted = False
        if self._running is not None:
            self._running.cancel()
