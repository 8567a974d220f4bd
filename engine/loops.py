"""How the kernel lets an application loop act: one call is one step (GEN-4)."""

from __future__ import annotations

from typing import Any

from engine.kernel import Kernel


def act(kernel: Kernel, name: str, event: Any) -> None:
    """The loop makes its next call, unless one of its clients is paused."""
    loop = kernel.world.loops[name]
    for actor in (loop.producer.name, loop.consumer.name):
        if kernel.hold_if_paused(actor, event):
            return
    kernel.at_work(name, "api_call")
    for role, effects in loop.act(kernel.now, kernel.next_serial, kernel.world.counts):
        kernel.carry_out(role, effects)
    for role in (loop.producer.name, loop.consumer.name):
        kernel.ask(role)
