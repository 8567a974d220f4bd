"""Sentences for a batch that reached a log, for the decision about it, and for its refusal (SEQ-10, MRK-5, MRK-6,
TXC-23)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from engine.broker.append_rules import (
    ACCEPTED,
    ACCEPTED_UNNUMBERED,
    GUARDS,
    MACHINE,
    MARKER_ACCEPTED,
    AppendRule,
    Arrival,
    Shown,
)
from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.broker.produce_rules import ACKS_ALL
from engine.broker.sequence import increment
from engine.errors import EngineError, Error
from engine.happenings import appends as happened
from engine.happenings.base import Happening
from engine.happenings.codes import Next, Reason
from engine.messages import INT_MAX, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, RecordBatch
from engine.record_names import record_names
from engine.shapes.steps import Decision, DecisionRow, RowOutcome
from engine.telling.requests import next_key, reason_key
from engine.telling.telling import Tell, Teller, phrase
from engine.telling.untimely import Untimely, untimely_of
from engine.topic_partition import is_internal

Numbers = Callable[[Arrival], dict[str, Any]]

# The numbers that each guard compared, for the decision and the refusal ------------------------------


def _range(arrival: Arrival) -> dict[str, Any]:
    cached = arrival.cached if arrival.epoch == arrival.stored_epoch else []
    return {
        "first": arrival.first_sequence,
        "last": arrival.last_sequence_arrived,
        "cached": [_numbers(batch.first_sequence, batch.last_sequence) for batch in cached] or None,
    }


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _known(number: int) -> int | None:
    return None if number == -1 else number


def _epochs(arrival: Arrival) -> dict[str, Any]:
    return {"arrived": arrival.epoch, "stored": _known(arrival.running_epoch)}


def _first(arrival: Arrival) -> dict[str, Any]:
    return {"producer_id": arrival.producer_id, "first": arrival.first_sequence}


def _raised(arrival: Arrival) -> dict[str, Any]:
    return {**_epochs(arrival), "first": arrival.first_sequence}


def _expected(arrival: Arrival) -> dict[str, Any]:
    last = arrival.last_sequence
    return {"expected": 0 if last == -1 else increment(last, 1), "first": arrival.first_sequence}


def _transaction(arrival: Arrival) -> dict[str, Any]:
    return {"first_offset": arrival.transaction_first_offset}


def _coordinator_epochs(arrival: Arrival) -> dict[str, Any]:
    return {"arrived": arrival.coordinator_epoch, "stored": _known(arrival.running_coordinator_epoch)}


NUMBERS: dict[str, Numbers] = {
    "in_cache": _range,
    "lower_epoch": _epochs,
    "unknown_producer": _first,
    "raised_epoch_past_zero": _raised,
    "nothing_cached_past_zero": _expected,
    "behind": _expected,
    "ahead": _expected,
    "behind_known": _expected,
    "ahead_known": _expected,
    "plain_inside_transaction": _transaction,
    "lower_coordinator_epoch": _coordinator_epochs,
}

COMPARED_NAMES = {
    "in_cache": (("arrived first sequence", "first"), ("arrived last sequence", "last")),
    "lower_epoch": (("stored producer epoch", "stored"), ("arrived producer epoch", "arrived")),
    "unknown_producer": (
        ("producer id", "producer_id"),
        ("expected first sequence", "expected"),
        ("arrived first sequence", "first"),
    ),
    "raised_epoch_past_zero": (
        ("stored producer epoch", "stored"),
        ("arrived producer epoch", "arrived"),
        ("expected first sequence", "expected"),
        ("arrived first sequence", "first"),
    ),
    "plain_inside_transaction": (("transaction's first offset", "first_offset"),),
    "lower_coordinator_epoch": (
        ("stored coordinator epoch", "stored"),
        ("arrived coordinator epoch", "arrived"),
    ),
}
FROM_ZERO = frozenset({"unknown_producer", "raised_epoch_past_zero"})
"""Guards that refuse every first sequence except 0."""
EXPECTED_NAMES = (("expected first sequence", "expected"), ("arrived first sequence", "first"))


def trace(shown: Shown, arrival: Arrival, decided: AppendRule | None) -> list[DecisionRow]:
    """The result of each rule, as ``decision.rows`` of docs/frame.md: passed, decided, not reached, or off."""
    rows = []
    outcome: RowOutcome = "passed"
    for rule, is_on in shown:
        if not is_on:
            rows.append(_row(rule, arrival, "off"))
            continue
        if rule is decided:
            rows.append(_row(rule, arrival, "decided"))
            outcome = "not_reached"
            continue
        rows.append(_row(rule, arrival, outcome))
    return rows


def _row(rule: AppendRule, arrival: Arrival, outcome: RowOutcome) -> DecisionRow:
    return {
        "rule": rule.spec,
        "key": f"decision.{rule.asks}",
        "params": NUMBERS[rule.when](arrival),
        "outcome": outcome,
    }


def decision(
    by: str, subject: str, shown: Shown, arrival: Arrival, decided: AppendRule | None, marker: bool = False
) -> Decision:
    """The decision about a batch, as in docs/frame.md. ``decided``: the rule that decides; None if the log accepts
    the batch, which is then the last row."""
    rows = trace(shown, arrival, decided)
    last = arrival.last_sequence
    numbered = ACCEPTED if arrival.first_sequence >= 0 else ACCEPTED_UNNUMBERED
    accepted: DecisionRow = {
        "rule": "MRK-6" if marker else "SEQ-13",
        "key": f"decision.{MARKER_ACCEPTED if marker else numbered}",
        "params": _epochs(arrival)
        if marker
        else {"first": arrival.first_sequence, "last": arrival.last_sequence_arrived},
        "outcome": "decided" if decided is None else "not_reached",
    }
    return {
        "by": by,
        "subject": subject,
        "machine": MACHINE,
        "arrived": {
            "producer_id": arrival.producer_id,
            "producer_epoch": arrival.epoch,
            "first_sequence": arrival.first_sequence,
            "last_sequence": arrival.last_sequence_arrived,
        },
        "stored": None
        if arrival.stored_epoch == -1
        else {"producer_epoch": arrival.stored_epoch, "last_sequence": None if last == -1 else last},
        "rows": [*rows, accepted],
    }


def _said(rule: AppendRule, arrival: Arrival) -> dict[str, Any]:
    """The numbers that the sentence of a refusal names."""
    numbers = NUMBERS[rule.when](arrival)
    return {**numbers, "expected": 0} if rule.when in FROM_ZERO else numbers


def compared(rule: AppendRule, arrival: Arrival) -> list[list[Any]]:
    """(label, number) of each number that the refusing rule compared, as in ``refusal.compared`` of docs/frame.md."""
    numbers = _said(rule, arrival)
    return [[name, numbers[field]] for name, field in COMPARED_NAMES.get(rule.when, EXPECTED_NAMES)]


# A client's batch -------------------------------------------------------------------------------

_APPENDED = ("LOG-1", "LOG-2", "LOG-4", "SEQ-10")
_DUPLICATE = ("SEQ-10", "SEQ-2", "SEQ-11", "LOG-3", "CPT-5")
_DUPLICATE_ACROSS_WRAP = (*_DUPLICATE, "SEQ-4")
_ALSO = {"LOG-6": ("LOG-5", "SEQ-16")}
"""Dict of the requirement of a refusing rule → the further requirements that the refusal's sentence shows. LOG-6 has
some, because an append is applied to a copy of the producer's entry, which is dropped when a check fails."""
_ALSO_TRANSACTIONAL = {**_ALSO, "SEQ-12": ("FEN-1", "FEN-2")}
"""``_ALSO`` for transactional batches. Here a lower epoch comes from a replaced instance of the producer that
still acts."""


