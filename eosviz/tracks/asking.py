"""The questions of a branch: made by the engine out of the scenario and what was done to its run."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from engine.errors import Refused
from engine.predict import questions
from engine.scenario import load
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.models import Branch, line_interventions

KEPT = 128
"""Lists of questions kept per process: a class of thirty with a few branches each."""


def asked_on(line: list[Branch]) -> list[dict[str, Any]]:
    """Every question that this line meets, as far as its run goes if nobody does anything more to it."""
    session = line[0].session
    version: ScenarioVersion = session.version
    if not version.document.get("checkpoints"):
        return []
    made = [{**one["intervention"], "after": one["after"]} for one in line_interventions(line)]
    return _asked(version.digest, session.variant, json.dumps(made, sort_keys=True))


@lru_cache(maxsize=KEPT)
def _asked(digest: str, variant: str | None, interventions: str) -> list[dict[str, Any]]:
    version = ScenarioVersion.objects.get(digest=digest)
    scenario = load(version.document, variant, source=version.identifier)
    try:
        return [question.to_json() for question in questions(scenario, json.loads(interventions))]
    except Refused:
        # An intervention that this engine no longer takes: the run cannot be made again, so nothing is asked.
        return []
