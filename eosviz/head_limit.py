"""Limits the head of a request: its address, headers and cookies. `HeadLimit` checks the head before the
site's other code reads it.

That code, which runs before a view is called, has weaknesses. The cookie parser of older Pythons takes time
quadratic in the backslashes of a quoted cookie (CVE-2024-7592). PostgreSQL accepts no text with the character
U+0000. Some of Python's encodings are no text encodings.
"""

from __future__ import annotations

import re
from http import HTTPStatus

from eosviz.asgi_types import Application, Receive, Scope, Send
from eosviz.catalogue import LANGUAGES, say

HEAD_BYTES_MAX = 64 * 1024
"""The largest size of address and headers together, in bytes. Each character of the decoded path counts as
one byte."""
COOKIE_BYTES_MAX = 16 * 1024
COOKIE_ESCAPES_MAX = 1_000
"""The largest number of backslashes in the cookies of a request. Django's cookie for messages that are shown
once has a backslash before each comma."""
_UTF_8 = re.compile(rb"""[ \t]*=[ \t]*("(utf-?8)?"|'(utf-?8)?'|(utf-?8)?)[ \t]*(;|$)""")
"""Matches what may follow the word `charset`: UTF-8 or an empty value, up to the next parameter."""
ZERO_ESCAPED = b"\\000"
"""The character U+0000 as a cookie writes it."""


class HeadLimit:
    """Answers 431 to a head that exceeds a limit, 400 to a head with the character U+0000, and 415 if the
    body is declared in another charset than UTF-8. A WebSocket with such a head is not accepted."""

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
    """The status, and the key of the sentence that says why the head is refused; None if it is accepted."""
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
    """Whether the header declares no other charset than UTF-8. Some of Python's encodings are no text
    encodings, and some take quadratic time."""
    values = content_type.lower().split(b"charset")[1:]
    return all(_UTF_8.match(value) for value in values)


async def _refuse(send: Send, status: HTTPStatus, key: str) -> None:
    most = {"head": HEAD_BYTES_MAX, "cookies": COOKIE_BYTES_MAX} if key == "page.head_too_large" else {}
    body = "".join(f"{say(key, language, most)}\n" for language in LANGUAGES).encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})
