"""Finds the session or branch that a request names, if the browser owns it."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from eosviz.browser import browser_of
from eosviz.walkthroughs.models import Branch, Session

_DIGITS_MAX = 18
"""A number with more digits is too large for the database."""


def owned_session(request: HttpRequest, session_id: uuid.UUID) -> Session:
    """Returns this browser's own session, with its version. Raises Http404 for any other."""
    owned = Session.objects.of_browser(browser_of(request.session)).select_related("version")
    return get_object_or_404(owned, id=session_id)


def owned_branch(request: HttpRequest, wanted: str) -> Branch:
    """Returns a branch of one of this browser's own sessions. Raises Http404 for any other."""
    owned = Branch.objects.filter(session__owner=browser_of(request.session), session__owner__gt="")
    return get_object_or_404(owned.select_related("session__version"), id=_number_in(wanted))


def branch_in(session: Session, wanted: str) -> Branch:
    """Returns a branch of this session. Raises Http404 for any other."""
    branches = Branch.objects.of_session(session.id).select_related("session__version")
    return get_object_or_404(branches, id=_number_in(wanted))


def _number_in(wanted: str) -> int:
    """Returns the id in a request. Raises Http404 if it is not an id."""
    if not wanted.isdecimal() or len(wanted) > _DIGITS_MAX:
        raise Http404
    return int(wanted)
