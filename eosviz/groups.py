"""Sends messages to groups of sockets from code without an event loop.

Celery's threads have no event loop, and a new loop for each message would open a new connection each time. So
one thread of each process runs one loop, which sends all messages.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine
from typing import Any

from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)

SEND_SECONDS_MAX = 2.0


class LoopThread:
    """One event loop in one thread. It is started on first use, and again in a forked child process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0

    def run(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        """Run the coroutine in the loop's thread, and wait for its end at most `seconds`. Raises the
        coroutine's exception, or TimeoutError."""
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._guard:
            if self._loop is None or self._process != os.getpid():
                self._loop = asyncio.new_event_loop()
                self._process = os.getpid()
                threading.Thread(target=self._loop.run_forever, name="streaming", daemon=True).start()
            return self._loop


_thread = LoopThread()


def send_to_group(group: str, event: dict[str, Any]) -> bool:
    """Send an event to all sockets of a group. Returns whether it was sent; an error is logged, not
    raised."""
    return _sent(get_channel_layer().group_send(group, event), group)


def send_to_page(channel: str, event: dict[str, Any]) -> bool:
    """Send an event to the one socket with this channel name. Returns whether it was sent; an error is
    logged, not raised."""
    return _sent(get_channel_layer().send(channel, event), channel)


def _sent(sending: Coroutine[Any, Any, None], whom: str) -> bool:
    try:
        _thread.run(sending, SEND_SECONDS_MAX)
    except Exception as error:  # A message that cannot be sent must not stop the caller.
        logger.warning("%s: a message was not sent: %r", whom, error)
        return False
    return True
