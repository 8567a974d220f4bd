"""The runs of the library: a scenario that has variants is played in these alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.scenario.document import Scenario, acts
from engine.scenario.shelf import LibraryEntry, library
from engine.shapes.headers import Header
from engine.simulation import Simulation

RUNS = {
    entry.id if variant is None else f"{entry.id}-{variant}": (entry, variant)
    for entry in library()
    for variant in entry.variants or (None,)
}
"""By name."""


def is_refused(entry: LibraryEntry, variant: str | None) -> bool:
    """Whether no client begins this run, as its document says."""
    return "expect_refused" in entry.text and "expect_refused" in entry.scenario(variant).document


REFUSED = [name for name, run in RUNS.items() if is_refused(*run)]
BEGUN = [name for name in RUNS if name not in REFUSED]
WITH_DOCUMENTS = [
    (entry.id, variant)
    for entry in library()
    for variant in (*((None,) if acts(entry.document) else ()), *entry.variants)
    if not is_refused(entry, variant)
]
"""Id and variant of these runs, and of each document that shows its lesson without its variants."""


@dataclass(frozen=True)
class Played:
    """A run to its end."""

    name: str
    entry: LibraryEntry
    variant: str | None
    scenario: Scenario
    header: Header
    """As it is before the first step."""
    simulation: Simulation
    """As it is after the last step."""
    steps: list[dict[str, Any]]
    """In the form of docs/frame.md."""


@cache
def scenario_of(name: str) -> Scenario:
    entry, variant = RUNS[name]
    return entry.scenario(variant)


def play(name: str) -> Played:
    entry, variant = RUNS[name]
    scenario = scenario_of(name)
    simulation = Simulation(scenario)
    header = simulation.header()
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(step.to_json())
    return Played(name, entry, variant, scenario, header, simulation, steps)
