"""The page on which a person builds a sweep. It shows a form and the sweep's document side by side, and can
make each of them from the other."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from engine.scenario.document import BadScenario, load
from engine.scenario.shelf import entry
from eosviz.bounded.refusing import BeyondBounds, Busy
from eosviz.bounded.register import COMMAND_LINE, Caller, caller
from eosviz.bounded.tasks import TASKS
from eosviz.browser import browser_making, browser_of
from eosviz.callers import address_of
from eosviz.catalogue import language_of
from eosviz.pipeline import actions
from eosviz.pipeline.actions import JobRefused
from eosviz.pipeline.bad_sweep import BadSweep
from eosviz.pipeline.sweep_axes import FAULTS_MAX
from eosviz.pipeline.sweep_checking import checked_sweep
from eosviz.pipeline.sweep_document import read_document
from eosviz.pipeline.sweep_form import (
    CHOICES_MAX,
    COLUMNS_MAX,
    ERRORS,
    KINDS,
    ROWS_MAX,
    ChoiceFields,
    FaultFields,
    Filled,
    kept_places,
    of_document,
    of_form,
)
from eosviz.pipeline.sweep_generations import NAME as GENERATION
from eosviz.pipeline.sweep_generations import generation_axis
from eosviz.pipeline.sweep_mistakes import worded_mistakes
from eosviz.pipeline.sweep_parameters import Parameter, Section, sections_of
from eosviz.pipeline.sweep_places import places_of
from eosviz.pipeline.sweep_writing import BadForm, write_form
from eosviz.pipeline.tasks import ask_for_process
from eosviz.scenarios.cards import cards

SAMPLES = Path(__file__).with_name("samples")


def samples() -> list[dict[str, Any]]:
    """The sample sweeps, each as a dict of `name`, `title`, `lesson` and `text` (the document)."""
    found = []
    for path in sorted(SAMPLES.glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
        found.append({"name": path.stem, "title": raw["title"], "lesson": raw["lesson"], "text": text})
    return found


@dataclass
class Draft:
    """The state of the page on which a person builds a sweep: the document (`text`) and the form."""

    text: str = ""
    scenario: str = ""
    variant: str | None = None
    sections: list[Section] = field(default_factory=list)
    filled: Filled = field(default_factory=Filled)
    written: str = ""
    """A digest of the form at the time when it was last written into the document or read from it."""
    problems: list[Exception] = field(default_factory=list)
    asks: Caller = COMMAND_LINE

    @property
    def parameters(self) -> list[Parameter]:
        return [one for section in self.sections for one in section.parameters]

    @property
    def places(self) -> list[str]:
        """The messages of the scenario that a fault can be applied to."""
        return places_of(self.scenario, self.variant) if self.scenario else []

    def about(self, scenario: str, variant: str | None) -> list[str]:
        """Choose the scenario and the variant, and determine which parameters the form has. Returns the names
        of the scenario's variants. For an unknown scenario, changes nothing and returns an empty list."""
        try:
            found = entry(scenario)
        except BadScenario:
            return []
        variants = [one["name"] for one in found.document.get("variants", ())]
        self.scenario, self.variant = found.id, variant if variant in variants else None
        self.sections = sections_of(load(found.document, self.variant, source=found.id))
        return variants

    @property
    def may_add_generations(self) -> bool:
        choices = self.filled.choices
        return (
            bool(self.scenario)
            and len(choices) < CHOICES_MAX
            and all(one.name != GENERATION for one in choices)
        )

    def add_generations(self) -> None:
        """Add Kafka's generations as an axis of the sweep, if the form may have this axis."""
        if self.may_add_generations:
            scenario = load(entry(self.scenario).document, self.variant, source=self.scenario)
            self.filled.choices.append(generation_axis(scenario))

    def read(self) -> None:
        """Fill the form from the document."""
        try:
            document = read_document(self.text)
            self.about(str(document.get("scenario", "")), document.get("variant"))
            self.filled = of_document(self.text, self.parameters)
            self.written = self.filled.digest
        except BadSweep as bad:
            self.problems.append(bad)

    def write(self) -> None:
        """Write the form into the document. The document is then checked completely, including every path."""
        try:
            self.text = write_form(
                self.text, self.scenario, self.variant, self.filled, self.parameters, self.asks
            )
            self.written = self.filled.digest
            checked_sweep(self.text, self.asks)
        except BadForm as bad:
            self.problems += bad.mistakes
        except (Busy, BeyondBounds) as none:
            self.problems.append(_not_now(none))
        except BadSweep as bad:
            self.problems.append(bad)


