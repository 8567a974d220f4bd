"""What happens to a batch when its answer comes, or when it is known that none will (SND-8..SND-13).

Owns the reactions; which reaction an error gets stands in ``produce_reactions``.
"""

from __future__ import annotations

from engine.client.batch import Batch
from engine.client.batch_states import DROPPED
from engine.client.connections import InFlightRequest
from engine.client.incarnation import TIMEOUT_ERROR, Incarnation
from engine.client.produce_reactions import COMPLETE, DUPLICATE, RETRY, reaction_to
from engine.client.transaction_manager import IllegalTransition
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
"""Errors after which the batch may be stored all the same (LOG-2): a resend may be a duplicate."""


class Answers:
    """Carries out SND-9 for one incarnation."""

    def __init__(self, memory: Incarnation) -> None:
        self.memory = memory

    def response(self, request: InFlightRequest, response: ProduceResponse, now: int) -> None:
        """A Produce response arrived: one result per partition."""
        for partition, result in response.partitions.items():
            batch = request.batches.get(partition)
            if batch is not None and not self._handle(
                batch, result.error, result.base_offset, result.log_start_offset, now
            ):
                return

    def lost(self, request: InFlightRequest, now: int) -> None:
        """The connection ended before the answer came: as NETWORK_EXCEPTION (SND-9)."""
        for batch in request.batches.values():
            if not self._handle(batch, Error.NETWORK_EXCEPTION, NO_OFFSET, NO_OFFSET, now):
                return

    def sent_without_answer(self, batch: Batch, now: int) -> None:
        """acks=0: success as soon as the request is on its way (SND-8)."""
        memory = self.memory
        memory.leaves_flight(batch)
        memory.watch.emit(CompletedUnacknowledged, memory.name, batch.id, batch.partition, batch.record_count)
        memory.finish(batch, "acknowledge", None, NO_OFFSET, now)
        self._unmute(batch)

    def expire(self, batch: Batch, now: int) -> None:
        """A batch waited too long (ACC-21): a timeout for the caller, an open question for the numbers."""
        memory = self.memory
        since = memory.accumulator.expiry.counted_from(batch, memory.config)
        memory.watch.emit(
            BatchExpired,
            memory.name,
            batch.id,
            batch.partition,
            batch.record_count,
            since=since,
            age=now - since,
            limit=memory.config.batch_expiry_ms,
            attempts=batch.attempts,
            under_way=batch.drained_at is not None,
        )
        transactions = memory.transactions
        if transactions is not None:
            transactions.failed(batch, Error.REQUEST_TIMED_OUT, False)
        memory.finish(batch, "expire", TIMEOUT_ERROR, NO_OFFSET, now)
        if transactions is not None and batch.attempts:
            transactions.mark_unresolved(batch)
            memory.watch.emit(
                SequencesUnresolved, memory.name, batch.partition, batch.base_sequence, batch.last_sequence
            )

    # -- one batch -------------------------------------------------------------------------------------

    def _handle(self, batch: Batch, error: Error, base_offset: int, log_start_offset: int, now: int) -> bool:
        """False when the Sender's thread throws here: the rest of the answer is not looked at (TXM-4)."""
        memory = self.memory
        reaction = reaction_to(error)
        if batch.state in DROPPED:
            memory.watch.emit(AnswerForAborted, memory.name, batch.id, batch.partition, error)
            if memory.transactions is not None and reaction.does in (COMPLETE, DUPLICATE):
                memory.transactions.completed(batch, base_offset if reaction.does == COMPLETE else NO_OFFSET)
            return True
        if reaction.does == COMPLETE:
            self._complete(batch, base_offset, now)
        elif self._retries(batch, error, log_start_offset, now):
            pass
        elif reaction.does == DUPLICATE:
            self._complete(batch, NO_OFFSET, now)
        else:
            try:
                self._fail(batch, error, batch.attempts < memory.config.retries, now)
            except IllegalTransition as illegal:
                self._thrown(batch, illegal)
                return False
        if reaction.refresh and memory.metadata.request_update():
            memory.watch.emit(MetadataWanted, memory.name, error)
        self._unmute(batch)
        return True

    def _thrown(self, batch: Batch, illegal: IllegalTransition) -> None:
        """A batch that was given up in flight fails once more, and its transaction is over (KAFKA-14830)."""
        memory = self.memory
        memory.watch.emit(LateFailureThrown, memory.name, batch.partition, illegal.row.on)
        memory.watch.emit(NumbersInDoubt, producer=memory.name, partition=batch.partition, thrown=True)

    def _complete(self, batch: Batch, base_offset: int, now: int) -> None:
        """Success (TXM-12). A batch that expired meanwhile can only raise the last acked values (ACC-21)."""
        memory = self.memory
        memory.leaves_flight(batch)
        if memory.transactions is not None:
            memory.transactions.completed(batch, base_offset)
        late = batch.over
        if memory.watch.hears(BatchAcknowledged):
            memory.watch.emit(
                BatchAcknowledged,
                memory.name,
                batch.id,
                batch.partition,
                batch.record_count,
                base_offset=base_offset,
                last_sequence=batch.last_sequence,
                numbered=memory.transactions is not None,
                late=late,
            )
        if not late:
            memory.finish(batch, "acknowledge", None, base_offset, now)

    def _retries(self, batch: Batch, error: Error, log_start_offset: int, now: int) -> bool:
        """Send the batch again if that is allowed (SND-10); True when the answer is dealt with."""
        memory = self.memory
        transactions = memory.transactions
        if batch.over or batch.attempts >= memory.config.retries:
            return False
        if memory.accumulator.expiry.ends_retries(batch, memory.config, now):
            return False
        if transactions is None:
            reaction = reaction_to(error)
            if reaction.does != RETRY:
                return False
        else:
            first, last = batch.base_sequence, batch.last_sequence
            allowed, because = transactions.can_retry(batch, error, log_start_offset)
            if because is not None:
                self._emit_decided(batch, error, because, (first, last), log_start_offset)
            if not allowed:
                return False
            if not transactions.recovery.knows_older and not transactions.is_current(batch):
                memory.watch.emit(
                    IdentityChanged,
                    memory.name,
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
        sequences: tuple[int, int],
        log_start_offset: int,
    ) -> None:
        memory = self.memory
        if memory.transactions is None or not memory.watch.hears(SequenceErrorDecided):
            return
        reaction = reaction_to(error)
        entry = memory.transactions.entry(batch.partition)
        memory.watch.emit(
            SequenceErrorDecided,
            memory.name,
            batch.id,
            batch.partition,
            table=reaction.does,
            because=because,
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
        memory = self.memory
        memory.leaves_flight(batch)
        passed = memory.accumulator.requeue(batch, now)
        memory.watch.emit(
            BatchRequeued,
            memory.name,
            batch.id,
            batch.partition,
            error,
            attempts=batch.attempts,
            retries=memory.config.retries,
            until=now + memory.config.retry_backoff_ms,
            in_doubt=error in UNCERTAIN,
            numbered=memory.transactions is not None,
            passed=passed,
            first_sequence=batch.base_sequence,
        )

    def _fail(self, batch: Batch, error: Error, adjust: bool, now: int) -> None:
        """The batch is given up (SND-9, SND-13). A late answer for one that is over only moves numbers."""
        memory = self.memory
        memory.leaves_flight(batch)
        memory.watch.emit(
            BatchFailed,
            memory.name,
            batch.id,
            batch.partition,
            batch.record_count,
            error,
            attempts=batch.attempts,
            retries=memory.config.retries,
            late=batch.over,
        )
        transactions = memory.transactions
        if transactions is not None:
            done = transactions.failed(batch, error, adjust)
            if done is not None:
                self._settled(batch, error, done)
            if transactions.has_fatal_error:
                memory.watch.emit(ProducerFatal, memory.name, error)
        if not batch.over:
            memory.finish(batch, "fail", error.name, NO_OFFSET, now)

    def _settled(self, batch: Batch, error: Error, done: AfterFailure) -> None:
        """What became of the numbers of a batch that failed."""
        memory = self.memory
        if done is AfterFailure.GAP_CLOSED and error in UNCERTAIN:
            done = AfterFailure.GAP_CLOSED_IN_DOUBT
            memory.watch.emit(NumbersInDoubt, producer=memory.name, partition=batch.partition, thrown=False)
        memory.watch.emit(
            SequencesSettled, memory.name, batch.id, batch.partition, batch.record_count, error, done
        )

    def _unmute(self, batch: Batch) -> None:
        """Its partition was held back for it, whatever ``max_in_flight`` is by now (ACC-19)."""
        self.memory.accumulator.set_muted(batch.partition, False)
