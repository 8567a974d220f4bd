"""How much a request may bring.

Django reads a whole body to disk before any view is asked, so the bound stands in front of it.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from eosviz.catalogue import LANGUAGES, say
from eosviz.replays.bounds import BOUNDS
from eosviz.replays.log_upload import ALL_BYTES_MAX

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

BODY_BYTES_MAX = 2 * 1024 * 1024
BODY_BYTES_LET_GO_BY = 512 * 1024 * 1024
"""What is longer still is cut off in the middle."""
_FORM_BYTES = 1024 * 1024
"""Room for what a form writes around its files."""
BODY_BYTES_MAX_AT = {
    # One more than the rooms take, so that a file that is a little too large meets the sentence that says so.
    "/replays/import": BOUNDS.compressed_bytes + _FORM_BYTES,
    "/replays/log": ALL_BYTES_MAX + _FORM_BYTES,
}


class BodyLimit:
    """Answers 413 to a longer body, whatever length it said it would have, and keeps nothing of it."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        limit = BODY_BYTES_MAX_AT.get(scope["path"], BODY_BYTES_MAX)
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > limit:
            await _let_go_by(receive, min(int(said), BODY_BYTES_LET_GO_BY))
            await _refuse(send, limit)
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
            await _refuse(send, limit)


async def _let_go_by(receive: Receive, size: int) -> None:
    """Take up to ``size`` bytes and forget them: a browser that is still sending reads no answer, it says that
    the connection was reset.
    """
    while size > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        size -= len(message.get("body", b""))


async def _refuse(send: Send, limit: int) -> None:
    said = [say("replays.refused.body_too_large", language, {"limit": limit}) for language in LANGUAGES]
    body = "".join(f"{sentence}\n" for sentence in said).encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
