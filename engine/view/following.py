"""The derived facts of a running simulation."""

from __future__ import annotations

from engine.simulation import Simulation
from engine.view.derived import Derived


def following(simulation: Simulation) -> Derived:
    """The object that derives the facts of all steps of a simulation. It is stored with the simulation. When
    the simulation has made steps without it, it is built again from the view."""
    found = simulation.follower
    if not isinstance(found, Derived) or found.number != simulation.number:
        found = Derived(simulation.view(), simulation.number, simulation.judges.named())
        simulation.follower = found
    return found
