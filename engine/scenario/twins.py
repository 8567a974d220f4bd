"""Finds variants that give the same run under two names. They exist because a variant may set a value that the
document has anyway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.scenario.document import BadScenario, Scenario, load
from engine.scenario.shelf import entry
from engine.switches import Switches

_WORDS = frozenset({"title", "variant_title", "summary", "watch_for", "lesson", "expect", "variants"})
_BESIDE = frozenset({"question", "sources", "covers", "variants_only", "opens_on", "checkpoints", "beats"})
"""The sections that classify a document or say how its run is shown. None of them changes a step."""


def are_twins(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios give the same run; their names do not matter."""
    return _what_runs(one) == _what_runs(other)


def runs_as_written(document: Mapping[str, Any], variant: str | None) -> bool:
    """Whether a document gives the same run as the library's scenario with the same id. False for a document that
    cannot be loaded."""
    try:
        return are_twins(load(dict(document), variant), entry(str(document.get("id"))).scenario(variant))
    except BadScenario:
        return False


def _what_runs(scenario: Scenario) -> dict[str, Any]:
    document = {name: value for name, value in scenario.document.items() if name not in _WORDS | _BESIDE}
    return {**document, "switches": {**asdict(Switches()), **document["switches"]}}
