"""A body that is too long is refused before it fills the disk."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from eosviz.asgi import http_application
from eosviz.replays.body_limit import BODY_BYTES_DISCARDED_MAX, TOO_LARGE, BodyLimit

PIECE = 64 * 1024


async def ask(application: Any, pieces: AsyncIterator[bytes], headers: dict[bytes, bytes], path: str) -> Any:
    """Send a request in pieces. Returns the status, the body, and how many pieces were read."""
    sent: list[Any] = []
    taken = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        piece = await anext(pieces, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": [(b"host", b"localhost"), *headers.items()],
        "query_string": b"",
    }
    await application(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]), taken


async def endless() -> AsyncIterator[bytes]:
    while True:
        yield bytes(PIECE)


async def zeros(size: int) -> AsyncIterator[bytes]:
    for _ in range(0, size, PIECE):
        yield bytes(PIECE)


async def nothing() -> AsyncIterator[bytes]:
    return
    yield


async def test_an_endless_body_is_cut_off() -> None:
    status, body, taken = await ask(BodyLimit(http_application), endless(), {}, "/healthz")
    assert (status, b"larger than 2 MiB" in body) == (413, True)
    assert taken <= BODY_BYTES_DISCARDED_MAX // PIECE + 2


@pytest.mark.parametrize(("language", "sentence"), [("en", "larger than 256 MiB"), ("zh-Hans", "256 MiB")])
async def test_the_refusal_is_a_page_of_the_site_in_one_language_with_the_command(
    language: str, sentence: str
) -> None:
    headers = {
        b"content-length": b"999999999",
        b"accept": b"text/html",
        b"accept-language": language.encode(),
    }
    status, body, _ = await ask(BodyLimit(http_application), nothing(), headers, "/replays/log")
    page = body.decode()
    assert status == 413
    for words in (f'lang="{language}"', "page-nav", sentence, "python manage.py logs", "/reference/logs.md"):
        assert words in page
    assert ("未保留任何内容" in page) == (language == "zh-Hans")
    assert ("Nothing was kept" in page) == (language == "en")


async def test_who_wants_no_page_gets_the_sentence_alone() -> None:
    headers = {b"content-length": b"999999999", b"accept": b"application/json"}
    status, body, _ = await ask(BodyLimit(http_application), nothing(), headers, "/replays/import")
    assert (status, b"<" in body, b"larger than 33 MiB" in body) == (413, False, True)


async def test_what_is_too_long_goes_by_before_it_is_answered() -> None:
    """A browser that cannot send its file to the end shows a reset connection, and not the text of the refusal."""
    size = 40 * 1024 * 1024
    headers = {b"content-length": str(size).encode()}
    status, _, taken = await ask(BodyLimit(_not_found), zeros(size), headers, "/replays/import")
    assert (status, taken) == (413, size // PIECE)


async def test_what_says_it_is_far_too_long_is_cut_off() -> None:
    headers = {b"content-length": b"999999999999"}
    status, _, taken = await ask(BodyLimit(_not_found), endless(), headers, "/replays/import")
    assert (status, taken) == (413, BODY_BYTES_DISCARDED_MAX // PIECE)


@pytest.mark.parametrize(("declared", "status"), [(b"2097153", 413), (b"2097152", 404), (b"x", 404)])
async def test_a_said_length_is_taken_at_its_word(declared: bytes, status: int) -> None:
    headers = {b"content-length": declared} if declared != b"x" else {b"content-length": b"-"}
    found, _, _ = await ask(BodyLimit(_not_found), nothing(), headers, "/anything")
    assert found == status


async def test_an_upload_may_be_larger_than_other_requests() -> None:
    headers = {b"content-length": b"30000000"}
    assert (await ask(BodyLimit(_not_found), nothing(), headers, "/replays/import"))[0] == 404
    assert (await ask(BodyLimit(_not_found), nothing(), headers, "/sessions/new"))[0] == 413


async def _not_found(scope: Any, receive: Any, send: Any) -> None:
    """A site without pages: it answers 413 to a body that was too large, and 404 otherwise."""
    status = 413 if TOO_LARGE in scope else 404
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b""})
