"""Runs a scenario in every generation, and finds how each run ends and where it first differs from the run of the
generation before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from engine.client.transaction_manager import IllegalTransition
from engine.ending import broken_in, state_of
from engine.errors import EngineError, Refused
from engine.generations.deciding import Row, least, rows_between, with_rows
from engine.generations.generation import Generation, generations_of, in_generation, is_own
from engine.generations.runs import (
    Outcome,
    Sentence,
    ends_as,
    first_difference,
    goes_as,
    outcome_of,
    sentences,
    steps_of,
)
from engine.scenario.document import BadScenario, Scenario
from engine.simulation import Simulation
from engine.step import Step
from engine.transaction_lines import TransactionLines

STEPS_MAX = 4_000
"""At most this many steps of a run are compared."""
CONTRADICTIONS = (BadScenario, Refused, EngineError, IllegalTransition)
"""The errors that end a run if the values of fields from different versions contradict each other."""
LISTED_MAX = 6
"""A cell lists at most this many transactions, and at most this many errors. Further ones are counted."""


@dataclass(frozen=True, slots=True)
class Cannot:
    """The reason why a generation has no run. ``place``: the path of the wrong value in the document. ``message``: in
    the form of `BadScenario.sentences`. ``rule``: the rule by which Kafka refuses the configuration, or empty."""

    place: str
    message: dict[str, Any]
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Parting:
    """The first difference between a run and that of the generation before. ``step``: the number, in both
    runs, of the first step that differs. ``at`` and ``at_before``: the step's time in this run and in the
    earlier one, in virtual ms; None if the run has ended before. ``here`` and ``before``: the sentences that
    differ, or None. ``rows``: the fields of the profiles (:class:`Row`) that together cause the
    difference."""

    step: int
    at: int | None
    here: Sentence | None
    state: str | None
    """The state that a machine reaches in this step, if the two runs reach different ones."""
    at_before: int | None
    before: Sentence | None
    state_before: str | None
    rules: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def says_the_same(self) -> bool:
        return self.here == self.before


@dataclass(frozen=True, slots=True)
class Answer:
    """An error that the component ``by`` returned ``count`` times, for the first time in ``step``. ``rule``: the
    requirement of the first refusal."""

    error: str
    by: str
    rule: str
    step: int
    count: int


@dataclass(frozen=True, slots=True)
class Transaction:
    """One transaction of a run (`transaction_lines`). Times are virtual milliseconds. ``decided_at``: None
    when no decision became durable."""

    name: str
    client: str | None
    identity: str
    result: str
    decided_at: int | None
    last_at: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One generation's run. If it ``cannot`` run, later fields have their defaults. ``since``: the generation
    with which it is compared. ``parting``: None if both runs are equal to the end. ``decided_by``: the fields
    of the profiles (:class:`Row`) that make the ends differ."""

    generation: Generation
    own: bool
    """Whether the scenario is written for this generation."""
    cannot: Cannot | None = None
    ending: dict[str, Any] = field(default_factory=dict)
    """The state at the end (`engine.ending.state_of`), and ``broken`` as in `engine.ending`."""
    outcome: Outcome | None = None
    steps: int = 0
    transactions: tuple[Transaction, ...] = ()
    more_transactions: int = 0
    answers: tuple[Answer, ...] = ()
    more_answers: int = 0
    unmet: tuple[int, ...] = ()
    """Indexes, from 0, of the entries of the fault script that matched nothing in this run, but matched
    something in another generation."""
    since: Generation | None = None
    parting: Parting | None = None
    ends_otherwise: bool = False
    decided_by: tuple[Row, ...] = ()

    @property
    def is_alike(self) -> bool:
        """Whether every step equals the one in the generation before."""
        return self.since is not None and self.parting is None


@dataclass(slots=True)
class _Run:
    generation: Generation
    scenario: Scenario
    simulation: Simulation
    steps: list[Step]
    lines: TransactionLines
    outcome: Outcome

    @property
    def met(self) -> set[int]:
        rules = self.simulation.interference.rules
        return {
            rule.index for rule in rules if rule.struck or rule.remaining < (rule.match.get("times") or 1)
        }


def grid_of(scenario: Scenario) -> list[Cell]:
    """The cells of all generations of this scenario, oldest first."""
    generations = generations_of(scenario)
    made = {name: _made(scenario, generation) for name, generation in generations.items()}
    met: set[int] = set().union(*(run.met for run in made.values() if isinstance(run, _Run)))
    cells: list[Cell] = []
    before: _Run | None = None
    for name, generation in generations.items():
        run, own = made[name], is_own(scenario, generation)
        if isinstance(run, Cannot):
            cells.append(Cell(generation, own, cannot=run))
            continue
        cells.append(_cell(run, before, own, tuple(sorted(met - run.met))))
        if not generation.has_newer_clients:
            before = run
    return cells


