"""Sentences for batches that complete, fail or are requeued."""

from __future__ import annotations

from typing import Any

from engine.client.produce_reactions import DECISIONS, Decision, reaction_to
from engine.errors import NO_ERROR
from engine.happenings import batches as happened
from engine.happenings.base import Happening
from engine.messages import INT_MAX, NO_OFFSET
from engine.shapes.steps import DecisionRow, RowOutcome
from engine.telling.telling import Tell, Teller, notes, params_of, phrase, says


def _batch_expired(h: happened.BatchExpired, teller: Teller) -> None:
    teller.say(
        "client.batch_expired_sent" if h.under_way else "client.batch_expired_unsent",
        ("ACC-21", "CTR-45"),
        client=h.client,
        batch=h.batch,
        partition=h.partition,
        count=h.count,
        since=h.since,
        age=h.age,
        limit=h.limit,
        attempts=h.attempts,
    )


def _batch_acknowledged(h: happened.BatchAcknowledged, teller: Teller) -> None:
    key, rules = _acknowledged(h)
    teller.say(
        key,
        rules,
        client=h.client,
        batch=h.batch,
        partition=h.partition,
        count=h.count,
        base_offset=h.base_offset,
        last_offset=h.base_offset + h.count - 1,
        last_sequence=h.last_sequence,
    )


def _acknowledged(h: happened.BatchAcknowledged) -> tuple[str, tuple[str, ...]]:
    if h.late:
        return "client.late_success", ("ACC-21", "TXM-12")
    if h.base_offset == NO_OFFSET:
        return "client.duplicate_is_success", ("SND-9", "SEQ-18")
    if not h.numbered:
        return "client.acknowledged_plain", ("SND-9",)
    return "client.acknowledged", ("SND-9", "TXM-12")


_RETRIED = ("SND-9", "SND-10", "ACC-18", "ACC-6")
_RETRIED_PLAIN = (*_RETRIED, "CPT-2", "ORD-1")
"""The requirements for a resend without idempotence: the leader may store the batch twice, or after batches
that were sent later."""


def _tries(attempts: int, retries: int) -> dict[str, Any]:
    if retries == INT_MAX:
        return phrase("clause.tries_without_limit", attempts=attempts)
    return phrase("clause.tries", attempts=attempts, retries=retries)


def _batch_requeued(h: happened.BatchRequeued, teller: Teller) -> None:
    teller.say(
        "client.requeued" if h.in_doubt else "client.requeued_refused",
        _RETRIED if h.numbered else _RETRIED_PLAIN,
        client=h.client,
        batch=h.batch,
        partition=h.partition,
        error=h.error.name,
        attempts=h.attempts,
        retries=h.retries,
        tries=_tries(h.attempts, h.retries),
        until=h.until,
    )
    if h.passed:
        teller.note(
            "client.placed_by_sequence",
            ("ORD-2",),
            client=h.client,
            batch=h.batch,
            partition=h.partition,
            first_sequence=h.first_sequence,
        )


def _batch_failed(h: happened.BatchFailed, teller: Teller) -> None:
    spec = reaction_to(h.error).spec
    teller.say(
        "client.late_failure" if h.late else "client.batch_failed",
        ("SND-9", spec) if spec != "SND-9" else ("SND-9",),
        client=h.client,
        batch=h.batch,
        partition=h.partition,
        count=h.count,
        error=h.error.name,
        attempts=h.attempts,
        retries=h.retries,
        tries=_tries(h.attempts + 1, h.retries) if h.attempts else phrase("clause.tries_first"),
    )


def _answer_for_aborted(h: happened.AnswerForAborted, teller: Teller) -> None:
    key = "client.success_for_aborted" if h.error is NO_ERROR else "client.answer_for_aborted"
    teller.say(key, ("ACC-22",), client=h.client, batch=h.batch, partition=h.partition, error=h.error.name)


def _sequences_settled(h: happened.SequencesSettled, teller: Teller) -> None:
    teller.note(
        f"client.{h.done.value}",
        ("SND-13",),
        client=h.client,
        batch=h.batch,
        partition=h.partition,
        count=h.count,
        error=h.error.name,
    )


