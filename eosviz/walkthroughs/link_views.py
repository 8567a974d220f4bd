"""The pages of links (`links.py`): one shows where a link leads and opens it; the other redirects to the link
of a step of a session."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from eosviz.bounded.register import caller
from eosviz.browser import browser_making, browser_of
from eosviz.callers import address_of
from eosviz.rates import take
from eosviz.refusal_pages import refusal_page
from eosviz.refusals import Problem
from eosviz.scenarios.cards import card_of
from eosviz.walkthroughs.linking import check_length, open_link
from eosviz.walkthroughs.links import (
    Link,
    link_to,
    read_branch,
    read_link,
    read_step,
    version_of,
    view_fields,
)
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.opening import check_open
from eosviz.walkthroughs.previewing import preview_of
from eosviz.walkthroughs.requested import owned_session

OPENED_KEY = "opened_links"
OPENED_MAX = 50
"""If a browser opens one of its last OPENED_MAX links again, it gets the session that was created the
first time, provided that this session still has the steps of the link. For an older link, a new session is
created."""
STEPS_COUNTED_AS_ONE = 500
"""Opening a link runs the engine. It counts once against the limit `open_link.address`, and once more for
every STEPS_COUNTED_AS_ONE steps of the run."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def open_page(request: HttpRequest, scenario: str, version: str) -> HttpResponse:
    """The page of a link. GET shows where the address leads and creates nothing, because programs that
    preview links also send GET. In a browser, the page then sends the POST by itself."""
    try:
        link = read_link(scenario, version, request.GET)
        check_open(link, request)
        if request.method == "POST":
            take("open_link.address", address_of(request), 1 + link.steps_needed // STEPS_COUNTED_AS_ONE)
            return _open(request, link)
        known = _opened_before(request, link)
        if known is not None:
            return redirect(_player_address(known, min(link.step, known.newest), link))
        check_length(link)
        found, is_named = version_of(link)
    except Problem as problem:
        return _refused(request, problem)
    absolute = request.build_absolute_uri(link.address())
    card = card_of(found)
    context = {
        "card": card,
        "link": link,
        "is_named": is_named,
        "count": len(link.done),
        "preview": preview_of(request, link, card, link.address()),
        "oembed": request.build_absolute_uri(f"{reverse('replays:oembed')}?{urlencode({'url': absolute})}"),
    }
    return render(request, "walkthroughs/open.html", context)


def _open(request: HttpRequest, link: Link) -> HttpResponse:
    browser = browser_making(request)
    opened = open_link(browser, link, caller(browser, address_of(request)))
    known = dict(request.session.get(OPENED_KEY, {}))
    known[link.digest] = opened.branch.id
    request.session[OPENED_KEY] = dict(list(known.items())[-OPENED_MAX:])
    return redirect(_player_address(opened.branch, opened.step, link, as_linked=opened.as_linked))


@never_cache
@require_safe
def rerun(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Redirects to the link of the step that `?branch=…&step=…` names. The link makes the branch again, with
    all its interventions."""
    session = owned_session(request, session_id)
    branch, step = place_in(session, request.GET)
    try:
        link = link_to(branch, step, None, None)
    except Problem as problem:
        return _refused(request, problem)
    return redirect(link.address())


def place_in(session: Session, query: QueryDict) -> tuple[Branch, int]:
    """Returns the branch of this session that the address names (`branch`), and the number of the step
    (`step`), or of the branch's newest step if `step` is greater. Raises Http404."""
    number, step = read_branch(query), read_step(query)
    if number is None or step is None:
        raise Http404
    branches = Branch.objects.select_related("session__version").filter(session=session)
    branch = get_object_or_404(branches, id=number)
    return branch, min(step, branch.newest)


def _opened_before(request: HttpRequest, link: Link) -> Branch | None:
    """Returns the branch that this visitor got from a link to the same run, if it has enough steps; otherwise
    None."""
    branch_id = request.session.get(OPENED_KEY, {}).get(link.digest)
    owned = Branch.objects.filter(session__owner=browser_of(request.session), session__owner__gt="")
    found = owned.filter(id=branch_id).first() if branch_id is not None else None
    return found if found is not None and found.newest >= link.steps_needed else None


def _player_address(branch: Branch, step: int, link: Link, as_linked: bool = True) -> str:
    fields: dict[str, Any] = {
        "branch": branch.id,
        "step": step,
        **view_fields(link.view, link.selection, link.zoom),
    }
    if not as_linked:
        fields["changed"] = 1
    shown = urlencode({name: value for name, value in fields.items() if value != ""})
    return f"{reverse('walkthroughs:player', args=[branch.session_id])}?{shown}"


def _refused(request: HttpRequest, problem: Problem) -> HttpResponse:
    return refusal_page(request, "walkthroughs/open_refused.html", problem)
