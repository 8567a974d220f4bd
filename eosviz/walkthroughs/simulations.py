"""The simulations that this process used last.

A simulation is only a saving of time: it is a pure function of the scenario and the interventions, so
whichever process has none makes it again and checks it against what is stored. Nothing of it is ever written
down.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from engine.errors import Refused
from engine.scenario import Scenario, load
from engine.simulation import Simulation
from engine.simulation import Step as EngineStep
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.models import Branch, Step, line_interventions

CAPACITY = 64
"""Simulations kept per process: a class of thirty with two branches each."""


class Diverged(Exception):
    """The engine no longer makes the steps that are stored: another version of it made them."""

    def __init__(self, number: int) -> None:
        super().__init__(f"step {number} differs from the stored one")
        self.number = number


def encode_step(step: EngineStep) -> bytes:
    """A step as it is stored and sent."""
    return msgspec.json.encode(step.to_json())


def scenario_of(version: ScenarioVersion, variant: str | None) -> Scenario:
    return load(version.document, variant, source=version.identifier)


def simulate(scenario: Scenario, interventions: list[dict[str, Any]]) -> Simulation:
    """A recorded run at 0. `interventions` as branches store them."""
    return Simulation(scenario, [{**made["intervention"], "after": made["after"]} for made in interventions])


def simulate_to(line: list[Branch], number: int) -> Simulation:
    """The run of this line, at `number`, checked against the stored steps. Raises Diverged."""
    session = line[0].session
    scenario = scenario_of(session.version, session.variant)
    interventions = [made for made in line_interventions(line) if made["after"] < number]
    simulation = simulate(scenario, interventions)
    bring_to(simulation, line, number)
    return simulation


def bring_to(simulation: Simulation, line: list[Branch], number: int) -> None:
    """Step until `number`. A difference anywhere shows in the last step or in its number of steps at the
    latest where the states differ, so the last one is compared; audits compare them all.
    """
    if simulation.number == number:
        return
    try:
        simulation.run(steps=number - simulation.number - 1)
        last = simulation.step()
    except Refused:
        # An intervention that this engine no longer takes was made on the way.
        raise Diverged(simulation.number + 1) from None
    stored = Step.objects.of_line(line, number, number).bodies()
    if last is None or not stored or encode_step(last) != stored[0]:
        raise Diverged(number)


class Slot:
    """The simulation of one branch, used by one thread at a time."""

    __slots__ = ("branch", "budget", "lock", "simulation")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.simulation: Simulation | None = None
        self.branch: Branch | None = None
        """The branch as this process last stored or read it, at the same step as the simulation."""
        self.budget = 0
        """Steps that may be made before somebody asks again whether the session is full."""

    def held_branch(self, session_id: uuid.UUID) -> Branch | None:
        """The branch as this process left it, without asking the database, while its run goes on. When another
        process went on since, what is made from here cannot be stored.
        """
        held = self.branch
        if held is None or held.session_id != session_id or held.finished is not None:
            return None
        return held

    def at_newest(self, branch: Branch) -> Simulation:
        """The simulation at the branch's newest step; made again when it is missing or another process was
        ahead. Raises Diverged.
        """
        found = self.simulation
        if found is None or found.number != branch.newest:
            self.forget()
            found = simulate_to(Branch.objects.line(branch), branch.newest)
        self.keep(found, branch)
        return found

    def keep(self, simulation: Simulation, branch: Branch) -> None:
        self.simulation = simulation
        self.branch = branch

    def forget(self) -> None:
        """For when the simulation went further than what was stored."""
        self.simulation = None
        self.branch = None


class RecentSimulations:
    """Slots by branch; the one that was not used for longest goes first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self._guard = threading.Lock()
        self._slots: OrderedDict[int, Slot] = OrderedDict()

    @contextmanager
    def of(self, branch_id: int) -> Iterator[Slot]:
        """The slot of this branch, to this thread alone. What failed inside leaves no simulation behind,
        unless it was refused (Problem) before anything moved.
        """
        with self._guard:
            slot = self._slots.setdefault(branch_id, Slot())
            self._slots.move_to_end(branch_id)
            while len(self._slots) > self.capacity:
                self._slots.popitem(last=False)
        with slot.lock:
            try:
                yield slot
            except Problem:
                raise
            except BaseException:
                slot.forget()
                raise

    def clear(self) -> None:
        with self._guard:
            self._slots.clear()


recent = RecentSimulations()
