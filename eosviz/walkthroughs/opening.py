"""Decides who may open an address that names a version of a scenario (`links.py`): everyone who may see the
version (`scenarios/visibility.py`), and everyone who already has a session of it."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from eosviz.browser import browser_of
from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.scenarios.visibility import viewers_of
from eosviz.walkthroughs.links import Link, version_of
from eosviz.walkthroughs.models import Session


def check_open(link: Link, request: HttpRequest | None) -> bool:
    """Returns True if everyone may open the address; its page may then be kept in shared caches. Returns
    False if this visitor may open it, but not everyone may. `request=None` means an anonymous visitor. Raises
    Problem if this visitor may not open it."""
    version, _ = version_of(link)
    seen_by = viewers_of(version)
    if seen_by(AnonymousUser()):
        return True
    if request is not None and (seen_by(request.user) or _runs(request, version)):
        return False
    raise Problem("not_found", "no_scenario", scenario=link.scenario)


def _runs(request: HttpRequest, version: ScenarioVersion) -> bool:
    return Session.objects.of_browser(browser_of(request.session)).filter(version=version).exists()
