"""Who asks, for counting how often: a person, or an address whose people made nothing yet."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

from eosviz.walkthroughs.browser import browser_of

IPV6_PREFIX = 64
"""One customer of a network has so many bits of their own; they are one address."""


def address_of(request: HttpRequest) -> str:
    """The caller's own, where the operator says how many proxies in front add to `X-Forwarded-For`; what a
    caller wrote there themselves stands further left and is not believed.
    """
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
        # How a server that listens at both kinds of address names the older one.
        read = read.ipv4_mapped
    if read.version == 4:
        return str(read)
    return str(ipaddress.ip_network(f"{read}/{IPV6_PREFIX}", strict=False).network_address)


def caller_of(request: HttpRequest) -> tuple[str, str]:
    """`person` or `address`, and which one."""
    person = browser_of(request.session)
    return ("person", person) if person else ("address", address_of(request))
