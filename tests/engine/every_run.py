"""The runs of the library: a scenario that has variants is played in these alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.scenario.document import Scenario
from engine.scenario.shelf import LibraryEntry, library
from engine.simulation import Simulation

RUNS = {
    entry.id if variant is None else f"{entry.id}-{variant}": (entry, variant)
    for entry in library()
    for variant in entry.variants or (None,)
}
"""By name."""
REFUSED = [
    name for name, (entry, variant) in RUNS.items() if "expect_refused" in entry.scenario(variant).document
]
"""Runs that no client begins, as their documents say."""
BEGUN = [name for name in RUNS if name not in REFUSED]


@dataclass(frozen=True)
class Played:
    """A run to its end."""

    name: str
    entry: LibraryEntry
    variant: str | None
    scenario: Scenario
    header: dict[str, Any]
    """As it is before the first step."""
    simulation: Simulation
    """As it is after the last step."""
    steps: list[dict[str, Any]]
    """In the form of docs/frame.md."""


def scenario_of(name: str) -> Scenario:
    entry, variant = RUNS[name]
    return entry.scenario(variant)


def play(name: str) -> Played:
    entry, variant = RUNS[name]
    scenario = entry.scenario(variant)
    simulation = Simulation(scenario)
    header = simulation.header()
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(step.to_json())
    return Played(name, entry, variant, scenario, header, simulation, steps)
