"""A run depends only on its world and its interventions: played again it is the same, whether it is watched and
forked or not. A shrunk run shows the same fault with fewer actions.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from engine.errors import Refused
from engine.scenario.document import BadScenario, load
from engine.simulation import Simulation
from tests.engine.search.hunt import Found, Hunt, toml, write

RUNS_MAX, STEPS_MAX = 250, 150_000
"""How many runs and steps the shrinking of one find may take."""


def differences(hunt: Hunt) -> Iterator[str]:
    """Yield the differences between a finished run and the same run played again: from the text of its world, at
    every level of watching, and from a copy that was taken half-way.
    """
    try:
        yield from _differences(hunt)
    except Refused as refused:
        yield f"an intervention cannot be done again: {refused}"


def _differences(hunt: Hunt) -> Iterator[str]:
    document, done = tomllib.loads(toml(hunt.document)), hunt.simulation.interference.interventions
    expected = _summary(hunt.simulation)
    bare = Simulation(load(document), done, "bare")
    bare.run()
    if _summary(bare) != expected:
        yield f"unwatched it is {_summary(bare)}, watched {expected}"
    recorded = Simulation(load(document), done)
    recorded.run(steps=hunt.simulation.number // 2)
    fork = recorded.fork()
    for copy in (recorded, fork):
        copy.run()
    if _summary(recorded) != expected:
        yield f"recorded it is {_summary(recorded)}, otherwise {expected}"
    if recorded.digest() != fork.digest():
        yield "a fork ends elsewhere"
    if recorded.verdicts() != hunt.simulation.verdicts():
        yield f"judges say {recorded.verdicts()} and {hunt.simulation.verdicts()}"


def _summary(simulation: Simulation) -> tuple[Any, ...]:
    return (
        simulation.number,
        simulation.now,
        simulation.finished,
        sorted(simulation.kinds.items()),
        simulation.world.network.next_id,
    )


def found_again(folder: Path, every: int = 1) -> Found | None:
    """Play the files in ``folder`` again with all checks, also of whole logs after every ``every`` steps. Returns the
    find, if it occurs again.
    """
    document = tomllib.loads((folder / "found.toml").read_text(encoding="utf-8"))
    done = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return _found(Hunt(document, folder, done, every=every))


def _found(hunt: Hunt) -> Found | None:
    try:
        hunt.replay()
    except Found as found:
        return found
    return None


class Shrinking:
    """Leaves out everything that a find does not need, as far as the bounds allow."""

    def __init__(self, found: Found, hunt: Hunt, folder: Path) -> None:
        self.name = found.name
        self.found = found
        self.folder = folder
        self.document = deepcopy(hunt.document)
        self.done = list(hunt.simulation.interference.interventions)
        self.runs = 0
        self.steps = 0

    def shrink(self) -> Found:
        """Return the find in the smallest world in which the same property is violated; the world's files are in the
        folder.
        """
        self.done = self._fewer(self.done, self._with_done)
        for section in ("faults", "loops", "applications"):
            self._section(section)
        for index in range(len(self.document.get("applications", ()))):
            self._calls(index)
        self.done = self._fewer(self.done, self._with_done)
        write(self.folder, self.document, self.done)
        return found_again(self.folder) or self.found

    def _section(self, name: str) -> None:
        rows = self.document.get(name) or []
        self.document[name] = self._fewer(rows, lambda kept: {**self.document, name: kept})

    def _calls(self, index: int) -> None:
        def with_calls(kept: list[Any]) -> dict[str, Any]:
            rows = list(self.document["applications"])
            rows[index] = {**rows[index], "calls": kept}
            return {**self.document, "applications": rows}

        kept = self._fewer(self.document["applications"][index]["calls"], with_calls)
        self.document = with_calls(kept)

    def _with_done(self, kept: list[Any]) -> dict[str, Any]:
        return self.document

    def _fewer(self, items: list[Any], world: Callable[[list[Any]], dict[str, Any]]) -> list[Any]:
        """Leave out halves, then quarters, down to single items, as long as the find occurs."""
        of_done = world == self._with_done
        size = max(len(items) // 2, 1)
        while items and self.runs < RUNS_MAX:
            removed = False
            for start in range(len(items) - size, -1, -size):
                kept = items[:start] + items[start + size :]
                if self._still(world(kept), kept if of_done else self.done):
                    items, removed = kept, True
            if size == 1 and not removed:
                break
            size = max(size // 2, 1) if not removed or size > 1 else 1
        return items

    def _still(self, document: dict[str, Any], done: list[dict[str, Any]]) -> bool:
        if self.runs >= RUNS_MAX or self.steps >= STEPS_MAX:
            return False
        self.runs += 1
        try:
            hunt = Hunt(document, self.folder, done, every=1)
        except (BadScenario, Refused, LookupError):  # a world with too much left out cannot be played
            return False
        found = _found(hunt)
        self.steps += hunt.simulation.number
        return found is not None and found.name == self.name
