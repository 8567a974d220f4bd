"""Who may open an address that names a version of a scenario (`walkthroughs/links.py`).

Whoever may look at the scenario it was published in, by the rule of `DraftQuerySet.seen_by`; and whoever has a session
of it, which stays theirs. A version that stands in no published scenario (of the library, of a comparison, of a draft
that its author tried out, of a scenario that was deleted) is open to whoever was given its address, which cannot be
guessed.
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
    """Whether everybody may open it, so that what it shows may be kept in shared caches. Raises Problem where this
    person (none: nobody known) may not: then the address leads nowhere. The cookie is not read before it matters."""
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
