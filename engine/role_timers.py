"""Asks each role for its next timer, and keeps at most one event of each kind for it in the timetable (GEN-2)."""

from __future__ import annotations

from engine import calls
from engine.broker.broker import Broker
from engine.kernel import Kernel
from engine.pending import CALL, SENDER, TIMER
from engine.sender_passes import SenderPasses
from engine.timetable import NEVER, Timetable


class RoleTimers:
    """The timers of the roles of one run."""

    __slots__ = ("_backgrounds", "_kernel", "_passes", "_passing", "_timers", "_timetable")

    def __init__(self, kernel: Kernel, timetable: Timetable, passing: SenderPasses) -> None:
        self._kernel = kernel
        self._timetable = timetable
        self._passing = passing
        self._timers = timetable.scheduled["timer"]
        self._passes = timetable.scheduled["pass"]
        self._backgrounds = timetable.scheduled["background"]

    def ask(self, name: str) -> None:
        """Update the timers of a role, and of the applications and loops that use it."""
        kernel = self._kernel
        world = kernel.world
        broker = world.brokers.get(name)
        if broker is not None:
            self.ask_broker(broker)
            return
        role = world.roles[name]
        name = role.name
        at = role.next_timer()
        if self._timers.get(name, NEVER)[0] != at:
            self._timetable.schedule(name, "timer", at, TIMER)
        client = world.clients.get(name)
        if client is not None and self._passing.client != name:
            at = client.pass_due()
            if self._passes.get(name, NEVER)[0] != at:
                self._timetable.schedule(name, "pass", at, SENDER)
        for application in world.applications_of.get(name, ()):
            if application.blocked_by is not None:
                calls.follow(kernel, application)
        if world.loops_of:
            for loop in world.loops_of.get(name, ()):
                kernel.watch.touch(loop)
                self._timetable.schedule(loop.name, "loop", loop.due(kernel.now), CALL)

    def ask_broker(self, broker: Broker) -> None:
        """Update the timer and the background timer of a broker."""
        name = broker.name
        at = broker.next_timer()
        if self._timers.get(name, NEVER)[0] != at:
            self._timetable.schedule(name, "timer", at, TIMER)
        at = broker.next_background_timer()
        if self._backgrounds.get(name, NEVER)[0] != at:
            self._timetable.schedule(name, "background", at, TIMER)

    def ask_in_background(self, broker: Broker) -> None:
        """Update only the background timer of a broker."""
        at = broker.next_background_timer()
        if self._backgrounds.get(broker.name, NEVER)[0] != at:
            self._timetable.schedule(broker.name, "background", at, TIMER)
