"""The pages for a class's instructors. A page that changes something looks the class up among those that the
user teaches, and answers 404 otherwise. Administrators may also read the results."""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from eosviz.accounts.forms import words
from eosviz.accounts.request_types import SignedInRequest
from eosviz.catalogue import language_of
from eosviz.classroom import actions
from eosviz.classroom.actions import ClassRefused
from eosviz.classroom.assignment_form import AssignmentForm
from eosviz.classroom.forms import NameForm, ReadForm
from eosviz.classroom.kinds import kind_named, kind_of
from eosviz.classroom.models import Assignment, Attempt, Classroom, Membership, Part
from eosviz.classroom.results import csv_of, results_of
from eosviz.classroom.runs import branches_of, link_of
from eosviz.classroom.views import add_refusal
from eosviz.refusals import Problem
from eosviz.security import FRAMED_HERE_POLICY
from eosviz.streamed import Streamed
from eosviz.time_zone import difference_to_utc
from eosviz.walkthroughs.questions import branch_names
from eosviz.walkthroughs.views import element_attributes


def _taught(request: SignedInRequest, classroom_id: uuid.UUID) -> Classroom:
    return get_object_or_404(Classroom.objects.taught_by(request.user), id=classroom_id)


def _read(request: SignedInRequest, classroom_id: uuid.UUID) -> Classroom:
    return get_object_or_404(Classroom.objects.judged_by(request.user), id=classroom_id)


