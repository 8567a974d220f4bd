"""How much the head of a request may hold: its address, its headers, its cookies. Looked at before anything reads it.

Python's cookie parser needs time with the square of the backslashes in a quoted cookie, PostgreSQL takes no text with
the character U+0000, not every encoding that Python knows is one of text; and all come before a page's own code.
"""

from __future__ import annotations

from http import HTTPStatus

from eosviz.asgi_types import Application, Receive, Scope, Send
from eosviz.catalogue import LANGUAGES, say

HEAD_BYTES_MAX = 64 * 1024
"""Address and headers together."""
COOKIE_BYTES_MAX = 16 * 1024
COOKIE_ESCAPES_MAX = 1_000
"""Backslashes in cookies: a message that is shown once has one before each comma."""
UTF_8 = (b"", b"utf-8", b"utf8")
ZERO_ESCAPED = b"\\000"
"""How a cookie spells the character U+0000."""


class HeadLimit:
    """Answers 431 to a longer head, 400 to one with the character U+0000 and 415 to a body that is no UTF-8; a socket
    is not accepted."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = refusal(scope)
        if refused is None:
            await self._application(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})
        else:
            await _refuse(send, *refused)


def refusal(scope: Scope) -> tuple[HTTPStatus, str] | None:
    """The status, and the sentence of the catalogue that says why; None for a head that may be read."""
    headers, path, query = scope["headers"], scope["path"], scope["query_string"]
    cookies = [value for name, value in headers if name == b"cookie"]
    size = len(path) + len(query) + sum(len(name) + len(value) for name, value in headers)
    if size > HEAD_BYTES_MAX or sum(map(len, cookies)) > COOKIE_BYTES_MAX:
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "page.head_too_large"
    if sum(value.count(b"\\") for value in cookies) > COOKIE_ESCAPES_MAX:
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "page.head_too_large"
    if "\0" in path or b"%00" in query or any(ZERO_ESCAPED in value for value in cookies):
        return HTTPStatus.BAD_REQUEST, "page.head_zero"
    if any(name == b"content-type" and not _is_utf_8(value) for name, value in headers):
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "page.head_charset"
    return None


def _is_utf_8(content_type: bytes) -> bool:
    """Whether a body is sent in UTF-8, or does not say. Django decodes the address with it, too: Python knows encodings
    that are no text, and some that need time with the square of the length."""
    named = content_type.lower().partition(b"charset")[2].lstrip(b" \t=").strip(b"\"' \t;")
    return named in UTF_8


async def _refuse(send: Send, status: HTTPStatus, key: str) -> None:
    most = {"head": HEAD_BYTES_MAX, "cookies": COOKIE_BYTES_MAX} if key == "page.head_too_large" else {}
    body = "".join(f"{say(key, language, most)}\n" for language in LANGUAGES).encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})
