"""What the phases of one Sender's passes share: what it is busy with, what it waits for, when the next pass may start.

The phases before P1 (``control``, ``control_sending``) and those of every pass (``sender``) work on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.client.accumulator import Ready
from engine.client.control_requests import PendingRequest
from engine.client.incarnation import Incarnation
from engine.client.transaction_calls import abort_transaction
from engine.happenings.sender import CloseAborts, ConnectionStarted, SenderClosed, StopReaches
from engine.messages import Connect
from engine.watching import Fields, Kind


@dataclass(slots=True)
class Held:
    """The request the Sender is busy with. ``until``: how long it may wait for the connection."""

    request: PendingRequest
    until: int | None = None
    attempted: int | None = None
    """The broker that a connection was started to: when that fails, the coordinator is looked up again."""
    slept: bool = False
    told: set[int | None] = field(default_factory=set)
    """The brokers that it was said to wait for; None: it was said that the Sender sleeps. Each once."""


class SenderPass:
    """Of the Sender of one incarnation. A phase that ends the pass returns ``end(…)``."""

    __slots__ = (
        "changed",
        "end_at",
        "held",
        "last_wait",
        "manager",
        "memory",
        "ready",
        "sleeps_until",
        "stopped",
        "unreachable",
        "waiting_for",
    )

    def __init__(self, memory: Incarnation) -> None:
        self.memory = memory
        if memory.transactions is not None:
            self.manager = memory.transactions
            """Only with idempotence; the phases that look at it are not there without (``control.phases_of``)."""
        self.changed = False
        """A phase of this pass changed something, so the next pass may do more."""
        self.stopped = False
        self.ready = Ready()
        self.unreachable: list[tuple[int, str]] = []
        """(node, reason) of the ready nodes dropped by P4 in this pass."""
        self.end_at: int | None = None
        """When the next pass may start; None: when something comes."""
        self.sleeps_until: int | None = None
        self.held: Held | None = None
        """The control request that the Sender is busy with (SND-5, steps 4 to 6)."""
        self.waiting_for: str | None = None
        self.last_wait: tuple[str, object] | None = None

    def end(self, at: int | None) -> bool:
        """End the pass; the next may start at ``at``, or when something comes."""
        self.end_at = at
        return True

    def wait(
        self,
        reason: str,
        about: object,
        kind: Kind[Fields],
        /,
        *fields: Fields.args,
        **named: Fields.kwargs,
    ) -> None:
        """Emit once why nothing is sent; again only when the reason, or what it is ``about``, changes (SND-15)."""
        if (reason, about) == self.last_wait:
            return
        self.last_wait = (reason, about)
        self.waiting_for = reason
        memory = self.memory
        memory.watch.emit(kind, *fields, **named)
        if memory.accumulator.stops and self.ready.nodes:
            memory.watch.emit(StopReaches, memory.name, memory.switches.drain_stop_scope)

    def connect(self, node: int, now: int) -> None:
        """Start a connection if none is under way and its backoff is over."""
        memory = self.memory
        connections = memory.connections
        if connections.connect_delay(node, now) != 0:
            return
        self.changed = True
        first = connections.to(node).failures <= 1  # Further attempts in one outage say nothing.
        memory.outbox.append(Connect(connections.connecting(node, now)))
        if first:
            memory.watch.emit(ConnectionStarted, memory.name, f"broker-{node}")

    def finish_closing(self) -> None:
        """A closed producer whose last batch is over ends its Sender (SND-14)."""
        memory = self.memory
        if memory.closed and not memory.accumulator.incomplete and not self._ends_transaction():
            self.stopped = True
            memory.watch.emit(SenderClosed, memory.name)
            for call in memory.closing:
                memory.end_call(call, "done")
            memory.closing.clear()

    def _ends_transaction(self) -> bool:
        """A transaction is still to be ended before the Sender may stop: k28 aborts an open one (SND-14)."""
        transactions = self.memory.transactions
        if transactions is None or not transactions.is_transactional:
            return False
        if transactions.in_flight is not None or self.held is not None:
            return True
        if not self.memory.close_aborts or not transactions.has_ongoing_transaction:
            return False
        if transactions.requests:
            return True
        if transactions.is_completing:
            return False  # Its end failed, and nothing that could still happen would mend that.
        abort_transaction(transactions)
        self.changed = True
        self.memory.watch.emit(CloseAborts, self.memory.name)
        return True
