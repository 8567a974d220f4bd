"""Decides who owns what. A browser's key owns what anonymous visitors create (`eosviz/browser.py`), and an account
has such a key too. Signing in gives the account everything that the browser owned. From then on the browser's session
has the account's key, so one rule about owners is enough."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest

from eosviz.accounts.models import User
from eosviz.accounts.owning import everything
from eosviz.browser import BROWSER_KEY, browser_of


def take_over_browser(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Give the account what the browser owned. Called by Django after each sign-in."""
    held = browser_of(request.session)
    if held != user.owner_key:
        claim(user, held)
        request.session[BROWSER_KEY] = user.owner_key


def claim(user: User, browser: str) -> None:
    """Give what this browser's key owns to the account."""
    if not browser or User.objects.filter(owner_key=browser).exists():
        return
    with transaction.atomic():
        for owned in everything():
            owned.claim(browser, user.owner_key)
