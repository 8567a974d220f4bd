"""The parts of the view that show the queued events and the virtual time (GEN-2, GEN-10)."""

from __future__ import annotations

from engine.shapes.views import PendingView

FAULT, DELIVERY, TIMER, SENDER, CALL = range(5)
"""Classes of events. Of the events at one time, those with a lower class come first (GEN-2)."""
CLASS_NAMES = ("fault", "delivery", "timer", "sender", "call")


class PendingPart:
    """A queued event in the view (GEN-10). ``gone``: whether the event has left the queue. ``known``: whether
    the recorder's view has the event."""

    __slots__ = ("gone", "known", "path", "shown")

    def __init__(self, order: int, at: int, rank: int, actor: str, what: str) -> None:
        self.path = ("pending", str(order))
        self.shown: PendingView = {"at": at, "class": CLASS_NAMES[rank], "actor": actor, "what": what}
        self.gone = False
        self.known = False

    def view(self) -> PendingView | None:
        return None if self.gone else self.shown


class TimePart:
    """Virtual time in the view."""

    __slots__ = ("now", "path")

    def __init__(self) -> None:
        self.path = ("time",)
        self.now = 0

    def view(self) -> int:
        return self.now
