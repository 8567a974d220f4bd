"""Ownership. A browser's key owns what anonymous visitors create (`walkthroughs/browser.py`); an account has such
a key too. Signing in gives the account what the browser owned, and from then on the browser's session has the
account's key: so one rule about owners is enough."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest

from eosviz.accounts.models import User
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.replays.models import Export, Replay, Upload
from eosviz.tracks.models import Visit
from eosviz.walkthroughs.browser import BROWSER_KEY, browser_of
from eosviz.walkthroughs.models import Session


def take_over_browser(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Give the account what the browser owned. Called by Django after each sign-in."""
    held = browser_of(request.session)
    if held != user.owner_key:
        claim(user, held)
        request.session[BROWSER_KEY] = user.owner_key


def claim(user: User, browser: str) -> None:
    """Everything of this browser belongs to the account from now on. An empty key owns nothing."""
    if not browser or User.objects.filter(owner_key=browser).exists():
        return
    with transaction.atomic():
        Session.objects.of_browser(browser).update(owner=user.owner_key)
        Replay.objects.of_browser(browser).update(owner=user.owner_key)
        Export.objects.of_browser(browser).update(owner=user.owner_key)
        Upload.objects.of_browser(browser).update(owner=user.owner_key)
        Sweep.objects.of_browser(browser).update(owner=user.owner_key)
        Shrink.objects.of_browser(browser).update(owner=user.owner_key)
        _claim_visits(user.owner_key, browser)


def _claim_visits(account: str, browser: str) -> None:
    """Merges progress: what was done in either is done, and the account's run is kept."""
    known = {(visit.track, visit.position): visit for visit in Visit.objects.of_browser(account)}
    for visit in Visit.objects.of_browser(browser):
        mine = known.get((visit.track, visit.position))
        if mine is None:
            visit.owner = account
            visit.save(update_fields=["owner"])
            continue
        run = visit.session
        visit.delete()
        mine.done = mine.done or visit.done
        mine.session = mine.session or run
        mine.save(update_fields=["done", "session"])
