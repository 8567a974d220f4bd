"""How the kernel lets an application loop act: one call is one step (GEN-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.simulation import Simulation


def act(simulation: Simulation, name: str, event: Any) -> None:
    """The loop makes its next call, unless one of its clients is paused."""
    loop = simulation.world.loops[name]
    for actor in (loop.producer.name, loop.consumer.name):
        if simulation.hold_if_paused(actor, event):
            return
    simulation.at_work(name, "api_call")
    for role, effects in loop.act(simulation.now, simulation.next_serial, simulation.world.counts):
        simulation.carry_out(role, effects)
    for role in (loop.producer.name, loop.consumer.name):
        simulation.ask(role)
