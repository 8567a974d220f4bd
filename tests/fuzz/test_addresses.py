"""Every address of the site with hostile ids, parameters, headers and bodies: the site always responds, and never
with an internal error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from eosviz.accounts.roles import Role
from eosviz.head_limit import refusal
from tests.accounts.conftest import person, signed_in
from tests.fuzz.changing import ODD_VALUES, value_changed

A_FEW, MANY = 250, 8_000
IDS: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", str(2**63), str(10**30), "9" * 4_400),
    "uuid": ("00000000-0000-0000-0000-000000000000", "6f0c1f5e-5f0b-4d59-8a3e-1b2f3c4d5e6f"),
    "str": ("SC-01", "x", "%F0%9F%98%80", "%2e%2e", "x" * 3_000, "%0A", "%E2%80%AE", "1", "__proto__"),
}
NAMES = (
    "q", "page", "step", "branch", "variant", "done", "view", "select", "scenario", "sample", "language", "tag",
    "url", "version", "next", "format", "maxwidth", "times", "difference", "from", "to", "number", "kind", "id", "v",
    "material", "subject", "question", "axis", "measure", "across", "down", "cell", "seed", "run", "play", "sessions",
    "own", "lang",
)  # fmt: skip
VALUES = (
    "", "0", "-1", "1", "٣", "１", "9" * 30, "9" * 5_000, "1e5", "nan", "true", "x" * 5_000, "\U0001f600", "\u202e",
    "%", "SC-02", "k28", "../../etc/passwd", "http://[::1", "//evil.example", "javascript:1", "{}", "[" * 900,
    "a:b:c", ".",
    "00000000-0000-0000-0000-000000000000", "2020-13-01", "0001-01-01T00:00", "9999-12-31T23:59", "<script>", "'\"",
)  # fmt: skip
TYPES = (
    "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain",
    "application/x-www-form-urlencoded; charset=rot13", "multipart/form-data; boundary=b; charset=idna",
    "multipart/form-data", "multipart/form-data; boundary=" + "b" * 300, "x", "",
)  # fmt: skip
PART = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'


def routes(resolver: Any = None, above: str = "/") -> Iterator[str]:
    """Yield every URL pattern of the site, with its converters in angle brackets."""
    for pattern in (resolver or get_resolver()).url_patterns:
        whole = above + str(pattern.pattern).lstrip("^")
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, whole)
        elif isinstance(pattern, URLPattern):
            yield whole


def address(route: str, chance: Random) -> str:
    made = ""
    while "<" in route:
        before, _, rest = route.partition("<")
        converter, _, route = rest.partition(">")
        kind = converter.partition(":")[0] if ":" in converter else "str"
        made += before + chance.choice(IDS.get(kind, IDS["str"]))
    made = (made + route).replace("$", "").replace("\\Z", "").replace("\\", "")
    pairs = [(chance.choice(NAMES), chance.choice(VALUES)) for _ in range(chance.randrange(4))]
    return made + "?" + "&".join(f"{name}={quote(value)}" for name, value in pairs)


def body(kind: str, chance: Random) -> bytes:
    pairs = {chance.choice(NAMES): chance.choice(VALUES) for _ in range(chance.randrange(4))}
    if kind.startswith("multipart"):
        parts = (PART % (name.encode(), value.encode()) for name, value in pairs.items())
        return b"".join(parts) + chance.choice((b"--b--\r\n", b"", b"--b", b"\xff" * 50))
    if kind == "application/json":
        value = value_changed({**pairs, "v": 1, "x": [1, {"y": chance.choice(ODD_VALUES)}]}, chance)
        return chance.choice(
            (json.dumps(value).encode(), b"[" * 3_000, b'{"a": ' + b"9" * 5_000 + b"}", b"\xff", b"")
        )
    return "&".join(f"{name}={quote(value)}" for name, value in pairs.items()).encode() + chance.choice(
        (b"", b"%", b"\xff")
    )


def ask(browser: Client, chance: Random, every: list[str]) -> tuple[str, str, int]:
    path = address(chance.choice(every), chance)
    cache.clear()
    if chance.random() < 0.6:
        return (
            "GET",
            path,
            browser.get(path, headers={"accept-language": chance.choice(VALUES)[:200]}).status_code,
        )
    kind, method = chance.choice(TYPES), chance.choice(("POST", "POST", "PUT", "PATCH", "DELETE"))
    headers = [(b"content-type", kind.encode())]
    if (refused := refusal({"path": "", "query_string": b"", "headers": headers})) is not None:
        return method, path, refused[0]
    return method, path, browser.generic(method, path, body(kind, chance), content_type=kind).status_code


def asked(numbers: range) -> list[tuple[int, str, str, int]]:
    every = sorted(set(routes()))
    browsers = [Client(), signed_in(person("ina@example.org", Role.INSTRUCTOR))]
    wrong = []
    for browser in browsers:
        browser.raise_request_exception = False
    for number in numbers:
        method, path, status = ask(browsers[number % 2], Random(number), every)
        if status == 500:
            wrong.append((number, method, path[:200], status))
    return wrong


@pytest.mark.django_db
def test_a_few_hostile_requests_are_answered() -> None:
    assert len(set(routes())) > 100
    assert asked(range(A_FEW)) == []


@pytest.mark.slow
@pytest.mark.django_db
def test_many_hostile_requests_are_answered() -> None:
    assert asked(range(A_FEW, A_FEW + MANY)) == []