@require_http_methods(["GET", "HEAD", "POST"])
def build(request: HttpRequest) -> HttpResponse:
    """The page on which a person builds a sweep. `?scenario=SC-02&variant=…` or `?sample=…` fills the form. With
    `scenario`, `&generations` adds the axis of Kafka's generations. The name of the button in a POST is `write`,
    `read`, `more` or `start`."""
    draft = Draft(asks=caller(browser_of(request.session), address_of(request)))
    sample = None
    if request.method != "POST":
        sample = next((one for one in samples() if one["name"] == request.GET.get("sample")), None)
        if sample is not None:
            draft.text = sample["text"]
            draft.read()
        else:
            draft.about(request.GET.get("scenario", ""), request.GET.get("variant"))
            if "generations" in request.GET:
                draft.add_generations()
        return _page(request, draft, sample)
    form = request.POST
    draft.text = form.get("document", "").replace("\r\n", "\n")
    draft.about(form.get("scenario", ""), form.get("variant"))
    draft.filled, draft.written = of_form(form, draft.parameters), form.get("written", "")
    if "read" in form:
        draft.read()
    elif "write" in form and draft.sections:
        draft.write()
    elif form.get("more") == "generations":
        draft.add_generations()
    elif "more" in form:
        _add(draft.filled, form["more"])
    elif "start" in form:
        if draft.sections and draft.written and draft.filled.digest != draft.written:
            draft.problems.append(JobRefused("form_changed"))
        elif (started := _start(request, draft)) is not None:
            return started
    return _page(request, draft, None)


def _not_now(none: Busy | BeyondBounds) -> JobRefused:
    """The error that says why no bounded process has checked the document."""
    if isinstance(none, Busy):
        return JobRefused.for_now("busy", none.seconds)
    return JobRefused("check_too_much" if none.key == TASKS["sweep"].beyond else "edit_too_much")


def _start(request: HttpRequest, draft: Draft) -> HttpResponse | None:
    """Store the document as a sweep that waits, and redirect to its page. If the sweep is refused, returns
    None and adds the reason to the draft's problems."""
    try:
        document = checked_sweep(draft.text, draft.asks)
        out = settings.DATA_DIR / "sweeps"
        out.mkdir(parents=True, exist_ok=True)
        sweep = actions.add_sweep(document, draft.text, out, browser_making(request))
    except (BadSweep, JobRefused) as problem:
        draft.problems.append(problem)
        return None
    except (Busy, BeyondBounds) as none:
        draft.problems.append(_not_now(none))
        return None
    ask_for_process()
    return redirect("pipeline:sweep", sweep.id)


def _add(filled: Filled, what: str) -> None:
    """Add empty fields to the form, unless it has the largest number of them. ``what``: `faults`, `choices`,
    or `row` or `column` with the number of a choice, as `row.0`."""
    kind, _, number = what.partition(".")
    if kind == "faults" and len(filled.faults) < FAULTS_MAX:
        filled.faults.append(FaultFields(f"fault_{len(filled.faults) + 1}"))
    elif kind == "choices" and len(filled.choices) < CHOICES_MAX:
        filled.choices.append(ChoiceFields("", ["", ""], [("", ["", ""]), ("", ["", ""])]))
    elif kind in ("row", "column") and number.isdecimal() and int(number) < len(filled.choices):
        choice = filled.choices[int(number)]
        if kind == "row" and len(choice.rows) < ROWS_MAX:
            choice.rows.append(("", [""] * len(choice.paths)))
        elif kind == "column" and len(choice.paths) < COLUMNS_MAX:
            choice.paths.append("")
            choice.rows = [(name, [*cells, ""]) for name, cells in choice.rows]


