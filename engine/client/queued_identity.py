"""The phases T1 to T4 of a pass since 2.5: InitProducerId joins the queue of control requests, and a producer
with lost sequence numbers raises its epoch (SND-4, TXM-16)."""

from __future__ import annotations

from engine.client.closing import Closing
from engine.client.control_channel import ControlChannel
from engine.client.control_reactions import DENIALS, LOOKUP, RETRY, RETRY_SOON, reaction_to
from engine.client.control_requests import INIT, PendingRequest
from engine.client.identity import InitProducerIdAnswers, Phase
from engine.client.poll import Poll
from engine.client.setup import Setup
from engine.client.transaction_manager import IllegalTransition, TransactionManager
from engine.client.waiting import Waiting
from engine.errors import Error
from engine.happenings.sender import (
    EpochBumped,
    IdentityDenied,
    LostNumbers,
    ProducerIdWanted,
    StuckWithoutId,
)

TRIED_AGAIN = (RETRY, RETRY_SOON, LOOKUP)


class QueuedIdentity(InitProducerIdAnswers):
    """The phases T1 (resolve expired sequence numbers), T2 (fatal error), T3 (epoch bump or producer id) and
    T4 (send or poll a control request). A phase returns True if it ends the pass."""

    queued = True

    __slots__ = ("_channel", "_closing")

    def __init__(
        self,
        setup: Setup,
        transactions: TransactionManager,
        channel: ControlChannel,
        closing: Closing,
        poll: Poll,
        waiting: Waiting,
    ) -> None:
        super().__init__(setup, transactions, poll, waiting)
        self._channel = channel
        self._closing = closing

    def phases(self) -> tuple[tuple[str, Phase], ...]:
        return (
            ("T1", self._resolve),
            ("T2", self._stop_on_fatal),
            ("T3", self._keep_identity),
            ("T4", self._channel.send_or_poll),
        )

    def retries(self, error: Error) -> bool:
        return reaction_to(INIT, error.name, self._transactions.reactions).does in TRIED_AGAIN

    def repeat(self, request: PendingRequest, now: int) -> None:
        self._transactions.retry(request)

    def _resolve(self, now: int) -> bool:
        """T1: decide about each partition whose batches expired and which has no batch in flight any more
        (TXM-15). If every assigned sequence number was acknowledged after all, the partition continues;
        otherwise request an epoch bump, or fail the transaction."""
        transactions = self._transactions
        for entry in transactions.resolvable():
            lost = not entry.comes_next(entry.next_sequence)
            entry.resolve()
            self._poll.changed = True
            found = LostNumbers.CLEARED
            if lost and transactions.is_transactional:
                transactions.unresolved_is_abortable()
                found = LostNumbers.FATAL if transactions.has_fatal_error else LostNumbers.ABORTABLE
            elif lost:
                transactions.request_bump(entry.partition)
                found = LostNumbers.BUMP
            self.emit_resolved(entry, found, by_bump=True)
        return False

    def _stop_on_fatal(self, now: int) -> bool:
        """T2: after a fatal error, or since 3.6 after a denied identity, every batch fails and the pass ends."""
        transactions = self._transactions
        if transactions.has_fatal_error:
            self._closing.give_up(transactions.last_error, now)
            return self._poll.end(None)
        if transactions.outlives_denial and transactions.has_abortable_error:
            return self._begin_anew(now)
        return False

    def _begin_anew(self, now: int) -> bool:
        """After a denied identity, fail every batch and return to UNINITIALIZED (KAFKA-13668). Returns False,
        without an effect, if the producer's error is another one."""
        transactions = self._transactions
        error = transactions.last_error
        if error is None or error.name not in DENIALS:
            return False
        self._closing.drop_all(error, now)
        transactions.become_uninitialized()
        self._setup.watch.emit(IdentityDenied, self._setup.name, error, transactions.is_transactional)
        self._poll.changed = True
        return self._poll.end(now)

    def _keep_identity(self, now: int) -> bool:
        """T3: raise the epoch if a bump was requested (TXM-16); request a producer id if there is none (PID-11)."""
        transactions, setup = self._transactions, self._setup
        if transactions.is_transactional:
            return False
        if transactions.bump_required:
            self._poll.changed = True
            epoch = transactions.producer_epoch
            asked = tuple(transactions.to_resequence)
            renumbered = transactions.bump_epoch()
            setup.watch.emit(
                EpochBumped,
                setup.name,
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
                return self._stuck(illegal, now)
            self._poll.changed = True
            setup.watch.emit(ProducerIdWanted, setup.name)
        return False

    def _stuck(self, illegal: IllegalTransition, now: int) -> bool:
        """End the pass of a client that got a negative producer id. It treats the id as missing
        (``ProducerIdAndEpoch.isValid``), but READY has no way to request another. Kafka's Sender thread
        throws here in every pass, and starts the next pass at once. Here the next pass waits for a
        wake-up."""
        if self._transactions.is_poisoned:
            return self._poll.end(now)
        self._setup.watch.emit(
            StuckWithoutId, self._setup.name, illegal.row.on, self._transactions.producer_id
        )
        return self._poll.end(None)
