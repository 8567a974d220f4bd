"""The pages of sweeps. They change jobs through `actions.py`. A person sees their own sweeps, and sweeps
without an owner."""

from __future__ import annotations

import csv
import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from eosviz.browser import browser_of
from eosviz.pipeline import actions
from eosviz.pipeline.actions import JobRefused
from eosviz.pipeline.build_views import samples
from eosviz.pipeline.cell_figures import cell_figures
from eosviz.pipeline.job_views import own_job, owns, refused_page, seen_job, to_session
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.opening import document_of_run
from eosviz.pipeline.sample_map import sample_map
from eosviz.pipeline.sweep_figures import panels_of, read_look
from eosviz.pipeline.sweep_measures import JUDGED, MEASURES, SUMS
from eosviz.pipeline.sweep_page import map_context, socket_address
from eosviz.refusals import Problem
from eosviz.spreadsheet import inert

SWEEPS_SHOWN = 50


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The page with the newest sweeps and with samples that can be started. If the person
    can see no sweep, it also shows the sample's heat map."""
    seen = Sweep.objects.seen_by(browser_of(request.session))
    recent = seen.recent().defer("table", "document")
    context = {
        "sweeps": recent[:SWEEPS_SHOWN],
        "count": seen.count(),
        "shown": SWEEPS_SHOWN,
        "samples": samples(),
        "map": None if recent.exists() else sample_map(),
    }
    return render(request, "pipeline/index.html", context)


@require_safe
def sweep(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    """The page of one sweep: its progress, and its results as heat maps. `sweep_figures.read_look` reads the
    parameters of the address."""
    shown = seen_job(request, Sweep, sweep_id)
    context = {"own": owns(request, shown), "socket": socket_address(shown, request.GET)}
    return render(request, "pipeline/sweep.html", context | map_context(shown, request.GET))


@require_POST
def delete(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    try:
        actions.delete_sweep(own_job(request, Sweep, sweep_id))
    except JobRefused as refused:
        return refused_page(request, refused, reverse("pipeline:sweep", args=[sweep_id]))
    return redirect("pipeline:index")


@require_safe
def table_csv(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    """Sends the table as CSV, with a line for each cell: its values on the axes, its counts, and the
    quantiles (5 %, 50 %, 95 %) of its measures."""
    shown = seen_job(request, Sweep, sweep_id)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="sweep-{str(shown.id)[:8]}.csv"'
    axes = [axis["name"] for axis in shown.axes]
    counts = ["runs", "refused", "unfinished", *SUMS]
    broken = [f"runs_{name}" for name in (*JUDGED, "failed", "aborted")]
    medians = [f"{name}_p{share}" for name in MEASURES for share in (5, 50, 95)]
    writer = csv.writer(response)
    writer.writerow([*map(inert, axes), *counts, "rule", *broken, *medians])
    for row in shown.rows():
        figures = cell_figures(row)
        quantiles = {
            f"{one['name']}_p{share}": one[f"p{share}"] for one in figures["spreads"] for share in (5, 50, 95)
        }
        settings_of = json.loads(row["settings"])
        settings = (settings_of[name] for name in axes)
        values = [inert(one) if isinstance(one, str) else json.dumps(one) for one in settings]
        counted = [row.get(name, 0) for name in counts]
        rest = [row.get(name, 0) for name in broken]
        writer.writerow(
            [*values, *counted, row["rule"] or "", *rest, *(quantiles.get(one, "") for one in medians)]
        )
    return response


@require_safe
def map_png(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    """Sends the heat maps of the sweep's page as a picture. It accepts the same parameters as the page."""
    # Imported here, because few pages need a drawing library.
    from eosviz.pipeline.heat_picture import draw_map

    shown = seen_job(request, Sweep, sweep_id)
    look = read_look(shown.axes, shown.table, request.GET)
    picture = draw_map(panels_of(shown.axes, shown.table, look), look, f"{shown.scenario} {look.measure}")
    response = HttpResponse(picture, content_type="image/png")
    response["Content-Disposition"] = f'attachment; filename="sweep-{str(shown.id)[:8]}-{look.measure}.png"'
    return response


def row_of(shown: Sweep, cell_number: int) -> dict[str, Any]:
    row = next((one for one in shown.rows() if one["cell"] == cell_number), None)
    if row is None:
        raise Http404
    return row


@require_safe
def cell(request: HttpRequest, sweep_id: UUID, cell: int) -> HttpResponse:
    """The page of one cell, with its shares and their intervals, its distributions, and runs that can be
    opened."""
    shown = seen_job(request, Sweep, sweep_id)
    row = row_of(shown, cell)
    named = list(zip((axis["name"] for axis in shown.axes), row["values"], strict=True))
    context = {"job": shown, "row": row, "named": named, "cell": cell, "figures": cell_figures(row)}
    return render(request, "pipeline/cell.html", context)


@require_POST
def open_run(request: HttpRequest, sweep_id: UUID, cell: int) -> HttpResponse:
    """Open a run of the cell as a session: with POST `guarantee` the first run that broke it, at the step at
    which it did; otherwise the cell's first run, at its start."""
    shown = seen_job(request, Sweep, sweep_id)
    row = row_of(shown, cell)
    seed, step = run_of(row, request.POST.get("guarantee", ""))
    back = reverse("pipeline:cell", args=[sweep_id, cell])
    try:
        document = document_of_run(shown, cell, seed)
    except Problem as problem:
        return refused_page(request, problem, back)
    return to_session(request, shown.scenario, document, step, back)


def run_of(row: dict[str, Any], guarantee: str) -> tuple[int, int]:
    """(seed, step) of the run to open. If ``guarantee`` is empty, the cell's first run at step 0. Raises
    Http404 if no run of the cell broke the guarantee."""
    if not guarantee:
        return row["first_seed"], 0
    example = row.get(f"example_{guarantee}") if guarantee in JUDGED else None
    if not example:
        raise Http404
    return example["seed"], example["step"]
