"""How a control request leaves: chosen, directed, delayed, sent; at most one is in flight (SND-5, TXM-9).

The Sender holds one request at a time. While the coordinator's connection is made, and while a retry sleeps its
backoff, Kafka's Sender thread does nothing else; so does this one.
"""

from __future__ import annotations

from engine.client.client_states import ABORTING
from engine.client.connections import CONNECTED, CONNECTING
from engine.client.control_requests import END, PendingRequest
from engine.client.metadata_requests import ask_for_metadata, metadata_due
from engine.client.sender_pass import Held, SenderPass
from engine.client.transaction_manager import TransactionManager
from engine.happenings.sender import (
    ControlNotSent,
    ControlSent,
    CoordinatorMissed,
    EndedWithoutMessage,
    For,
    IdentityAsked,
    LingerVoid,
    SenderSleeps,
    WaitsForConnection,
    WaitsForControl,
    WaitsForProducerId,
)
from engine.messages import Send

ABORTED_ERROR = "TRANSACTION_ABORTED"
"""What records learn that were given up because the application aborted, without any failure."""


def send_or_poll(sender: SenderPass, now: int) -> bool:
    """T4 (k28), R2 (k20 with transactions): True when it did something, which ends the pass."""
    if sender.held is None:
        transactions = sender.manager
        if transactions.in_flight is not None:
            return poll(sender, now)
        if transactions.is_transactional:
            _give_up_unsent(sender, transactions, now)
        request = _next_request(sender, transactions)
        if request is None:
            return False
        sender.held = Held(request)
    return _go_on(sender, sender.held, now)


def _give_up_unsent(sender: SenderPass, transactions: TransactionManager, now: int) -> None:
    """What was never sent is dropped before an abort; what may be stored must be resolved (ACC-22)."""
    memory = sender.memory
    if not memory.accumulator.incomplete:
        return
    aborting = transactions.state in ABORTING
    if transactions.error_drops_unsent:
        if not (aborting or transactions.has_abortable_error):
            return
    elif not transactions.is_completing:
        return
    elif not memory.accumulator.flushes:
        # Kafka 2.0 begins a flush here that nothing ever ends, so linger is void from now on.
        memory.accumulator.flushes = 1
        memory.watch.emit(LingerVoid, memory.name)
    if aborting or transactions.error_drops_unsent:
        error = transactions.last_error
        memory.abort(
            memory.accumulator.undrained(), ABORTED_ERROR if error is None else error.name, now, True
        )


def _next_request(sender: SenderPass, transactions: TransactionManager) -> PendingRequest | None:
    """The next request that may leave (TXM-9); what cannot be sent any more fails here."""
    memory = sender.memory
    if transactions.new_partitions:
        transactions.register_partitions()
    if not transactions.requests:
        return None
    head = transactions.requests[0]
    if head.api == END and memory.accumulator.incomplete:
        return None
    transactions.take_request()
    if transactions.refuses_to_send(head):
        transactions.fail_request(head)
        sender.changed = True
        memory.watch.emit(ControlNotSent, memory.name, head.api, transactions.state, transactions.last_error)
        return None
    if head.api != END or transactions.started:
        return head
    transactions.end_transaction()
    if head.result is not None:
        head.result.done()
    sender.changed = True
    memory.watch.emit(EndedWithoutMessage, memory.name)
    return transactions.take_request()


def _go_on(sender: SenderPass, held: Held, now: int) -> bool:
    """Take the held request as far as it gets now (SND-5, steps 4 to 7)."""
    memory = sender.memory
    transactions = sender.manager
    request = held.request
    if request.coordinator is None:
        node = memory.connections.least_loaded(memory.metadata.brokers, now)
        if node is None:
            memory.metadata.request_update()
            request.is_retry = held.slept = True
            return _sleep_again(sender, held, now)
    else:
        node = transactions.coordinators[request.coordinator]
        if node is None:
            return _look_up(sender, held, now, None)
    connection = memory.connections.to(node)
    if not connection.usable:
        return _await_connection(sender, held, node, now)
    if request.is_retry and not held.slept:
        held.slept = True
        backoff = request.backoff_ms
        return sleep(sender, memory.config.retry_backoff_ms if backoff is None else backoff, now)
    sender.held = None
    sender.changed = True
    send(sender, node, request, now)
    return sender.end(now)


