"""Describes the errors of a sweep in the reader's language, each with its place in the document and in the
form."""

from __future__ import annotations

import re
from typing import Any

from eosviz.catalogue import say
from eosviz.pipeline.actions import JobRefused
from eosviz.pipeline.bad_sweep import BadScenarioOfSweep, BadSweep
from eosviz.pipeline.sweep_document import read_document
from eosviz.pipeline.sweep_form import tables_in


def worded_mistakes(problems: list[Exception], text: str, language: str) -> list[dict[str, Any]]:
    """Each problem as a dict with `sentence`, `place` and `field`. For a BadSweep, `field` is the name of
    a field, which the form need not have, or None. For a JobRefused, `place` and `field` are None, and the dict
    also has `key`, the key of the sentence."""
    worded = []
    for problem in problems:
        if isinstance(problem, JobRefused):
            sentence = say(problem.key, language, problem.params)
            worded.append({"sentence": sentence, "key": problem.key, "place": None, "field": None})
        elif isinstance(problem, BadSweep):
            wrong, allowed = _words(problem, language)
            params = {"wrong": wrong, "allowed": allowed, "nearest": problem.nearest}
            sentence = say("sweeps.mistake_near" if problem.nearest else "sweeps.mistake", language, params)
            field = _field(problem, text)
            worded.append({"sentence": sentence, "place": problem.place, "field": field})
    return worded


def _words(problem: BadSweep, language: str) -> tuple[Any, Any]:
    if isinstance(problem, BadScenarioOfSweep):
        return problem.bad.sentences["reason"], problem.bad.sentences["allowed"]
    return say(problem.wrong, language, problem.params), say(problem.allowed, language, problem.params)


def _field(problem: BadSweep, text: str) -> str | None:
    """The name of the form's field for the place of the error; None for an axis without a path."""
    place = problem.place
    if isinstance(problem, BadScenarioOfSweep):
        return place
    found = re.fullmatch(r"axes\.(\d+)\..+", place)
    if found:
        axes = _axes(text)
        return axes[int(found[1])].get("path") if int(found[1]) < len(axes) else None
    return place.removeprefix("set.")


def _axes(text: str) -> list[Any]:
    try:
        return tables_in(read_document(text), "axes")
    except BadSweep:
        return []
