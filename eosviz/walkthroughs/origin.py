"""Allows only pages of this site, and of origins in `CSRF_TRUSTED_ORIGINS`, to open a socket.

When a page of another site opens a socket, browsers may send cookies with it. The origin of the page is
therefore compared before the session is loaded. Comparing only the host is not enough: another program on
this machine has the same host with another port, and browsers send cookies to all ports of a host.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

Message = MutableMapping[str, Any]
Application = Callable[..., Awaitable[None]]

DEFAULT_PORTS = {"http": "80", "https": "443"}
SECURE_SCHEMES = ("https", "wss")


class OwnOrigin:
    """Accepts a socket if its `Origin` is the origin of this site (scheme, host and port), or one of
    `CSRF_TRUSTED_ORIGINS`. Answers any other with 403."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1")
        host = headers.get(b"host", b"").decode("latin-1")
        page = Opened(origin, host, is_secure(scope.get("scheme", "ws"), headers))
        if may_open(page, settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS):
            await self._application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


class Opened(NamedTuple):
    """How a socket was opened: the headers `Origin` and `Host`, and whether the browser used TLS."""

    origin: str
    host: str
    secure: bool


def is_secure(scheme: str, headers: Mapping[bytes, bytes]) -> bool:
    """Returns whether the browser used TLS, either to this server, or to a proxy whose header is trusted
    (`SECURE_PROXY_SSL_HEADER`, as for pages)."""
    if settings.SECURE_PROXY_SSL_HEADER is None:
        return scheme in SECURE_SCHEMES
    name, value = settings.SECURE_PROXY_SSL_HEADER
    header_value = headers.get(name.removeprefix("HTTP_").replace("_", "-").lower().encode())
    if header_value is None:
        return scheme in SECURE_SCHEMES
    return bool(header_value.decode("latin-1").partition(",")[0].strip() == value)


def may_open(page: Opened, allowed_hosts: Iterable[str], trusted: Iterable[str]) -> bool:
    origin, host, secure = page
    try:
        parts = urlsplit(origin)
        port = "" if parts.port is None else str(parts.port)
    except ValueError:
        return False
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return False
    if origin.lower() in (known.lower() for known in trusted):
        return True
    domain, host_port = split_domain_port(host)
    if not domain or not validate_host(domain, allowed_hosts):
        return False
    if parts.scheme != ("https" if secure else "http"):
        return False
    # If an address contains no port, its port is the default of its scheme.
    default = DEFAULT_PORTS[parts.scheme]
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return (name.rstrip("."), port or default) == (domain, host_port or default)
