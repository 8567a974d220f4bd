"""The pages for a class's instructors. Pages that change something find the class among those that the user teaches;
the results are also for administrators."""

from __future__ import annotations

import uuid
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from eosviz.accounts.forms import words
from eosviz.catalogue import language_of
from eosviz.classroom import actions
from eosviz.classroom.actions import ClassRefused
from eosviz.classroom.forms import AssignmentForm, NameForm, ReadForm
from eosviz.classroom.models import Assignment, Attempt, Classroom, Kind, Membership, Part
from eosviz.classroom.results import csv_of, results_of
from eosviz.classroom.views import add_refusal
from eosviz.request_types import SignedInRequest
from eosviz.streamed import Streamed


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
    """`archived`: yes or no."""
    classroom = _taught(request, classroom_id)
    actions.set_archived(classroom, request.user, request.POST.get("archived") == "yes")
    return redirect("classroom:detail", classroom.id)


@never_cache
@login_required
@require_POST
def change_member(request: SignedInRequest, classroom_id: uuid.UUID, membership_id: int) -> HttpResponse:
    """`part`: learner, instructor, or out."""
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
        messages.error(request, words(refused.said_key, **refused.params))
    if membership.user_id == request.user.pk:
        return redirect("classroom:index")
    return redirect("classroom:detail", classroom.id)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: SignedInRequest, classroom_id: uuid.UUID, kind: str) -> HttpResponse:
    """A new assignment of one kind."""
    classroom = _taught(request, classroom_id)
    if kind not in Kind.values:
        raise Http404
    chosen = {"material": request.GET["material"]} if "material" in request.GET else None
    form = AssignmentForm(
        Kind(kind), request.user, request.POST if request.method == "POST" else None, initial=chosen
    )
    if request.method == "POST" and form.is_valid():
        try:
            given = actions.give_assignment(classroom, request.user, form.assignment())
            return redirect("classroom:assignment", given.id)
        except ClassRefused as refused:
            add_refusal(form, refused)
    context = {
        "classroom": classroom,
        "form": form,
        "kind_key": f"classroom.kind.{kind}",
        "kind_why_key": f"classroom.kind.{kind}.why",
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "classroom/assign.html", context, status=status)


@never_cache
@login_required
@require_POST
def withdraw(request: SignedInRequest, assignment_id: uuid.UUID) -> HttpResponse:
    taught = Assignment.objects.taught_by(request.user).select_related("classroom")
    assignment = get_object_or_404(taught, id=assignment_id)
    actions.withdraw_assignment(assignment, request.user)
    return redirect("classroom:detail", assignment.classroom_id)


@never_cache
@login_required
@require_safe
def results(request: SignedInRequest, classroom_id: uuid.UUID) -> HttpResponse:
    """Every learner at every assignment; the page updates itself."""
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
    """What a learner handed in. POST: `passed` (yes or no) and `comment`, for a text."""
    judged = Attempt.objects.judged_by(request.user).select_related("assignment__classroom", "user")
    found = get_object_or_404(judged, id=attempt_id)
    form = ReadForm(request.POST if request.method == "POST" else None, initial={"comment": found.comment})
    if request.method == "POST" and form.is_valid():
        passed = request.POST.get("passed") == "yes"
        try:
            actions.answer_text(found, request.user, passed, form.cleaned_data["comment"])
            return redirect("classroom:results", found.assignment.classroom_id)
        except ClassRefused as refused:
            add_refusal(form, refused)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {"attempt": found, "form": form, "classroom": found.assignment.classroom}
    return render(request, "classroom/attempt.html", context, status=status)
