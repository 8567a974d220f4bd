"""Which pages may open a socket, by their origin."""

from typing import Any

import pytest

from eosviz.walkthroughs.origin import DEFAULT_PORTS, Opened, is_secure, may_open

HOSTS = ["localhost", "127.0.0.1", "[::1]", ".example.org"]
TRUSTED = ["https://front.example.com"]


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8000", "localhost:8000"),
        ("http://LOCALHOST:8000", "localhost:8000"),
        ("http://127.0.0.1", "127.0.0.1"),
        ("http://127.0.0.1", "127.0.0.1:80"),
        ("http://[::1]:8000", "[::1]:8000"),
        # A proxy that does not pass the host on.
        ("https://front.example.com", "127.0.0.1:8000"),
    ],
)
def test_pages_of_this_site_may(origin: str, host: str) -> None:
    assert may_open(Opened(origin, host, secure=False), HOSTS, TRUSTED)


@pytest.mark.parametrize("host", ["eosviz.example.org", "eosviz.example.org:443"])
def test_the_scheme_is_that_of_the_page_too(host: str) -> None:
    for scheme, secure in (("https", True), ("http", False)):
        named = host.replace(":443", f":{DEFAULT_PORTS[scheme]}")
        assert may_open(Opened(f"{scheme}://eosviz.example.org", named, secure), HOSTS, TRUSTED)
        assert not may_open(Opened(f"{scheme}://eosviz.example.org", named, not secure), HOSTS, TRUSTED)


def test_tls_may_end_at_a_proxy_whose_header_is_believed(settings: Any) -> None:
    headers = {b"x-forwarded-proto": b"https"}
    settings.SECURE_PROXY_SSL_HEADER = None
    assert (is_secure("ws", headers), is_secure("wss", {})) == (False, True)
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert is_secure("ws", headers) and is_secure("ws", {b"x-forwarded-proto": b"https, http"})
    assert is_secure("wss", {}) and not is_secure("ws", {})
    assert not is_secure("ws", {b"x-forwarded-proto": b"http, https"})


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("", "localhost:8000"),
        ("null", "localhost:8000"),
        ("http://localhost:8001", "localhost:8000"),
        ("http://localhost", "localhost:8000"),
        ("http://127.0.0.1:8000", "localhost:8000"),
        ("http://localhost:8000.evil.example", "localhost:8000"),
        ("http://localhost:8000@evil.example", "localhost:8000"),
        ("http://localhost:99999", "localhost:99999"),
        ("file://localhost:8000", "localhost:8000"),
        ("http://front.example.com", "127.0.0.1:8000"),
        # A name that a stranger has pointed at this machine.
        ("http://evil.example:8000", "evil.example:8000"),
        ("http://", ""),
    ],
)
def test_others_may_not(origin: str, host: str) -> None:
    assert not may_open(Opened(origin, host, secure=False), HOSTS, TRUSTED)