def _await_connection(sender: SenderPass, held: Held, node: int, now: int) -> bool:
    """The target takes no request yet: start the connection, wait, or give up on this target."""
    memory = sender.memory
    connection = memory.connections.to(node)
    if connection.state not in (CONNECTING, CONNECTED):
        if held.attempted == node or memory.connections.connect_delay(node, now) != 0:
            return _not_reached(sender, held, node, now)
        held.attempted = node
        sender.connect(node, now)
    if held.until is None:
        held.until = now + memory.config.request_timeout_ms
    elif now >= held.until:
        return _not_reached(sender, held, node, now)
    if node not in held.told:
        held.told.add(node)
        limit = memory.connections.limit
        sender.wait(
            "not_connected", node, WaitsForConnection, memory.name, f"broker-{node}", limit, For.CONTROL
        )
    return sender.end(held.until)


def _not_reached(sender: SenderPass, held: Held, node: int, now: int) -> bool:
    """The target cannot be connected to (SND-5, step 5)."""
    if held.request.coordinator is not None:
        return _look_up(sender, held, now, node)
    sender.memory.metadata.request_update()
    held.request.is_retry, held.slept = True, False
    held.attempted, held.until = None, None
    return _sleep_again(sender, held, now)


def _look_up(sender: SenderPass, held: Held, now: int, missed: int | None) -> bool:
    """Ask who coordinates; the request goes back as a retry (SND-5, step 5; FND-6). ``missed``: the broker that was
    known and could not be reached."""
    transactions = sender.manager
    request = held.request
    sender.held = None
    sender.changed = True
    transactions.look_up(request.coordinator or "", request.key)
    transactions.retry(request)
    sender.memory.watch.emit(
        CoordinatorMissed,
        sender.memory.name,
        request.api,
        request.coordinator,
        request.key,
        None if missed is None else f"broker-{missed}",
    )
    return sender.end(now)


def send(sender: SenderPass, node: int, request: PendingRequest, now: int) -> None:
    """Put a control request on the wire and note it as the one in flight."""
    memory = sender.memory
    sent = memory.connections.sent(node, request.api, request.body, now, memory.config.request_timeout_ms)
    peer = memory.connections.to(node).peer
    memory.outbox.append(Send(peer, request.body, sent.correlation_id))
    sender.manager.set_in_flight(request)
    if request.coordinator is None and request.api == "InitProducerId":
        memory.watch.emit(IdentityAsked, memory.name, request.api, peer)
        return
    sender.last_wait = None
    memory.watch.emit(ControlSent, memory.name, request.api, peer, len(sender.manager.requests))


def poll(sender: SenderPass, now: int) -> bool:
    """A control request is in flight: nothing else leaves until its answer (TXM-9)."""
    memory = sender.memory
    ask_for_metadata(sender, now)
    request = sender.manager.in_flight
    if memory.accumulator.incomplete and request is not None:
        if request.coordinator is None and request.api == "InitProducerId":
            queued = sender.manager.queues_identity
            sender.wait("producer_id", None, WaitsForProducerId, memory.name, queued)
        else:
            sender.wait("control", request.api, WaitsForControl, memory.name, request.api)
    return sender.end(metadata_due(sender, now))


def _sleep_again(sender: SenderPass, held: Held, now: int) -> bool:
    """No broker can be reached: the Sender sleeps, over and over, and says so the first time."""
    first = None not in held.told
    held.told.add(None)
    return sleep(sender, sender.memory.config.retry_backoff_ms, now, said=first)


def sleep(sender: SenderPass, backoff: int, now: int, said: bool = True) -> bool:
    """The Sender sleeps before it repeats a control request (SND-5, step 6)."""
    sender.sleeps_until = now + backoff
    ask_for_metadata(sender, now)
    if not said:
        return sender.end(None)
    sender.memory.watch.emit(SenderSleeps, sender.memory.name, backoff, sender.sleeps_until)
    return sender.end(None)
