"""Who may open a socket: pages of this site. Browsers send cookies along with a socket that a page of another
site opens, so the page's origin is compared before anything else is read.

The host alone would not do: another program's pages on this machine have the same host and another port, and
cookies know no ports.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

Message = MutableMapping[str, Any]
Application = Callable[..., Awaitable[None]]

DEFAULT_PORTS = {"http": "80", "https": "443"}


class OwnOrigin:
    """Passes a socket on whose `Origin` is the host and port that it was opened at (`Host`), or one of
    `CSRF_TRUSTED_ORIGINS`. All others, and whoever names no origin, get 403.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1")
        host = headers.get(b"host", b"").decode("latin-1")
        if may_open(origin, host, settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS):
            await self._application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


def may_open(origin: str, host: str, allowed_hosts: Iterable[str], trusted: Iterable[str]) -> bool:
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
    # The scheme is not compared: behind a proxy that ends TLS the page's is https and this server's is not. A
    # port that is not written is the page's default one, on whichever side it is missing.
    default = DEFAULT_PORTS[parts.scheme]
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return (name.rstrip("."), port or default) == (domain, host_port or default)
