"""Sentences for the Sender's passes."""

from __future__ import annotations

from typing import Any

from engine.happenings import sender as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, notes, phrase, says

_READY = {
    "FULL": "client.ready_full",
    "LINGER": "client.ready_linger",
    "EXHAUSTED": "client.ready_exhausted",
    "CLOSED": "client.ready_closed",
    "FLUSH": "client.ready_flush",
    "TXN_COMPLETING": "client.ready_completing",
}
_STOPPED = {
    "fatal_error": "client.stopped_fatal_error",
    "partition_not_added": "client.stopped_partition_not_added",
    "no_producer_id": "client.stopped_no_producer_id",
    "older_epoch_in_flight": "client.stopped_older_epoch_in_flight",
    "unresolved": "client.stopped_unresolved",
    "earlier_in_flight": "client.stopped_earlier_in_flight",
    "request_full": "client.stopped_request_full",
}
"""Dict of the reason why the first batch of a queue is not drained → key of the note about it, in a pass that drained
other batches."""
WAITS_AT_STOP = {
    "fatal_error": "client.waits_fatal_error",
    "partition_not_added": "client.waits_partition_not_added",
    "no_producer_id": "client.waits_no_producer_id",
    "older_epoch_in_flight": "client.waits_older_epoch_in_flight",
    "unresolved": "client.waits_unresolved",
    "earlier_in_flight": "client.waits_earlier_in_flight",
}
"""Dict of the reason why the first batch of a queue is not drained → key of the sentence about it, in a pass that
sent nothing."""
_SCOPES = {"node": "client.stop_ends_node", "partition": "client.stop_skips_partition"}


def _leaders_read(h: happened.LeadersRead, teller: Teller) -> None:
    leaders = [
        f"{name} → {'–' if leader is None else f'broker-{leader}'}" for name, leader in h.leaders.items()
    ]
    teller.say("client.metadata_read", ("SND-2",), client=h.client, leaders=leaders or ["–"])


def _metadata_asked(h: happened.MetadataAsked, teller: Teller) -> None:
    key = "client.metadata_requested" if h.topics else "client.metadata_requested_alone"
    teller.say(key, ("SND-2", "SND-6"), client=h.client, broker=h.broker, topics=list(h.topics))


def _batches_ready(h: happened.BatchesReady, teller: Teller) -> None:
    teller.say(
        "client.ready_again" if h.again else _READY[h.reasons[0][1]],
        ("ACC-10", "ACC-11"),
        client=h.client,
        brokers=list(h.brokers),
        reasons=[f"{partition} {reason}" for partition, reason in h.reasons],
        partition=h.partition,
        linger=h.linger,
        backoff=h.backoff,
    )


def _batches_drained(h: happened.BatchesDrained, teller: Teller) -> None:
    key, rules = _drained(h)
    teller.say(
        key,
        rules,
        client=h.client,
        count=len(h.batches),
        batches=_named(h, teller),
        partitions=[batch.partition for batch in h.batches],
        producer_id=h.producer_id,
        producer_epoch=h.producer_epoch,
        drain_index=h.drain_index,
    )
    for batch in h.oversized:
        teller.note(
            "client.oversized_alone",
            ("ACC-14",),
            client=h.client,
            batch=batch.id,
            partition=batch.partition,
            size=batch.size,
            limit=h.size_max,
        )
    for node, partition, reason in h.stops:
        teller.note(
            _STOPPED[reason],
            ("ACC-14",) if reason == "request_full" else ("ORD-5", "ACC-15"),
            client=h.client,
            broker=f"broker-{node}",
            partition=partition,
        )
    held = any(reason != "request_full" for _, _, reason in h.stops)
    if held or (h.stops and h.stop_scope == "node"):
        _scope(h.client, h.stop_scope, teller)
    if h.muted:
        partitions = [batch.partition for batch in h.batches]
        teller.note("client.muted", ("ACC-19", "ORD-1"), client=h.client, partitions=partitions)


def _named(h: happened.BatchesDrained, teller: Teller) -> dict[str, Any]:
    records = [teller.records_of(h.client, batch.id) for batch in h.batches]
    if len(h.batches) == 1:
        (one,) = h.batches
        said = {"records": records[0], "partition": one.partition}
        if not h.numbered:
            return phrase("clause.one_batch_plain", **said)
        numbers = {"first_sequence": one.first_sequence, "last_sequence": one.last_sequence}
        return phrase("clause.one_batch", **said, **numbers)
    named = [
        " ".join((batch.partition, "/".join(names), *((_sequences(batch),) if h.numbered else ())))
        for batch, names in zip(h.batches, records, strict=True)
    ]
    key = "clause.several_batches" if h.numbered else "clause.several_batches_plain"
    return phrase(key, count=len(named), batches=named)


