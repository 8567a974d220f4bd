"""The events of paused actors (GEN-6)."""

from __future__ import annotations

from engine.timetable import Event, Timetable, class_of
from engine.world import World


class Pauses:
    """Keeps each event of a paused actor until the actor resumes; ``release`` then queues deliveries and calls
    again, and drops the other events."""

    __slots__ = ("_held", "_timetable", "_world")

    def __init__(self, timetable: Timetable, world: World) -> None:
        self._timetable = timetable
        self._world = world
        self._held: dict[str, list[Event]] = {}
        """Dict of paused actor → its events, in the order in which they came."""

    def hold(self, actor: str, event: Event) -> bool:
        """Keep the event if its actor is paused; True when kept."""
        if actor not in self._world.paused:
            return False
        self._held.setdefault(actor, []).append(event)
        if event[1] == "deliver":
            self._world.network.hold(event[2][0], True)
        return True

    def release(self, actor: str) -> None:
        """Queue the kept deliveries and calls of a resumed actor for now, in their old order."""
        timetable, network = self._timetable, self._world.network
        for event in self._held.pop(actor, ()):
            _, handler, argument = event
            rank = class_of(event)
            if handler == "deliver":
                message = argument[0]
                envelope = network.under_way.get(message)
                if envelope is None:
                    continue
                network.hold(message, False)
                envelope.arrives_at = timetable.now
                timetable.put(
                    timetable.now, rank, handler, (message, timetable.now), actor, f"message {message}"
                )
            elif handler == "call":
                timetable.put(timetable.now, rank, handler, argument, argument, "call")
