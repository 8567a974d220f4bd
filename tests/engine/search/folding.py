"""The view folded from the changes of every step is the view that the engine reports (GEN-10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy

from engine.recording import Step, canonical, place, pruned
from engine.simulation import Simulation

EVERY = 50


class Folded:
    """What a page holds that got every step."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.view = json.loads(canonical(simulation.view()))

    def take(self, step: Step) -> Iterator[str]:
        for path, _, after in step.changes:
            place(self.view, path, deepcopy(after))
        if step.number % EVERY == 0:
            yield from self.differences()

    def differences(self) -> Iterator[str]:
        """The sections that differ."""
        mine, real = pruned(self.view), pruned(self.simulation.view())
        for section in sorted({*mine, *real}):
            if mine.get(section) != real.get(section):
                yield f"the folded {section} is not the engine's"
