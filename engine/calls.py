"""How the kernel lets scripted applications call: one call is one step (GEN-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.pending import CALL
from engine.scenario.application import Application

if TYPE_CHECKING:
    from engine.simulation import Simulation


def act(simulation: Simulation, name: str, event: Any) -> None:
    """The application makes its next call, unless its client is paused; one that is down is waited for."""
    application = simulation.world.applications[name]
    if simulation.hold_if_paused(application.client, event):
        return
    client = simulation.world.callable_by(application)
    call = application.next_call
    if call is None or application.blocked_by is not None:
        return
    if not client.alive:
        application.blocked_by = "client_down"
        simulation.watch.touch(application)
        return
    simulation.at_work(name, "api_call")
    application.position += 1
    serial = None
    if call.do == "send":
        serial = call.again if call.again is not None else simulation.next_serial()
    made = application.call = simulation.world.make_call(call, serial)
    simulation.carry_out(client.name, client.call(made, simulation.now))
    application.blocked_by = call.do if made.state == "blocked" else None
    application.last_result = made.state
    simulation.watch.touch(application)
    simulation.ask_for_timers(client.name)
    if application.blocked_by is None:
        schedule(simulation, application)


def schedule(simulation: Simulation, application: Application) -> None:
    """Its next call, at the time the script says, or now when that has passed."""
    call = application.next_call
    if call is not None:
        at = max(call.at, simulation.now)
        simulation.put(at, CALL, "call", application.name, application.name, call.do)


def follow(simulation: Simulation, application: Application) -> None:
    """A blocked call may have returned, or the client may be back: then the script goes on."""
    if application.blocked_by == "client_down":
        if not simulation.world.callable_by(application).alive:
            return
    elif application.call.state == "blocked":
        return
    else:
        application.last_result = application.call.state
    application.blocked_by = None
    simulation.watch.touch(application)
    schedule(simulation, application)
