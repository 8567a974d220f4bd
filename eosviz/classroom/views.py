"""The pages for members of a class. `teaching.py` has the pages for its instructors."""

from __future__ import annotations

import re
import uuid
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from eosviz.accounts.forms import words
from eosviz.accounts.request_types import SignedInRequest, is_signed_in
from eosviz.classroom import actions
from eosviz.classroom.actions import ClassRefused
from eosviz.classroom.forms import HandInForm, JoinForm, NameForm
from eosviz.classroom.judging import counting
from eosviz.classroom.kinds import kind_of, kinds
from eosviz.classroom.kinds.kind import StartForm
from eosviz.classroom.models import (
    TEXT_CHARACTERS_MAX,
    Assignment,
    Attempt,
    Classroom,
    Membership,
    Outcome,
    Part,
)
from eosviz.refusal_pages import refusal_page
from eosviz.refusals import Refusal

ASSIGNED = (("SC-01", "watch"), ("SC-03", "predict"), ("SC-02", "break"))
"""The assignments of the example class, as (scenario of the library, kind of assignment)."""
_CODE = re.compile(r"[-\w]{1,20}")


@never_cache
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The page with the user's classes. Without an account it shows an example of a class. `?code=` redirects
    to the page that asks whether to join the class with this code."""
    code = request.GET.get("code", "").strip()
    if _CODE.fullmatch(code):
        return redirect("classroom:join_link", code)
    if not is_signed_in(request):
        return _about(request)
    return _index(request)


def _about(request: HttpRequest) -> HttpResponse:
    context = {
        "assigned": [{"identifier": name, "kind_key": f"classroom.kind.{kind}"} for name, kind in ASSIGNED],
        "kinds": kinds(),
    }
    return render(request, "classroom/about.html", context)


def _index(
    request: SignedInRequest, join_form: JoinForm | None = None, name_form: NameForm | None = None
) -> HttpResponse:
    memberships = Membership.objects.filter(user=request.user).select_related("classroom")
    refused = any(form is not None and form.errors for form in (join_form, name_form))
    context = {
        "memberships": memberships.order_by(
            F("classroom__archived").desc(nulls_first=True), "-classroom__created"
        ),
        "join_form": join_form or JoinForm(auto_id="join_%s"),
        "name_form": name_form or NameForm(auto_id="make_%s"),
        "may_make": request.user.has_perm("classroom.add_classroom"),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    return render(request, "classroom/index.html", context, status=status)


@never_cache
@login_required
@require_POST
def make(request: SignedInRequest) -> HttpResponse:
    """Create a class; its creator teaches it."""
    if not request.user.has_perm("classroom.add_classroom"):
        return render(request, "classroom/forbidden.html", status=HTTPStatus.FORBIDDEN)
    form = NameForm(request.POST, auto_id="make_%s")
    if form.is_valid():
        try:
            return redirect(
                "classroom:detail", actions.create_class(request.user, form.cleaned_data["name"]).id
            )
        except ClassRefused as refused:
            add_refusal(form, refused)
    return _index(request, name_form=form)


@never_cache
@login_required
@require_POST
def join(request: SignedInRequest) -> HttpResponse:
    """Join the class with the code of POST `code`. The number of tries in a time is limited."""
    form = JoinForm(request.POST, auto_id="join_%s")
    if form.is_valid():
        try:
            return redirect("classroom:detail", actions.join(request.user, form.cleaned_data["code"]).id)
        except ClassRefused as refused:
            add_refusal(form, refused)
    return _index(request, join_form=form)


@never_cache
@login_required
@require_safe
def join_link(request: SignedInRequest, code: str) -> HttpResponse:
    """The page that asks whether to join a class. An instructor gives its link to learners."""
    return render(request, "classroom/join.html", {"code": code})


@never_cache
@login_required
@require_safe
def detail(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    """The page of one class, with its assignments and the user's progress. Instructors and administrators
    also see the members and the audit log."""
    classroom = get_object_or_404(Classroom.objects.seen_by(request.user).distinct(), id=classroom_id)
    mine = Membership.objects.filter(classroom=classroom, user=request.user).first()
    teaches = mine is not None and mine.part == Part.INSTRUCTOR
    attempts: dict[Any, list[Attempt]] = {}
    own = Attempt.objects.of(request.user).filter(assignment__classroom=classroom)
    for attempt in own.select_related("assignment").order_by("number"):
        attempts.setdefault(attempt.assignment_id, []).append(attempt)
    context = {
        "classroom": classroom,
        "mine": mine,
        "teaches": teaches,
        "may_read": teaches or request.user.has_perm("classroom.view_classroom"),
        "assignments": [
            {"assignment": one, "attempt": _shown(attempts.get(one.id, []))}
            for one in Assignment.objects.of_class(classroom)
        ],
    }
    if context["may_read"]:
        roster = list(Membership.objects.roster(classroom))
        context["roster"] = roster
        context["last_instructor"] = sum(one.part == Part.INSTRUCTOR for one in roster) == 1
        context["waiting"] = Attempt.objects.waiting_in(classroom).count()
        context["audit"] = classroom.audit.select_related("actor")[:20]
        context["link"] = request.build_absolute_uri(reverse("classroom:join_link", args=[classroom.code]))
        context["kinds"] = kinds()
        context["name_form"] = NameForm(initial={"name": classroom.name})
    return render(request, "classroom/detail.html", context)


def _shown(attempts: list[Attempt]) -> Attempt | None:
    """The attempt that counts; if none was submitted, the open one; None if none was begun."""
    return counting(attempts) or (attempts[-1] if attempts else None)


@never_cache
@login_required
@require_POST
def leave(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    """Leave the class. The user's attempts in it are deleted."""
    membership = get_object_or_404(Membership, classroom_id=classroom_id, user=request.user)
    try:
        actions.remove_member(membership, request.user)
    except ClassRefused as refused:
        messages.error(request, words(refused.key, **refused.params))
        return redirect("classroom:detail", classroom_id)
    return redirect("classroom:index")