def _client_batch_reached(h: happened.ClientBatchReached, teller: Teller) -> None:
    batch, appended = h.batch, h.appended
    rule, arrival = appended.rule, appended.arrival
    params: dict[str, Any] = {
        "broker": h.broker,
        "partition": h.partition,
        "client": h.client,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "first_sequence": batch.base_sequence,
        "last_sequence": batch.last_sequence,
    }
    if rule is None:
        _appended(h, params, teller)
        if arrival is not None:
            _note_what_is_new(h, arrival, teller)
    elif appended.error is Error.NONE:
        wraps = batch.last_sequence < batch.base_sequence
        rules = _DUPLICATE_ACROSS_WRAP if wraps else _DUPLICATE
        teller.say(reason_key(rule.why), rules, **params, base_offset=appended.base_offset)
    else:
        if arrival is None:
            raise EngineError(f"{h.broker}: a refusal without what it looked at")
        _refused_batch(h, rule, arrival, params, teller)
    if batch.producer_id != NO_PRODUCER_ID and arrival is not None:
        teller.decide(decision(h.broker, h.partition, h.shown, arrival, rule))


def _refused_batch(
    h: happened.ClientBatchReached,
    rule: AppendRule,
    arrival: Arrival,
    params: dict[str, Any],
    teller: Teller,
) -> None:
    also = _ALSO_TRANSACTIONAL if h.batch.is_transactional else _ALSO
    rules = ("SEQ-10", rule.spec, "SEQ-17", *also.get(rule.spec, ()))
    if rule.why is Reason.STALE_SEQUENCE_REFUSED:
        rules = ("SEQ-10", rule.spec, "SEQ-17", "SEQ-7", "SEQ-19")
    said = {**_said(rule, arrival), **params}
    if rule.why is Reason.STALE_EPOCH_REFUSED:
        # Two producers may have the same producer id.
        records = record_names(h.batch.serials)
        said["written_by"] = (
            phrase(
                "clause.records_of_client", client=h.client, records=records, producer_id=h.batch.producer_id
            )
            if records
            else _written_by(h.batch.producer_id)
        )
    teller.say(reason_key(rule.why), rules, **said, error=rule.answer.name)
    _note_what_is_off(h, rule, arrival, teller)
    _refuse(rule, arrival, rule.then, teller)


