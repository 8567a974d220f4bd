"""Pages about sweeps. Each writes through `actions.py`; one's own sweeps and those of nobody are seen."""

from __future__ import annotations

import csv
import json
import tomllib
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.scenario import BadScenario, entry, load
from eosviz.catalogue import language_of
from eosviz.pipeline import actions
from eosviz.pipeline.actions import NotNow
from eosviz.pipeline.cell_figures import cell_figures
from eosviz.pipeline.heat_picture import draw_map
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.opening import document_of_run, open_document
from eosviz.pipeline.sweep_axes import BadSweep
from eosviz.pipeline.sweep_document import parse_sweep
from eosviz.pipeline.sweep_figures import FACETS_MAX, MEASURES, choices_of, panels_of, read_look
from eosviz.pipeline.sweep_form import KINDS, PLACES, document_of, sections_of
from eosviz.pipeline.sweep_measures import JUDGED, SUMS
from eosviz.pipeline.tasks import start_jobs
from eosviz.scenarios.cards import card_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.browser import browser_making, browser_of
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.views import PROBLEM_STATUS

SWEEPS_SHOWN = 50
SAMPLES = Path(__file__).with_name("samples")


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The sweeps that ran or run, newest first, and samples to start."""
    seen = Sweep.objects.seen_by(browser_of(request.session))
    recent = seen.recent().defer("table", "document")
    context = {
        "sweeps": recent[:SWEEPS_SHOWN],
        "count": seen.count(),
        "shown": SWEEPS_SHOWN,
        "samples": samples(),
    }
    return render(request, "pipeline/index.html", context)


def samples() -> list[dict[str, Any]]:
    """The lessons that are sweeps: name, title and text of each."""
    found = []
    for path in sorted(SAMPLES.glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
        found.append({"name": path.stem, "title": raw["title"], "lesson": raw["lesson"], "text": text})
    return found


@require_http_methods(["GET", "HEAD", "POST"])
def build(request: HttpRequest) -> HttpResponse:
    """`?scenario=SC-02&variant=…` or `?sample=…`: the form. POST with `start` runs the document in it, POST with
    `write` makes the document of the form's fields."""
    if request.method == "POST" and "start" in request.POST:
        return _start(request)
    asked = request.POST if request.method == "POST" else request.GET
    context: dict[str, Any] = {"document": "", "problem": None}
    sample = next((one for one in samples() if one["name"] == asked.get("sample")), None)
    if sample is not None:
        context |= {"sample": sample, "document": sample["text"]}
    context |= _form(asked)
    if request.method == "POST" and "write" in request.POST and context.get("sections"):
        try:
            context["document"] = _written(request.POST, context)
            parse_sweep(context["document"])
        except BadSweep as bad:
            context["problem"] = bad
    status = HTTPStatus.UNPROCESSABLE_ENTITY if context["problem"] else HTTPStatus.OK
    return render(request, "pipeline/build.html", context, status=status)


def _form(asked: QueryDict) -> dict[str, Any]:
    """What can vary in the scenario that was chosen; without one, which there are."""
    context: dict[str, Any] = {
        "cards": [card_of(version) for version in ScenarioVersion.objects.library()],
        "chosen": asked.get("scenario", ""),
        "asked": asked,
    }
    try:
        found = entry(asked.get("scenario", ""))
    except BadScenario:
        return context
    variants = [variant["name"] for variant in found.document.get("variants", ())]
    variant = asked.get("variant") if asked.get("variant") in variants else None
    scenario = load(found.document, variant, source=found.id)
    sections = sections_of(scenario)
    filled = [
        {"key": section.key, "rows": [(one, asked.get(one.path, "")) for one in section.parameters]}
        for section in sections
    ]
    return context | {
        "chosen": found.id,
        "variant": variant or "",
        "variants": variants,
        "sections": sections,
        "filled": filled,
        "places": [(place, place in asked.getlist("places")) for place in PLACES],
        "kinds": [(kind, kind in asked.getlist("kinds")) for kind in KINDS],
    }


def _written(form: QueryDict, context: dict[str, Any]) -> str:
    parameters = [one for section in context["sections"] for one in section.parameters]
    places = [place for place in form.getlist("places") if place in PLACES]
    kinds = [kind for kind in form.getlist("kinds") if kind in KINDS]
    return document_of(context["chosen"], context["variant"] or None, parameters, form, places, kinds)


