"""Collects effects while the kernel calls a producer once: the producer's parts add them in order, and the client
returns them to the kernel."""

from __future__ import annotations

from engine.messages import Connect, Disconnect, Effects, Send


class Outbox:
    """The effects that were not yet returned to the kernel."""

    __slots__ = ("effects",)

    def __init__(self) -> None:
        self.effects: Effects = []

    def add(self, effect: Send | Connect | Disconnect) -> None:
        self.effects.append(effect)

    def take(self) -> Effects:
        """Return the effects and empty the list."""
        if not self.effects:
            return []
        effects, self.effects = self.effects, []
        return effects