def _other_batch_untracked(h: happened.OtherBatchUntracked, teller: Teller) -> None:
    other = teller.records_of(h.client, h.other)
    teller.note("client.other_batch_untracked", ("ORD-4",), **{**params_of(h), "other": other})


def question_key(row: Decision) -> str:
    """The catalogue key for the question of a row in a decision about a sequence error."""
    return f"decision.{row.asks.value}"


def _sequence_error_decided(h: happened.SequenceErrorDecided, teller: Teller) -> None:
    rules: tuple[str, ...] = (h.spec,)
    word = h.because.value
    if h.because is happened.Because.EARLIER_MISSING:
        rules = (h.spec, "ORD-3")
        if h.first_sequence <= h.last_acked_sequence:
            word = "behind"
    _decision(h, teller)
    teller.say(
        f"client.sequence_{word}",
        rules,
        client=h.client,
        batch=h.batch,
        partition=h.partition,
        first_sequence=h.first_sequence,
        last_sequence=h.last_sequence,
        expected=h.last_acked_sequence + 1,
        last_acked_offset=h.last_acked_offset,
        log_start_offset=h.log_start_offset,
    )


def _decision(h: happened.SequenceErrorDecided, teller: Teller) -> None:
    """Add the decision about a sequence error to the step: the questions of its table in order, each once. For a
    batch with another identity than the producer's, no table was read, so no decision is added."""
    if h.because is happened.Because.OTHER_IDENTITY:
        return
    params = {
        "first": h.first_sequence,
        "last": h.last_sequence,
        "expected": h.last_acked_sequence + 1,
        "last_acked_offset": h.last_acked_offset,
        "log_start_offset": h.log_start_offset,
    }
    rows: list[DecisionRow] = []
    outcome: RowOutcome = "passed"
    for row in DECISIONS[h.table]:
        if row.because is h.because:
            outcome = "decided"
        key = question_key(row)
        if (outcome == "passed" and row.asks not in h.denied) or any(one["key"] == key for one in rows):
            continue
        rows.append({"rule": row.spec, "key": key, "params": params, "outcome": outcome})
        if outcome == "decided":
            outcome = "not_reached"
    teller.decide(
        {
            "by": h.client,
            "subject": h.partition,
            "machine": h.table,
            "arrived": {"first_sequence": h.first_sequence, "last_sequence": h.last_sequence},
            "stored": {
                "next_sequence": h.next_sequence,
                "last_acked_sequence": None if h.last_acked_sequence < 0 else h.last_acked_sequence,
                "last_acked_offset": None if h.last_acked_offset < 0 else h.last_acked_offset,
                "unresolved": h.unresolved,
            },
            "rows": rows,
        }
    )


TELLINGS: dict[type[Happening], Tell] = {
    happened.CompletedUnacknowledged: says("client.completed_unacknowledged", "SND-8", "CPT-2"),
    happened.BatchExpired: _batch_expired,
    happened.SequencesUnresolved: says("client.sequence_unresolved", "TXM-14"),
    happened.BatchAborted: says("client.batch_aborted", "ACC-22"),
    happened.AnswerForAborted: _answer_for_aborted,
    happened.BatchAcknowledged: _batch_acknowledged,
    happened.BatchRequeued: _batch_requeued,
    happened.RequeuedOutOfOrder: notes("client.requeued_out_of_order", "ORD-7"),
    happened.IdentityChanged: says("client.identity_changed", "SND-10"),
    happened.BatchFailed: _batch_failed,
    happened.SequencesSettled: _sequences_settled,
    happened.ProducerFatal: notes("client.fatal", "TXM-4", "SND-9"),
    happened.LateFailureThrown: notes("client.late_failure_thrown", "TXM-4", "TXM-13"),
    happened.MetadataWanted: notes("client.metadata_wanted", "SND-9"),
    happened.OtherBatchUntracked: _other_batch_untracked,
    happened.RequeueThrown: says("client.requeue_thrown", "ORD-2", "TXM-4"),
    happened.WrapStraddled: notes("client.wrap_straddled", "SEQ-6"),
    happened.SequenceErrorDecided: _sequence_error_decided,
}
