"""Makes the axis of Kafka's generations for a sweep. Each of its values sets the version of the brokers and
those of the clients."""

from __future__ import annotations

from typing import Any

from engine.generations.generation import GENERATIONS, in_generation, settings_in
from engine.scenario.document import BadScenario, Scenario
from eosviz.pipeline.sweep_form import COLUMNS_MAX, ChoiceFields
from eosviz.pipeline.sweep_parameters import written

NAME = "generation"


def generation_axis(scenario: Scenario) -> ChoiceFields:
    """The form's fields for the axis, with a row for each generation in which the scenario can run. Each
    column sets one version; a generation that would need more than COLUMNS_MAX columns is left out."""
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
