"""Bounds the body of a request. Django receives the whole body before it calls a view, so the bound is checked before
Django."""

import asyncio

from eosviz.asgi_types import Application, Message, Receive, Scope, Send
from eosviz.replays.bounds import BOUNDS
from eosviz.replays.log_upload import ALL_BYTES_MAX

BODY_BYTES_MAX = 2 * 1024 * 1024
BODY_BYTES_DISCARDED_MAX = 512 * 1024 * 1024
"""After this many bytes of a refused body no more is read, and its connection is closed."""
_FORM_BYTES = 1024 * 1024
"""Room for the parts of a form around its files."""
LOG_PATH = "/replays/log"
BODY_BYTES_MAX_AT = {
    # The bound is higher than that of the page, so that a file that is slightly too large gets the page's own
    # message.
    "/replays/import": BOUNDS.compressed_bytes + _FORM_BYTES,
    # Twice the page's bound: a browser without scripts also sends index files. Most of their bytes are zeros,
    # which are not stored.
    LOG_PATH: 2 * ALL_BYTES_MAX,
}
TOO_LARGE = "eosviz.too_large"
"""The key in the scope of a request whose body was refused. Its value is the bound in bytes."""
_OF_THE_BODY = (b"content-length", b"content-type", b"transfer-encoding")


class BodyLimit:
    """Refuses a body beyond the bound, whatever length it declares."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        limit = BODY_BYTES_MAX_AT.get(scope["path"], BODY_BYTES_MAX)
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > limit:
            await _discard(receive, min(int(declared), BODY_BYTES_DISCARDED_MAX))
            await self._refuse(scope, send, limit)
            return
        taken = 0

        async def receive_counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > limit:
                # The application sees a disconnect: it stops reading and sends no answer.
                return {"type": "http.disconnect"}
            return message

        async def send_unless_refused(message: Message) -> None:
            if taken <= limit:
                await send(message)

        await self._application(scope, receive_counted, send_unless_refused)
        if taken > limit:
            await _discard(receive, BODY_BYTES_DISCARDED_MAX - taken)
            await self._refuse(scope, send, limit)

    async def _refuse(self, scope: Scope, send: Send, limit: int) -> None:
        """Let the site answer (`too_large.py`) as if the request had no body."""
        kept = [(name, value) for name, value in scope["headers"] if name not in _OF_THE_BODY]

        async def send_and_close(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        asked = {**scope, "method": "GET", "query_string": b"", "headers": kept, TOO_LARGE: limit}
        await self._application(asked, _nothing_more(), send_and_close)


async def _discard(receive: Receive, size: int) -> None:
    """Read and discard up to ``size`` bytes of the body: a browser that is still sending reads no answer."""
    while size > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        size -= len(message.get("body", b""))


def _nothing_more() -> Receive:
    """A request without a body, from a client that stays connected."""
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        message = next(messages, None)
        if message is None:
            await asyncio.Event().wait()  # cancelled when the answer has been sent
        return message or {"type": "http.disconnect"}

    return receive
