"""The view folded from the changes of every step is the view that the engine reports (GEN-10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from engine.simulation import Simulation
from engine.step import Change, Step, canonical, place, pruned
from engine.watching import ABSENT

EVERY = 50


def fits(view: dict[str, Any], change: Change) -> bool:
    """Whether a change begins with what the view holds: who steps back gets what there was. Empty objects apart."""
    path, before, _ = change
    held: Any = view
    for name in path:
        held = held.get(name, {}) if isinstance(held, dict) else {}
    return bool(pruned(held) == pruned({} if before is ABSENT else before))


class Folded:
    """What a page holds that got every step."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.view = json.loads(canonical(simulation.view()))

    def take(self, step: Step) -> Iterator[str]:
        for change in step.changes:
            path, _, after = change
            if not fits(self.view, change):
                yield f"{'.'.join(path)} was not what the change begins with"
            place(self.view, path, deepcopy(after))
        if step.number % EVERY == 0:
            yield from self.differences()

    def differences(self) -> Iterator[str]:
        """The sections that differ."""
        mine, real = pruned(self.view), pruned(self.simulation.view())
        for section in sorted({*mine, *real}):
            if mine.get(section) != real.get(section):
                yield f"the folded {section} is not the engine's"
