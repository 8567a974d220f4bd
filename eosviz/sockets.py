"""The base of the site's sockets: a socket closes when it learns that one of its rights has ended."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.sessions import InstanceSessionWrapper, SessionMiddleware
from django.db import DatabaseError

from eosviz.rights import Board, Ending, Right, board

logger = logging.getLogger(__name__)

TRY_AGAIN_CODE = 1013
"""The close code if the database could not be asked. The page opens another socket in a moment."""


class SocketSession(SessionMiddleware):
    """Gives a socket the session of its browser, which it does not save."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        wrapper = InstanceSessionWrapper(scope, send)
        await wrapper.resolve_session()
        await self.inner(wrapper.scope, receive, send)


class RightfulConsumer(AsyncWebsocketConsumer):
    """A socket with rights (`eosviz/rights.py`): none before `hold` was called. They are checked when a
    message comes and when one is sent. Messages are dispatched without Channels' wait for a thread."""

    rights: Sequence[Right] = ()
    board: Board
    """The board of the socket's loop, once the socket has rights."""
    is_over = False
    """Whether the socket was closed, by this side or by the page; then nothing more is sent."""

    async def hold(self, rights: Sequence[Right]) -> Ending | None:
        """Give the socket these rights; from now on it is notified of changes. If a right has already ended,
        returns the reason. Raises DatabaseError."""
        self.rights = rights
        self.board = board()
        await self.board.enter(self)
        ending = await self.board.ending(rights)
        if ending is not None:
            self._let_go()
        return ending

    async def is_allowed(self) -> bool:
        """Whether the socket is open and its rights last. If they do not, it is closed with the reason's code; if
        the database cannot be asked, with TRY_AGAIN_CODE."""
        if self.is_over:
            return False
        if not self.rights or self.board.known_to_last(self.rights):
            return True
        try:
            ending = await self.board.ending(self.rights)
        except DatabaseError:
            logger.exception("the rights of a socket could not be asked for")
            await self._end(TRY_AGAIN_CODE)
            return False
        if ending is not None:
            await self._end(ending)
        return not self.is_over

    async def still_here(self) -> None:
        """Called every `SILENT_SECONDS` while the socket is open."""

    async def look_again(self) -> None:
        try:
            await self.is_allowed()
        except Exception:
            logger.exception("a socket could not be closed")

    def last_words(self, ending: Ending) -> str | None:
        """A last frame to send before the socket closes; None to send nothing."""
        return None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._let_go()  # after a handler raised there is no disconnect

    async def dispatch(self, message: dict[str, Any]) -> None:
        handler = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"no handler for messages of the type {message['type']}")
        if message["type"] == "websocket.disconnect":
            self.is_over = True
            self._let_go()
        elif not await self.is_allowed():
            return
        await handler(message)

    async def send(
        self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False
    ) -> None:
        """Send a frame to the page, if the socket is open and its rights last; otherwise it is closed
        (`is_allowed`)."""
        if await self.is_allowed():
            await super().send(text_data, bytes_data, close)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        if not self.is_over:
            self.is_over = True
            await super().close(code, reason)
            self._let_go()

    async def _end(self, code: int) -> None:
        if self.is_over:
            return
        words = self.last_words(Ending(code)) if code != TRY_AGAIN_CODE else None
        self.is_over = True  # Before the first await: only one of several callers may close.
        if words is not None:
            await super().send(words)
        await super().close(code)
        self._let_go()

    def _let_go(self) -> None:
        if self.rights:
            self.board.leave(self)
            self.rights = ()
