"""The head of a request is bounded while it arrives, before anything reads it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from http.cookies import SimpleCookie
from typing import Any

import pytest
import uvicorn

from eosviz.asgi import application
from eosviz.catalogue import say
from eosviz.head_limit import COOKIE_BYTES_MAX, COOKIE_ESCAPES_MAX, HEAD_BYTES_MAX, refusal
from eosviz.http_protocol import HEAD_BYTES_CUT, WAITING_MAX, BoundedHead

ESCAPES = b'sessionid="' + b"\\1" * (COOKIE_ESCAPES_MAX + 1) + b'"'
TOO_LARGE, ZERO, CHARSET = (431, "page.head_too_large"), (400, "page.head_zero"), (415, "page.head_charset")


def scope(
    kind: str = "http",
    path: str = "/livez",
    query: bytes = b"",
    headers: Mapping[str, bytes] | None = None,
    **more_headers: bytes,
) -> dict[str, Any]:
    named = [(name.encode(), value) for name, value in {**(headers or {}), **more_headers}.items()]
    method: dict[str, Any] = {"method": "GET"} if kind == "http" else {"subprotocols": []}
    return {
        "type": kind,
        "path": path,
        "query_string": query,
        "headers": [(b"host", b"localhost"), *named],
        **method,
    }


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (scope(), None),
        (scope(query=b"a=%01&b=" + b"x" * (HEAD_BYTES_MAX - 100)), None),
        (scope(cookie=SimpleCookie({"messages": "a,b;c" * 100}).output(header="").strip().encode()), None),
        (scope(query=b"x" * HEAD_BYTES_MAX), TOO_LARGE),
        (scope(path="/" + "x" * HEAD_BYTES_MAX), TOO_LARGE),
        (scope(headers={"accept-language": b"x" * HEAD_BYTES_MAX}), TOO_LARGE),
        (scope(cookie=b"x" * (COOKIE_BYTES_MAX + 1)), TOO_LARGE),
        (scope(cookie=ESCAPES), TOO_LARGE),
        (scope(cookie=b'sessionid="abcdefgh\\000"'), ZERO),
        (scope(query=b"q=a%00b"), ZERO),
        (scope(headers={"content-type": b"application/json"}), None),
        (scope(headers={"content-type": b'multipart/form-data; boundary=x; charset="UTF-8"'}), None),
        (scope(headers={"content-type": b"multipart/form-data; charset=utf-8; boundary=x"}), None),
        (scope(headers={"content-type": b"text/plain; charset = 'utf8' ;a=b"}), None),
        (scope(headers={"content-type": b"text/plain; charset=utf-8; charset=rot13"}), CHARSET),
        (scope(headers={"content-type": b'text/plain; charset=" ;rot13"'}), CHARSET),
        (scope(headers={"content-type": b'text/plain; charset=""rot13'}), CHARSET),
        (scope(headers={"content-type": b"text/plain; charset*0=ro; charset*1=t13"}), CHARSET),
        (scope(headers={"content-type": b"application/x-www-form-urlencoded; charset=rot13"}), CHARSET),
        (scope(headers={"content-type": b"text/plain;Charset = punycode; a=b"}), CHARSET),
        (scope(path="/scenarios/\0"), ZERO),
    ],
)
def test_what_is_too_long_or_holds_a_zero_is_refused(asked: dict[str, Any], expected: Any) -> None:
    assert refusal(asked) == expected


async def answer(asked: dict[str, Any]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request" if asked["type"] == "http" else "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await application(asked, receive, send)
    return sent


async def test_the_refusal_is_said_in_both_languages_and_a_socket_is_not_accepted() -> None:
    start, body = await answer(scope(cookie=ESCAPES))
    assert start["status"] == 431
    params = {"head": HEAD_BYTES_MAX, "cookies": COOKIE_BYTES_MAX}
    assert body["body"].decode().splitlines() == [
        say("page.head_too_large", language, params) for language in ("en", "zh-Hans")
    ]
    assert await answer(scope("websocket", cookie=ESCAPES)) == [{"type": "websocket.close"}]


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def connected(
    application: Any = nothing,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Yield a connection to a server that runs `application`."""
    server = uvicorn.Server(uvicorn.Config(application, http=BoundedHead, lifespan="off", log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        reads, writes = await asyncio.open_connection(*listener.getsockname())
        try:
            yield reads, writes
        finally:
            writes.close()
            server.should_exit = True
            await serving


async def is_cut_off(reads: asyncio.StreamReader) -> None:
    """The response may be lost, because the bytes that the server did not read reset the connection."""
    with suppress(ConnectionResetError):
        assert (await reads.read()).startswith(b"HTTP/1.1 400")


async def test_a_head_without_an_end_is_cut_off_while_it_comes() -> None:
    async with connected() as (reads, writes):
        # The bound does not apply to a long body or to a second request on the same connection.
        for body in (b"", b"x" * 2 * HEAD_BYTES_CUT):
            length = str(len(body)).encode()
            writes.write(
                b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: " + length + b"\r\n\r\n" + body
            )
            assert (await reads.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        writes.write(b"GET / HTTP/1.1\r\nx: " + b"x" * 2 * HEAD_BYTES_CUT)
        await is_cut_off(reads)


IN_PIECES = b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"


async def headers_behind_a_body(scope: Any, receive: Any, send: Any) -> None:
    """An application that responds with the names of the headers once the whole body has arrived."""
    while (await receive()).get("more_body"):
        pass
    names = b" ".join(name for name, _ in scope["headers"])
    length = str(len(names)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": names})


async def test_what_follows_a_body_is_no_header() -> None:
    """Otherwise, it would be a header that no limit has checked."""
    async with connected(headers_behind_a_body) as (reads, writes):
        for _ in range(2):
            writes.write(IN_PIECES + b"1\r\na\r\n0\r\nCookie: a=b\r\n\r\n")
            head = await reads.readuntil(b"host transfer-encoding")
            assert b"cookie" not in head


@pytest.mark.parametrize(
    "piece", [b"0\r\n" + b"x: y\r\n" * HEAD_BYTES_CUT, b"0\r\nx: " + b"y" * HEAD_BYTES_CUT * 2]
)
async def test_what_follows_a_body_without_an_end_is_cut_off_while_it_comes(piece: bytes) -> None:
    async with connected(headers_behind_a_body) as (reads, writes):
        writes.write(IN_PIECES + b"1\r\na\r\n" + piece)
        await is_cut_off(reads)


async def test_requests_that_do_not_wait_for_an_answer_are_few() -> None:
    """Before the fix, a connection that sent requests without end filled the memory: 15 MB of short requests took 800
    MB.
    """
    one = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
    async with connected() as (reads, writes):
        writes.write(one * WAITING_MAX)
        for _ in range(WAITING_MAX):
            assert (await reads.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        writes.write(one * 20 * WAITING_MAX)
        assert b"HTTP/1.1 400" in await reads.read()
