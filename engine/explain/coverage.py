"""Measures how much of the specification and of the tables the library covers.

A requirement is covered in one of four ways: a step of a library scenario lists it as enforced, in a sentence, a
decision or a refusal; a scenario is refused by it; a row of a state machine that cites it decided in a scenario;
or, for a display rule, a test marked with its ID checks it. A row of a transition is covered when it decided in a
scenario; a row of a refusal, when it decided in a scenario or in a recorded case. A mere mention does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError, Error, Refused
from engine.explain.errors import SPECIFICATION
from engine.explain.machines import machines
from engine.explain.requirements import DISPLAY, REGISTER, REQUIREMENTS
from engine.machine import deciding_rows
from engine.profiles import PROFILES
from engine.scenario import schema
from engine.scenario.document import acts
from engine.scenario.shelf import library
from engine.simulation import Simulation
from engine.switches import Switches, altered


@dataclass(slots=True)
class Coverage:
    """The items that the library and the recorded cases exercise. ``recorded``: the requirements that steps and
    deciding rows cite. ``marked``: the requirements that have a marked test. ``in_scenarios`` and ``in_cases``:
    ``id()`` of the rows that decided in scenarios and in recorded cases."""

    recorded: set[str] = field(default_factory=set)
    marked: set[str] = field(default_factory=set)
    in_scenarios: set[int] = field(default_factory=set)
    in_cases: set[int] = field(default_factory=set)
    errors: set[str] = field(default_factory=set)
    profiles: set[str] = field(default_factory=set)
    switches: set[str] = field(default_factory=set)
    faults: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    """Runs that ended because an invariant of the engine broke. The report lists them."""

    def missing_requirements(self) -> list[str]:
        return [name for name in REQUIREMENTS if not self._counted(name)]

    def _counted(self, name: str) -> bool:
        return name in self.recorded or (name in DISPLAY and name in self.marked)

    def missing_register(self) -> list[str]:
        return [name for name in REGISTER if name not in self.recorded]

    def missing_rows(self) -> dict[str, list[str]]:
        """Dict of machine → the names of its rows that nothing exercised."""
        missing: dict[str, list[str]] = {}
        for machine in machines().values():
            names = [
                row.name(machine.name)
                for row in machine.rows
                if id(row) not in self.in_scenarios and not (row.refused and id(row) in self.in_cases)
            ]
            if names:
                missing[machine.name] = names
        return missing

    def lists(self) -> list[tuple[str, int, list[str]]]:
        """For each list of items: (its name, the number of its items, the items that nothing exercised)."""
        errors = [error.name for error in SPECIFICATION]
        faults = [*schema.MESSAGE_ACTIONS, *schema.ACTOR_ACTIONS, *schema.WORLD_ACTIONS]
        return [
            ("requirements", len(REQUIREMENTS), self.missing_requirements()),
            ("register entries", len(REGISTER), self.missing_register()),
            ("errors raised", len(errors), [name for name in errors if name not in self.errors]),
            ("profiles", len(PROFILES), [name for name in PROFILES if name not in self.profiles]),
            ("switches", len(Switches.__slots__), sorted(set(Switches.__slots__) - self.switches)),
            ("fault kinds", len(faults), [name for name in faults if name not in self.faults]),
        ]

    @property
    def complete(self) -> bool:
        return not (self.broken or self.missing_rows() or any(missing for _, _, missing in self.lists()))

    def lines(self) -> Iterator[str]:
        """The lines of the report."""
        for what, total, missing in self.lists():
            yield f"{what}: {total - len(missing)} of {total}"
            if missing:
                yield f"  missing: {', '.join(missing)}"
        rows = sum(len(machine.rows) for machine in machines().values())
        uncovered = self.missing_rows()
        count = sum(len(names) for names in uncovered.values())
        yield f"rows of state machines: {rows - count} of {rows}"
        for name, names in uncovered.items():
            yield f"  {name}: {len(names)} of {len(machines()[name].rows)} missing"
            for row in names:
                yield f"    {row}"
        wrong = sorted(self.marked - DISPLAY)
        if wrong:
            yield f"marked, but no display rules, so not counted: {', '.join(wrong)}"
        for run in self.broken:
            yield f"broken: {run}"
        uncovered_things = count + sum(len(missing) for _, _, missing in self.lists())
        yield f"{uncovered_things} uncovered"


def measure(marked: Iterable[str], run_cases: Any) -> Coverage:
    """Run each library document that can be run without a variant, and each variant, and note the items that these
    runs exercise. Then run the recorded cases (``run_cases()``), and note the rows that decide in them."""
    coverage = Coverage(marked=set(marked))
    with deciding_rows() as found:
        for entry in library():
            for variant in (*((None,) if acts(entry.document) else ()), *entry.variants):
                try:
                    _run(entry.scenario(variant), coverage)
                except EngineError as broken:
                    coverage.broken.append(str(broken))
    coverage.in_scenarios = set(found)
    coverage.recorded.update(row.spec for row in found.values())
    with deciding_rows() as found:
        run_cases()
    coverage.in_cases = set(found)
    return coverage


def _run(scenario: Any, coverage: Coverage) -> None:
    document = scenario.document
    coverage.profiles.add(document["profile"])
    coverage.switches |= altered(document["switches"]).keys()
    coverage.faults |= {fault["action"] for fault in document["faults"]}
    try:
        simulation = Simulation(scenario)
    except Refused as refused:
        coverage.recorded.add(refused.rule)
        return
    while (step := simulation.step()) is not None:
        coverage.recorded.update(step.rules)
        for note in step.notes:
            coverage.recorded.update(note["rules"])
        if step.refusal is not None:
            coverage.recorded.add(step.refusal["rule"])
            coverage.errors.add(step.refusal["error"])
        if step.decision is not None:
            coverage.recorded.update(
                row["rule"] for row in step.decision["rows"] if row["outcome"] in ("passed", "decided")
            )
        _errors_in(step.params, coverage.errors)
        for _, _, after in step.changes:
            _errors_in(after, coverage.errors)


_ERROR_NAMES = frozenset(error.name for error in Error)


def _errors_in(value: Any, found: set[str]) -> None:
    if isinstance(value, str):
        if value in _ERROR_NAMES:
            found.add(value)
    elif isinstance(value, dict):
        for item in value.values():
            _errors_in(item, found)
    elif isinstance(value, list | tuple):
        for item in value:
            _errors_in(item, found)
