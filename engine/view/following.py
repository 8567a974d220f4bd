"""Keeps the derived facts of a running simulation."""

from __future__ import annotations

from engine.simulation import Simulation
from engine.view.derived import Derived


def following(simulation: Simulation) -> Derived:
    """The object that derives the facts of a simulation's steps. It is stored with the simulation."""
    found = simulation.follower
    if not isinstance(found, Derived) or found.number != simulation.number:
        found = Derived(simulation.view(), simulation.number, simulation.judges.named())
        simulation.follower = found
    return found
