"""The right of the person who opened a socket. It lasts as long as the browser's session belongs to the same
account or, for anonymous visitors, has the same owner's key."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY

from eosviz.accounts.sessions import SessionStore
from eosviz.browser import browser_of
from eosviz.rights import Ending, Right, of_cookie, of_owner


def rights_of_person(scope: dict[str, Any]) -> tuple[Right, ...]:
    """The person's right, as a tuple of one; empty if no stored session belongs to the browser's cookie. The
    right ends (`Ending.SIGNED_OUT`) when that session no longer has the account or the owner's key that it
    has at this call."""
    cookie = scope["session"].session_key
    if not cookie:
        return ()
    user, browser = scope["session"].get(SESSION_KEY), browser_of(scope["session"])

    def ask() -> Ending | None:
        stored = SessionStore(cookie)
        # A browser without a key gets one when it creates something for the first time.
        is_same = stored.get(SESSION_KEY) == user and (not browser or browser_of(stored) == browser)
        return None if is_same else Ending.SIGNED_OUT

    topics = {of_cookie(cookie)} | ({of_owner(browser)} if browser else set())
    return (Right(f"person {of_cookie(cookie)} {user}", frozenset(topics), ask),)
