"""Lets application loops and services make their calls for the kernel: one call is one step (GEN-4)."""

from __future__ import annotations

from typing import Any

from engine.database.service import Service
from engine.kernel import Kernel
from engine.scenario.loop import Loop


def act(kernel: Kernel, name: str, event: Any) -> None:
    """Let the loop or service make its next call, unless one of its clients is paused."""
    loop: Loop | Service = kernel.world.loops.get(name) or kernel.world.services[name]
    for actor in loop.uses:
        if kernel.hold_if_paused(actor, event):
            return
    kernel.at_work(name, "api_call")
    for role, effects in loop.act(kernel.now, kernel.world.new_serial, kernel.world.counts):
        kernel.carry_out(role, effects)
    for role in loop.uses:
        kernel.ask(role)