def _drained(h: happened.BatchesDrained) -> tuple[str, tuple[str, ...]]:
    if not h.numbered:
        resent = all(batch.sent_before for batch in h.batches)
        return "client.drained_plain_again" if resent else "client.drained_plain", (
            "ACC-13",
            "ACC-16",
            "TXM-1",
        )
    again = sum(batch.sent_before for batch in h.batches)
    if not again:
        return "client.drained", ("ACC-13", "ACC-16", "SEQ-1", "SEQ-5", "TXM-2")
    if any(batch.renumbered for batch in h.batches):
        key = "client.drained_renumbered"
        if not all(batch.sent_before and batch.renumbered for batch in h.batches):
            key = "client.drained_some_renumbered"
        return key, ("ACC-13", "ACC-16", "TXM-17")
    if again == len(h.batches):
        return "client.drained_again", ("ACC-13", "ACC-16", "ACC-17")
    return "client.drained_mixed", ("ACC-13", "ACC-16", "ACC-17", "SEQ-5")


def _sequences(batch: happened.Taken) -> str:
    first, last = batch.first_sequence, batch.last_sequence
    return str(first) if first == last else f"{first}–{last}"


def _stop_reaches(h: happened.StopReaches, teller: Teller) -> None:
    _scope(h.client, h.scope, teller)


def _scope(client: str, scope: str, teller: Teller) -> None:
    teller.note(_SCOPES[scope], ("ACC-15", "CTR-15"), client=client)


def _waits_at_stop(h: happened.WaitsAtStop, teller: Teller) -> None:
    rules = ("ORD-4", "ORD-5", "ORD-6") if h.reason == "earlier_in_flight" else ("ORD-5",)
    teller.say(WAITS_AT_STOP[h.reason], rules, client=h.client, partition=h.partition, broker=h.broker)


def _waits_for_connection(h: happened.WaitsForConnection, teller: Teller) -> None:
    rules = _CONNECTION_FOR[h.wanted]
    teller.say("client.waits_not_connected", rules, client=h.client, broker=h.broker, limit=h.limit)


_CONNECTION_FOR: dict[happened.For, tuple[str, ...]] = {
    happened.For.BATCHES: ("SND-2", "SND-7"),
    happened.For.PRODUCER_ID: ("PID-12",),
    happened.For.CONTROL: ("SND-5",),
}


def _waits_for_time(h: happened.WaitsForTime, teller: Teller) -> None:
    linger = "client.waits_linger_again" if h.again else "client.waits_linger"
    teller.say(
        "client.waits_backoff" if h.backoff else linger,
        ("ACC-9", "ACC-11"),
        client=h.client,
        partition=h.partition,
        until=h.until,
        wait=h.wait,
    )


def _waits_for_producer_id(h: happened.WaitsForProducerId, teller: Teller) -> None:
    rules = ("SND-5", "PID-11") if h.queued else ("SND-3", "PID-12")
    teller.say("client.waits_producer_id", rules, client=h.client)


def _numbers_resolved(h: happened.NumbersResolved, teller: Teller) -> None:
    teller.say(
        _LOST[h.found],
        ("TXM-15", "SND-4") if h.by_bump else ("TXM-15",),
        client=h.client,
        partition=h.partition,
        next_sequence=h.next_sequence,
        expected=h.expected,
    )


_LOST = {
    happened.LostNumbers.CLEARED: "client.unresolved_cleared",
    happened.LostNumbers.BUMP: "client.unresolved_lost_bump",
    happened.LostNumbers.ABORTABLE: "client.unresolved_lost_abortable",
    happened.LostNumbers.FATAL: "client.unresolved_lost_fatal",
}


def _epoch_bumped(h: happened.EpochBumped, teller: Teller) -> None:
    key = "client.epoch_bumped" if h.renumbered else "client.epoch_bumped_alone"
    teller.say(
        "client.epoch_exhausted" if h.exhausted else key,
        ("TXM-16", "TXM-17"),
        client=h.client,
        before=h.before,
        after=h.after,
        partitions=list(h.partitions),
        renumbered=h.renumbered,
    )


def _producer_id_received(h: happened.ProducerIdReceived, teller: Teller) -> None:
    teller.say(
        "client.producer_id_received" if h.producer_id >= 0 else "client.producer_id_negative",
        ("PID-8", "TXM-4") if h.queued else ("PID-8", "PID-12"),
        client=h.client,
        producer_id=h.producer_id,
        producer_epoch=h.producer_epoch,
    )


