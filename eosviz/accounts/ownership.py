"""Gives an account, when its person signs in, what the browser owned before.

Every owner is a key. A browser's key owns what an anonymous visitor creates (`eosviz/browser.py`); an account
has such a key, too. After signing in, the browser's session holds the account's key, so all other code needs
only one rule about owners.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest

from eosviz.accounts.models import User
from eosviz.accounts.owning import everything
from eosviz.browser import BROWSER_KEY, browser_of


def take_over_browser(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Give the account what the browser owned. Django calls this after each sign-in."""
    held = browser_of(request.session)
    if held != user.owner_key:
        claim(user, held)
        request.session[BROWSER_KEY] = user.owner_key


def claim(user: User, browser: str) -> None:
    """Make the account the owner of everything that the key `browser` owns. Does nothing if the key is empty
    or belongs to an account."""
    if not browser or User.objects.filter(owner_key=browser).exists():
        return
    with transaction.atomic():
        for owned in everything():
            owned.claim(browser, user.owner_key)
