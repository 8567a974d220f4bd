"""The base class of all nodes of two-phase commit, and of a database and its services: a name, a watch, an
outbox. A crash loses the messages in the outbox; a subclass decides what else is lost."""

from __future__ import annotations

from typing import Any

from engine.messages import Effects, Envelope, Send
from engine.middleware.messages import ANSWERS
from engine.watching import Part, Watch


class Node:
    """One node. ``handle`` and ``on_timer`` fill the outbox and return it as effects for the kernel."""

    role = "participant"
    """The kind of node, as in the header's list of actors."""

    def __init__(self, name: str, watch: Watch) -> None:
        self.name = name
        self.watch = watch
        self.alive = True
        self.paused = False
        self._outbox: Effects = []

    def send(self, destination: str, body: Any, tid: int) -> None:
        """Send a message. The tid identifies its transaction, and is also its correlation id."""
        self._outbox.append(Send(destination, body, tid, is_response=is_answer(body)))

    def effects(self) -> Effects:
        effects, self._outbox = self._outbox, []
        return effects

    def handle(self, envelope: Envelope, now: int) -> Effects:
        raise NotImplementedError

    def next_timer(self) -> int | None:
        return None

    def on_timer(self, now: int) -> Effects:
        return []

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """Do nothing: messages in flight are lost, and a timer leads to the next attempt (MW-10)."""
        return []

    def pause(self, now: int) -> None:
        """Mark the node as paused in the view. The kernel holds back its timers, calls and deliveries
        (GEN-6)."""
        self.paused = True
        self.watch.touch(self)  # type: ignore[arg-type]

    def resume(self, now: int) -> None:
        self.paused = False
        self.watch.touch(self)  # type: ignore[arg-type]

    def crash(self, now: int) -> None:
        self.alive = self.paused = False
        self._outbox = []
        self.watch.touch(self)  # type: ignore[arg-type]

    def restart(self, now: int) -> Effects:
        self.alive = True
        self.watch.touch(self)  # type: ignore[arg-type]
        return self.effects()

    def parts(self) -> list[Part]:
        return [self]  # type: ignore[list-item]


def is_answer(body: object) -> bool:
    return isinstance(body, ANSWERS)
