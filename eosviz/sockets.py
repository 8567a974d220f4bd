"""The base class of the site's WebSockets. A socket closes when one of its rights ends."""

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
"""The code with which a socket closes if the database could not be asked about its rights. The page then
opens another one."""


class SocketSession(SessionMiddleware):
    """Gives a socket the session of its browser. The session is not saved."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        wrapper = InstanceSessionWrapper(scope, send)
        await wrapper.resolve_session()
        await self.inner(wrapper.scope, receive, send)


class RightfulConsumer(AsyncWebsocketConsumer):
    """A socket with rights (`eosviz/rights.py`), which it has from the call of `hold` on. They are checked
    when a message arrives and when one is sent. Unlike in Channels, dispatching a message does not wait for a
    thread."""

    rights: Sequence[Right] = ()
    board: Board
    """The board of the socket's event loop; set by `hold`."""
    is_over = False
    """Whether the socket has been closed, by the server or by the page. Nothing is sent after that."""

    async def hold(self, rights: Sequence[Right]) -> Ending | None:
        """Give the socket these rights; from now on it is notified of changes. Returns None, or the reason if
        one of the rights has already ended. Raises DatabaseError."""
        self.rights = rights
        self.board = board()
        await self.board.enter(self)
        ending = await self.board.ending(rights)
        if ending is not None:
            self._let_go()
        return ending

    async def is_allowed(self) -> bool:
        """Whether the socket is open and its rights last. If a right has ended, closes the socket with the
        reason's code; if the database cannot be asked, with TRY_AGAIN_CODE."""
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
        """Called every `SILENT_SECONDS` while the socket is open. For subclasses."""

    async def look_again(self) -> None:
        try:
            await self.is_allowed()
        except Exception:
            logger.exception("a socket could not be closed")

    def last_words(self, ending: Ending) -> str | None:
        """The last frame, which is sent before the socket closes because of `ending`; None for no frame."""
        return None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._let_go()  # If a handler has raised, there is no disconnect.

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
        """Send a frame to the page if the socket is open and its rights last; otherwise the socket is closed
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
        # This is set before the first `await`, so that only one of several callers closes the socket.
        self.is_over = True
        if words is not None:
            await super().send(words)
        await super().close(code)
        self._let_go()

    def _let_go(self) -> None:
        if self.rights:
            self.board.leave(self)
            self.rights = ()
