"""A wrong row of a table is noticed, because the table alone drives the component.

Each row that leads to a state gets another target, and short runs of the library in which it decides are played
again. These runs must differ in more than what they report of the transition itself. If a machine does not store its
state but the effects of a row imply it, the effects are changed. A wrong guard is noticed by the situations of
test_machines.py, because guards exclude each other; if a row without a guard covers the remaining cases, runs notice
it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from engine.explain.machines import machines
from engine.machine import Machine, Row, deciding_rows
from engine.scenario.document import Scenario
from engine.scenario.shelf import library
from engine.simulation import Simulation

MOVES = [
    (machine, row)
    for machine in machines().values()
    for row in machine.rows
    if row.target not in (None, row.source)
]
BEFORE_DEFAULTS = [
    (machine, row)
    for machine in machines().values()
    for row in machine.rows
    if row.when and any(not other.when for other in machine.candidates(row.source, row.on))
]
EVERY = 12
"""`make test` takes one of so many rows, `make test-all` all of them."""
RUNS_MAX = 12
NONE = ""

LEADS_TO = {
    "group_pending_offset": {"stage": "Staged", "place": "Appended", "forget": "Absent"},
    "marker_states": {
        **dict.fromkeys(("forget", "count", "cross_off"), "Done"),
        **dict.fromkeys(("stop", "give_up", "cancel_transaction"), "Cancelled"),
        "queue": "Queued",
        "park": "Parked",
        "retry": "ToSend",
        "send_again": "ToSend",
    },
    "producer_id_block": {
        "read": "READING",
        "write": "WRITING",
        "keep": "HOLDING",
        "fail": "EXHAUSTED",
        NONE: "NO_BLOCK",
    },
}
"""The state that the last effect of a row implies: it says where a marker, an offset or a block of ids is then."""


@pytest.mark.parametrize("name", LEADS_TO)
def test_effects_lead_to_the_target(name: str) -> None:
    for row in machines()[name].rows:
        leads_to = LEADS_TO[name].get(last_effect(row))
        assert row.refused or leads_to in (None, row.target), row.name(name)


def last_effect(row: Row) -> str:
    return row.effects[-1] if row.effects else NONE


@cache
def shortest_runs() -> dict[int, list[Scenario]]:
    """Return `id(row)` → the shortest runs of the library in which the row decides, the shortest first."""
    runs: dict[int, list[tuple[int, str, Scenario]]] = {}
    for entry in library():
        for variant in entry.variants or (None,):
            scenario = entry.scenario(variant)
            with deciding_rows() as found:
                steps = len(played(scenario))
            for row in found:
                runs.setdefault(row, []).append((steps, f"{entry.id}/{variant}", scenario))
    return {row: [run for _, _, run in sorted(taking)[:RUNS_MAX]] for row, taking in runs.items()}


def played(scenario: Scenario, watching: str = "bare") -> list[Any]:
    """Play a run and return what it does, step by step; the last element is how it ended, or the error that
    broke it.
    """
    steps: list[Any] = []
    try:
        simulation = Simulation(scenario, watching=watching)
        while (step := simulation.step()) is not None:
            steps.append(
                (step.key, step.changes, step.notes, step.refusal) if watching == "recorded" else None
            )
        steps.append(simulation.finished)
    except Exception as broken:
        # A wrong table may break a run anywhere.
        steps.append(repr(broken))
    return steps


@contextmanager
def changed(machine: Machine[Any], row: Row, **wrong: Any) -> Iterator[None]:
    """While this lasts, the row has another target, or the negation of its guard."""
    target = wrong.get("target", row.target)
    other = replace(row, target=target)
    object.__setattr__(other, "number", row.number)
    key = (row.source, row.on)
    tried, rows = machine.tried[key], machine._by_key[key]
    guard = wrong.get("guard", machine.guards.get(row.when))
    machine.tried[key] = tuple((guard, other) if one is row else (test, one) for test, one in tried)
    machine._by_key[key] = tuple(other if one is row else one for one in rows)
    try:
        yield
    finally:
        machine.tried[key], machine._by_key[key] = tried, rows


def shows(machine: Machine[Any], row: Row, **wrong: Any) -> bool:
    for scenario in shortest_runs().get(id(row), ()):
        right = played(scenario, "recorded")
        with changed(machine, row, **wrong):
            if played(scenario, "recorded") != right:
                return True
    return False


def check_target(machine: Machine[Any], row: Row) -> None:
    place = machine.states.index(str(row.target))
    others = (*machine.states[place + 1 :], *machine.states[:place])
    wrong = next((state for state in others if state != row.source), row.source)
    leads_to = LEADS_TO.get(machine.name, {}).get(last_effect(row))
    assert leads_to not in (None, wrong) or shows(machine, row, target=wrong), (
        f"{row.name(machine.name)}: nothing depends on the target"
    )


def name(part: Any) -> str:
    return part.name("")[2:] if isinstance(part, Row) else str(part.name)


@pytest.mark.parametrize(("machine", "row"), MOVES[::EVERY], ids=name)
def test_a_wrong_target_is_found(machine: Machine[Any], row: Row) -> None:
    check_target(machine, row)


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "row"), MOVES, ids=name)
def test_any_wrong_target_is_found(machine: Machine[Any], row: Row) -> None:
    check_target(machine, row)


@pytest.mark.parametrize(("machine", "row"), BEFORE_DEFAULTS, ids=name)
def test_a_wrong_guard_is_found(machine: Machine[Any], row: Row) -> None:
    guard = machine.guards[row.when]
    assert shows(machine, row, guard=lambda situation: not guard(situation)), (
        f"{row.name(machine.name)}: nothing depends on the guard"
    )
