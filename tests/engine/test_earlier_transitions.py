"""A step that changes the states of several machines names every row, not only the last one."""

from __future__ import annotations

from typing import Any

from engine.scenario.shelf import entry
from engine.simulation import Simulation


def steps_of(scenario: str, count: int) -> list[dict[str, Any]]:
    simulation = Simulation(entry(scenario).scenario())
    made = (simulation.step() for _ in range(count))
    return [step.to_json() for step in made if step is not None]


def test_a_step_names_the_last_marker_and_what_it_completes() -> None:
    named = [
        [(row["machine"], row["to"]) for row in (*step.get("earlier_transitions", ()), step["transition"])]
        for step in steps_of("SC-44", 80)
        if step["transition"] is not None
    ]
    assert [("marker_states", "Done"), ("transaction_states", "CompleteCommit")] in named


def test_a_step_without_earlier_ones_does_not_name_them() -> None:
    for step in steps_of("SC-03", 40):
        assert "earlier_transitions" not in step or step["transition"] is not None
        assert step.get("earlier_transitions") != []
