"""Handles a batch when its result arrives, or when no result can arrive any more (SND-8..SND-13).

This module carries out the reactions; ``produce_reactions`` chooses the reaction to an error.
"""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.application import TIMEOUT_ERROR
from engine.client.batch import Batch
from engine.client.batch_states import DROPPED
from engine.client.completion import Completion
from engine.client.connections import InFlightRequest
from engine.client.in_flight import InFlightBatches
from engine.client.metadata import Metadata
from engine.client.produce_reactions import COMPLETE, DUPLICATE, RETRY, reaction_to
from engine.client.setup import Setup
from engine.client.transaction_manager import IllegalTransition, TransactionManager
from engine.errors import Error
from engine.events import NumbersInDoubt
from engine.happenings.batches import (
    AfterFailure,
    AnswerForAborted,
    BatchAcknowledged,
    BatchExpired,
    BatchFailed,
    BatchRequeued,
    Because,
    CompletedUnacknowledged,
    IdentityChanged,
    LateFailureThrown,
    MetadataWanted,
    ProducerFatal,
    Question,
    RequeueThrown,
    SequenceErrorDecided,
    SequencesSettled,
    SequencesUnresolved,
)
from engine.messages import NO_OFFSET, ProduceResponse

UNCERTAIN = frozenset(
    {
        Error.NETWORK_EXCEPTION,
        Error.REQUEST_TIMED_OUT,
        Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.KAFKA_STORAGE_ERROR,
    }
)
"""Errors after which the batch may be stored nevertheless (LOG-2), so a resend may be a duplicate."""


class NothingTracked(Exception):
    """Raised where Kafka's client throws: it has to resend a batch, but tracks no batch of the partition as
    in flight (``insertInSequenceOrder``)."""


