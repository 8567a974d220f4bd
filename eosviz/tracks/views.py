"""The pages of the tracks and of one track, and the questions of a session."""

from __future__ import annotations

import uuid
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from engine.scenario.tracks import Track, TrackItem, tracks
from eosviz.browser import browser_making, browser_of
from eosviz.refusal_pages import refusal_json, refusal_page
from eosviz.refusals import Problem
from eosviz.tracks import actions
from eosviz.tracks.asking import questions_or_problem
from eosviz.tracks.models import Prediction
from eosviz.tracks.progress import progress_in, progress_of
from eosviz.walkthroughs.links import read_log
from eosviz.walkthroughs.models import Branch
from eosviz.walkthroughs.requested import branch_in, owned_session


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The page that lists all tracks, with the progress of this browser."""
    return render(request, "tracks/index.html", {"progress": progress_of(browser_of(request.session))})


@require_safe
def detail(request: HttpRequest, name: str) -> HttpResponse:
    """The page of one track. It lists the track's scenarios in order, each with the reason why it comes
    next."""
    progress = progress_in(browser_of(request.session), _track(name))
    return render(request, "tracks/detail.html", {"progress": progress})


@require_POST
def begin(request: HttpRequest, name: str, position: int) -> HttpResponse:
    """Redirect to the player with this browser's session for the position; the session is created if there is
    none. ``log``: the log case to which the player shows a link back."""
    track = _track(name)
    _item(track, position)
    try:
        session = actions.begin(browser_making(request), track, position)
    except Problem as problem:
        context = {"progress": progress_in(browser_of(request.session), track)}
        return refusal_page(request, "tracks/detail.html", problem, context)
    player = reverse("walkthroughs:player", args=[session.id])
    log = read_log(request.POST)
    return redirect(player if log is None else f"{player}?{urlencode({'log': log})}")


@require_POST
def finish(request: HttpRequest, name: str, position: int) -> HttpResponse:
    """Mark the scenario as done. Redirects to the next scenario, or after the last one to the track's page;
    with POST `stay`, the response is empty."""
    track = _track(name)
    _item(track, position)
    actions.finish(browser_making(request), track, position)
    if request.POST.get("stay"):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    if position < len(track.items):
        return begin(request, name, position + 1)
    return redirect("tracks:detail", name)


@never_cache
@require_safe
def session_questions(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Responds with the questions on the branch `?branch=<id>` and its ancestors, and with the answers so
    far."""
    session = owned_session(request, session_id)
    branch = branch_in(session, request.GET.get("branch", ""))
    line = Branch.objects.line(branch)
    try:
        questions = questions_or_problem(line)
    except Problem as problem:
        return refusal_json(problem)
    answers = Prediction.objects.of_line(line)
    return JsonResponse(
        {"questions": questions, "answers": {str(answer.at): answer.choice for answer in answers}}
    )


@require_POST
def predict(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Store an answer to a question. POST `branch`: the branch that is shown; `at`: the step of the question;
    `choice`: empty to skip the question."""
    session = owned_session(request, session_id)
    branch = branch_in(session, request.POST.get("branch", ""))
    at = request.POST.get("at", "")
    if not at.isdecimal() or len(at) > 9:
        raise Http404
    try:
        actions.predict(session, branch, int(at), request.POST.get("choice", "")[:80])
    except Problem as problem:
        return refusal_json(problem)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _track(name: str) -> Track:
    found = next((track for track in tracks() if track.name == name), None)
    if found is None:
        raise Http404
    return found


def _item(track: Track, position: int) -> TrackItem:
    if not 1 <= position <= len(track.items):
        raise Http404
    return track.items[position - 1]
