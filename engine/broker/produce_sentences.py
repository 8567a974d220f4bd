"""What is said about a client's batch that reached the log: the sentence, the decision, the refusal (SEQ-10)."""

from __future__ import annotations

from typing import Any

from engine.broker import append_rules
from engine.broker.append_rules import Arrival
from engine.broker.appended import Appended
from engine.broker.produce_rules import ACKS_ALL
from engine.broker.replica import Replica
from engine.broker.setup import Setup
from engine.errors import EngineError, Error
from engine.messages import INT_MAX, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, RecordBatch

_DUPLICATE = ("SEQ-10", "SEQ-2", "SEQ-11", "LOG-3", "CPT-5")
_DUPLICATE_ACROSS_WRAP = (*_DUPLICATE, "SEQ-4")


_ALSO = {"LOG-6": ("LOG-5", "SEQ-16")}
"""The check that a transaction is whole is the last one: all of it happened on a copy, which is thrown away."""
_ALSO_TRANSACTIONAL = {**_ALSO, "SEQ-12": ("FEN-1", "FEN-2")}
"""An older epoch under a transactional id is an instance that was replaced and still acts."""


def say_decision(
    setup: Setup, replica: Replica, batch: RecordBatch, appended: Appended, client: str, acks: int
) -> None:
    """The sentence, the decision and the refusal of one batch that reached the log."""
    watch = setup.watch
    rule = appended.rule
    if not watch.recording:
        if watch.said is None:
            watch.said = "broker.appended" if rule is None else rule.why
        return
    log = replica.log
    params: dict[str, Any] = {
        "broker": setup.name,
        "partition": replica.partition,
        "client": client,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "first_sequence": batch.base_sequence,
        "last_sequence": batch.last_sequence,
    }
    if rule is None:
        _say_appended(setup, replica, batch, appended, acks, params)
        if appended.arrival is not None:
            _note_what_is_new(setup, replica, batch, appended.arrival)
    elif appended.error is Error.NONE:
        wraps = batch.last_sequence < batch.base_sequence
        watch.say(
            rule.why,
            _DUPLICATE_ACROSS_WRAP if wraps else _DUPLICATE,
            **params,
            base_offset=appended.base_offset,
        )
    else:
        arrival = appended.arrival
        if arrival is None:
            raise EngineError(f"{setup.name}: a refusal without what it looked at")
        also = _ALSO_TRANSACTIONAL if batch.is_transactional else _ALSO
        watch.say(
            rule.why,
            (
                ("SEQ-10", rule.spec, "SEQ-17", "SEQ-7", "SEQ-19")
                if rule.why == "broker.stale_sequence_refused"
                else ("SEQ-10", rule.spec, "SEQ-17", *also.get(rule.spec, ()))
            ),
            **{**append_rules.NUMBERS[rule.when](arrival), **params},
            error=rule.answer.name,
        )
        watch.refuse(rule.spec, rule.answer.name, append_rules.compared(rule, arrival), rule.next_key)
    if batch.producer_id != NO_PRODUCER_ID and appended.arrival is not None:
        shown = log.producers.rules.shown_data[appended.level]
        watch.decide(append_rules.decision(setup.name, replica.partition, shown, appended.arrival, rule))


def _note_what_is_new(setup: Setup, replica: Replica, batch: RecordBatch, arrival: Arrival) -> None:
    """What an accepted batch changed in the numbering: an unknown producer, a new epoch, a wrap."""
    known = {"broker": setup.name, "partition": replica.partition, "producer_id": batch.producer_id}
    note = setup.watch.note
    if arrival.stored_epoch == NO_PRODUCER_EPOCH:
        if batch.base_sequence != 0:
            first = batch.base_sequence
            note("broker.unknown_producer_accepted", ("SEQ-15", "SEQ-17"), first_sequence=first, **known)
    elif arrival.stored_epoch != batch.producer_epoch:
        newer = arrival.stored_epoch < batch.producer_epoch
        note(
            "broker.new_epoch_accepted" if newer else "broker.lower_epoch_accepted",
            ("SEQ-8", "SEQ-12", "FEN-3") if batch.is_transactional else ("SEQ-8", "SEQ-12"),
            producer_epoch=batch.producer_epoch,
            stored=arrival.stored_epoch,
            **known,
        )
    wrapped_before = batch.base_sequence == 0 and arrival.last_sequence == INT_MAX
    if wrapped_before or batch.last_sequence < batch.base_sequence:
        note("broker.sequence_wrapped", ("SEQ-3", "SEQ-13", "MSG-2"), **known)


def _say_appended(
    setup: Setup,
    replica: Replica,
    batch: RecordBatch,
    appended: Appended,
    acks: int,
    params: dict[str, Any],
) -> None:
    has_producer = batch.producer_id != NO_PRODUCER_ID
    waits = acks == ACKS_ALL and replica.log.high_watermark <= appended.last_offset
    key = ("broker.appended" if has_producer else "broker.appended_plain") + (
        "_and_waits" if waits else "" if acks else "_unanswered"
    )
    rules = ("LOG-1", "LOG-2", "LOG-4", "SEQ-10") if has_producer else ("LOG-1", "LOG-2", "LOG-4")
    setup.watch.say(
        key,
        rules,
        **params,
        record_count=batch.record_count,
        base_offset=appended.base_offset,
        last_offset=appended.last_offset,
        log_end=replica.log.log_end,
        high_watermark=replica.log.high_watermark,
    )
