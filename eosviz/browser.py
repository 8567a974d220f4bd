"""The key that owns runs, replays and jobs. The session of the browser's cookie holds it. A browser gets its
own key when it first creates something that is stored for it; when its person signs in, the account's key
replaces it (`accounts/ownership.py`)."""

from __future__ import annotations

import secrets

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest

BROWSER_KEY = "browser"


def browser_of(data: SessionBase) -> str:
    """The key in the session's data; empty if there is none."""
    return str(data.get(BROWSER_KEY, ""))


def browser_making(request: HttpRequest) -> str:
    """Return the browser's key. A browser without a key gets a new one."""
    key = browser_of(request.session)
    if not key:
        key = request.session[BROWSER_KEY] = secrets.token_hex(24)
    return key
