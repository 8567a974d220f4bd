"""How much a request may bring.

Django reads a whole body to disk before any view is asked, so the bound stands in front of it.
"""

import asyncio

from eosviz.asgi_types import Application, Message, Receive, Scope, Send
from eosviz.replays.bounds import BOUNDS
from eosviz.replays.log_upload import ALL_BYTES_MAX

BODY_BYTES_MAX = 2 * 1024 * 1024
BODY_BYTES_LET_GO_BY = 512 * 1024 * 1024
"""What is longer still is cut off in the middle."""
_FORM_BYTES = 1024 * 1024
"""Room for what a form writes around its files."""
LOG_PATH = "/replays/log"
BODY_BYTES_MAX_AT = {
    # More than the pages take, so that a file that is a little too large meets the sentence that says so.
    "/replays/import": BOUNDS.compressed_bytes + _FORM_BYTES,
    # Indexes are mostly zeros, which are not stored: without scripts a browser sends them all the same.
    LOG_PATH: 2 * ALL_BYTES_MAX,
}
TOO_LARGE = "eosviz.too_large"
"""The key of a request's scope whose body was not taken; its value is the bound in bytes."""
_OF_THE_BODY = (b"content-length", b"content-type", b"transfer-encoding")


class BodyLimit:
    """Answers 413 to a longer body, whatever length it said it would have, and keeps nothing of it."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        limit = BODY_BYTES_MAX_AT.get(scope["path"], BODY_BYTES_MAX)
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > limit:
            await _let_go_by(receive, min(int(said), BODY_BYTES_LET_GO_BY))
            await self._refuse(scope, send, limit)
            return
        taken = 0

        async def receive_counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > limit:
                # To the application the visitor is gone: it stops reading and answers nothing.
                return {"type": "http.disconnect"}
            return message

        async def send_unless_refused(message: Message) -> None:
            if taken <= limit:
                await send(message)

        await self._application(scope, receive_counted, send_unless_refused)
        if taken > limit:
            await _let_go_by(receive, BODY_BYTES_LET_GO_BY - taken)
            await self._refuse(scope, send, limit)

    async def _refuse(self, scope: Scope, send: Send, limit: int) -> None:
        """Let the site answer in the reader's language (`too_large.py`), as if they had asked for a page."""
        told = [(name, value) for name, value in scope["headers"] if name not in _OF_THE_BODY]

        async def send_and_close(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        asked = {**scope, "method": "GET", "query_string": b"", "headers": told, TOO_LARGE: limit}
        await self._application(asked, _nothing_more(), send_and_close)


async def _let_go_by(receive: Receive, size: int) -> None:
    """Take up to ``size`` bytes and forget them: a browser that is still sending reads no answer, it says that
    the connection was reset.
    """
    while size > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        size -= len(message.get("body", b""))


def _nothing_more() -> Receive:
    """A request without a body, whose visitor stays."""
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        message = next(messages, None)
        if message is None:
            await asyncio.Event().wait()  # cancelled when the answer is sent
        return message or {"type": "http.disconnect"}

    return receive
