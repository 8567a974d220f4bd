"""Compares the view that results from applying the changes of every step with the view that the engine reports
(GEN-10).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.simulation import Simulation
from engine.step import Step, canonical, place, pruned
from engine.watching import ABSENT, Change

EVERY = 50


def fits(view: dict[str, Any], change: Change) -> bool:
    """Whether the value before the change is the view's current value, apart from empty objects; only then can a step
    back restore the view.
    """
    path, before, _ = change
    held: Any = view
    for name in path:
        held = held.get(name, {}) if isinstance(held, dict) else {}
    expected = {} if before is ABSENT else before
    return bool(held == expected or pruned(held) == pruned(expected))


def copied(value: Any) -> Any:
    """Return a copy of a value of a change, because later changes add to its objects. `ABSENT` stays the same
    object.
    """
    if type(value) is dict:
        return {name: copied(item) for name, item in value.items()}
    return [copied(item) for item in value] if type(value) is list else value


class Folded:
    """The view that a page has after it has received every step."""

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
        """Yield the sections of the view that differ."""
        mine, real = self.view, self.simulation.view()
        for section in sorted({*mine, *real}):
            here, there = mine.get(section, {}), real.get(section, {})
            if here != there and pruned(here) != pruned(there):
                yield f"the folded {section} is not the engine's"
