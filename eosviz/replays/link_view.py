"""Responds with the link to the run and step that a page shows, with the HTML to embed them, and with the run
as text."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from eosviz.catalogue import language_of
from eosviz.refusal_pages import refusal_json
from eosviz.refusals import Problem
from eosviz.replays.embed_views import frame_html
from eosviz.walkthroughs.asked_run import FRAME_STEPS_MAX
from eosviz.walkthroughs.link_views import place_in
from eosviz.walkthroughs.linking import check_length
from eosviz.walkthroughs.links import (
    VERSION_CHARACTERS,
    Link,
    link_to,
    read_branch,
    read_selection,
    read_step,
    read_view,
    read_zoom,
)
from eosviz.walkthroughs.models import Branch, Presentation, Session
from eosviz.walkthroughs.requested import owned_session


@never_cache
@require_safe
def session_link(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Responds to the owner of a session. `?branch=…&step=…&view=…&zoom=…&select=…` say what the page shows.
    The response is `{"address": …, "frame": …}`: a link to this, and the HTML of a frame that plays it.
    Beyond FRAME_STEPS_MAX steps there is no `frame`."""
    return _link(request, owned_session(request, session_id))


@never_cache
@require_safe
def follow_link(request: HttpRequest, token: uuid.UUID) -> HttpResponse:
    """Like `session_link`, for followers of the session. Each of them gets a session of their own with the
    link."""
    presented = Presentation.objects.open_to_followers().select_related("session")
    return _link(request, get_object_or_404(presented, token=token).session)


def _link(request: HttpRequest, session: Session) -> HttpResponse:
    branch, step = place_in(session, request.GET)
    try:
        shown = (read_view(request.GET), read_selection(request.GET), read_zoom(request.GET))
        link = link_to(branch, step, *shown)
        check_length(link)
    except Problem as problem:
        return refusal_json(problem)
    answer = {"address": request.build_absolute_uri(link.address())}
    if link.steps_needed <= FRAME_STEPS_MAX:
        title = f"{link.scenario} {session.decoded_header['title'][language_of(get_language())]}"
        answer["frame"] = frame_html(request.build_absolute_uri(link.address("replays:embed")), title)
    return JsonResponse(answer)


@never_cache
@require_safe
def session_text(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Redirects to the page with the run as text, of `?branch=…` (by default the first branch) up to
    `?step=…`."""
    session = owned_session(request, session_id)
    wanted = read_branch(request.GET)
    branches = Branch.objects.select_related("session__version").filter(session=session).order_by("id")
    branch = None if wanted is None else branches.filter(id=wanted).first()
    try:
        link = link_to(branch or branches[0], read_step(request.GET) or 0, None, None)
    except Problem:
        link = Link(
            scenario=session.version.identifier,
            version=session.version.digest[:VERSION_CHARACTERS],
            variant=session.variant,
        )
    return redirect(link.address("replays:text"))