def _start(request: HttpRequest) -> HttpResponse:
    text = request.POST.get("document", "").replace("\r\n", "\n")
    try:
        document = parse_sweep(text)
        out = settings.DATA_DIR / "sweeps"
        out.mkdir(parents=True, exist_ok=True)
        sweep = actions.add_sweep(document, text, out, browser_making(request))
    except (BadSweep, NotNow) as problem:
        context = _form(QueryDict()) | {"document": text, "problem": problem}
        return render(request, "pipeline/build.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    start_jobs.delay()
    return redirect("pipeline:sweep", sweep.id)


@require_safe
def sweep(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    """One sweep: how far it is, and what came out as heat maps. `sweep_figures.read_look` reads the rest."""
    shown = _seen(request, sweep_id)
    look = read_look(shown.axes, shown.table, request.GET)
    panels = panels_of(shown.axes, shown.table, look) if shown.table else []
    context = {
        "job": shown,
        "own": _owns(request, shown),
        "look": look,
        "choices": choices_of(shown.axes, shown.table, look),
        "panels": panels,
        "panels_max": FACETS_MAX,
        "spread": look.measure in MEASURES,
        "query": request.GET.urlencode(),
        "socket": f"/ws/sweeps/{shown.id}/?lang={language_of(get_language())}",
    }
    return render(request, "pipeline/sweep.html", context)


def _seen(request: HttpRequest, sweep_id: UUID) -> Sweep:
    """Somebody else's sweep does not exist."""
    return get_object_or_404(Sweep.objects.seen_by(browser_of(request.session)), id=sweep_id)


def _owns(request: HttpRequest, job: Any) -> bool:
    return job.owner != "" and job.owner == browser_of(request.session)


def _own(request: HttpRequest, sweep_id: UUID) -> Sweep:
    return get_object_or_404(Sweep.objects.of_browser(browser_of(request.session)), id=sweep_id)


@require_POST
def cancel(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    actions.ask_to_stop(_own(request, sweep_id))
    return redirect("pipeline:sweep", sweep_id)


@require_POST
def resume(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    try:
        actions.resume(_own(request, sweep_id))
    except NotNow as refused:
        return refused_page(request, refused, reverse("pipeline:sweep", args=[sweep_id]))
    start_jobs.delay()
    return redirect("pipeline:sweep", sweep_id)


@require_POST
def delete(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    try:
        actions.delete_sweep(_own(request, sweep_id))
    except NotNow as refused:
        return refused_page(request, refused, reverse("pipeline:sweep", args=[sweep_id]))
    return redirect("pipeline:index")


def refused_page(request: HttpRequest, refused: NotNow, back: str) -> HttpResponse:
    context = {"key": f"sweeps.refused.{refused.key}", "params": refused.params, "back": back}
    return render(request, "pipeline/refused.html", context, status=HTTPStatus.CONFLICT)


def problem_page(request: HttpRequest, problem: Problem, back: str) -> HttpResponse:
    context = {"problem": problem, "back": back}
    return render(request, "pipeline/refused.html", context, status=PROBLEM_STATUS.get(problem.code, 400))


@require_safe
def table_csv(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    """The table, a line per cell: axes, counts, first broken runs, medians."""
    shown = _seen(request, sweep_id)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="sweep-{str(shown.id)[:8]}.csv"'
    axes = [axis["name"] for axis in shown.axes]
    counts = ["runs", "refused", "unfinished", *SUMS]
    broken = [f"runs_{name}" for name in (*JUDGED, "failed", "aborted")]
    medians = [f"{name}_p{share}" for name in MEASURES for share in (5, 50, 95)]
    writer = csv.writer(response)
    writer.writerow([*axes, *counts, "rule", *broken, *medians])
    for row in shown.rows():
        figures = cell_figures(row)
        quantiles = {
            f"{one['name']}_p{share}": one[f"p{share}"] for one in figures["spreads"] for share in (5, 50, 95)
        }
        settings_of = json.loads(row["settings"])
        values = [safe(settings_of[name]) for name in axes]
        counted = [row.get(name, 0) for name in counts]
        rest = [row.get(name, 0) for name in broken]
        writer.writerow(
            [*values, *counted, row["rule"] or "", *rest, *(quantiles.get(one, "") for one in medians)]
        )
    return response


def safe(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets a mark in front."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else json.dumps(value).strip('"')


@require_safe
def map_png(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    """The heat maps of the page as a picture; same parameters."""
    shown = _seen(request, sweep_id)
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
    """One combination: counts with intervals, distributions, and runs to open."""
    shown = _seen(request, sweep_id)
    row = row_of(shown, cell)
    named = list(zip((axis["name"] for axis in shown.axes), row["values"], strict=True))
    context = {"job": shown, "row": row, "named": named, "cell": cell, "figures": cell_figures(row)}
    return render(request, "pipeline/cell.html", context)


@require_POST
def open_run(request: HttpRequest, sweep_id: UUID, cell: int) -> HttpResponse:
    """`guarantee`: the first run that broke it, at that step; nothing: the cell's first run, at its start."""
    shown = _seen(request, sweep_id)
    row = row_of(shown, cell)
    seed, step = run_of(row, request.POST.get("guarantee", ""))
    try:
        document = document_of_run(shown, cell, seed)
        opened = open_document(browser_making(request), shown.scenario, document, step)
    except Problem as problem:
        return problem_page(request, problem, reverse("pipeline:cell", args=[sweep_id, cell]))
    address = reverse("walkthroughs:player", args=[opened.branch.session_id])
    return redirect(f"{address}?branch={opened.branch.id}&step={opened.step}")


def run_of(row: dict[str, Any], guarantee: str) -> tuple[int, int]:
    """Seed and step; a guarantee that no run of the cell broke has none."""
    if not guarantee:
        return row["first_seed"], 0
    example = row.get(f"example_{guarantee}") if guarantee in JUDGED else None
    if not example:
        raise Http404
    return example["seed"], example["step"]