def _written_by(producer_id: int) -> dict[str, Any]:
    return phrase("clause.producer_id_alone", producer_id=producer_id)


def _note_what_is_off(
    h: happened.ClientBatchReached, decided: AppendRule, arrival: Arrival, teller: Teller
) -> None:
    """Add a note if the run switches off a check that comes before ``decided`` and would have decided instead."""
    earlier = takewhile(lambda one: one[0] is not decided, h.shown)
    off = next((rule for rule, is_on in earlier if not is_on and GUARDS[rule.when](arrival)), None)
    if off is None:
        return
    known = {"broker": h.broker, "off": off.switch, "rule": off.spec}
    if off.answer is Error.NONE:
        teller.note("broker.lookup_left_out", (off.spec, "GEN-9"), **known)
    else:
        teller.note("broker.check_left_out", (off.spec, "GEN-9"), **known, error=off.answer.name)


def _refuse(rule: AppendRule, arrival: Arrival, then: Next | None, teller: Teller) -> None:
    following = "" if then is None else next_key(then)
    teller.refuse(rule.spec, rule.answer.name, compared(rule, arrival), following)


def _note_what_is_new(h: happened.ClientBatchReached, arrival: Arrival, teller: Teller) -> None:
    """Add notes on the changes of epoch and sequence numbers that an accepted batch brings."""
    batch = h.batch
    known = {"broker": h.broker, "partition": h.partition, "producer_id": batch.producer_id}
    if arrival.stored_epoch == NO_PRODUCER_EPOCH:
        if batch.base_sequence != 0:
            first = batch.base_sequence
            rules = ("SEQ-15", "SEQ-17")
            teller.note("broker.unknown_producer_accepted", rules, first_sequence=first, **known)
    elif arrival.stored_epoch != batch.producer_epoch:
        newer = arrival.stored_epoch < batch.producer_epoch
        teller.note(
            "broker.new_epoch_accepted" if newer else "broker.lower_epoch_accepted",
            ("SEQ-8", "SEQ-12", "FEN-3") if batch.is_transactional else ("SEQ-8", "SEQ-12"),
            producer_epoch=batch.producer_epoch,
            stored=arrival.stored_epoch,
            **known,
        )
    wrapped_before = batch.base_sequence == 0 and arrival.last_sequence == INT_MAX
    if wrapped_before or batch.last_sequence < batch.base_sequence:
        teller.note("broker.sequence_wrapped", ("SEQ-3", "SEQ-13", "MSG-2"), **known)


def _appended(h: happened.ClientBatchReached, params: dict[str, Any], teller: Teller) -> None:
    batch, appended = h.batch, h.appended
    has_producer = batch.producer_id != NO_PRODUCER_ID
    waits = h.acks == ACKS_ALL and h.high_watermark <= appended.last_offset
    untimely = untimely_of(h, teller)
    if untimely is not None:
        _appended_all_the_same(h, untimely, params, teller, waits)
        return
    off = list(dict.fromkeys(rule.switch for rule, is_on in h.shown if not is_on)) if has_producer else []
    kind = "_plain" if not has_producer else "_unchecked" if off and h.acks else ""
    teller.say(
        f"broker.appended{kind}" + ("_and_waits" if waits else "" if h.acks else "_unanswered"),
        _APPENDED if has_producer else ("LOG-1", "LOG-2", "LOG-4"),
        **params,
        **({"off": off} if kind == "_unchecked" else {}),
        record_count=batch.record_count,
        base_offset=appended.base_offset,
        last_offset=appended.last_offset,
        log_end=h.log_end,
        high_watermark=h.high_watermark,
    )


