"""The derived facts of a running simulation."""

from __future__ import annotations

from engine.simulation import Simulation
from engine.view.derived import Derived


def following(simulation: Simulation) -> Derived:
    """What stands at the simulation's newest step and is to take its next ones. It is kept with the simulation, and
    made anew from its view where that went on alone."""
    found = simulation.follower
    if not isinstance(found, Derived) or found.number != simulation.number:
        found = Derived(simulation.view(), simulation.number, simulation.judges.named())
        simulation.follower = found
    return found
