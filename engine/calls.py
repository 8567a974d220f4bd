"""The calls of scripted applications: the kernel lets an application make one call in each step (GEN-4)."""

from __future__ import annotations

from typing import Any

from engine.kernel import Kernel
from engine.pending import CALL
from engine.scenario.application import Application


def act(kernel: Kernel, name: str, event: Any) -> None:
    """Let an application make its next call, unless one of its calls is blocked. While its client is paused
    or down, the application waits."""
    application = kernel.world.applications[name]
    if kernel.hold_if_paused(application.client, event):
        return
    client = kernel.world.called[application.client]
    call = application.next_call
    if call is None or application.blocked_by is not None:
        return
    if not client.alive:
        application.blocked_by = "client_down"
        kernel.watch.touch(application)
        return
    if application.leaves_out(call):
        application.position += 1
        kernel.watch.touch(application)
        schedule(kernel, application)
        return
    kernel.at_work(name, "api_call")
    made = application.call = kernel.world.make_call(call, application.serials.get(application.position))
    application.position += 1
    kernel.carry_out(client.name, client.call(made, kernel.now))
    application.blocked_by = call.do if made.state == "blocked" else None
    application.last_result = made.state
    kernel.watch.touch(application)
    kernel.ask_for_timers(client.name)
    if application.blocked_by is None:
        schedule(kernel, application)


def schedule(kernel: Kernel, application: Application) -> None:
    """Queue the application's next call, if there is one, for its time in the script, or for now if that time
    has passed."""
    call = application.next_call
    if call is not None:
        at = max(call.at, kernel.now)
        kernel.put(at, CALL, "call", application.name, application.name, call.do)


def follow(kernel: Kernel, application: Application) -> None:
    """Continue an application's script if its blocked call has returned or its client is up again."""
    if application.blocked_by == "client_down":
        if not kernel.world.called[application.client].alive:
            return
    elif application.call.state == "blocked":
        return
    else:
        application.last_result = application.call.state
    application.blocked_by = None
    kernel.watch.touch(application)
    schedule(kernel, application)
