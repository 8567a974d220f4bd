"""What every node of the scheme has: a name, a watch, and how a row of its table becomes words and effects.

A node's data survives a crash (it stands in a database); what it was about to do does not.
"""

from __future__ import annotations

from typing import Any

from engine.machine import Machine, Row
from engine.messages import Effects, Envelope, Send
from engine.middleware.messages import ANSWERS
from engine.telling.rows import row_key
from engine.watching import Part, Watch


class Node:
    """``handle`` and ``on_timer`` fill the outbox; the kernel carries it out."""

    role = "participant"
    """What the header's list of actors calls it."""

    def __init__(self, name: str, watch: Watch) -> None:
        self.name = name
        self.watch = watch
        self.alive = True
        self.paused = False
        self._outbox: Effects = []

    def send(self, destination: str, body: Any, tid: int) -> None:
        """Transactions are told apart by their tid, which stands for a correlation id."""
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

    def on_disconnected(self, peer: str, now: int) -> Effects:
        """What was under way is lost; nobody asks again before a timer says so (MW-10)."""
        return []

    def pause(self, now: int) -> None:
        """Show the pause; the kernel holds back timers, calls and deliveries (GEN-6)."""
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

    # -- saying what a row did -------------------------------------------------------------------------

    def took(self, machine: Machine[Any], row: Row, of: str, /, **params: Any) -> None:
        """Say the row's sentence; show its change of state."""
        moves = row.target is not None and row.target != row.source
        self.watch.say(row_key(row), (row.spec, "MW-9") if moves else (row.spec,), **params)
        if self.watch.recording and row.target is not None and moves:
            self.watch.transition(machine.name, of, row.source, row.target, row.on, row.number)

    def refused(self, row: Row, compared: list[list[Any]], next_key: str, /, **params: Any) -> None:
        """Say the row's sentence and why the message was refused (UIV-3)."""
        self.watch.say(row_key(row), (row.spec,), **params)
        self.watch.refuse(row.spec, row.reply, compared, next_key, **params)


def is_answer(body: object) -> bool:
    return isinstance(body, ANSWERS)
