"""Pages with the figures about a class and about all who agreed, and the endpoint to which a player's page
reports its reader's progress."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

import msgspec
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from msgspec import Meta, Struct

from eosviz.accounts.models import COUNTED_MIN
from eosviz.accounts.request_types import SignedInRequest
from eosviz.analytics import actions
from eosviz.analytics.models import PEOPLE_MIN_CLASS, Analysis, may_see_all
from eosviz.analytics.reading import overview, run_of
from eosviz.classroom.models import Classroom
from eosviz.pipeline.tasks import ask_for_process
from eosviz.refusals import Problem
from eosviz.scenarios.templatetags.words import minute
from eosviz.unreadable_json import UNREADABLE
from eosviz.walkthroughs.message_base import BranchId, StepNumber
from eosviz.walkthroughs.requested import owned_session

TRAIL_BYTES_MAX = 4_096


class Report(Struct, forbid_unknown_fields=True, frozen=True):
    """What a page reports. `static/player/trail.ts` sends it."""

    branch: BranchId
    last: StepNumber
    furthest: StepNumber
    backs: Annotated[list[StepNumber], Meta(max_length=100)]


_report = msgspec.json.Decoder(Report)


@require_POST
def trail(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Receives a page's report. Answers 204 whether or not the report is recorded, 400 for an unreadable
    body, and 404 for a session that the browser does not own or a branch that the session does not have."""
    session = owned_session(request, session_id)
    try:
        report = _report.decode(request.body[: TRAIL_BYTES_MAX + 1])
    except UNREADABLE:
        return HttpResponse(
            "not a message of this page", status=400, content_type="text/plain; charset=utf-8"
        )
    if actions.is_followed(session):
        try:
            actions.note_trail(session, int(report.branch), report.last, report.furthest, report.backs)
        except Problem:
            raise Http404 from None
    return HttpResponse(status=204)


@never_cache
@login_required
@require_safe
def of_all(request: SignedInRequest) -> HttpResponse:
    """The page with the figures about all who agreed. Answers 404 if `may_see_all` does not hold for the
    person."""
    _check_teaches(request)
    return _page(request, None)


@never_cache
@login_required
@require_safe
def of_class(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    return _page(request, _read(request, classroom_id))


@never_cache
@login_required
@require_POST
def ask_of_all(request: SignedInRequest) -> HttpResponse:
    _check_teaches(request)
    actions.ask(None)
    ask_for_process()
    return redirect("analytics:of_all")


@never_cache
@login_required
@require_POST
def ask_of_class(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    actions.ask(_read(request, classroom_id))
    ask_for_process()
    return redirect("analytics:of_class", classroom_id)


def _check_teaches(request: HttpRequest) -> None:
    """Raises Http404 for people who may not see the figures about everyone (`may_see_all`)."""
    if not may_see_all(request.user):
        raise Http404


def _read(request: SignedInRequest, classroom_id: uuid.UUID) -> Classroom:
    return get_object_or_404(Classroom.objects.judged_by(request.user), id=classroom_id)


def _page(request: HttpRequest, classroom: Classroom | None) -> HttpResponse:
    """The page of the newest finished analysis; with `?version=…&variant=…`, its page of one scenario along
    its steps."""
    newest = Analysis.objects.of_scope(classroom).first()
    shown = Analysis.objects.of_scope(classroom).filter(finished__isnull=False).first()
    context: dict[str, Any] = {
        "classroom": classroom,
        "newest": newest,
        "analysis": shown,
        "may_see_all": may_see_all(request.user),
        "least": COUNTED_MIN if classroom is None else PEOPLE_MIN_CLASS,
        "counted_at": shown and minute(shown.finished),
    }
    version = request.GET.get("version", "")
    if version:
        if shown is None or not (version.isdecimal() and len(version) < 19):
            raise Http404
        run = run_of(shown, int(version), request.GET.get("variant", ""))
        if run is None:
            raise Http404
        return render(request, "analytics/run.html", {**context, "run": run})
    if shown is not None:
        context["overview"] = overview(shown)
    return render(request, "analytics/overview.html", context)
