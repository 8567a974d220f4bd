"""The runs of the library. If a scenario has variants, only its variants are played."""

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
"""Name → library entry and name of the variant or None."""


def is_refused(entry: LibraryEntry, variant: str | None) -> bool:
    """Whether the document says that clients refuse this run at its start."""
    return "expect_refused" in entry.text and "expect_refused" in entry.scenario(variant).document


REFUSED = [name for name, run in RUNS.items() if is_refused(*run)]
BEGUN = [name for name in RUNS if name not in REFUSED]
WITH_DOCUMENTS = [
    (entry.id, variant)
    for entry in library()
    for variant in (*((None,) if acts(entry.document) else ()), *entry.variants)
    if not is_refused(entry, variant)
]
"""The id and variant of the runs that are not refused, and of each document that shows its lesson without variants."""


@dataclass(frozen=True)
class Played:
    """A run that was played to its end."""

    name: str
    entry: LibraryEntry
    variant: str | None
    scenario: Scenario
    header: Header
    """The header before the first step."""
    simulation: Simulation
    """The simulation after the last step."""
    steps: list[dict[str, Any]]
    """The steps in the form of docs/frame.md."""


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
