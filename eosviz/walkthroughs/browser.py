"""Who owns a session: whoever's key stands in the session cookie's data. A browser gets a key of its own when it
makes its first session; whoever signs in has the account's key there instead (`accounts/owning.py`).
"""

from __future__ import annotations

import secrets

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest

BROWSER_KEY = "browser"


def browser_of(data: SessionBase) -> str:
    """The browser's key, or an empty text for a browser that never made anything."""
    return str(data.get(BROWSER_KEY, ""))


def browser_making(request: HttpRequest) -> str:
    """The browser's key; a browser that makes its first session gets one now."""
    key = browser_of(request.session)
    if not key:
        key = request.session[BROWSER_KEY] = secrets.token_hex(24)
    return key
