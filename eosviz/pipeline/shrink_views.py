"""Pages about shrinks: started at a broken run, opened as a session, taken along as a scenario."""

from __future__ import annotations

from uuid import UUID

import tomlkit
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from eosviz.catalogue import language_of
from eosviz.pipeline import actions
from eosviz.pipeline.actions import NotNow
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.pipeline.opening import document_of_run, open_document
from eosviz.pipeline.tasks import start_jobs
from eosviz.pipeline.views import problem_page, refused_page, row_of, run_of
from eosviz.walkthroughs.browser import browser_making, browser_of
from eosviz.walkthroughs.messages import Problem
from eosviz.workshop.actions import WorkshopRefused, from_text


@require_POST
def start(request: HttpRequest, sweep_id: UUID, cell: int) -> HttpResponse:
    """`guarantee`: shrink the first run of the cell that broke it."""
    sweep = get_object_or_404(Sweep.objects.seen_by(browser_of(request.session)), id=sweep_id)
    guarantee = request.POST.get("guarantee", "") or "none"
    seed, _ = run_of(row_of(sweep, cell), guarantee)
    back = reverse("pipeline:cell", args=[sweep_id, cell])
    try:
        document = document_of_run(sweep, cell, seed)
        job = actions.add_shrink(sweep, document, guarantee, browser_making(request))
    except Problem as problem:
        return problem_page(request, problem, back)
    except NotNow as refused:
        return refused_page(request, refused, back)
    start_jobs.delay()
    return redirect("pipeline:shrink", job.id)


@require_safe
def shrink(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    job = _seen(request, shrink_id)
    context = {
        "job": job,
        "own": job.owner != "" and job.owner == browser_of(request.session),
        "socket": f"/ws/shrinks/{job.id}/?lang={language_of(get_language())}",
    }
    return render(request, "pipeline/shrink.html", context)


def _seen(request: HttpRequest, shrink_id: UUID) -> Shrink:
    found = Shrink.objects.seen_by(browser_of(request.session)).select_related("sweep")
    return get_object_or_404(found, id=shrink_id)


def _own(request: HttpRequest, shrink_id: UUID) -> Shrink:
    return get_object_or_404(Shrink.objects.of_browser(browser_of(request.session)), id=shrink_id)


@require_POST
def cancel(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    actions.ask_to_stop(_own(request, shrink_id))
    return redirect("pipeline:shrink", shrink_id)


@require_POST
def resume(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    try:
        actions.resume(_own(request, shrink_id))
    except NotNow as refused:
        return refused_page(request, refused, reverse("pipeline:shrink", args=[shrink_id]))
    start_jobs.delay()
    return redirect("pipeline:shrink", shrink_id)


@require_POST
def open_run(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    """A session of the scenario with what is left, at the step that breaks."""
    job = _seen(request, shrink_id)
    back = reverse("pipeline:shrink", args=[shrink_id])
    if job.step is None:
        return refused_page(request, NotNow("not_shrunk"), back)
    try:
        opened = open_document(browser_making(request), job.scenario, job.shrunk_document, job.step)
    except Problem as problem:
        return problem_page(request, problem, back)
    address = reverse("walkthroughs:player", args=[opened.branch.session_id])
    return redirect(f"{address}?branch={opened.branch.id}&step={opened.step}")


@never_cache
@login_required
@require_POST
def make_scenario(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    """A draft of one's own in the workshop: the scenario with what is left."""
    job = _seen(request, shrink_id)
    back = reverse("pipeline:shrink", args=[shrink_id])
    if job.step is None:
        return refused_page(request, NotNow("not_shrunk"), back)
    try:
        draft = from_text(request.user, scenario_text(job))
    except WorkshopRefused:
        return refused_page(request, NotNow("no_draft"), back)
    return redirect("workshop:build", draft.id)


@require_safe
def scenario_toml(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    """The scenario with what is left, as a file that the builder takes."""
    job = _seen(request, shrink_id)
    response = HttpResponse(scenario_text(job), content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{job.scenario}-shrunk.toml"'
    return response


def scenario_text(job: Shrink) -> str:
    return tomlkit.dumps({key: value for key, value in job.shrunk_document.items() if value is not None})
