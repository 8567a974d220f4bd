"""A sweep's mistakes in the reader's language, each with the field of the form that it is about."""

from __future__ import annotations

import re
from typing import Any

from engine.scenario import BadScenario, entry
from eosviz.catalogue import say
from eosviz.pipeline.actions import NotNow
from eosviz.pipeline.bad_sweep import BadScenarioOfSweep, BadSweep
from eosviz.pipeline.sweep_form import read_document

_OF_THE_FAULT = re.compile(r"faults\.(\d+)(?:\.(.+))?")
_FIELD_OF_ENTRY = {
    "action": "kinds",
    "match.api": "places",
    "match.response": "places",
    "match.rate": "rates",
}
"""A place in an entry of the fault script, and the field that it comes from."""


def told_mistakes(problems: list[Exception], text: str, scenario: str, language: str) -> list[dict[str, Any]]:
    """`sentence`; for what stands at a place also `place`, and `field` where the form has one for it; `key` of what
    is refused for another reason."""
    told = []
    for problem in problems:
        if isinstance(problem, NotNow):
            sentence = say(f"sweeps.refused.{problem.key}", language, problem.params)
            key = f"sweeps.refused.{problem.key}"
            told.append({"sentence": sentence, "key": key, "place": None, "field": None})
        elif isinstance(problem, BadSweep):
            wrong, allowed = _words(problem, language)
            sentence = say("sweeps.mistake", language, {"wrong": wrong, "allowed": allowed})
            field = _field(problem, text, scenario)
            told.append({"sentence": sentence, "place": problem.place, "field": field})
    return told


def _words(problem: BadSweep, language: str) -> tuple[Any, Any]:
    if isinstance(problem, BadScenarioOfSweep):
        return problem.bad.told["reason"], problem.bad.told["allowed"]
    return say(problem.wrong, language, problem.params), say(problem.allowed, language, problem.params)


def _field(problem: BadSweep, text: str, scenario: str) -> str | None:
    """The name of the field; a place that the form does not have has none."""
    place = problem.place
    try:
        document = read_document(text) if text else {}
        own = len(entry(scenario).document.get("faults", ()))
    except (BadSweep, BadScenario):
        return None
    if isinstance(problem, BadScenarioOfSweep):
        # The scenario's own faults come first, the sweep's stand behind them.
        found = _OF_THE_FAULT.fullmatch(place)
        if found and int(found[1]) >= own:
            field = _FIELD_OF_ENTRY.get(found[2] or "", found[2])
            return f"faults.{int(found[1]) - own}.{field}"
        return place
    found = re.fullmatch(r"axes\.(\d+)\..+", place)
    if found:
        axes = document.get("axes", [])
        return axes[int(found[1])].get("path") if int(found[1]) < len(axes) else None
    return place.removeprefix("set.")
