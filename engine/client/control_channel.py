"""How the Sender sends a control request: it chooses the request, finds the coordinator, waits for the
connection or the backoff, and sends (SND-5, TXM-9). At most one control request is in flight.

This module owns the request that the Sender is busy with. Kafka's Sender thread does nothing else while it
waits for the coordinator's connection or for the backoff of a retry; neither does this Sender.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.client.accumulator import RecordAccumulator
from engine.client.completion import Completion
from engine.client.connections import CONNECTED, CONNECTING, Connections
from engine.client.control_requests import END, PendingRequest
from engine.client.metadata import Metadata
from engine.client.metadata_requests import MetadataRequests
from engine.client.outbox import Outbox
from engine.client.poll import Poll
from engine.client.reachability import IN_FLIGHT_FULL, NOT_CONNECTED, Reachability
from engine.client.setup import Setup
from engine.client.transaction_manager import TransactionManager
from engine.client.unsent import DROPPED_WITH_ERROR, FLUSHED_AT_END, Unsent
from engine.client.waiting import Waiting
from engine.happenings.sender import (
    AbortNotSent,
    ControlNotSent,
    ControlSent,
    CoordinatorMissed,
    EndedWithoutMessage,
    For,
    IdentityAsked,
    SenderSleeps,
    WaitsForAnswers,
    WaitsForConnection,
    WaitsForControl,
    WaitsForProducerId,
)
from engine.messages import EndTxnRequest, Send


@dataclass(slots=True)
class Held:
    """The request that the Sender is busy with. ``until``: when its wait for the connection ends (virtual
    ms), or None."""

    request: PendingRequest
    until: int | None = None
    attempted: int | None = None
    """The broker to which a connection was started for this request; a second one is not started."""
    slept: bool = False
    emitted: set[int | None] = field(default_factory=set)
    """The waits that were already emitted, so that each is emitted once: a broker id for the wait for its
    connection, None for the Sender's sleep."""


