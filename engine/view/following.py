"""The derived facts of a running simulation."""

from __future__ import annotations

from engine.simulation import Simulation
from engine.view.derived import Derived


def following(simulation: Simulation) -> Derived:
    """The follower of a simulation: the object with the derived facts of all its steps. It is stored with the
    simulation, and built again from the view when the simulation has made steps without it."""
    found = simulation.follower
    if not isinstance(found, Derived) or found.number != simulation.number:
        found = Derived(simulation.view(), simulation.number, simulation.judges.named())
        simulation.follower = found
    return found
