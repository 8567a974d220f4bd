"""The simulations that this process used last.

They are kept only to save time: a simulation is a pure function of scenario and interventions, so a process
without one makes it again and checks it against the stored steps. Simulations are never written to disk.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from engine.errors import Refused
from engine.scenario.document import Scenario, load
from engine.simulation import Simulation
from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.engine_steps import note_made
from eosviz.walkthroughs.made_steps import STEPS_PER_TRANSACTION, encode_step
from eosviz.walkthroughs.models import Branch, Keyframe, Step, line_interventions
from eosviz.walkthroughs.walking import Chunk, Overtaken

Result = TypeVar("Result")

CAPACITY, EARLIER_CAPACITY = 1_200, 64
"""How many simulations each process keeps: at the newest steps, enough for a school of a thousand sessions;
at earlier steps, enough for a class that looks back."""
RECENT_KILOBYTES, EARLIER_KILOBYTES = 500_000, 75_000
"""The most kilobytes that all simulations of `recent` may take, and all of `earlier`. One simulation is kept
whatever its size. A thousand simulations of the library take some 250 MB."""
WORLD_KILOBYTES, STEP_KILOBYTES, REPLICA_KILOBYTES = 150, 1, 10
"""The memory of a run in kB: for its scenario and its world before the first step, for each step, and for
each replica of a partition (5 to 10 kB)."""


class Diverged(Exception):
    """The engine does not make the stored steps, as a rule because another version of the engine made
    them."""

    def __init__(self, number: int) -> None:
        super().__init__(f"step {number} differs from the stored one")
        self.number = number


def scenario_of(version: ScenarioVersion, variant: str | None) -> Scenario:
    return load(version.document, variant, source=version.identifier)


def simulate(scenario: Scenario, interventions: list[dict[str, Any]]) -> Simulation:
    """A recorded run before its first step. `interventions` as branches store them."""
    return Simulation(scenario, _for_engine(interventions))


def _for_engine(interventions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**made["intervention"], "after": made["after"]} for made in interventions]


def simulate_to(line: list[Branch], number: int) -> Simulation:
    """The run of this line after step `number`, checked against the stored steps. Raises Diverged."""
    session = line[0].session
    scenario = scenario_of(session.version, session.variant)
    interventions = [made for made in line_interventions(line) if made["after"] < number]
    simulation = simulate(scenario, interventions)
    bring_to(simulation, line, number)
    return simulation


def catch_up(simulation: Simulation, line: list[Branch], number: int) -> bool:
    """Advance a run of an earlier step of this line to step `number`, with the interventions in between.
    False, and the run unchanged, if that is not possible. Raises Diverged."""
    if simulation.number > number or simulation.finished is not None:
        return False
    stored = _for_engine([made for made in line_interventions(line) if made["after"] < number])
    known = simulation.interference.interventions
    missing = stored[len(known) :]
    if stored[: len(known)] != known or any(made["after"] < simulation.number for made in missing):
        return False
    simulation.expect(missing)
    bring_to(simulation, line, number)
    return True


def bring_to(simulation: Simulation, line: list[Branch], number: int) -> None:
    """Make steps until `number`, and compare with stored ones: the last step and a keyframe, or for a session
    of another engine every step. Raises Diverged."""
    if simulation.number == number:
        return
    note_made(number - simulation.number)
    if line[0].session.other_engine is not None:
        _compare_each(simulation, line, number)
        return
    keyframe = Keyframe.objects.nearest(line, number - 1)
    try:
        if keyframe is not None and keyframe.number >= simulation.number:
            simulation.run(steps=keyframe.number - simulation.number)
            if simulation.digest() != keyframe.digest:
                raise Diverged(keyframe.number)
        simulation.run(steps=number - simulation.number - 1)
        last = simulation.step()
    except Refused:
        # This engine refuses an intervention on the way.
        raise Diverged(simulation.number + 1) from None
    stored = Step.objects.of_line(line, number, number).bodies()
    if last is None or not stored or encode_step(last) != stored[0]:
        raise Diverged(number)


def _compare_each(simulation: Simulation, line: list[Branch], number: int) -> None:
    """Make steps until `number`, and compare each with the stored one. Raises Diverged."""
    while simulation.number < number:
        first = simulation.number + 1
        last = min(number, simulation.number + STEPS_PER_TRANSACTION)
        stored = Step.objects.of_line(line, first, last).bodies()
        for at, body in enumerate(stored, first):
            try:
                made = simulation.step()
            except Refused:
                raise Diverged(at) from None
            if made is None or encode_step(made) != body:
                raise Diverged(at)
        if simulation.number != last:
            raise Diverged(simulation.number + 1)


class Slot:
    """The simulation of one branch, used by one thread at a time."""

    __slots__ = ("ahead", "branch", "budget", "kilobytes", "lock", "session_id", "simulation")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.simulation: Simulation | None = None
        self.session_id: uuid.UUID | None = None
        """The session of the simulation; None without a simulation."""
        self.branch: Branch | None = None
        """The branch as this process last stored or read it. It is at the same step as the simulation,
        without the steps made ahead. None without a simulation, after `overtaken`, and in the slots of
        `earlier`."""
        self.ahead: Chunk | None = None
        """The last steps of the simulation, which this process has made and not yet stored."""
        self.budget = 0
        """How many steps may be made before the session's size is checked again."""
        self.kilobytes = 0
        """The memory of the simulation when it was last used."""

    def held_branch(self, session_id: uuid.UUID) -> Branch | None:
        """The branch as this process left it, without a query; None if it is not held, or its run has ended."""
        held = self.branch
        if held is None or held.session_id != session_id or held.finished is not None:
            return None
        return held

    def at_newest(self, branch: Branch) -> Simulation:
        """The simulation at the branch's newest step: kept, caught up, or made again. Raises Diverged."""
        found = self.simulation
        if found is None or not self._is_at(branch):
            line = Branch.objects.line(branch)
            if found is None or not self._catches_up(line, branch.newest):
                self.forget()
                found = simulate_to(line, branch.newest)
        self.keep(found, branch)
        return found

    def _is_at(self, branch: Branch) -> bool:
        """Whether the simulation is at the newest step of this branch and can go on."""
        held, found = self.branch, self.simulation
        return (
            held is not None
            and found is not None
            and found.finished is None
            and held.session_id == branch.session_id
            and found.number == held.newest == branch.newest
        )

    def _catches_up(self, line: list[Branch], number: int) -> bool:
        found, made = self.simulation, self._bodies_ahead()
        if found is None or self.session_id != line[0].session_id or found.number > number:
            return False
        # Another process may have stored the steps made ahead, or other steps in their place.
        if made and Step.objects.of_line(line, found.number - len(made) + 1, found.number).bodies() != made:
            return False
        return catch_up(found, line, number)

    def _bodies_ahead(self) -> list[bytes]:
        return [] if self.ahead is None else [bytes(step.body) for step in self.ahead.steps]

    def going_on(self, branch: Branch) -> tuple[Simulation, Chunk | None]:
        """The simulation to continue from, with the steps that it has already made beyond the branch's newest
        step, or None. Raises Diverged."""
        found = self.simulation
        if found is not None and self._leads_beyond(branch):
            made, self.branch, self.ahead = self.ahead, branch, None
            return found, None if made is None else made.beyond(branch.newest)
        return self.at_newest(branch), None

    def _leads_beyond(self, branch: Branch) -> bool:
        """Whether the simulation has made steps ahead that continue this branch."""
        made, found = self.ahead, self.simulation
        if made is None or found is None or self.session_id != branch.session_id:
            return False
        first, newest = found.number - len(made.steps) + 1, branch.newest
        if not first - 1 <= newest <= found.number:
            return False
        bodies = [bytes(step.body) for step in made.up_to(newest).steps]
        return (
            not bodies or Step.objects.of_line(Branch.objects.line(branch), first, newest).bodies() == bodies
        )

    def overtaken(self, made: Chunk) -> None:
        """Note that these steps could not be stored: another process has stored something in the branch first, most
        often the same steps."""
        self.branch, self.ahead = None, made

    def were_stored(self, first: int, last: int) -> None:
        """Note that the process of the page's socket has stored these steps, which a worker made ahead. If this slot
        holds them, its branch moves on."""
        made, branch = self.ahead, self.branch
        if (
            made is not None
            and branch is not None
            and branch.newest == first - 1 < last
            and last <= branch.newest + len(made.steps)
        ):
            branch.newest = last
            self.ahead = made.beyond(last)

    def keep(self, simulation: Simulation, branch: Branch) -> None:
        self.simulation = simulation
        self.session_id = branch.session_id
        self.branch = branch
        self.ahead = None

    def forget(self) -> None:
        """Discard the simulation, and with it the steps made ahead."""
        self.simulation = None
        self.session_id = None
        self.branch = None
        self.ahead = None


