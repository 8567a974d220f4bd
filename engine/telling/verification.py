"""Sentences for the verification of partitions (KIP-890)."""

from __future__ import annotations

from engine.errors import Error
from engine.happenings import verification as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, notes, says

_NEXT = {
    Error.NOT_ENOUGH_REPLICAS: "refusal.client_retries",
    Error.CONCURRENT_TRANSACTIONS: "refusal.client_retries",
    Error.OUT_OF_ORDER_SEQUENCE_NUMBER: "refusal.client_retries_in_order",
    Error.INVALID_PRODUCER_EPOCH: "refusal.client_epoch_is_stale",
    Error.INVALID_PRODUCER_ID_MAPPING: "refusal.client_aborts_and_raises",
}
"""Dict of error → key of the sentence on what the client of a Produce request does next. Every other error ends
the transaction."""
_OFFSETS_NEXT = {
    Error.CONCURRENT_TRANSACTIONS: "refusal.offsets_retried",
    Error.COORDINATOR_LOAD_IN_PROGRESS: "refusal.client_asks_again",
    Error.COORDINATOR_NOT_AVAILABLE: "refusal.client_looks_up_again",
    Error.NOT_COORDINATOR: "refusal.client_looks_up_again",
    Error.INVALID_PRODUCER_EPOCH: "refusal.producer_fenced",
    Error.TRANSACTION_ABORTABLE: "refusal.client_aborts",
}
"""Dict of error → key of the sentence on what the client of a TxnOffsetCommit does next. Every other error is
fatal for the client."""


def _coordinator_asked(h: happened.CoordinatorAsked, teller: Teller) -> None:
    teller.say(
        "broker.has_coordinator_add" if h.adds else "broker.asks_coordinator",
        ("LOG-1",),
        broker=h.broker,
        client=h.client,
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        partitions=list(h.partitions),
    )


def _partitions_verified(h: happened.PartitionsVerified, teller: Teller) -> None:
    key = "coordinator.partitions_belong" if h.error is Error.NONE else "coordinator.partitions_do_not_belong"
    teller.say(
        key,
        ("TXC-12",),
        coordinator=h.coordinator,
        leader=h.leader,
        transactional_id=h.transactional_id,
        partitions=list(h.partitions),
        error=h.error.name,
    )


def _write_not_allowed(h: happened.WriteNotAllowed, teller: Teller) -> None:
    teller.say(
        f"broker.{h.why.value}",
        ("LOG-1",),
        broker=h.broker,
        client=h.client,
        partition=h.partition,
        found=h.found.name,
        error=h.error.name,
        producer_id=h.producer_id,
        producer_epoch=h.producer_epoch,
        first_sequence=h.first_sequence,
        last_sequence=h.last_sequence,
        lowest_sequence=h.lowest_sequence,
    )
    compared = [["first sequence", h.first_sequence], ["lowest sequence", h.lowest_sequence]]
    if h.why in (happened.Unsafe.REFUSED, happened.Unsafe.ENDED_MEANWHILE):
        compared = [["partition", h.partition]]
    teller.refuse("LOG-1", h.error.name, compared, _NEXT.get(h.error, "refusal.client_aborts"))


def _offsets_not_allowed(h: happened.OffsetsNotAllowed, teller: Teller) -> None:
    teller.say(
        "broker.offsets_transaction_ended" if h.ended_meanwhile else "broker.offsets_not_in_transaction",
        ("OFS-2",),
        broker=h.broker,
        client=h.client,
        group=h.group,
        found=h.found.name,
        error=h.error.name,
    )
    teller.refuse(
        "OFS-2", h.error.name, [["group", h.group]], _OFFSETS_NEXT.get(h.error, "refusal.client_ends")
    )


TELLINGS: dict[type[Happening], Tell] = {
    happened.CoordinatorAsked: _coordinator_asked,
    happened.CoordinatorNotReachable: notes("broker.coordinator_not_reachable", "LOG-1"),
    happened.QuestionReplaced: notes("broker.question_replaced", "LOG-1"),
    happened.PartitionsVerified: _partitions_verified,
    happened.AsksAgain: says("broker.asks_again", "LOG-1"),
    happened.QuestionsLost: says("broker.questions_lost", "LOG-1"),
    happened.WriteNotAllowed: _write_not_allowed,
    happened.OffsetsNotAllowed: _offsets_not_allowed,
}
