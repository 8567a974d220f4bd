"""Who may open an address that names a version of a scenario (`walkthroughs/links.py`).

Everyone who may see the scenario that published it (`DraftQuerySet.seen_by`), everyone who has a session of it,
which they keep, and the instructors of a class who read a learner's attempt with it. A version that no published
scenario contains (of the library, of a comparison, of a draft that its author tried out, of a deleted scenario) is
open to everyone with its address, which cannot be guessed.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from eosviz.accounts.models import User
from eosviz.classroom.models import Attempt
from eosviz.request_types import is_signed_in
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
    if request is not None and any(may(request, version) for may in (_sees, _runs, _judges)):
        return False
    raise Problem("not_found", "no_scenario", scenario=link.scenario)


def _sees(request: HttpRequest, version: ScenarioVersion) -> bool:
    return _seen_by(request.user, version)


def _judges(request: HttpRequest, version: ScenarioVersion) -> bool:
    attempts = Attempt.objects.filter(session__version=version)
    return is_signed_in(request) and attempts.judged_by(request.user).exists()


def _runs(request: HttpRequest, version: ScenarioVersion) -> bool:
    return Session.objects.of_browser(browser_of(request.session)).filter(version=version).exists()


def _seen_by(user: User | AnonymousUser, version: ScenarioVersion) -> bool:
    return Draft.objects.seen_by(user).filter(editions__version=version).exists()
