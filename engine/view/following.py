"""The derived facts of a running simulation."""

from __future__ import annotations

from engine.simulation import Simulation
from engine.view.derived import Derived


def following(simulation: Simulation) -> Derived:
    """The follower of a simulation: an object that has taken all its steps. It is kept with the simulation, and
    made anew from the view if the simulation went on without it."""
    found = simulation.follower
    if not isinstance(found, Derived) or found.number != simulation.number:
        found = Derived(simulation.view(), simulation.number, simulation.judges.named())
        simulation.follower = found
    return found
