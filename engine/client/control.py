"""The Sender's phases before P1: identity, recovery of lost numbers, errors, control requests.

k28 (SND-4): T1 resolve, T2 fatal error, T3 epoch bump or PID request, T4 send or poll a control request.
k20 (SND-3): R1 resolve or reset, R2 wait for a PID or send or poll a transactional request, R3 errors. How a
control request is sent stands in ``control_sending``, what its answer does in ``control_answers``.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.client import control_sending
from engine.client.client_states import FATAL
from engine.client.connections import InFlightRequest
from engine.client.control_requests import INIT, PRIORITIES, PendingRequest
from engine.client.partition_sequences import PartitionSequences
from engine.client.sender_pass import SenderPass
from engine.client.transaction_manager import IllegalTransition, TransactionManager, init_request
from engine.errors import EngineError, Error
from engine.happenings.sender import (
    ControlLost,
    EpochBumped,
    For,
    IdentityReset,
    LostNumbers,
    LostNumbersFatal,
    NumbersResolved,
    ProducerIdReceived,
    ProducerIdRefused,
    ProducerIdRetried,
    ProducerIdWanted,
    StuckWithoutId,
    WaitsForConnection,
)
from engine.messages import InitProducerIdResponse

INIT_RETRIES = frozenset(
    {
        Error.COORDINATOR_LOAD_IN_PROGRESS,
        Error.CONCURRENT_TRANSACTIONS,
        Error.COORDINATOR_NOT_AVAILABLE,
        Error.NOT_COORDINATOR,
    }
)
"""Answers to InitProducerId after which a k28 client asks again (TXM-13)."""
BLOCKING_RETRIES = INIT_RETRIES - {Error.CONCURRENT_TRANSACTIONS}
"""Retriable for the blocking loop of k20, beside those retriable for Produce (PID-12)."""


Phase = Callable[[SenderPass, int], bool]
"""A phase of the pass; True ends the pass."""


# -- both generations ----------------------------------------------------------------------------------


def abort_everything(sender: SenderPass, now: int) -> None:
    """After a fatal error nothing can be sent any more (SND-3, SND-4)."""
    memory = sender.memory
    error = sender.manager.last_error
    if memory.accumulator.incomplete and error is not None:
        memory.abort(list(memory.accumulator.incomplete.values()), error.name, now, False)
    sender.finish_closing()


# -- k28 -----------------------------------------------------------------------------------------------


def resolve_by_bump(sender: SenderPass, now: int) -> bool:
    """T1: a partition with nothing under way shows what became of its expired numbers (TXM-15)."""
    transactions = sender.manager
    for entry in transactions.resolvable():
        lost = not entry.comes_next(entry.next_sequence)
        entry.resolve()
        sender.changed = True
        found = LostNumbers.CLEARED
        if lost and transactions.is_transactional:
            transactions.unresolved_is_abortable()
            found = LostNumbers.ABORTABLE
        elif lost:
            transactions.request_bump(entry.partition)
            found = LostNumbers.BUMP
        _emit_resolved(sender, entry, found, by_bump=True)
    return False


def _emit_resolved(
    sender: SenderPass, entry: PartitionSequences, found: LostNumbers, *, by_bump: bool
) -> None:
    sender.memory.watch.emit(
        NumbersResolved,
        sender.memory.name,
        partition=entry.partition,
        next_sequence=entry.next_sequence,
        expected=entry.last_acked_sequence + 1,
        found=found,
        by_bump=by_bump,
    )


def stop_on_fatal(sender: SenderPass, now: int) -> bool:
    """T2: after a fatal error every batch is given up and the pass ends."""
    if not sender.manager.has_fatal_error:
        return False
    abort_everything(sender, now)
    return sender.end(None)


def keep_identity(sender: SenderPass, now: int) -> bool:
    """T3: raise the epoch if that was asked for (TXM-16); ask for a PID if there is none (PID-11)."""
    transactions = sender.manager
    memory = sender.memory
    if transactions.is_transactional:
        return False
    if transactions.bump_required:
        sender.changed = True
        epoch = transactions.producer_epoch
        asked = tuple(transactions.to_resequence)
        renumbered = transactions.bump_epoch()
        memory.watch.emit(
            EpochBumped,
            memory.name,
            before=epoch,
            after=transactions.producer_epoch,
            partitions=asked,
            renumbered=len(renumbered),
            exhausted=not transactions.has_producer_id,
        )
    if transactions.needs_producer_id():
        try:
            transactions.request_producer_id()
        except IllegalTransition as illegal:
            return _stuck_without_identity(sender, illegal)
        sender.changed = True
        memory.watch.emit(ProducerIdWanted, memory.name)
    return False


def _stuck_without_identity(sender: SenderPass, illegal: IllegalTransition) -> bool:
    """A negative id counts as none (``ProducerIdAndEpoch.isValid``), and READY has no way to ask for another.

    Kafka's Sender thread throws here in every pass, logs it and begins again at once, so nothing is sent and
    nothing expires. One pass for each cause is shown.
    """
    sender.memory.watch.emit(StuckWithoutId, sender.memory.name, illegal.row.on, sender.manager.producer_id)
    return sender.end(None)


def send_control(sender: SenderPass, now: int) -> bool:
    """T4: send the next control request, or wait for the one in flight (SND-5)."""
    return control_sending.send_or_poll(sender, now)


# -- k20 -----------------------------------------------------------------------------------------------


def resolve_by_reset(sender: SenderPass, now: int) -> bool:
    """R1: lost numbers cost an idempotent producer its PID (TXM-15)."""
    transactions = sender.manager
    for entry in transactions.resolvable():
        sender.changed = True
        if entry.comes_next(entry.next_sequence):
            entry.resolve()
            _emit_resolved(sender, entry, LostNumbers.CLEARED, by_bump=False)
        else:
            before = transactions.producer_id
            transactions.reset_identity()
            sender.memory.watch.emit(
                IdentityReset,
                producer_id=before,
                client=sender.memory.name,
                partition=entry.partition,
                next_sequence=entry.next_sequence,
                expected=entry.last_acked_sequence + 1,
            )
            break
    return False


def lost_numbers_are_fatal(sender: SenderPass, now: int) -> bool:
    """R1 of a transactional producer: one expired resend ends it, for it cannot raise its epoch (TXM-15)."""
    transactions = sender.manager
    if transactions.has_unresolved and not transactions.has_fatal_error:
        sender.changed = True
        transactions.unresolved_is_abortable()
        sender.memory.watch.emit(LostNumbersFatal, sender.memory.name)
    return False


def send_blocking_control(sender: SenderPass, now: int) -> bool:
    """R2 of a transactional producer: as T4, but not beside lost numbers (SND-3)."""
    transactions = sender.manager
    if transactions.has_unresolved and transactions.in_flight is None:
        return False
    return control_sending.send_or_poll(sender, now)


def wait_for_producer_id(sender: SenderPass, now: int) -> bool:
    """R2: the pass blocks until there is a PID or a fatal error (PID-12)."""
    transactions = sender.manager
    memory = sender.memory
    if transactions.has_producer_id or transactions.has_fatal_error:
        return False
    if transactions.in_flight is not None:
        return control_sending.poll(sender, now)
    node = memory.connections.least_loaded(memory.metadata.brokers, now)
    if node is None:
        memory.metadata.request_update()
        return control_sending.sleep(sender, memory.config.retry_backoff_ms, now)
    if not memory.connections.to(node).usable:
        sender.connect(node, now)
        limit = memory.connections.limit
        sender.wait(
            "not_connected",
            node,
            WaitsForConnection,
            memory.name,
            f"broker-{node}",
            limit,
            For.PRODUCER_ID,
        )
        return sender.end(None)
    control_sending.send(sender, node, PendingRequest(INIT, init_request(), PRIORITIES[INIT]), now)
    return sender.end(now)


def stop_on_error(sender: SenderPass, now: int) -> bool:
    """R3: without a PID or after a fatal error nothing is sent; an abortable one drops unsent batches."""
    transactions = sender.manager
    memory = sender.memory
    if transactions.has_fatal_error or not transactions.has_producer_id:
        abort_everything(sender, now)
        return sender.end(None)
    if transactions.has_abortable_error and transactions.last_error is not None:
        memory.abort(memory.accumulator.undrained(), transactions.last_error.name, now, True)
    return False


# -- answers -------------------------------------------------------------------------------------------


def init_answered(sender: SenderPass, response: InitProducerIdResponse, now: int) -> None:
    """InitProducerId was answered (PID-11, PID-12, TXM-13)."""
    transactions = sender.manager
    memory = sender.memory
    request = transactions.in_flight
    transactions.set_in_flight(None)
    if request is None:
        raise EngineError(f"{memory.name}: an answer to InitProducerId that nobody asked for")
    queued = transactions.queues_identity
    error = response.error
    if error is Error.NONE:
        transactions.identity_received(response.producer_id, response.producer_epoch)
        sender.last_wait = None
        memory.watch.emit(
            ProducerIdReceived, memory.name, response.producer_id, response.producer_epoch, queued
        )
        return
    again = error in INIT_RETRIES if queued else (error in BLOCKING_RETRIES or error.retriable)
    if again:
        memory.watch.emit(ProducerIdRetried, memory.name, error, memory.config.retry_backoff_ms, queued)
        _again(sender, request, now)
        return
    transactions.transition(FATAL, error)
    memory.watch.emit(ProducerIdRefused, memory.name, error)


def init_lost(sender: SenderPass, request: InFlightRequest, now: int) -> None:
    """The connection ended before the answer to InitProducerId came (SND-5, PID-12)."""
    transactions = sender.manager
    pending = transactions.in_flight
    transactions.set_in_flight(None)
    if pending is not None:
        sender.memory.watch.emit(ControlLost, sender.memory.name, request.api)
        _again(sender, pending, now)


def _again(sender: SenderPass, request: PendingRequest, now: int) -> None:
    """Back to the queue (k28), or sleep inside the pass and go round the loop (k20)."""
    memory = sender.memory
    if sender.manager.queues_identity:
        sender.manager.retry(request)
        return
    memory.metadata.request_update()
    sender.sleeps_until = now + memory.config.retry_backoff_ms


QUEUED = (
    ("T1", resolve_by_bump),
    ("T2", stop_on_fatal),
    ("T3", keep_identity),
    ("T4", send_control),
)
BLOCKING = (
    ("R1", resolve_by_reset),
    ("R2", wait_for_producer_id),
    ("R3", stop_on_error),
)
BLOCKING_TRANSACTIONAL = (
    ("R1", lost_numbers_are_fatal),
    ("R2", send_blocking_control),
    ("R3", stop_on_error),
)


def phases_of(transactions: TransactionManager | None) -> tuple[tuple[str, Phase], ...]:
    """The phases before P1 of such a producer."""
    if transactions is None:
        return ()
    if transactions.queues_identity:
        return QUEUED
    return BLOCKING_TRANSACTIONAL if transactions.is_transactional else BLOCKING
