"""Identifies the caller of a request, for rate limits: the person or, for a visitor without a key, the
network address."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

from eosviz.browser import browser_of

IPV6_PREFIX = 64
"""An Internet provider gives each customer a whole IPv6 network with a prefix of this many bits, so all
addresses of such a network count as one."""


def address_of(request: HttpRequest) -> str:
    """The word `address` and the caller's network address (for IPv6: its network). The address comes from
    `X-Forwarded-For` if the operator's proxies append it there, otherwise from the connection."""
    proxies: int = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    forwarded = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",")]
    address = forwarded[-proxies] if 0 < proxies <= len(forwarded) else ""
    return f"address {_network(address or request.META.get('REMOTE_ADDR', ''))}"


def _network(address: str) -> str:
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return address
    if read.version == 6 and read.ipv4_mapped is not None:
        # A server that listens on IPv4 and IPv6 reports IPv4 addresses in this form.
        read = read.ipv4_mapped
    if read.version == 4:
        return str(read)
    return str(ipaddress.ip_network(f"{read}/{IPV6_PREFIX}", strict=False).network_address)


def caller_of(request: HttpRequest) -> tuple[str, str]:
    """The sort of caller and the caller: `person` and the browser's key or, without a key, `address` and
    `address_of(request)`."""
    person = browser_of(request.session)
    return ("person", person) if person else ("address", address_of(request))
