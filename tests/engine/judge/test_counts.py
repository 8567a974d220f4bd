"""The guarantees of a view count every break that a step reports, not only the first one."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import Step

RUNS = {"SC-08": "duplicated", "SC-29": "reordered"}


@pytest.mark.parametrize(("scenario", "guarantee"), RUNS.items())
def test_a_guarantee_counts_every_break(scenario: str, guarantee: str) -> None:
    simulation = Simulation(entry(scenario).scenario(None))
    counted: Counter[str] = Counter()
    for step in iter(simulation.step, None):
        assert isinstance(step, Step)
        for broken in step.broken:
            counted[broken["guarantee"]] += len(broken["serials"])
        shown = simulation.view()["guarantees"]
        assert {name: row["count"] for name, row in shown.items() if row["count"]} == counted
    assert counted[guarantee] >= 1


def test_the_first_break_stays_the_first() -> None:
    simulation = Simulation(entry("SC-08").scenario(None))
    steps = list(iter(simulation.step, None))
    first = next(step for step in steps if isinstance(step, Step) and step.broken)
    row = simulation.view()["guarantees"]["duplicated"]
    assert (row["broken_at"], row["serials"]) == (first.number, first.broken[0]["serials"])
    assert row["count"] > len(row["serials"])
