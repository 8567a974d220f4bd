"""The generations of Kafka as an axis of a sweep: each value sets the brokers' version and the clients'."""

from __future__ import annotations

from typing import Any

from engine.generations.generation import GENERATIONS, in_generation, settings_in
from engine.scenario.document import BadScenario, Scenario
from eosviz.pipeline.sweep_form import COLUMNS_MAX, ChoiceFields
from eosviz.pipeline.sweep_parameters import written

NAME = "generation"


def generation_axis(scenario: Scenario) -> ChoiceFields:
    """A row for each generation whose cluster has what the scenario names, as far as the form has room. A
    column sets one version."""
    rows: dict[str, dict[str, Any]] = {}
    for name, generation in GENERATIONS.items():
        try:
            in_generation(scenario, generation)
        except BadScenario:
            continue
        settings = settings_in(scenario, generation)
        if len(dict.fromkeys([*(path for row in rows.values() for path in row), *settings])) <= COLUMNS_MAX:
            rows[name] = settings
    paths = list(dict.fromkeys(path for row in rows.values() for path in row))
    return ChoiceFields(
        NAME,
        paths,
        [(name, [written(row[path]) if path in row else "" for path in paths]) for name, row in rows.items()],
    )
