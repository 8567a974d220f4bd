"""Stores in a signed cookie which accounts have signed in with this browser: the latest ACCOUNTS_MAX of them,
for a year.

All browsers whose cookie does not contain an account share one limit on wrong passwords for it, so strangers
can exhaust this limit. A browser whose cookie contains the account has a limit of its own.
"""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from eosviz.middleware import Middleware

COOKIE = "known_accounts"
SALT = "eosviz.accounts.known_browsers"
COOKIE_SECONDS = 365 * 24 * 3600
ACCOUNTS_MAX = 8
"""The cookie has at most this many accounts, the latest. A computer in a classroom knows several."""


def remember(sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Mark the request, so that `KnownBrowsers` sets the cookie in its response."""
    # `KnownBrowsers` below reads this attribute; no class of Django declares it.
    request.known_account = user.email  # type: ignore[attr-defined]


def name_for(request: HttpRequest, email: str) -> str | None:
    """The id of this browser if its cookie contains the account with this address, else None."""
    name, accounts = _read(request)
    return name if _mark(email) in accounts else None


class KnownBrowsers(Middleware):
    """Sets the cookie in the response to a request that `remember` has marked."""

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        email: str | None = getattr(request, "known_account", None)
        if email is None:
            return response
        name, accounts = _read(request)
        mark = _mark(email)
        kept = [mark, *(one for one in accounts if one != mark)][:ACCOUNTS_MAX]
        response.set_cookie(
            COOKIE,
            signing.dumps([name, kept], salt=SALT),
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
        return response


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        name, accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS)
    except signing.BadSignature:
        return secrets.token_hex(16), []
    return name, accounts


def _mark(email: str) -> str:
    """A digest of the address, so that the cookie contains no address of an account."""
    return salted_hmac(SALT, email.strip().lower()).hexdigest()[:32]