class Answers:
    """Carries out the reactions of SND-9 for one producer process."""

    __slots__ = (
        "_accumulator",
        "_completion",
        "_config",
        "_in_flight",
        "_keeps_numbers_in_doubt",
        "_late_failure_counts",
        "_metadata",
        "_name",
        "_transactions",
        "_watch",
    )

    def __init__(
        self,
        setup: Setup,
        accumulator: RecordAccumulator,
        transactions: TransactionManager | None,
        metadata: Metadata,
        in_flight: InFlightBatches,
        completion: Completion,
    ) -> None:
        self._name = setup.name
        self._config = setup.config
        self._late_failure_counts = setup.profile.late_failure_counts
        self._keeps_numbers_in_doubt = setup.switches.numbers_in_doubt_kept
        self._watch = setup.watch
        self._accumulator = accumulator
        self._transactions = transactions
        self._metadata = metadata
        self._in_flight = in_flight
        self._completion = completion

    def response(self, request: InFlightRequest, response: ProduceResponse, now: int) -> None:
        """Handle a Produce response, which has one result for each partition."""
        for partition, result in response.partitions.items():
            batch = request.batches.get(partition)
            if batch is not None and not self._handle(
                batch, result.error, result.base_offset, result.log_start_offset, now
            ):
                return

    def lost(self, request: InFlightRequest, error: Error, now: int) -> None:
        """Handle a request whose connection ended before the response came: each batch is treated as if the
        broker had answered with ``error``, so it is usually resent (SND-9)."""
        for batch in request.batches.values():
            if not self._handle(batch, error, NO_OFFSET, NO_OFFSET, now):
                return

    def sent_without_answer(self, batch: Batch, now: int) -> None:
        """With acks=0 a batch succeeds as soon as its request was sent (SND-8). A batch that expired after it was
        drained is sent, too, and stays failed (``ProducerBatch.done``)."""
        self._in_flight.remove(batch)
        if batch.over:
            self._unmute(batch)
            return
        self._watch.emit(CompletedUnacknowledged, self._name, batch.id, batch.partition, batch.record_count)
        self._completion.finish(batch, "acknowledge", None, NO_OFFSET, now)
        self._unmute(batch)

    def expire(self, batch: Batch, now: int) -> None:
        """Expire a batch that waited too long (ACC-21): its records fail with a timeout. Its sequence numbers
        may become *unresolved* (TXM-14)."""
        since = self._accumulator.expiry.counted_from(batch, self._config)
        self._watch.emit(
            BatchExpired,
            self._name,
            batch.id,
            batch.partition,
            batch.record_count,
            since=since,
            age=now - since,
            limit=self._config.batch_expiry_ms,
            attempts=batch.attempts,
            under_way=batch.drained_at is not None,
        )
        transactions = self._transactions
        if transactions is not None:
            try:
                transactions.failed(batch, Error.REQUEST_TIMED_OUT, False)
            except IllegalTransition as illegal:
                # No transaction is open. The record was left in the accumulator by a send() that threw, and no
                # transaction since then has contained its partition.
                self._thrown(batch, illegal)
        self._completion.finish(batch, "expire", TIMEOUT_ERROR, NO_OFFSET, now)
        if transactions is not None and batch.attempts and not self._keeps_numbers_in_doubt:
            transactions.entry(batch.partition).close_gap(batch)
            self._settled(batch, Error.REQUEST_TIMED_OUT, AfterFailure.GAP_CLOSED)
        elif transactions is not None and batch.attempts:
            transactions.mark_unresolved(batch)
            self._watch.emit(
                SequencesUnresolved, self._name, batch.partition, batch.base_sequence, batch.last_sequence
            )

    # -- one batch -------------------------------------------------------------------------------------

    def _handle(self, batch: Batch, error: Error, base_offset: int, log_start_offset: int, now: int) -> bool:
        """Apply the result of one batch. Returns False if Kafka's Sender thread throws here, so that the rest
        of the response is not handled (TXM-4)."""
        reaction = reaction_to(error)
        if batch.state in DROPPED:
            self._watch.emit(AnswerForAborted, self._name, batch.id, batch.partition, error)
            if self._transactions is not None and reaction.does in (COMPLETE, DUPLICATE):
                self._transactions.completed(batch, base_offset if reaction.does == COMPLETE else NO_OFFSET)
            return True
        if reaction.does == COMPLETE:
            self._complete(batch, base_offset, now)
        else:
            try:
                if self._retries(batch, error, log_start_offset, now):
                    pass
                elif reaction.does == DUPLICATE:
                    self._complete(batch, NO_OFFSET, now)
                else:
                    self._fail(batch, error, batch.attempts < self._config.retries, now)
            except NothingTracked:
                return False
            except IllegalTransition as illegal:
                self._thrown(batch, illegal)
                return False
        if reaction.refresh and self._metadata.request_update():
            self._watch.emit(MetadataWanted, self._name, error)
        self._unmute(batch)
        return True

    def _thrown(self, batch: Batch, illegal: IllegalTransition) -> None:
        """Note that Kafka's Sender thread throws, because a batch fails while no open transaction can be
        aborted (KAFKA-14830)."""
        if self._transactions is not None and self._transactions.is_poisoned:
            return
        self._watch.emit(LateFailureThrown, self._name, batch.partition, illegal.row.on)
        self._watch.emit(NumbersInDoubt, producer=self._name, partition=batch.partition, thrown=True)

    def _complete(self, batch: Batch, base_offset: int, now: int) -> None:
        """A batch succeeded (TXM-12). If it had expired before, its success only raises the last acknowledged
        sequence and offset (ACC-21)."""
        self._in_flight.remove(batch)
        if self._transactions is not None:
            self._transactions.completed(batch, base_offset)
        late = batch.over
        if self._watch.hears(BatchAcknowledged):
            self._watch.emit(
                BatchAcknowledged,
                self._name,
                batch.id,
                batch.partition,
                batch.record_count,
                base_offset=base_offset,
                last_sequence=batch.last_sequence,
                numbered=self._transactions is not None,
                late=late,
            )
        if not late:
            self._completion.finish(batch, "acknowledge", None, base_offset, now)

    def _retries(self, batch: Batch, error: Error, log_start_offset: int, now: int) -> bool:
        """Requeue the batch if SND-10 allows it. False: the caller has to fail or complete it."""
        transactions = self._transactions
        if batch.over or batch.attempts >= self._config.retries:
            return False
        if self._accumulator.expiry.ends_retries(batch, self._config, now):
            return False
        if transactions is None:
            reaction = reaction_to(error)
            if reaction.does != RETRY:
                return False
        else:
            first, last = batch.base_sequence, batch.last_sequence
            allowed, because, denied = transactions.can_retry(batch, error, log_start_offset)
            if because is not None:
                self._emit_decided(batch, error, because, denied, (first, last), log_start_offset)
            if not allowed:
                return False
            if not transactions.recovery.knows_older and not transactions.is_current(batch):
                self._watch.emit(
                    IdentityChanged,
                    self._name,
                    batch.id,
                    batch.partition,
                    batch.producer_id,
                    transactions.producer_id,
                )
                self._fail(batch, Error.OUT_OF_ORDER_SEQUENCE_NUMBER, False, now)
                return True
        self._requeue(batch, error, now)
        return True

    def _emit_decided(
        self,
        batch: Batch,
        error: Error,
        because: Because,
        denied: tuple[Question, ...],
        sequences: tuple[int, int],
        log_start_offset: int,
    ) -> None:
        if self._transactions is None or not self._watch.hears(SequenceErrorDecided):
            return
        reaction = reaction_to(error)
        entry = self._transactions.entry(batch.partition)
        self._watch.emit(
            SequenceErrorDecided,
            self._name,
            batch.id,
            batch.partition,
            table=reaction.does,
            because=because,
            denied=denied,
            spec=reaction.spec,
            first_sequence=sequences[0],
            last_sequence=sequences[1],
            next_sequence=entry.next_sequence,
            last_acked_sequence=entry.last_acked_sequence,
            last_acked_offset=entry.last_acked_offset,
            unresolved=entry.unresolved,
            log_start_offset=log_start_offset,
        )

    def _requeue(self, batch: Batch, error: Error, now: int) -> None:
        """Put the batch back into its queue. Raises :class:`NothingTracked` if Kafka's accumulator cannot
        insert it."""
        transactions = self._transactions
        if transactions is not None and transactions.has_no_place_for(batch):
            batch.attempts += 1
            batch.last_attempt_at = now
            self._watch.emit(RequeueThrown, self._name, batch.partition, batch.id)
            raise NothingTracked
        self._in_flight.remove(batch)
        passed = self._accumulator.requeue(batch, now)
        self._watch.emit(
            BatchRequeued,
            self._name,
            batch.id,
            batch.partition,
            error,
            attempts=batch.attempts,
            retries=self._config.retries,
            until=now + self._accumulator.backoff_of(batch),
            in_doubt=error in UNCERTAIN,
            numbered=self._transactions is not None,
            passed=passed,
            first_sequence=batch.base_sequence,
        )

    def _fail(self, batch: Batch, error: Error, adjust: bool, now: int) -> None:
        """Fail a batch that is not resent (SND-9, SND-13)."""
        self._in_flight.remove(batch)
        self._watch.emit(
            BatchFailed,
            self._name,
            batch.id,
            batch.partition,
            batch.record_count,
            error,
            attempts=batch.attempts,
            retries=self._config.retries,
            late=batch.over,
        )
        transactions = self._transactions
        if transactions is not None and (self._late_failure_counts or not batch.over):
            fatal_before = transactions.has_fatal_error
            done = transactions.failed(batch, error, adjust)
            if done is not None:
                self._settled(batch, error, done)
            if transactions.has_fatal_error and not fatal_before:
                self._watch.emit(ProducerFatal, self._name, error)
        if not batch.over:
            self._completion.finish(batch, "fail", error.name, NO_OFFSET, now)

    def _settled(self, batch: Batch, error: Error, done: AfterFailure) -> None:
        if done is AfterFailure.GAP_CLOSED and error in UNCERTAIN:
            done = AfterFailure.GAP_CLOSED_IN_DOUBT
            self._watch.emit(NumbersInDoubt, producer=self._name, partition=batch.partition, thrown=False)
        self._watch.emit(
            SequencesSettled, self._name, batch.id, batch.partition, batch.record_count, error, done
        )

    def _unmute(self, batch: Batch) -> None:
        """Unmute the batch's partition, even if ``max_in_flight`` was changed after the partition was muted
        (ACC-19)."""
        self._accumulator.set_muted(batch.partition, False)
