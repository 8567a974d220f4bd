"""Checks whether the steps of a file are those that the engine makes. While the file is read, the engine runs
the scenario again, and each step is compared. A file of another version of the engine (``ENGINE_VERSION``) is
not compared."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario, load
from engine.scenario.header import ENGINE_VERSION
from engine.simulation import Simulation
from eosviz.replays import format
from eosviz.replays.lines import canonical
from eosviz.replays.refusal import ReplayRefused

SECONDS_MAX = 60.0
"""A check that takes more seconds than this is stopped; the file is then played as it was recorded."""
STEPS_BETWEEN_LOOKS = 200
_CRAFTED = "fault.crafted_request"
"""The key of the sentence whose parameters, in older recordings, have the order of the keys in the
document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of the comparison. ``state``: one of those in docs/replay-format.md. ``branch`` and
    ``step``: the first step that differs (0: the header or the first view) or, for ``stopped``, the last step
    that was compared; otherwise None. ``checked``: the number of steps that are equal."""

    state: str
    branch: str | None = None
    step: int | None = None
    checked: int = 0


class Rerun:
    """Runs the scenario of a file again, and compares the file's steps, which it gets in their order."""

    def __init__(self, header: format.Header, now: Callable[[], float] = time.monotonic) -> None:
        self._header = header
        self._now = now
        self._until = now() + SECONDS_MAX
        self._branches = {branch.id: branch for branch in header.branches}
        self._children: dict[str, list[format.Branch]] = {}
        for branch in header.branches:
            self._children.setdefault(branch.parent or "", []).append(branch)
        self._running: dict[str, Simulation] = {}
        self._checked = 0
        self._finding: Finding | None = None
        if header.engine != ENGINE_VERSION:
            self._finding = Finding(state="recorded")
        else:
            self._begin()

    def _begin(self) -> None:
        """Begin the new run. Raises ReplayRefused if this engine cannot run the scenario."""
        header = self._header
        first = header.branches[0]
        try:
            simulation = Simulation(load(header.scenario, header.variant))
        except (BadScenario, Refused) as error:
            raise ReplayRefused("scenario", place=error.place, **error.sentences) from error
        recorded = (header.header, header.view, header.profile)
        found = (simulation.header(), simulation.view(), simulation.scenario["profile"])
        if canonical(recorded) != canonical(found):
            self._differs(first.id, 0)
            return
        try:
            self._arrived(first, simulation, 0)
        except Refused:
            self._differs(first.id, 1)

    def take(self, branch: str, number: int, step: bytes) -> None:
        """Compare the next step of the file, which is given in canonical form."""
        if self._finding is not None:
            return
        simulation = self._running[branch]
        try:
            made = simulation.step()
            same = made is not None and _same(made.to_json(), step)
            if same:
                self._checked += 1
                self._arrived(self._branches[branch], simulation, number)
        except (EngineError, Refused):
            # For this engine the intervention is impossible, or the state cannot occur in a correct engine.
            same = False
        if not same:
            self._differs(branch, number)
        elif self._checked % STEPS_BETWEEN_LOOKS == 0 and self._now() > self._until:
            self._finding = Finding(state="stopped", branch=branch, step=number, checked=self._checked)

    def _arrived(self, branch: format.Branch, simulation: Simulation, number: int) -> None:
        """After step ``number`` of a branch, keep simulations for the branches that leave it here, and make
        the interventions of this branch."""
        if number == branch.newest:
            self._running.pop(branch.id, None)
        else:
            self._running[branch.id] = simulation
        for child in self._children.get(branch.id, ()):
            if child.leaves_at == number:
                self._arrived(child, simulation.fork(), number)
        if number < branch.newest:
            for made in branch.interventions:
                if made.after == number:
                    simulation.intervene(made.intervention)

    def _differs(self, branch: str, number: int) -> None:
        self._finding = Finding(state="differs", branch=branch, step=number, checked=self._checked)

    def finding(self) -> Finding:
        """The result. To be called after the last step."""
        return self._finding or Finding(state="verified", checked=self._checked)


def _same(made: dict[str, Any], step: bytes) -> bool:
    """Whether a step of the new run is equal to the recorded one. The fields of a crafted request may have
    another order."""
    if canonical(made) == step:
        return True
    if made["key"] != _CRAFTED:
        return False
    recorded = msgspec.json.decode(step)
    return canonical(_fields_sorted(made)) == canonical(_fields_sorted(recorded))


def _fields_sorted(step: dict[str, Any]) -> dict[str, Any]:
    fields = step["params"].get("fields")
    if not isinstance(fields, list):
        return step
    return {**step, "params": {**step["params"], "fields": sorted(map(str, fields))}}