@never_cache
@login_required
@require_POST
def rename(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    classroom = _taught(request, classroom_id)
    form = NameForm(request.POST)
    if form.is_valid():
        actions.rename(classroom, request.user, form.cleaned_data["name"])
    else:
        messages.error(request, words("classroom.wrong.name"))
    return redirect("classroom:detail", classroom.id)


@never_cache
@login_required
@require_POST
def change_code(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    classroom = _taught(request, classroom_id)
    actions.change_code(classroom, request.user)
    return redirect("classroom:detail", classroom.id)


@never_cache
@login_required
@require_POST
def archive(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    """Archive the class if POST `archived` is yes; otherwise open it again."""
    classroom = _taught(request, classroom_id)
    actions.set_archived(classroom, request.user, request.POST.get("archived") == "yes")
    return redirect("classroom:detail", classroom.id)


@never_cache
@login_required
@require_POST
def delete(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    """Delete an archived class. A class that is not archived stays, and a message on its page says why."""
    classroom = _taught(request, classroom_id)
    try:
        actions.delete_class(classroom, request.user)
    except ClassRefused as refused:
        messages.error(request, words(refused.key, **refused.params))
        return redirect("classroom:detail", classroom_id)
    messages.success(request, words("classroom.deleted", name=classroom.name))
    return redirect("classroom:index")


@never_cache
@login_required
@require_POST
def change_member(request: SignedInRequest, classroom_id: uuid.UUID, membership_id: int) -> HttpResponse:
    """Change the member's part in the class, or end the membership: POST `part` is learner, instructor or out."""
    classroom = _taught(request, classroom_id)
    membership = get_object_or_404(Membership, id=membership_id, classroom=classroom)
    part = request.POST.get("part", "")
    try:
        if part == "out":
            actions.remove_member(membership, request.user)
        elif part in Part.values:
            actions.set_part(membership, request.user, Part(part))
        else:
            raise Http404
    except ClassRefused as refused:
        messages.error(request, words(refused.key, **refused.params))
    if membership.user_id == request.user.pk:
        return redirect("classroom:index")
    return redirect("classroom:detail", classroom.id)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: SignedInRequest, classroom_id: uuid.UUID, kind: str) -> HttpResponse:
    """The page with the form of a new assignment of one kind. POST creates the assignment."""
    classroom = _taught(request, classroom_id)
    found = kind_named(kind)
    if found is None:
        raise Http404
    chosen = {"material": request.GET["material"]} if "material" in request.GET else None
    form = AssignmentForm(found, request.user, _posted(request), initial=chosen)
    if form.is_bound and form.is_valid():
        try:
            given = actions.give_assignment(classroom, request.user, form.assignment())
            return redirect("classroom:assignment", given.id)
        except ClassRefused as refused:
            add_refusal(form, refused)
    return _form_page(request, form, classroom)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: SignedInRequest, assignment_id: uuid.UUID) -> HttpResponse:
    """The page with the form of an existing assignment. POST changes the assignment."""
    given = _taught_assignment(request, assignment_id)
    is_fixed = actions.learners_attempts(given) > 0
    form = AssignmentForm(kind_of(given), request.user, _posted(request), given=given, is_fixed=is_fixed)
    if form.is_bound and form.is_valid():
        try:
            actions.change_assignment(given, request.user, form.chosen())
            return redirect("classroom:assignment", given.id)
        except ClassRefused as refused:
            add_refusal(form, refused)
    return _form_page(request, form, given.classroom, is_fixed)


def _posted(request: SignedInRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _form_page(
    request: SignedInRequest, form: AssignmentForm, classroom: Classroom, is_fixed: bool = False
) -> HttpResponse:
    with timezone.override(form.time_zone):
        difference = difference_to_utc(timezone.now())
    context = {
        "classroom": classroom,
        "form": form,
        "given": form.given,
        "is_fixed": is_fixed,
        "kind": form.kind,
        "zone": str(form.time_zone),
        "difference": difference,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "classroom/assign.html", context, status=status)


def _taught_assignment(request: SignedInRequest, assignment_id: uuid.UUID) -> Assignment:
    taught = Assignment.objects.taught_by(request.user).select_related("classroom", "version")
    return get_object_or_404(taught, id=assignment_id)


@never_cache
@login_required
@require_POST
def withdraw(request: SignedInRequest, assignment_id: uuid.UUID) -> HttpResponse:
    """Delete an assignment. If learners have begun it, this needs POST `with_attempts=yes`, which also
    deletes their attempts; without it the assignment stays, and a message on its page says why."""
    assignment = _taught_assignment(request, assignment_id)
    try:
        actions.withdraw_assignment(assignment, request.user, request.POST.get("with_attempts") == "yes")
    except ClassRefused as refused:
        messages.error(request, words(refused.key, **refused.params))
        return redirect("classroom:assignment", assignment.id)
    return redirect("classroom:detail", assignment.classroom_id)


@never_cache
@login_required
@require_safe
def results(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    """The page with the results of every learner in every assignment. The page updates itself."""
    classroom = _read(request, classroom_id)
    context = {
        "classroom": classroom,
        "results": results_of(classroom),
        "socket": f"/ws/classes/{classroom.id}/?lang={language_of(get_language())}",
    }
    return render(request, "classroom/results.html", context)


@never_cache
@login_required
@require_safe
def results_csv(request: SignedInRequest, classroom_id: uuid.UUID) -> Streamed:
    classroom = _read(request, classroom_id)
    response = Streamed(csv_of(classroom), content_type="text/csv; charset=utf-8")
    name = f"{slugify(classroom.name) or 'class'}-results.csv"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def attempt(request: SignedInRequest, attempt_id: uuid.UUID) -> HttpResponse:
    """The page of a learner's attempt, with the task and the run. POST `passed` (yes or no) and `comment`
    store the instructor's decision on a text."""
    found = _judged(request, attempt_id)
    classroom = found.assignment.classroom
    form = ReadForm(_posted(request), initial={"comment": found.comment})
    waiting = list(Attempt.objects.waiting_in(classroom).values_list("id", flat=True))
    following = _after(found.id, waiting)
    if form.is_bound and form.is_valid():
        passed = request.POST.get("passed") == "yes"
        try:
            actions.answer_text(found, request.user, passed, form.cleaned_data["comment"])
            if following is not None:
                return redirect("classroom:attempt", following)
            messages.success(request, words("classroom.all_read"))
            return redirect("classroom:results", classroom.id)
        except ClassRefused as refused:
            add_refusal(form, refused)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    branches = branches_of(found)
    names = branch_names(branches, language_of(get_language()), "_title")
    context = {
        "attempt": found,
        "form": form,
        "classroom": classroom,
        "assignment": found.assignment,
        "kind": kind_of(found.assignment),
        "waiting": len(waiting),
        "following": following,
        "branches": [(branch, names[branch.id]) for branch in branches],
        "others": Attempt.objects.of(found.user).filter(assignment=found.assignment).order_by("number"),
    }
    return render(request, "classroom/attempt.html", context, status=status)


def _judged(request: SignedInRequest, attempt_id: uuid.UUID) -> Attempt:
    judged = Attempt.objects.judged_by(request.user).select_related(
        "assignment__classroom", "assignment__version", "user", "session__version"
    )
    return get_object_or_404(judged, id=attempt_id)


def _after(attempt_id: uuid.UUID, waiting: list[uuid.UUID]) -> uuid.UUID | None:
    """The id of the attempt whose text is to be read after this attempt's; None if no other text waits."""
    at = waiting.index(attempt_id) if attempt_id in waiting else -1
    others = [*waiting[at + 1 :], *waiting[: max(at, 0)]]
    return others[0] if others else None


@never_cache
@login_required
@require_safe
@xframe_options_sameorigin
def attempt_run(request: SignedInRequest, attempt_id: uuid.UUID, branch_id: int) -> HttpResponse:
    """The player's page with one branch of a learner's run. With `?frame`, it is made for display inside
    another page of this site."""
    found = _judged(request, attempt_id)
    branch = next((one for one in branches_of(found) if one.id == branch_id), None)
    if branch is None:
        raise Http404
    context: dict[str, Any] = {
        "attempt": found,
        "branch": branch,
        "in_frame": "frame" in request.GET,
        **element_attributes(),
    }
    status = HTTPStatus.OK
    try:
        link = link_of(found, branch)
        context |= {"step": link.step, "file": link.address("replays:linked_player")}
    except Problem as problem:
        context["problem"] = problem
        status = problem.status
    response = render(request, "classroom/attempt_run.html", context, status=status)
    response["Content-Security-Policy"] = FRAMED_HERE_POLICY
    return response