class RecentSimulations:
    """Slots by branch; the least recently used is dropped first."""

    def __init__(self, capacity: int = CAPACITY, kilobytes: int = RECENT_KILOBYTES) -> None:
        self.capacity = capacity
        self.kilobytes = kilobytes
        self._guard = threading.Lock()
        self._slots: OrderedDict[int, Slot] = OrderedDict()
        self._kilobytes_held = 0
        """The memory of all slots, kept as a sum, because adding up a thousand slots at each click would take
        too long."""

    @contextmanager
    def of(self, branch_id: int) -> Iterator[Slot]:
        """The branch's slot, for this thread alone. An exception in the `with` block drops the simulation,
        unless it is Problem or Overtaken."""
        with self._guard:
            slot = self._slots.setdefault(branch_id, Slot())
            self._slots.move_to_end(branch_id)
        with slot.lock:
            try:
                yield slot
            except (Problem, Overtaken):
                raise
            except BaseException:
                slot.forget()
                raise
            finally:
                self._weigh(branch_id, slot)

    def _weigh(self, branch_id: int, slot: Slot) -> None:
        """Measure this slot's memory, and drop the least recently used slots beyond the bounds."""
        kilobytes = 0 if slot.simulation is None else kilobytes_of(slot.simulation)
        with self._guard:
            if self._slots.get(branch_id) is not slot:
                return  # the slot was dropped while it was in use
            self._kilobytes_held += kilobytes - slot.kilobytes
            slot.kilobytes = kilobytes
            while len(self._slots) > self.capacity or (
                len(self._slots) > 1 and self._kilobytes_held > self.kilobytes
            ):
                _, dropped = self._slots.popitem(last=False)
                self._kilobytes_held -= dropped.kilobytes

    def held_branch(self, branch_id: int) -> Branch | None:
        """The branch as this process last left it, without waiting for the slot; None if this process does
        not hold the branch."""
        with self._guard:
            slot = self._slots.get(branch_id)
        return None if slot is None else slot.branch

    def clear(self) -> None:
        with self._guard:
            self._slots.clear()
            self._kilobytes_held = 0


def kilobytes_of(simulation: Simulation) -> int:
    replicas: int = sum(topic["partitions"] * topic["replication"] for topic in simulation.scenario["topics"])
    return WORLD_KILOBYTES + simulation.number * STEP_KILOBYTES + replicas * REPLICA_KILOBYTES


recent = RecentSimulations()
"""Simulations at the newest steps of their branches."""

earlier = RecentSimulations(EARLIER_CAPACITY, EARLIER_KILOBYTES)
"""Simulations at earlier steps that readers went back to."""


def at_earlier(line: list[Branch], number: int, use: Callable[[Simulation], Result]) -> Result:
    """The result of `use`, called with the run of this line after step `number`; `use` must not change the
    run. Raises Diverged."""
    with earlier.of(line[-1].id) as slot:
        found, slot.simulation = slot.simulation, None
        if found is None or slot.session_id != line[0].session_id or not catch_up(found, line, number):
            found = simulate_to(line, number)
        slot.simulation, slot.session_id = found, line[0].session_id
        return use(found)