def _producer_id_retried(h: happened.ProducerIdRetried, teller: Teller) -> None:
    teller.say(
        "client.producer_id_retried",
        ("TXM-13",) if h.queued else ("PID-12",),
        client=h.client,
        error=h.error.name,
        backoff=h.backoff,
    )


def _control_not_sent(h: happened.ControlNotSent, teller: Teller) -> None:
    teller.say(
        "client.control_not_sent",
        ("TXM-9",),
        client=h.client,
        api=h.api,
        state=h.state,
        error="" if h.error is None else h.error.name,
    )


def _coordinator_missed(h: happened.CoordinatorMissed, teller: Teller) -> None:
    teller.say(
        "client.coordinator_unknown" if h.broker is None else "client.coordinator_not_reached",
        ("SND-5", "FND-6"),
        client=h.client,
        api=h.api,
        kind=h.kind,
        owner=h.owner,
        broker=h.broker or "",
    )


def _control_sent(h: happened.ControlSent, teller: Teller) -> None:
    teller.say(
        "client.transactional_sent_others_wait" if h.waiting else "client.transactional_sent",
        _SENT_RULES.get(h.api, ("SND-5", "TXM-7")),
        client=h.client,
        api=h.api,
        broker=h.broker,
        waiting=h.waiting,
    )


_SENT_RULES: dict[str, tuple[str, ...]] = {
    "FindCoordinator": ("SND-5", "SND-6", "FND-6"),
    "AddPartitionsToTxn": ("SND-5", "TXM-8", "TXM-9"),
    "AddOffsetsToTxn": ("SND-5", "OFS-1"),
    "TxnOffsetCommit": ("SND-5", "OFS-1"),
    "EndTxn": ("SND-5", "TXM-9", "TXM-10"),
}

TELLINGS: dict[type[Happening], Tell] = {
    happened.LeadersRead: _leaders_read,
    happened.LeadersUnknown: says("client.leader_unknown", "ACC-8", "SND-2"),
    happened.BatchesReady: _batches_ready,
    happened.BatchesDrained: _batches_drained,
    happened.BatchesSent: says("client.sent", "SND-2", "SND-7"),
    happened.MetadataAsked: _metadata_asked,
    happened.Rebootstrapped: says("client.rebootstraps", "SND-6"),
    happened.ConnectionStarted: says("client.connects", "SND-2", "SND-7"),
    happened.SenderClosed: says("client.closed", "SND-14", "SND-1"),
    happened.CloseAborts: says("client.close_aborts", "SND-14", "TXM-10"),
    happened.CloseCannotAbort: notes("client.close_cannot_abort", "SND-14", "TXM-5"),
    happened.StopReaches: _stop_reaches,
    happened.WaitsAtStop: _waits_at_stop,
    happened.WaitsForConnection: _waits_for_connection,
    happened.WaitsForAnswers: says("client.waits_in_flight_full", "SND-7"),
    happened.WaitsForLeader: says("client.waits_no_leader", "ACC-8"),
    happened.WaitsForTime: _waits_for_time,
    happened.WaitsForMuted: says("client.waits_muted", "ACC-19"),
    happened.WaitsForProducerId: _waits_for_producer_id,
    happened.WaitsForControl: says("client.waits_control", "SND-5", "TXM-9"),
    happened.SenderSleeps: says("client.sleeps", "SND-5"),
    happened.NumbersResolved: _numbers_resolved,
    happened.IdentityReset: says("client.unresolved_lost_reset", "TXM-15", "SND-3"),
    happened.LostNumbersFatal: says("client.unresolved_is_fatal", "TXM-15", "SND-3"),
    happened.EpochBumped: _epoch_bumped,
    happened.ProducerIdWanted: says("client.producer_id_wanted", "PID-11", "CFG-5"),
    happened.StuckWithoutId: says("client.stuck_without_id", "CTR-6", "TXM-4", "PID-11"),
    happened.IdentityDenied: says("client.identity_denied", "TXM-13", "TXM-4"),
    happened.ProducerIdReceived: _producer_id_received,
    happened.ProducerIdRetried: _producer_id_retried,
    happened.ProducerIdRefused: says("client.producer_id_refused", "TXM-13", "PID-9"),
    happened.LingerVoid: says("client.completing_flushes", "SND-3", "ACC-20"),
    happened.ControlNotSent: _control_not_sent,
    happened.AbortNotSent: says("client.abort_not_sent", "TXM-10"),
    happened.EndedWithoutMessage: says("client.end_without_message", "TXM-9", "TXM-11"),
    happened.CoordinatorMissed: _coordinator_missed,
    happened.IdentityAsked: says("client.control_sent", "SND-5", "SND-6", "CFG-5"),
    happened.ControlSent: _control_sent,
    happened.ControlLost: says("client.control_lost", "SND-5", "TXM-13"),
}
