"""The simulations that this process used last.

They are kept only to save time. A simulation follows entirely from the scenario and the interventions, so a
process that does not have it makes it again and compares it with the stored steps. Simulations are never
written to disk.
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
"""How many simulations each process keeps. At newest steps, it keeps enough for a school with a thousand
sessions; at earlier steps, enough for a class that goes back."""
RECENT_KILOBYTES, EARLIER_KILOBYTES = 500_000, 75_000
"""How much memory (kB) all simulations in `recent` may need together, and all in `earlier`. A single
simulation is kept even if it needs more. A thousand simulations of the library need about 250 MB."""
WORLD_KILOBYTES, STEP_KILOBYTES, REPLICA_KILOBYTES = 150, 1, 10
"""The memory of a run in kB: for its scenario and its world before the first step, for each step, and for
each replica of a partition (5 to 10 kB)."""


class Diverged(Exception):
    """The engine does not make the same steps as those that are stored, usually because another version of
    the engine made them."""

    def __init__(self, number: int) -> None:
        super().__init__(f"step {number} differs from the stored one")
        self.number = number


def scenario_of(version: ScenarioVersion, variant: str | None) -> Scenario:
    return load(version.document, variant, source=version.identifier)


def simulate(scenario: Scenario, interventions: list[dict[str, Any]]) -> Simulation:
    """Returns a run before its first step. `interventions`: in the form in which branches store them."""
    return Simulation(scenario, _for_engine(interventions))


def _for_engine(interventions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**made["intervention"], "after": made["after"]} for made in interventions]


def simulate_to(line: list[Branch], number: int) -> Simulation:
    """Returns the run of this line after step `number`, compared with the stored steps. Raises Diverged."""
    session = line[0].session
    scenario = scenario_of(session.version, session.variant)
    interventions = [made for made in line_interventions(line) if made["after"] < number]
    simulation = simulate(scenario, interventions)
    bring_to(simulation, line, number)
    return simulation


def catch_up(simulation: Simulation, line: list[Branch], number: int) -> bool:
    """Advances a run that is at an earlier step of this line to step `number`, with the interventions on the
    way. If this is not possible, returns False and leaves the run unchanged. Raises Diverged."""
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
    """Makes steps up to `number`, and compares with what is stored: the last step and a keyframe or, for a
    session of another engine, every step. Raises Diverged."""
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
    """Makes steps up to `number`, and compares each with the stored step. Raises Diverged."""
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
    """The simulation of one branch. Only one thread at a time uses it."""

    __slots__ = ("ahead", "branch", "budget", "kilobytes", "lock", "session_id", "simulation")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.simulation: Simulation | None = None
        self.session_id: uuid.UUID | None = None
        """The session of the simulation; None if there is no simulation."""
        self.branch: Branch | None = None
        """The branch as this process last stored or read it. Its newest step is the step of the simulation,
        not counting the steps made ahead. None if there is no simulation, after `overtaken`, and in the
        slots of `earlier`."""
        self.ahead: Chunk | None = None
        """The last steps of the simulation, which this process has made and not stored yet."""
        self.budget = 0
        """How many steps may be made before the size of the session is checked again."""
        self.kilobytes = 0
        """The memory of the simulation (kB) when it was last used."""

    def held_branch(self, session_id: uuid.UUID) -> Branch | None:
        """Returns the branch as this process left it, without a query. Returns None if this process does not
        hold it, or if its run has ended."""
        held = self.branch
        if held is None or held.session_id != session_id or held.finished is not None:
            return None
        return held

    def at_newest(self, branch: Branch) -> Simulation:
        """Returns the simulation at the newest step of the branch. It was kept, is advanced from an earlier
        step, or is made again. Raises Diverged."""
        found = self.simulation
        if found is None or not self._is_at(branch):
            line = Branch.objects.line(branch)
            if found is None or not self._catches_up(line, branch.newest):
                self.forget()
                found = simulate_to(line, branch.newest)
        self.keep(found, branch)
        return found

    def _is_at(self, branch: Branch) -> bool:
        """Returns whether the simulation is at the newest step of this branch and can continue."""
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
        # Another process may have stored the steps that were made ahead, or other steps instead of them.
        if made and Step.objects.of_line(line, found.number - len(made) + 1, found.number).bodies() != made:
            return False
        return catch_up(found, line, number)

    def _bodies_ahead(self) -> list[bytes]:
        return [] if self.ahead is None else [bytes(step.body) for step in self.ahead.steps]

    def going_on(self, branch: Branch) -> tuple[Simulation, Chunk | None]:
        """Returns the simulation from which to continue, and the steps beyond the branch's newest step that
        it has already made, or None. Raises Diverged."""
        found = self.simulation
        if found is not None and self._leads_beyond(branch):
            made, self.branch, self.ahead = self.ahead, branch, None
            return found, None if made is None else made.beyond(branch.newest)
        return self.at_newest(branch), None

    def _leads_beyond(self, branch: Branch) -> bool:
        """Returns whether the simulation has made steps ahead that continue this branch."""
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
        """Notes that these steps could not be stored, because another process was the first to store
        something in the branch (most often the same steps)."""
        self.branch, self.ahead = None, made

    def were_stored(self, first: int, last: int) -> None:
        """Notes that the process of the page's socket has stored these steps, which a worker made ahead. If
        this slot holds them, its branch moves to the last of them."""
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
        """Discards the simulation and the steps that were made ahead."""
        self.simulation = None
        self.session_id = None
        self.branch = None
        self.ahead = None


class RecentSimulations:
    """The slots of branches. The least recently used slot is discarded first."""

    def __init__(self, capacity: int = CAPACITY, kilobytes: int = RECENT_KILOBYTES) -> None:
        self.capacity = capacity
        self.kilobytes = kilobytes
        self._guard = threading.Lock()
        self._slots: OrderedDict[int, Slot] = OrderedDict()
        self._kilobytes_held = 0
        """The memory of all slots. The sum is kept, because adding up a thousand slots at each click would
        take too long."""

    @contextmanager
    def of(self, branch_id: int) -> Iterator[Slot]:
        """Yields the branch's slot, which no other thread uses meanwhile. An exception in the `with` block
        discards the simulation, except Problem and Overtaken."""
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
        """Measures the memory of this slot, and discards the least recently used slots if there are too many
        or if they need too much memory."""
        kilobytes = 0 if slot.simulation is None else kilobytes_of(slot.simulation)
        with self._guard:
            if self._slots.get(branch_id) is not slot:
                return  # the slot was discarded while it was in use
            self._kilobytes_held += kilobytes - slot.kilobytes
            slot.kilobytes = kilobytes
            while len(self._slots) > self.capacity or (
                len(self._slots) > 1 and self._kilobytes_held > self.kilobytes
            ):
                _, dropped = self._slots.popitem(last=False)
                self._kilobytes_held -= dropped.kilobytes

    def held_branch(self, branch_id: int) -> Branch | None:
        """Returns the branch as this process last left it, without waiting for the slot; None if this process
        does not hold the branch."""
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
"""The simulations at the newest steps of their branches."""

earlier = RecentSimulations(EARLIER_CAPACITY, EARLIER_KILOBYTES)
"""The simulations at earlier steps, to which readers went back."""


def at_earlier(line: list[Branch], number: int, use: Callable[[Simulation], Result]) -> Result:
    """Calls `use` with the run of this line after step `number`, and returns its result. `use` must not
    change the run. Raises Diverged."""
    with earlier.of(line[-1].id) as slot:
        found, slot.simulation = slot.simulation, None
        if found is None or slot.session_id != line[0].session_id or not catch_up(found, line, number):
            found = simulate_to(line, number)
        slot.simulation, slot.session_id = found, line[0].session_id
        return use(found)
