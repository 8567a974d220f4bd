"""Runs work that may be requested often, at most once in an interval."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Coalesced:
    """Runs `work` when it is requested, but not again before `seconds` have passed. All requests within this
    time, and those while `work` runs, together lead to one more run."""

    def __init__(
        self,
        work: Callable[[], Awaitable[None]],
        seconds: float,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`work` must not raise. `seconds`: the shortest time between the end of one run of `work` and the
        start of the next. `pause`: waits for a number of seconds."""
        self._work = work
        self._seconds = seconds
        self._pause = pause
        self._wanted = False
        self._stopped = False
        self._running: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Request a run of `work`. Does nothing after `stop`, since a timer that was set before may still
        fire."""
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
