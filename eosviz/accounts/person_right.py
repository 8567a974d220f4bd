"""The right of the person who opened a socket: to be who they were when it was opened."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY

from eosviz.accounts.sessions import SessionStore
from eosviz.rights import Ending, Right, of_cookie, of_owner
from eosviz.walkthroughs.browser import browser_of


def rights_of_person(scope: dict[str, Any]) -> tuple[Right, ...]:
    """One that is gone (`Ending.SIGNED_OUT`) once the cookie's session is: after signing out or in, a new password, a
    ban, the account's end. None where the browser sent no cookie that holds anything. Reads the database."""
    cookie = scope["session"].session_key
    if not cookie:
        return ()
    user, browser = scope["session"].get(SESSION_KEY), browser_of(scope["session"])

    def ask() -> Ending | None:
        stored = SessionStore(cookie)
        # A browser that made nothing before gets its key with the first thing it makes.
        is_same = stored.get(SESSION_KEY) == user and (not browser or browser_of(stored) == browser)
        return None if is_same else Ending.SIGNED_OUT

    topics = {of_cookie(cookie)} | ({of_owner(browser)} if browser else set())
    return (Right(f"person {of_cookie(cookie)} {user}", frozenset(topics), ask),)
