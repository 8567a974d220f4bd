"""The next states that an answer names are those of the run's version, without rows of other versions."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Refused
from engine.explain.machines import machines
from engine.scenario.document import Scenario
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from engine.why.asking import moment_of
from engine.why.states import rows_out_of
from tests.rotation import part

RUNS = [(found.id, variant) for found in library() for variant in found.variants or (None,)]


def targets(profile: str, subject: str, state: str) -> list[str]:
    """Return the next states after the first ``state`` of a transactional producer, or of its transactional id."""
    simulation = Simulation(entry("SC-44").scenario("k28", {"profile": profile}))
    while (step := simulation.step()) is not None:
        moved = step.transition
        if moved is not None and (moved["of"], moved["to"]) == (subject, state):
            rows = rows_out_of(moment_of(simulation), machines()[moved["machine"]], subject, state)
            return [f"{row.on} → {row.target}" for row in rows]
    raise AssertionError(f"{subject} never came to {state}")


@pytest.mark.parametrize(
    ("profile", "raises"), [("k20", False), ("k28", False), ("k39", False), ("k41", True)]
)
def test_a_decision_that_raises_the_epoch_is_a_way_out_since_4_0(profile: str, raises: bool) -> None:
    found = targets(profile, "txn-1", "Ongoing")
    assert found and any("raising_epoch" in way for way in found) == raises


@pytest.mark.parametrize(("profile", "again"), [("k20", False), ("k28", True)])
def test_an_epoch_is_exhausted_only_where_lost_numbers_raise_it(profile: str, again: bool) -> None:
    assert ("epoch_exhausted → UNINITIALIZED" in targets(profile, "p1", "READY")) == again


def taken(scenario: Scenario) -> list[tuple[str, str, int, Any]]:
    """Return the machine, the subject, the number of the row and the version of every transition."""
    try:
        simulation = Simulation(scenario)
    except Refused:
        return []
    found = []
    for _ in range(2_000):
        step = simulation.step()
        if step is None:
            break
        for moved in (*step.earlier_transitions, *([step.transition] if step.transition else [])):
            client = simulation.world.clients.get(moved["of"])
            profile = simulation.world.profile if client is None else client.profile
            found.append((moved["machine"], moved["of"], moved["row"], profile))
    return found


@pytest.mark.parametrize("run", part(RUNS, 40, "engine"), ids=lambda run: f"{run[0]}/{run[1] or ''}")
def test_no_run_takes_a_row_that_its_version_does_not_have(run: tuple[str, str | None]) -> None:
    wrong = [
        (machines()[machine].rows[row].name(machine), profile.name)
        for machine, _, row, profile in taken(entry(run[0]).scenario(run[1]))
        if not machines()[machine].rows[row].exists_in(profile)
    ]
    assert wrong == []
