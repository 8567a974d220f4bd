"""Limits the body of a request. Django receives the whole body before it calls a view, so the limit is
checked before Django."""

import asyncio

from eosviz.asgi_types import Application, Message, Receive, Scope, Send
from eosviz.replays.bounds import BOUNDS
from eosviz.replays.log_upload import ALL_BYTES_MAX

BODY_BYTES_MAX = 2 * 1024 * 1024
BODY_BYTES_DISCARDED_MAX = 512 * 1024 * 1024
"""At most this many bytes of a refused body are read. If it is longer, the connection is closed."""
_FORM_BYTES = 1024 * 1024
"""The bytes that a form may have in addition to its files."""
LOG_PATH = "/replays/log"
BODY_BYTES_MAX_AT = {
    # This limit is higher than that of the page, so that a file which is only slightly too large gets the
    # page's own message.
    "/replays/import": BOUNDS.compressed_bytes + _FORM_BYTES,
    # This is twice the page's limit: a browser without scripts also sends index files, most of whose bytes
    # are zeros and are not stored.
    LOG_PATH: 2 * ALL_BYTES_MAX,
}
TOO_LARGE = "eosviz.too_large"
"""The key in the ASGI scope of a request whose body was refused. Its value is the limit in bytes."""
_OF_THE_BODY = (b"content-length", b"content-type", b"transfer-encoding")


class BodyLimit:
    """Refuses a body that exceeds the limit, whether or not its declared length does."""

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
                # The application receives a disconnect, so it stops reading and sends no answer.
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
        """Let the site answer the request without its body (`too_large.py`)."""
        kept = [(name, value) for name, value in scope["headers"] if name not in _OF_THE_BODY]

        async def send_and_close(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        asked = {**scope, "method": "GET", "query_string": b"", "headers": kept, TOO_LARGE: limit}
        await self._application(asked, _nothing_more(), send_and_close)


async def _discard(receive: Receive, size: int) -> None:
    """Read and discard up to ``size`` bytes of the body. This is needed because a browser that is still
    sending reads no answer."""
    while size > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        size -= len(message.get("body", b""))


def _nothing_more() -> Receive:
    """Makes a `receive` as of a request without a body, whose client stays connected."""
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        message = next(messages, None)
        if message is None:
            await asyncio.Event().wait()  # until it is cancelled, when the answer has been sent
        return message or {"type": "http.disconnect"}

    return receive
