"""The owner of a session is a key in the data of the session cookie. A browser gets its own key when it first
creates something that is stored for it; after signing in, the cookie holds the account's key instead
(`accounts/ownership.py`)."""

from __future__ import annotations

import secrets

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest

BROWSER_KEY = "browser"


def browser_of(data: SessionBase) -> str:
    """The browser's key; empty for a browser that has created nothing."""
    return str(data.get(BROWSER_KEY, ""))


def browser_making(request: HttpRequest) -> str:
    """The browser's key. A browser without one gets it now."""
    key = browser_of(request.session)
    if not key:
        key = request.session[BROWSER_KEY] = secrets.token_hex(24)
    return key
