"""Which pages may open a socket."""

import pytest

from eosviz.walkthroughs.origin import may_open

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
        # TLS ends at a proxy that passes the host on.
        ("https://eosviz.example.org", "eosviz.example.org"),
        ("https://eosviz.example.org", "eosviz.example.org:443"),
        # One that does not pass it on.
        ("https://front.example.com", "127.0.0.1:8000"),
    ],
)
def test_pages_of_this_site_may(origin: str, host: str) -> None:
    assert may_open(origin, host, HOSTS, TRUSTED)


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
        # A name that somebody else points at this machine.
        ("http://evil.example:8000", "evil.example:8000"),
        ("http://", ""),
    ],
)
def test_others_may_not(origin: str, host: str) -> None:
    assert not may_open(origin, host, HOSTS, TRUSTED)