def _page(request: HttpRequest, draft: Draft, sample: dict[str, Any] | None) -> HttpResponse:
    language = language_of(get_language())
    mistakes = worded_mistakes(draft.problems, draft.text, language)
    at_fields = {one["field"]: one for one in mistakes if one["field"]}
    fields = {*(one.path for one in draft.parameters), "seeds", "first_seed"}
    for one in mistakes:
        one["on_page"] = one["field"] in fields or str(one["field"]).startswith(("faults.", "choices."))
    context = {
        "cards": cards(),
        "chosen": draft.scenario,
        "variant": draft.variant or "",
        "variants": draft.about(draft.scenario, draft.variant),
        "sample": sample,
        "document": draft.text,
        "written": draft.written,
        "kept": _kept(draft),
        "problems": mistakes,
        "mistakes": at_fields,
        "filled": draft.filled,
        "sections": [_section_shown(section, draft.filled, at_fields) for section in draft.sections],
        "choices": [_choice_shown(one, number) for number, one in enumerate(draft.filled.choices)],
        "choices_open": len(draft.filled.choices) < CHOICES_MAX,
        "generations_open": draft.may_add_generations,
        "faults": [
            _fault_shown(one, number, draft.places)
            for number, one in enumerate(_at_least_one(draft.filled.faults))
        ],
        "faults_open": len(draft.filled.faults) < FAULTS_MAX,
        "paths": [parameter.path for parameter in draft.parameters],
        "errors": ERRORS,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if draft.problems else HTTPStatus.OK
    return render(request, "pipeline/build.html", context, status=status)


def _kept(draft: Draft) -> list[str]:
    try:
        return kept_places(draft.text, draft.parameters) if draft.text and draft.sections else []
    except BadSweep:
        return []


def _section_shown(section: Section, filled: Filled, mistakes: dict[str, Any]) -> dict[str, Any]:
    rows = [(one, filled.values.get(one.path, "")) for one in section.parameters]
    is_open = any(value or one.path in mistakes for one, value in rows)
    return {"key": section.key, "rows": rows, "open": is_open}


def _choice_shown(choice: ChoiceFields, number: int) -> dict[str, Any]:
    at = f"choices.{number}"
    return {
        "at": at,
        "number": number,
        "name": choice.name,
        "paths": [(f"{at}.path.{column}", path) for column, path in enumerate(choice.paths)],
        "rows": [
            (
                f"{at}.{row}.name",
                name,
                [(f"{at}.{row}.value.{column}", cell) for column, cell in enumerate(cells)],
            )
            for row, (name, cells) in enumerate(choice.rows)
        ],
        "rows_open": len(choice.rows) < ROWS_MAX,
        "columns_open": len(choice.paths) < COLUMNS_MAX,
    }


def _at_least_one(faults: list[FaultFields]) -> Iterable[FaultFields]:
    return faults or [FaultFields("fault_1")]


def _fault_shown(fault: FaultFields, number: int, places: list[str]) -> dict[str, Any]:
    """The fields of a fault for the template. ``places``: the messages of the scenario that a fault can be
    applied to."""
    return {
        "at": f"faults.{number}",
        "number": number + 1,
        "fields": fault,
        "kinds": [(kind, kind in fault.kinds) for kind in KINDS],
        "places": [(place, place in fault.places) for place in dict.fromkeys((*places, *fault.places))],
    }
