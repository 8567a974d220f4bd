"""The view folded from the changes of every step is the view that the engine reports (GEN-10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.simulation import Simulation
from engine.step import Step, canonical, place, pruned
from engine.watching import ABSENT, Change

EVERY = 50


def fits(view: dict[str, Any], change: Change) -> bool:
    """Whether a change begins with what the view holds: a step back restores the view, apart from empty objects."""
    path, before, _ = change
    held: Any = view
    for name in path:
        held = held.get(name, {}) if isinstance(held, dict) else {}
    expected = {} if before is ABSENT else before
    return bool(held == expected or pruned(held) == pruned(expected))


def copied(value: Any) -> Any:
    """What a change holds, with objects of its own: others are put into them later. `ABSENT` stays what it is."""
    if type(value) is dict:
        return {name: copied(item) for name, item in value.items()}
    return [copied(item) for item in value] if type(value) is list else value


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
            place(self.view, path, copied(after))
        if step.number % EVERY == 0:
            yield from self.differences()

    def differences(self) -> Iterator[str]:
        """The sections that differ."""
        mine, real = self.view, self.simulation.view()
        for section in sorted({*mine, *real}):
            here, there = mine.get(section, {}), real.get(section, {})
            if here != there and pruned(here) != pruned(there):
                yield f"the folded {section} is not the engine's"
