"""Compares runs of a scenario by their steps and their ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.judge.bench import Verdict
from engine.judge.database_record import DatabaseVerdict
from engine.scenario.document import Scenario
from engine.simulation import Simulation
from engine.step import Step

Sentence = tuple[str, dict[str, Any]]
"""A key of the catalogue with its parameters."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run. Two runs have the same end when these values are equal; producer ids, epochs and
    times may differ."""

    finished: str
    verdicts: tuple[Verdict, ...]
    broken: tuple[str, ...]
    """The guarantees that were broken."""
    committed: int
    aborted: int
    open: int
    closed: tuple[str, ...]
    """The producers that can do nothing but close."""
    database: DatabaseVerdict | None


def outcome_of(simulation: Simulation) -> Outcome:
    """The outcome of a judged or recorded run. ``finished`` is empty when the run has not ended."""
    judged = simulation.judges.outcome_verdict()
    closed = (
        name
        for name, client in simulation.world.clients.items()
        if (transactions := client.memory.transactions) is not None and transactions.has_fatal_error
    )
    return Outcome(
        simulation.finished or "",
        tuple(simulation.judges.verdicts()),
        tuple(name for name, part in simulation.judges.guarantees.items() if part.view()["count"]),
        judged.committed if judged else 0,
        judged.aborted if judged else 0,
        judged.open if judged else 0,
        tuple(closed),
        simulation.judges.database_verdict(),
    )


def ends_as(scenario: Scenario, outcome: Outcome, steps_max: int) -> bool:
    """Whether a run of the scenario has this outcome at its end, or after ``steps_max`` steps if it is longer."""
    simulation = Simulation(scenario, watching="judged")
    simulation.run(steps=steps_max)
    return outcome_of(simulation) == outcome


def sentences(step: Step) -> list[Sentence]:
    """The sentences of a step: its own, then those of its notes."""
    return [(step.key, step.params), *((note["key"], note["params"]) for note in step.notes)]


def are_alike(one: Step, other: Step) -> bool:
    """Whether two steps have the same event at the same time."""
    return (
        one.at == other.at
        and one.actor == other.actor
        and sentences(one) == sentences(other)
        and _answer(one) == _answer(other)
        and _move(one) == _move(other)
    )


def _answer(step: Step) -> Any:
    return step.refusal and step.refusal["error"]


def _move(step: Step) -> Any:
    """A transition without the number of its row, because that is only a position in a table."""
    return step.transition and {name: value for name, value in step.transition.items() if name != "row"}


def first_difference(one: list[Step], other: list[Step]) -> int | None:
    """The index of the first step that differs, which may be missing in one of the runs. None: the runs are equal
    to the end."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if not are_alike(left, right):
            return index
    return None if len(one) == len(other) else min(len(one), len(other))


def steps_of(simulation: Simulation, count: int) -> Iterator[Step]:
    for _ in range(count):
        step = simulation.step()
        if step is None:
            return
        yield step


def goes_as(scenario: Scenario, steps: list[Step], count: int) -> bool:
    """Whether a run of the scenario makes these steps and no others, as far as its first ``count`` steps show."""
    simulation = Simulation(scenario)
    made = 0
    for step in steps_of(simulation, count):
        if made == len(steps) or not are_alike(step, steps[made]):
            return False
        made += 1
    return made == min(count, len(steps))
