"""The pages of shrinks. A shrink is started at a broken run; its result can be opened as a session or
downloaded as a scenario."""

from __future__ import annotations

from uuid import UUID

import tomlkit
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from eosviz.browser import browser_making
from eosviz.catalogue import language_of
from eosviz.pipeline import actions
from eosviz.pipeline.actions import JobRefused
from eosviz.pipeline.job_views import owns, refused_page, seen_job, to_session
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.pipeline.opening import document_of_run
from eosviz.pipeline.tasks import ask_for_process
from eosviz.pipeline.views import row_of, run_of
from eosviz.refusals import Refusal


@require_POST
def start(request: HttpRequest, sweep_id: UUID, cell: int) -> HttpResponse:
    """Start a shrink of the first run of the cell that broke the guarantee of POST `guarantee`."""
    sweep = seen_job(request, Sweep, sweep_id)
    guarantee = request.POST.get("guarantee", "") or "none"
    seed, _ = run_of(row_of(sweep, cell), guarantee)
    back = reverse("pipeline:cell", args=[sweep_id, cell])
    try:
        document = document_of_run(sweep, cell, seed)
        job = actions.add_shrink(sweep, document, guarantee, browser_making(request))
    except Refusal as refused:
        return refused_page(request, refused, back)
    ask_for_process()
    return redirect("pipeline:shrink", job.id)


@require_safe
def shrink(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    job = seen_job(request, Shrink, shrink_id)
    context = {
        "job": job,
        "own": owns(request, job),
        "socket": f"/ws/shrinks/{job.id}/?lang={language_of(get_language())}",
    }
    return render(request, "pipeline/shrink.html", context)


@require_POST
def open_run(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    """Open a session of the scenario with the smaller fault script, at the step that breaks the guarantee."""
    job = seen_job(request, Shrink, shrink_id)
    back = reverse("pipeline:shrink", args=[shrink_id])
    if job.step is None:
        return refused_page(request, JobRefused("not_shrunk"), back)
    return to_session(request, job.scenario, job.shrunk_document, job.step, back)


@require_safe
def scenario_toml(request: HttpRequest, shrink_id: UUID) -> HttpResponse:
    """Sends the scenario with the smaller fault script as a TOML file that the scenario builder can
    import."""
    job = seen_job(request, Shrink, shrink_id)
    response = HttpResponse(scenario_text(job), content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{job.scenario}-shrunk.toml"'
    return response


def scenario_text(job: Shrink) -> str:
    return tomlkit.dumps({key: value for key, value in job.shrunk_document.items() if value is not None})