class ControlChannel:
    """Sends the control requests of one transaction manager. A method that returns a bool is a phase of a
    pass, or ends one: True means that the pass has ended."""

    __slots__ = (
        "_accumulator",
        "_completion",
        "_connections",
        "_metadata",
        "_metadata_requests",
        "_outbox",
        "_poll",
        "_queues_identity",
        "_reachability",
        "_setup",
        "_transactions",
        "_unsent",
        "_waiting",
        "held",
    )

    def __init__(
        self,
        setup: Setup,
        transactions: TransactionManager,
        accumulator: RecordAccumulator,
        completion: Completion,
        metadata: Metadata,
        connections: Connections,
        reachability: Reachability,
        metadata_requests: MetadataRequests,
        outbox: Outbox,
        poll: Poll,
        waiting: Waiting,
    ) -> None:
        self._setup = setup
        self._transactions = transactions
        self._accumulator = accumulator
        self._completion = completion
        self._metadata = metadata
        self._connections = connections
        self._reachability = reachability
        self._metadata_requests = metadata_requests
        self._outbox = outbox
        self._poll = poll
        self._waiting = waiting
        self._unsent: Unsent = DROPPED_WITH_ERROR if setup.profile.end_sends_everything else FLUSHED_AT_END
        self._queues_identity = setup.profile.queued_producer_id_request
        self.held: Held | None = None
        """The control request that the Sender is busy with (SND-5, steps 4 to 6)."""

    def send_or_poll(self, now: int) -> bool:
        """The phase T4 (since 2.5), or R2 (2.0 with transactions): send a control request, or wait for the
        response to the one in flight. Returns False if the pass continues."""
        if self.held is None:
            transactions = self._transactions
            if transactions.in_flight is not None:
                return self.poll(now)
            if transactions.is_transactional and self._accumulator.incomplete:
                self._unsent.give_up(transactions, self._accumulator, self._completion, now)
            request = self._next_request()
            if request is None:
                return False
            self.held = Held(request)
        return self._go_on(self.held, now)

    def _next_request(self) -> PendingRequest | None:
        """The next request that may be sent (TXM-9), or None."""
        transactions, setup = self._transactions, self._setup
        if transactions.new_partitions:
            transactions.register_partitions()
        if not transactions.requests:
            return None
        head = transactions.requests[0]
        if head.api == END and self._accumulator.incomplete:
            return None
        transactions.take_request()
        if transactions.refuses_to_send(head):
            transactions.fail_request(head)
            self._poll.changed = True
            setup.watch.emit(
                ControlNotSent, setup.name, head.api, transactions.state, transactions.last_error
            )
            return None
        if not isinstance(head.body, EndTxnRequest) or self._has_to_send(head.body):
            return head
        known = transactions.started
        transactions.end_transaction()
        if head.result is not None:
            head.result.done()
        self._poll.changed = True
        setup.watch.emit(AbortNotSent if known else EndedWithoutMessage, setup.name)
        return transactions.take_request()

    def _has_to_send(self, end: EndTxnRequest) -> bool:
        """Whether this EndTxn has to be sent: the coordinator may have registered a part of the transaction,
        and the request is no abort that the switch ``abort_sent`` suppresses."""
        return self._transactions.started and (end.committed or self._setup.switches.abort_sent)

    def _go_on(self, held: Held, now: int) -> bool:
        """Carry out the steps of the held request that are possible now (SND-5, steps 4 to 7)."""
        request = held.request
        if request.coordinator is None:
            node = self._connections.least_loaded(self._metadata.brokers, now)
            if node is None:
                self._metadata.request_update()
                request.is_retry = held.slept = True
                return self._sleep_again(held, now)
        else:
            node = self._transactions.coordinators[request.coordinator]
            if node is None:
                return self._look_up(held, now, None)
        connection = self._connections.to(node)
        if not connection.usable:
            return self._await_connection(held, node, now)
        if request.is_retry and not held.slept:
            held.slept = True
            backoff = request.backoff_ms
            return self.sleep(self._setup.config.retry_backoff_ms if backoff is None else backoff, now)
        self.held = None
        self._poll.changed = True
        self.send(node, request, now)
        return self._poll.end(now)

    def _await_connection(self, held: Held, node: int, now: int) -> bool:
        """Called when the broker accepts no request yet: start the connection, wait for it, or give up on
        this broker."""
        connection = self._connections.to(node)
        setup = self._setup
        if connection.state not in (CONNECTING, CONNECTED):
            if held.attempted == node or self._connections.connect_delay(node, now) != 0:
                return self._not_reached(held, node, now)
            held.attempted = node
            self._reachability.start(node, now)
        if held.until is None:
            held.until = now + setup.config.request_timeout_ms
        elif now >= held.until:
            return self._not_reached(held, node, now)
        if node not in held.emitted:
            held.emitted.add(node)
            self._emit_wait(node, connection.state == CONNECTED)
        return self._poll.end(held.until)

    def _emit_wait(self, node: int, connected: bool) -> None:
        name, broker, limit = self._setup.name, f"broker-{node}", self._connections.limit
        if connected:
            self._waiting.emit(IN_FLIGHT_FULL, node, WaitsForAnswers, name, broker, limit)
        else:
            self._waiting.emit(NOT_CONNECTED, node, WaitsForConnection, name, broker, limit, For.CONTROL)

    def _not_reached(self, held: Held, node: int, now: int) -> bool:
        """Called when the broker cannot be connected to: look up the coordinator again, or sleep (SND-5, step
        5)."""
        if held.request.coordinator is not None:
            return self._look_up(held, now, node)
        self._metadata.request_update()
        held.request.is_retry, held.slept = True, False
        held.attempted, held.until = None, None
        return self._sleep_again(held, now)

    def _look_up(self, held: Held, now: int, missed: int | None) -> bool:
        """Look up the coordinator; the held request returns to the queue as a retry (SND-5, step 5; FND-6).
        ``missed``: the cached broker that could not be reached; None: no broker was cached."""
        transactions = self._transactions
        request = held.request
        self.held = None
        self._poll.changed = True
        transactions.look_up(request.coordinator or "", request.key)
        transactions.retry(request)
        self._setup.watch.emit(
            CoordinatorMissed,
            self._setup.name,
            request.api,
            request.coordinator,
            request.key,
            None if missed is None else f"broker-{missed}",
        )
        return self._poll.end(now)

    def send(self, node: int, request: PendingRequest, now: int) -> None:
        """Send a control request; from now on it is in flight."""
        setup, transactions = self._setup, self._transactions
        sent = self._connections.sent(node, request.api, request.body, now, setup.config.request_timeout_ms)
        peer = self._connections.to(node).peer
        self._outbox.add(Send(peer, request.body, sent.correlation_id))
        transactions.set_in_flight(request)
        if request.coordinator is None and request.api == "InitProducerId":
            setup.watch.emit(IdentityAsked, setup.name, request.api, peer)
            return
        self._waiting.over()
        setup.watch.emit(ControlSent, setup.name, request.api, peer, len(transactions.requests))

    def poll(self, now: int) -> bool:
        """Wait for the response to the control request in flight (TXM-9). Returns True: the pass ends."""
        self._metadata_requests.send_wanted(now)
        request = self._transactions.in_flight
        if self._accumulator.incomplete and request is not None:
            name = self._setup.name
            if request.coordinator is None and request.api == "InitProducerId":
                self._waiting.emit("producer_id", None, WaitsForProducerId, name, self._queues_identity)
            else:
                self._waiting.emit("control", request.api, WaitsForControl, name, request.api)
        return self._poll.end(self._metadata_requests.due(now))

    def _sleep_again(self, held: Held, now: int) -> bool:
        """Let the Sender sleep once more. Only its first sleep for this request is emitted."""
        first = None not in held.emitted
        held.emitted.add(None)
        return self.sleep(self._setup.config.retry_backoff_ms, now, said=first)

    def sleep(self, backoff: int, now: int, said: bool = True) -> bool:
        """Let the Sender sleep before it repeats a control request (SND-5, step 6). ``said``: whether to emit
        that it sleeps."""
        poll = self._poll
        poll.sleeps_until = now + backoff
        self._metadata_requests.send_wanted(now)
        if said:
            self._setup.watch.emit(SenderSleeps, self._setup.name, backoff, poll.sleeps_until)
        return poll.end(None)