def _made(scenario: Scenario, generation: Generation) -> _Run | Cannot:
    """The run, or the reason why there is none."""
    try:
        there = in_generation(scenario, generation)
        simulation = Simulation(there)
    except BadScenario as bad:
        return Cannot(bad.place, bad.sentences)
    except Refused as refused:
        return Cannot(refused.place, refused.sentences, refused.rule)
    lines = TransactionLines(simulation.view())
    steps = []
    for step in steps_of(simulation, STEPS_MAX):
        lines.take(step.to_json())
        steps.append(step)
    return _Run(generation, there, simulation, steps, lines, outcome_of(simulation))


def _cell(run: _Run, before: _Run | None, own: bool, unmet: tuple[int, ...]) -> Cell:
    view = run.simulation.view()
    transactions, answers = _transactions(run), _answers(run.steps)
    otherwise = before is not None and before.outcome != run.outcome
    return Cell(
        run.generation,
        own,
        ending={**state_of(view), "broken": broken_in(view)},
        outcome=run.outcome,
        steps=len(run.steps),
        transactions=transactions[:LISTED_MAX],
        more_transactions=max(0, len(transactions) - LISTED_MAX),
        answers=answers[:LISTED_MAX],
        more_answers=max(0, len(answers) - LISTED_MAX),
        unmet=unmet,
        since=None if before is None else before.generation,
        parting=None if before is None else _parting(run, before),
        ends_otherwise=otherwise,
        decided_by=_decided_by(run, before) if otherwise and before is not None else (),
    )


def _transactions(run: _Run) -> tuple[Transaction, ...]:
    return tuple(
        Transaction(
            line.identifier,
            line.client,
            "" if line.producer_id is None else f"{line.producer_id}·{line.producer_epoch}",
            line.result,
            None if line.decided_step is None else run.steps[line.decided_step - 1].at,
            line.last_at,
        )
        for line in sorted(run.lines.lines, key=lambda line: (line.first_step, line.identifier))
    )


def _answers(steps: list[Step]) -> tuple[Answer, ...]:
    """The errors in a run's refusals, ordered by the first step of each."""
    found: dict[tuple[str, str], Answer] = {}
    for step in steps:
        if step.refusal is None:
            continue
        key = (step.refusal["error"], step.actor)
        first = found.get(key) or Answer(*key, step.refusal["rule"], step.number, 0)
        found[key] = Answer(*key, first.rule, first.step, first.count + 1)
    return tuple(found.values())


def _parting(run: _Run, before: _Run) -> Parting | None:
    index = first_difference(before.steps, run.steps)
    if index is None:
        return None
    here, there = _at(run.steps, index), _at(before.steps, index)
    said_here, said_there = _what_differs(here, there)
    return Parting(
        index + 1,
        None if here is None else here.at,
        said_here,
        _state(here) if _state(here) != _state(there) else None,
        None if there is None else there.at,
        said_there,
        _state(there) if _state(here) != _state(there) else None,
        () if here is None else here.rules,
        _exchanged(run, before, lambda one: goes_as(one, run.steps, index + 1)),
    )


def _at(steps: list[Step], index: int) -> Step | None:
    return steps[index] if index < len(steps) else None


def _state(step: Step | None) -> str | None:
    return None if step is None or step.transition is None else step.transition["to"]


def _what_differs(here: Step | None, before: Step | None) -> tuple[Sentence | None, Sentence | None]:
    """The first pair of sentences in which the two steps differ; None for a step that has no sentence there. If all
    sentences are the same: the steps' own sentences."""
    ours = [] if here is None else sentences(here)
    theirs = [] if before is None else sentences(before)
    for one, other in zip_longest(ours, theirs):
        if one != other:
            return one, other
    return ours[0], theirs[0]


def _decided_by(run: _Run, before: _Run) -> tuple[Row, ...]:
    most = 2 * max(len(run.steps), len(before.steps)) if run.outcome.finished else STEPS_MAX
    return _exchanged(run, before, lambda one: ends_as(one, run.outcome, min(most, STEPS_MAX)))


def _exchanged(run: _Run, before: _Run, suffices: Callable[[Scenario], bool]) -> tuple[Row, ...]:
    """The rows of ``run`` that cause a difference when they are put into the generation before it. Empty if even
    all rows together do not cause it."""

    def works(rows: Sequence[Row]) -> bool:
        try:
            return suffices(with_rows(before.scenario, before.generation, rows))
        except CONTRADICTIONS:
            return False

    every = rows_between(before.generation, run.generation)
    return tuple(least(every, works)) if works(every) else ()
