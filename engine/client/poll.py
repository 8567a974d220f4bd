"""Decides when the next pass of the Sender may start. A pass ends with a poll, and the poll ends by its
timeout or a wake-up (SND-1).

Kafka's Sender thread sleeps in ``NetworkClient.poll`` until its timeout is over or ``wakeup`` is called.
While it sleeps before it repeats a control request (SND-5), nothing wakes it.
"""

from __future__ import annotations


class Poll:
    """The poll that ends the newest pass. ``end_at``: when its timeout ends; None: it has no timeout.
    ``wake_at``: when an event ended it; None: not yet. Times in virtual ms."""

    __slots__ = ("changed", "end_at", "sleeps_until", "stopped", "wake_at")

    def __init__(self) -> None:
        self.end_at: int | None = None
        self.wake_at: int | None = None
        self.sleeps_until: int | None = None
        self.changed = False
        """Whether a phase of this pass changed something, so that the next pass may have work."""
        self.stopped = False
        """Whether the Sender has ended, so that no pass follows."""

    def wake(self, now: int) -> None:
        """End the poll, so that the next pass may start now."""
        if self.wake_at is None or now < self.wake_at:
            self.wake_at = now

    def begin(self) -> None:
        """Note that a pass begins."""
        self.changed = False
        self.end_at = None
        self.sleeps_until = None
        self.wake_at = None

    def end(self, at: int | None) -> bool:
        """End the pass; the next one may start at ``at``, or after a wake-up. Returns True."""
        self.end_at = at
        return True

    def due(self) -> int | None:
        """When the next pass may start (virtual ms); None: only after a wake-up."""
        if self.sleeps_until is not None:
            return self.sleeps_until
        wake = self.wake_at
        if wake is None:
            return self.end_at
        return wake if self.end_at is None or wake < self.end_at else self.end_at