def _appended_all_the_same(
    h: happened.ClientBatchReached, untimely: Untimely, params: dict[str, Any], teller: Teller, waits: bool
) -> None:
    """Add the sentence, and notes, for a batch that the leader appends only because it does not know what the
    coordinator has decided since."""
    appended = h.appended
    params = {**params, "record_count": h.batch.record_count, "base_offset": appended.base_offset}
    teller.say(untimely.key, (*_APPENDED, *untimely.rules), **params, **untimely.params)
    if untimely.unassigned is not None:
        teller.note("broker.epoch_unassigned", ("FEN-1",), **untimely.unassigned)
    if untimely.none_due is not None:
        teller.note("broker.no_marker_due", ("MRK-1",), **untimely.none_due)
    if waits:
        teller.note(
            "broker.append_waits",
            ("LOG-2",),
            broker=h.broker,
            client=h.client,
            high_watermark=h.high_watermark,
            last_offset=appended.last_offset,
        )


# A marker, or a coordinator's record --------------------------------------------------------------

_MARKER_RULES = ("MRK-4", "MRK-6", "MRK-11", "MSG-3", "LOG-4", "CTR-26")
"""The requirements that every marker shows: a broker writes the marker, appends it, changes no stored record,
and checks both epochs."""
_IMAGE_RULES = ("LOG-4", "TXC-2", "TXC-3", "TXC-23")
_OFFSETS_RULES = ("LOG-4", "OFS-2", "SEQ-9", "CTR-49")


def _broker_batch_reached(h: happened.BrokerBatchReached, teller: Teller) -> None:
    batch, appended = h.batch, h.appended
    rule, arrival = appended.rule, appended.arrival
    known: dict[str, Any] = {"broker": h.broker, "partition": h.partition}
    if batch.producer_id != NO_PRODUCER_ID:
        known |= {"producer_id": batch.producer_id, "producer_epoch": batch.producer_epoch}
    if batch.is_control:
        known |= {"result": batch.control_type, "coordinator_epoch": batch.coordinator_epoch}
    if rule is None:
        _stored(h, known, teller)
    elif arrival is not None:
        rules = (rule.spec, "FEN-7") if rule.when == "lower_coordinator_epoch" else (rule.spec,)
        said = {**NUMBERS[rule.when](arrival), **known}
        if rule.why is Reason.STALE_EPOCH_REFUSED:
            said["written_by"] = _written_by(batch.producer_id)
        teller.say(reason_key(rule.why), rules, **said, error=rule.answer.name)
        _refuse(rule, arrival, rule.then if batch.is_control else Next.COORDINATOR_GETS_ERROR, teller)
    if arrival is not None:
        teller.decide(decision(h.broker, h.partition, h.shown, arrival, rule, marker=batch.is_control))


def _stored(h: happened.BrokerBatchReached, known: dict[str, Any], teller: Teller) -> None:
    batch, appended = h.batch, h.appended
    known["record"], known["content"] = _contents(batch)
    key = "broker.record_appended"
    rules: tuple[str, ...] = _OFFSETS_RULES if h.partition.startswith(OFFSETS_TOPIC) else _IMAGE_RULES
    if batch.is_control:
        key, rules = "broker.marker_appended", _MARKER_RULES
        if is_internal(h.partition):
            rules = (*rules, "MRK-7")
    waits = h.acks == ACKS_ALL and h.high_watermark <= appended.last_offset
    teller.say(
        key + ("_and_waits" if waits else ""),
        rules,
        offset=appended.base_offset,
        last_stable_offset=h.last_stable_offset,
        **known,
    )
    if batch.is_control and appended.arrival is not None:
        _note_what_it_did(h, appended.arrival, teller)


def _note_what_it_did(h: happened.BrokerBatchReached, arrival: Arrival, teller: Teller) -> None:
    """Add notes on the marker's effect."""
    known = {"partition": h.partition, "producer_id": h.batch.producer_id}
    if -1 < arrival.running_epoch < h.batch.producer_epoch:
        teller.note(
            "broker.marker_raises_epoch",
            ("FEN-3", "MRK-6", "SEQ-8"),
            arrived=h.batch.producer_epoch,
            stored=arrival.running_epoch,
            **known,
        )
    if arrival.transaction_first_offset is None:
        teller.note("broker.marker_finds_nothing_open", ("MRK-6", "MRK-10"), **known)


def _contents(batch: RecordBatch) -> tuple[object, str | None]:
    """(the key of a coordinator's record, its content). The content is a state, `offset` or `tombstone`
    (word.record)."""
    content = batch.content
    if content is None or not content.keys:
        return None, None
    value = content.values[0] if content.values else None
    key = content.keys[0]
    name = " ".join(key) if isinstance(key, tuple) else key
    return name, getattr(value, "state", "tombstone" if value is None else "offset")


TELLINGS: dict[type[Happening], Tell] = {
    happened.ClientBatchReached: _client_batch_reached,
    happened.BrokerBatchReached: _broker_batch_reached,
}
