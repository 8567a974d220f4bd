"""What is said about an append of the broker's own: a marker, or a coordinator's record (MRK-5, MRK-6, TXC-23)."""

from __future__ import annotations

from typing import Any

from engine.broker import append_rules
from engine.broker.append_rules import Arrival
from engine.broker.appended import Appended
from engine.broker.internal_topics import OFFSETS_TOPIC, is_internal
from engine.broker.produce_rules import ACKS_ALL
from engine.broker.replica import Replica
from engine.broker.setup import Setup
from engine.broker.validation import Origin
from engine.messages import NO_PRODUCER_ID, RecordBatch

MARKER_RULES = ("MRK-4", "MRK-6", "MRK-11", "MSG-3", "LOG-4", "CTR-26")
"""Of every marker: brokers write it, it is appended and changes no stored record, both its epochs are checked."""

IMAGE_RULES = ("LOG-4", "TXC-2", "TXC-3", "TXC-23")
OFFSETS_RULES = ("LOG-4", "OFS-2", "SEQ-9", "CTR-49")


def say_internal(
    setup: Setup, replica: Replica, batch: RecordBatch, appended: Appended, source: str, acks: int
) -> None:
    """The same for a marker or a coordinator's record (MRK-5, MRK-6)."""
    watch = setup.watch
    rule, log = appended.rule, replica.log
    if not watch.recording:
        if watch.said is None:
            watch.said = "broker.record_appended" if rule is None else rule.why
        return
    known: dict[str, Any] = {"broker": setup.name, "partition": replica.partition}
    if batch.producer_id != NO_PRODUCER_ID:
        known |= {"producer_id": batch.producer_id, "producer_epoch": batch.producer_epoch}
    if batch.is_control:
        known |= {"result": batch.control_type, "coordinator_epoch": batch.coordinator_epoch}
    if rule is None:
        known["record"], known["content"] = _told(batch)
        key = "broker.record_appended"
        of_groups = replica.partition.startswith(OFFSETS_TOPIC)
        rules: tuple[str, ...] = OFFSETS_RULES if of_groups else IMAGE_RULES
        if batch.is_control:
            key, rules = "broker.marker_appended", MARKER_RULES
            if is_internal(replica.partition):
                rules = (*rules, "MRK-7")
        waits = acks == ACKS_ALL and log.high_watermark <= appended.last_offset
        watch.say(
            key + ("_and_waits" if waits else ""),
            rules,
            offset=appended.base_offset,
            last_stable_offset=log.last_stable_offset,
            **known,
        )
        if batch.is_control and appended.arrival is not None:
            _note_what_it_did(setup, replica, batch, appended.arrival)
    elif appended.arrival is not None:
        arrival = appended.arrival
        watch.say(
            rule.why,
            (rule.spec, "FEN-7") if rule.when == "lower_coordinator_epoch" else (rule.spec,),
            **{**append_rules.NUMBERS[rule.when](arrival), **known},
            error=rule.answer.name,
        )
        following = rule.next_key if batch.is_control else "refusal.coordinator_is_told"
        watch.refuse(rule.spec, rule.answer.name, append_rules.compared(rule, arrival), following)
    if appended.arrival is not None:
        shown = log.producers.rules.shown_data[appended.level]
        if batch.is_control:
            shown = log.producers.rules.shown_markers[log.marker_levels[Origin.COORDINATOR]]
        subject, marker = replica.partition, batch.is_control
        watch.decide(append_rules.decision(setup.name, subject, shown, appended.arrival, rule, marker=marker))


def _note_what_it_did(setup: Setup, replica: Replica, batch: RecordBatch, arrival: Arrival) -> None:
    """A marker that raises the epoch fences; one that finds nothing open decides nothing."""
    known = {"partition": replica.partition, "producer_id": batch.producer_id}
    if -1 < arrival.running_epoch < batch.producer_epoch:
        setup.watch.note(
            "broker.marker_raises_epoch",
            ("FEN-3", "MRK-6", "SEQ-8"),
            arrived=batch.producer_epoch,
            stored=arrival.running_epoch,
            **known,
        )
    if arrival.transaction_first_offset is None:
        setup.watch.note("broker.marker_finds_nothing_open", ("MRK-6", "MRK-10"), **known)


def _told(batch: RecordBatch) -> tuple[object, str | None]:
    """Whose a coordinator's record is, and what it says: a state, `offset` or `tombstone` (word.record)."""
    content = batch.content
    if content is None or not content.keys:
        return None, None
    value = content.values[0] if content.values else None
    key = content.keys[0]
    name = " ".join(key) if isinstance(key, tuple) else key
    return name, getattr(value, "state", "tombstone" if value is None else "offset")