@never_cache
@login_required
@require_safe
def assignment(request: SignedInRequest, assignment_id: uuid.UUID) -> HttpResponse:
    """The page of an assignment: the task, the user's attempts, and the start button."""
    return _assignment(request, _seen(request, assignment_id))


def _seen(request: SignedInRequest, assignment_id: uuid.UUID) -> Assignment:
    seen = Assignment.objects.seen_by(request.user).select_related("classroom", "version")
    return get_object_or_404(seen, id=assignment_id)


def _assignment(
    request: SignedInRequest,
    assignment: Assignment,
    start_form: StartForm | None = None,
    hand_in_form: HandInForm | None = None,
    refused: Refusal | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    attempts = list(Attempt.objects.of(request.user).filter(assignment=assignment).order_by("number"))
    for attempt in attempts:
        attempt.assignment = assignment
    open_one = next((one for one in attempts if one.outcome == Outcome.OPEN), None)
    judgement = None
    kind = kind_of(assignment)
    if open_one is not None and not kind.answer_fields():
        try:
            judgement = actions.judgement_of(open_one)
        except ClassRefused as unjudged:
            refused = refused or unjudged
    teaches = Assignment.objects.taught_by(request.user).filter(id=assignment.id).exists()
    reads = teaches or request.user.has_perm("classroom.view_classroom")
    context = {
        "assignment": assignment,
        "classroom": assignment.classroom,
        "takes_part": Membership.objects.filter(classroom=assignment.classroom, user=request.user).exists(),
        "takes_work": teaches or not (assignment.is_ahead or assignment.is_closed),
        "is_hidden": assignment.is_ahead and not reads,
        "teaches": teaches,
        "attempts": attempts,
        "counts": counting(attempts),
        "open_attempt": open_one,
        "best_stands": any(one.outcome in (Outcome.PASSED, Outcome.WAITING) for one in attempts),
        "judgement": judgement,
        "left": max(0, assignment.attempts_max - len(attempts)),
        "start_form": start_form or kind.start_form(assignment),
        "learners_attempts": actions.learners_attempts(assignment) if teaches else 0,
        "hand_in_form": hand_in_form
        or HandInForm(kind, initial={"text": "" if open_one is None else open_one.text}),
        "refused": refused,
        "kind": kind,
    }
    if refused is not None and refused.wait_seconds is not None:
        return refusal_page(request, "classroom/assignment.html", refused, context)
    return render(request, "classroom/assignment.html", context, status=status)


@never_cache
@login_required
@require_POST
def begin(request: SignedInRequest, assignment_id: uuid.UUID) -> HttpResponse:
    """Begin an attempt, or continue the open one, and redirect to the page on which the learner works.
    Answers 404 for users who are not members."""
    assignment = _seen(request, assignment_id)
    get_object_or_404(Membership, classroom=assignment.classroom, user=request.user)
    kind = kind_of(assignment)
    form = kind.start_form(assignment, request.POST)
    open_already = Attempt.objects.of(request.user).open().filter(assignment=assignment).exists()
    if form is not None and not open_already and not form.is_valid():
        return _assignment(request, assignment, start_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        chosen = form.chosen if form is not None and not open_already else {}
        attempt = actions.begin(request.user, assignment, chosen)
    except Refusal as refused:
        return _assignment(request, assignment, start_form=form, refused=refused, status=refused.status)
    if assignment.track:
        return redirect("tracks:detail", assignment.track)
    if attempt.session_id is None or kind.is_read:
        return redirect("classroom:assignment", assignment.id)
    return redirect("walkthroughs:player", attempt.session_id)


@never_cache
@login_required
@require_POST
def hand_in(request: SignedInRequest, attempt_id: uuid.UUID) -> HttpResponse:
    """Submit the attempt: the engine judges it, or an instructor will read it. With POST `run` the text is
    only stored as a draft, and the attempt's run opens."""
    own = Attempt.objects.of(request.user).select_related(
        "assignment__classroom", "assignment__version", "user"
    )
    attempt = get_object_or_404(own, id=attempt_id)
    try:
        if "run" in request.POST and attempt.session_id is not None:
            actions.keep_text(attempt, request.POST.get("text", "")[:TEXT_CHARACTERS_MAX])
            return redirect("walkthroughs:player", attempt.session_id)
        form = HandInForm(kind_of(attempt.assignment), request.POST)
        if not form.is_valid():
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            return _assignment(request, attempt.assignment, hand_in_form=form, status=status)
        actions.hand_in(attempt, **form.cleaned_data)
    except ClassRefused as refused:
        return _assignment(request, attempt.assignment, refused=refused, status=refused.status)
    return redirect("classroom:assignment", attempt.assignment_id)


def add_refusal(form: Any, refused: ClassRefused) -> None:
    form.add_error(None, words(refused.key, **refused.params))
