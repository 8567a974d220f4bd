"""The Sender pass that is running. Between its phases no other event is handled, except an intervention."""

from __future__ import annotations

from engine.kernel import Kernel
from engine.timetable import Event


class SenderPasses:
    """The running pass. ``client``: the client whose pass it is; None between passes."""

    __slots__ = ("_kernel", "client")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.client: str | None = None

    def begin(self, name: str, event: Event) -> None:
        """Begin a client's pass and run its first phase."""
        kernel = self._kernel
        if kernel.world.paused and kernel.hold_if_paused(name, event):
            return
        self.client = name
        self.run_phase(name)

    def run_phase(self, name: str) -> None:
        """Run the client's phases until one did something."""
        kernel = self._kernel
        world = kernel.world
        if not world.acts(name):
            self.client = None  # A crash ends the pass; a paused client finishes the pass after it resumes.
            kernel.ask_for_timers(name)
            return
        kernel.at_work(name, "sender_phase")
        effects, more = world.clients[name].run_phase(kernel.now)
        if effects:
            kernel.carry_out(name, effects)
        if not more:
            self.client = None
            kernel.ask_for_timers(name)
        elif kernel.watch.recording:
            for loop in world.loops_of.get(name, ()):
                kernel.watch.touch(loop)  # A phase may have completed the client's blocked call.
