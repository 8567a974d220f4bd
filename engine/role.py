"""The interfaces of a run's actors that the kernel calls. Each is a protocol, so no role depends on the kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from engine.client.application import Call
from engine.messages import FOR_ALL_ELSE, Effects, Envelope
from engine.watching import Part


class Role(Protocol):
    """The interface of every actor: a plain object that receives messages and the time, and returns effects."""

    @property
    def name(self) -> str: ...

    @property
    def alive(self) -> bool: ...

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle a message that arrived."""
        ...

    def next_timer(self) -> int | None:
        """The earliest time at which ``on_timer`` would change something; None when no time would."""
        ...

    def on_timer(self, now: int) -> Effects: ...

    def parts(self) -> Iterable[Part]:
        """All parts of the view that belong to this role."""
        ...


class Actor(Role, Protocol):
    """A role that learners and fault scripts may crash, restart, pause and resume (GEN-6)."""

    def crash(self, now: int) -> None: ...

    def restart(self, now: int) -> Effects: ...

    def pause(self, now: int) -> None: ...

    def resume(self, now: int) -> None: ...


class Connecting(Actor, Protocol):
    """A role that opens connections, and is notified when one ends."""

    def on_connected(self, peer: str, now: int, purpose: str = FOR_ALL_ELSE) -> Effects:
        """Learn that the connection to ``peer`` for ``purpose`` is open."""
        ...

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """Learn that the connection to ``peer`` for ``purpose`` ended, or could not be made. ``purpose`` None: all
        connections to ``peer`` ended."""
        ...


class Callable(Role, Protocol):
    """A role that scripted applications call."""

    def call(self, call: Call, now: int) -> Effects:
        """Make one call; ``call.state`` holds its result."""
        ...
