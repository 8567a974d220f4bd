"""Code that the pages of sweeps and shrinks share: it finds the jobs that a person may see, cancels and
resumes jobs, opens a result, and shows refusals."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from eosviz.bounded.register import caller
from eosviz.browser import browser_making, browser_of
from eosviz.callers import address_of
from eosviz.pipeline import actions
from eosviz.pipeline.actions import JobRefused
from eosviz.pipeline.models import Job, jobs_of
from eosviz.pipeline.opening import open_document
from eosviz.pipeline.tasks import ask_for_process
from eosviz.refusal_pages import refusal_page
from eosviz.refusals import Problem, Refusal


def seen_job(request: HttpRequest, kind: type[Job], job_id: UUID) -> Any:
    """The job, if this browser owns it or it has no owner. Raises Http404 if it belongs to another person
    or does not exist."""
    return get_object_or_404(jobs_of(kind).seen_by(browser_of(request.session)), id=job_id)


def own_job(request: HttpRequest, kind: type[Job], job_id: UUID) -> Any:
    return get_object_or_404(jobs_of(kind).of_browser(browser_of(request.session)), id=job_id)


def owns(request: HttpRequest, job: Job) -> bool:
    return job.owner != "" and job.owner == browser_of(request.session)


@require_POST
def cancel(request: HttpRequest, job_id: UUID, kind: type[Job]) -> HttpResponse:
    job = own_job(request, kind, job_id)
    actions.ask_to_stop(job)
    return redirect(job)


@require_POST
def resume(request: HttpRequest, job_id: UUID, kind: type[Job]) -> HttpResponse:
    job = own_job(request, kind, job_id)
    try:
        actions.resume(job)
    except JobRefused as refused:
        return refused_page(request, refused, job.get_absolute_url())
    ask_for_process()
    return redirect(job)


def to_session(
    request: HttpRequest, scenario: str, document: dict[str, Any], step: int, back: str
) -> HttpResponse:
    """Open a session of this document, run it to `step` and redirect to it. If that fails, show the reason,
    with a link to the address `back`."""
    try:
        browser = browser_making(request)
        asks = caller(browser, address_of(request))
        opened = open_document(browser, scenario, document, step, asks)
    except Problem as problem:
        return refused_page(request, problem, back)
    address = reverse("walkthroughs:player", args=[opened.branch.session_id])
    return redirect(f"{address}?branch={opened.branch.id}&step={opened.step}")


def refused_page(request: HttpRequest, refused: Refusal, back: str) -> HttpResponse:
    return refusal_page(request, "pipeline/refused.html", refused, {"back": back})
