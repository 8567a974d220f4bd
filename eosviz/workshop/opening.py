"""Who may open an address that names a version of a scenario (`walkthroughs/links.py`).

Everyone who may see the scenario that published it (`DraftQuerySet.seen_by`), and everyone who has a session of it,
which they keep. A version that no published scenario contains (of the library, of a comparison, of a draft that its
author tried out, of a deleted scenario) is open to everyone with its address, which cannot be guessed.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from eosviz.accounts.models import User
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.links import Link, version_of
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.models import Session
from eosviz.workshop.models import Draft, Edition


def check_open(link: Link, request: HttpRequest | None) -> bool:
    """Returns True if everyone may open it, so that shared caches may keep it. `request=None` means an anonymous
    visitor. Raises Problem if this visitor may not. Public scenarios are decided without reading the cookie."""
    version, _ = version_of(link)
    if version.library_position is not None or not Edition.objects.filter(version=version).exists():
        return True
    if _seen_by(AnonymousUser(), version):
        return True
    if request is not None and (_seen_by(request.user, version) or _runs(request, version)):
        return False
    raise Problem("not_found", "no_scenario", scenario=link.scenario)


def _runs(request: HttpRequest, version: ScenarioVersion) -> bool:
    return Session.objects.of_browser(browser_of(request.session)).filter(version=version).exists()


def _seen_by(user: User | AnonymousUser, version: ScenarioVersion) -> bool:
    return Draft.objects.seen_by(user).filter(editions__version=version).exists()
