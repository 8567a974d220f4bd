"""What happens to a batch when its answer comes, or when it is known that none will (SND-8..SND-13).

Owns the reactions; which reaction an error gets stands in ``produce_reactions``.
"""

from __future__ import annotations

from engine.client.batch import Batch
from engine.client.batch_states import DROPPED
from engine.client.connections import InFlightRequest
from engine.client.incarnation import TIMEOUT_ERROR, Incarnation
from engine.client.produce_reactions import COMPLETE, DECISIONS, DUPLICATE, RETRY, reaction_to
from engine.client.transaction_manager import GAP_CLOSED, IllegalTransition
from engine.errors import Error
from engine.events import NumbersInDoubt
from engine.messages import NO_OFFSET, ProduceResponse
from engine.shapes.steps import DecisionRow, RowOutcome

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
_RETRIED = ("SND-9", "SND-10", "ACC-18", "ACC-6")
_RETRIED_PLAIN = (*_RETRIED, "CPT-2", "ORD-1")
"""Without idempotence a resend may be stored twice, and behind what was sent after it."""


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
        memory.watch.say(
            "client.completed_unacknowledged",
            ("SND-8", "CPT-2"),
            client=memory.name,
            batch=batch.id,
            partition=batch.partition,
            count=batch.record_count,
        )
        memory.finish(batch, "acknowledge", None, NO_OFFSET, now)
        self._unmute(batch)

    def expire(self, batch: Batch, now: int) -> None:
        """A batch waited too long (ACC-21): a timeout for the caller, an open question for the numbers."""
        memory = self.memory
        was_under_way = batch.drained_at is not None
        since = batch.created_at
        if batch.attempts and not memory.profile.expiry_from_creation:
            since = batch.last_attempt_at + memory.config.retry_backoff_ms
        memory.watch.say(
            "client.batch_expired_sent" if was_under_way else "client.batch_expired_unsent",
            ("ACC-21", "CTR-45"),
            client=memory.name,
            batch=batch.id,
            partition=batch.partition,
            count=batch.record_count,
            since=since,
            age=now - since,
            limit=memory.config.batch_expiry_ms,
            attempts=batch.attempts,
        )
        transactions = memory.transactions
        if transactions is not None:
            transactions.failed(batch, Error.REQUEST_TIMED_OUT, False)
        memory.finish(batch, "expire", TIMEOUT_ERROR, NO_OFFSET, now)
        if transactions is not None and batch.attempts:
            transactions.mark_unresolved(batch)
            memory.watch.say(
                "client.sequence_unresolved",
                ("TXM-14",),
                client=memory.name,
                partition=batch.partition,
                first_sequence=batch.base_sequence,
                last_sequence=batch.last_sequence,
            )

    # -- one batch -------------------------------------------------------------------------------------

    def _handle(self, batch: Batch, error: Error, base_offset: int, log_start_offset: int, now: int) -> bool:
        """False when the Sender's thread throws here: the rest of the answer is not looked at (TXM-4)."""
        memory = self.memory
        reaction = reaction_to(error)
        if batch.state in DROPPED:
            memory.watch.say(
                "client.answer_for_aborted",
                ("ACC-22",),
                client=memory.name,
                batch=batch.id,
                partition=batch.partition,
                error=error.name,
            )
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
            memory.watch.note("client.metadata_wanted", ("SND-9",), client=memory.name, error=error.name)
        self._unmute(batch)
        return True

    def _thrown(self, batch: Batch, illegal: IllegalTransition) -> None:
        """A batch that was given up in flight fails once more, and its transaction is over (KAFKA-14830)."""
        memory = self.memory
        memory.watch.note(
            "client.late_failure_thrown",
            ("TXM-4", "TXM-13"),
            client=memory.name,
            partition=batch.partition,
            on=illegal.row.on,
        )
        if memory.watch.judging:
            memory.watch.fact(NumbersInDoubt(producer=memory.name, partition=batch.partition, thrown=True))

    def _complete(self, batch: Batch, base_offset: int, now: int) -> None:
        """Success (TXM-12). A batch that expired meanwhile can only raise the last acked values (ACC-21)."""
        memory = self.memory
        memory.leaves_flight(batch)
        if memory.transactions is not None:
            memory.transactions.completed(batch, base_offset)
        params = (
            {
                "client": memory.name,
                "batch": batch.id,
                "partition": batch.partition,
                "count": batch.record_count,
                "base_offset": base_offset,
                "last_offset": base_offset + batch.record_count - 1,
                "last_sequence": batch.last_sequence,
            }
            if memory.watch.recording
            else {}
        )
        if batch.over:
            memory.watch.say("client.late_success", ("ACC-21", "TXM-12"), **params)
            return
        if base_offset == NO_OFFSET:
            memory.watch.say("client.duplicate_is_success", ("SND-9", "SEQ-18"), **params)
        elif memory.transactions is None:
            memory.watch.say("client.acknowledged_plain", ("SND-9",), **params)
        else:
            memory.watch.say("client.acknowledged", ("SND-9", "TXM-12"), **params)
        memory.finish(batch, "acknowledge", None, base_offset, now)

    def _retries(self, batch: Batch, error: Error, log_start_offset: int, now: int) -> bool:
        """Send the batch again if that is allowed (SND-10); True when the answer is dealt with."""
        memory = self.memory
        profile, transactions = memory.profile, memory.transactions
        if batch.over or batch.attempts >= memory.config.retries:
            return False
        if profile.expiry_from_creation and now - batch.created_at >= memory.config.batch_expiry_ms:
            return False
        if transactions is None:
            reaction = reaction_to(error)
            if reaction.does != RETRY:
                return False
        else:
            first, last = batch.base_sequence, batch.last_sequence
            allowed, why = transactions.can_retry(batch, error, log_start_offset)
            self._explain(batch, error, why, (first, last), log_start_offset)
            if not allowed:
                return False
            if not profile.epoch_bump and not transactions.is_current(batch):
                memory.watch.say(
                    "client.identity_changed",
                    ("SND-10",),
                    client=memory.name,
                    batch=batch.id,
                    partition=batch.partition,
                    batch_id=batch.producer_id,
                    producer_id=transactions.producer_id,
                )
                self._fail(batch, Error.OUT_OF_ORDER_SEQUENCE_NUMBER, False, now)
                return True
        self._requeue(batch, error, now)
        return True

    def _explain(
        self, batch: Batch, error: Error, why: str, sequences: tuple[int, int], log_start_offset: int
    ) -> None:
        """Say which row decided about a sequence error."""
        memory = self.memory
        reaction = reaction_to(error)
        if reaction.does not in DECISIONS or memory.transactions is None:
            return
        entry = memory.transactions.entry(batch.partition)
        if memory.watch.recording:
            self._show_decision(batch, reaction.does, why, sequences, log_start_offset)
        rules = (reaction.spec, "ORD-3") if why == "client.sequence_earlier_missing" else (reaction.spec,)
        if why == "client.sequence_earlier_missing" and sequences[0] <= entry.last_acked_sequence:
            why = "client.sequence_behind"
        memory.watch.say(
            why,
            rules,
            client=memory.name,
            batch=batch.id,
            partition=batch.partition,
            first_sequence=sequences[0],
            last_sequence=sequences[1],
            expected=entry.last_acked_sequence + 1,
            last_acked_offset=entry.last_acked_offset,
            log_start_offset=log_start_offset,
        )

    def _show_decision(
        self, batch: Batch, table: str, why: str, sequences: tuple[int, int], log_start_offset: int
    ) -> None:
        """The rows tried, in order, for the page."""
        memory = self.memory
        if memory.transactions is None:
            return
        entry = memory.transactions.entry(batch.partition)
        params = {
            "first": sequences[0],
            "last": sequences[1],
            "expected": entry.last_acked_sequence + 1,
            "last_acked_offset": entry.last_acked_offset,
            "log_start_offset": log_start_offset,
        }
        rows: list[DecisionRow] = []
        outcome: RowOutcome = "passed"
        for row in DECISIONS[table]:
            if row.why == why:
                outcome = "decided"
            rows.append({"rule": row.spec, "key": row.asks, "params": params, "outcome": outcome})
            if outcome == "decided":
                outcome = "not_reached"
        memory.watch.decide(
            {
                "by": memory.name,
                "subject": batch.partition,
                "machine": table,
                "arrived": {"first_sequence": sequences[0], "last_sequence": sequences[1]},
                "stored": {
                    "next_sequence": entry.next_sequence,
                    "last_acked_sequence": None
                    if entry.last_acked_sequence < 0
                    else entry.last_acked_sequence,
                    "last_acked_offset": None if entry.last_acked_offset < 0 else entry.last_acked_offset,
                    "unresolved": entry.unresolved,
                },
                "rows": rows,
            }
        )

    def _requeue(self, batch: Batch, error: Error, now: int) -> None:
        memory = self.memory
        memory.leaves_flight(batch)
        passed = memory.accumulator.requeue(batch, now)
        watch = memory.watch
        if not watch.recording:
            watch.say("client.requeued", ())
            return
        watch.say(
            "client.requeued" if error in UNCERTAIN else "client.requeued_refused",
            _RETRIED_PLAIN if memory.transactions is None else _RETRIED,
            client=memory.name,
            batch=batch.id,
            partition=batch.partition,
            error=error.name,
            attempts=batch.attempts,
            retries=memory.config.retries,
            until=now + memory.config.retry_backoff_ms,
        )
        if passed:
            watch.note(
                "client.placed_by_sequence",
                ("ORD-2",),
                client=memory.name,
                batch=batch.id,
                partition=batch.partition,
                first_sequence=batch.base_sequence,
            )

    def _fail(self, batch: Batch, error: Error, adjust: bool, now: int) -> None:
        """The batch is given up (SND-9, SND-13). A late answer for one that is over only moves numbers."""
        memory = self.memory
        memory.leaves_flight(batch)
        memory.watch.say(
            "client.late_failure" if batch.over else "client.batch_failed",
            ("SND-9", reaction_to(error).spec) if reaction_to(error).spec != "SND-9" else ("SND-9",),
            client=memory.name,
            batch=batch.id,
            partition=batch.partition,
            count=batch.record_count,
            error=error.name,
            attempts=batch.attempts,
            retries=memory.config.retries,
        )
        transactions = memory.transactions
        if transactions is not None:
            done = transactions.failed(batch, error, adjust)
            if done is not None:
                self._say_numbers(batch, error, done)
            if transactions.has_fatal_error:
                memory.watch.note("client.fatal", ("TXM-4", "SND-9"), client=memory.name, error=error.name)
        if not batch.over:
            memory.finish(batch, "fail", error.name, NO_OFFSET, now)

    def _say_numbers(self, batch: Batch, error: Error, done: str) -> None:
        """What became of the numbers of a batch that failed."""
        memory = self.memory
        if done == GAP_CLOSED and error in UNCERTAIN:
            done = "client.gap_closed_in_doubt"
            if memory.watch.judging:
                memory.watch.fact(
                    NumbersInDoubt(producer=memory.name, partition=batch.partition, thrown=False)
                )
        memory.watch.note(
            done,
            ("SND-13",),
            client=memory.name,
            batch=batch.id,
            partition=batch.partition,
            count=batch.record_count,
            error=error.name,
        )

    def _unmute(self, batch: Batch) -> None:
        """Its partition was held back for it, whatever ``max_in_flight`` is by now (ACC-19)."""
        self.memory.accumulator.set_muted(batch.partition, False)
