"""A step before which much virtual time passes, and what has ended in this time."""

from __future__ import annotations

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import Step
from engine.view.derived import Derived


@pytest.mark.parametrize(
    ("name", "variant", "drops", "leaps"),
    [
        ("SC-75", "timeout", [], [(83, 19_450, "transaction_timeout")]),
        (
            "SC-75",
            "timeout",
            [{"action": "drop_message", "message": 27, "after": 87}],
            [(83, 19_450, "transaction_timeout"), (90, 29_995, "request_timeout")],
        ),
        ("SC-165", "k28", [], [(61, 4_960, None), (68, 2_810, "call")]),
        ("SC-03", None, [], []),
    ],
)
def test_a_step_says_how_much_time_passes_before_it_and_which_timer_ends(
    name: str, variant: str | None, drops: list[dict[str, object]], leaps: list[tuple[int, int, str | None]]
) -> None:
    simulation = Simulation(entry(name).scenario(variant), drops)
    derived = Derived(simulation.view())
    facts = [
        (step.number, derived.take(step.to_json()))
        for step in iter(simulation.step, None)
        if isinstance(step, Step)
    ]
    found = [(number, fact["leap"]) for number, fact in facts if "leap" in fact]
    assert [(number, one["ms"], one.get("ends")) for number, one in found] == leaps
