"""How a broker handles Produce: the rules in order, the append, and when the answer leaves (LOG-1, LOG-2).

The rules before the log is asked stand in ``produce_rules``, what the log itself refuses in
``append_rules``, who waits for replication in ``delayed_appends``. Markers and coordinators' records go through
the same append (:func:`append_for_broker`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.broker import append_rules
from engine.broker.append_rules import Arrival
from engine.broker.appended import Appended
from engine.broker.delayed_appends import complete_waiting, wait_for_replication
from engine.broker.internal_sentences import say_internal
from engine.broker.produce_rules import (
    ACKS_ALL,
    INTERNAL_RULES,
    Arriving,
    partition_unknown,
    refused,
    topic_denied,
)
from engine.broker.replica import Replica
from engine.broker.validation import Origin
from engine.broker.verification import PRODUCE_SEES, Verified, unguarded
from engine.errors import NO_ERROR, EngineError, Error
from engine.messages import (
    INT_MAX,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    Disconnect,
    Effects,
    Envelope,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    RecordBatch,
    Send,
)
from engine.rules import Rule, refusal

if TYPE_CHECKING:
    from engine.broker.broker import Broker

_CLIENT = Origin.CLIENT


@dataclass(slots=True)
class Appends:
    """What became of the batches of one request. ``waits``: partition to (offset to wait for, leader epoch)."""

    answers: dict[str, PartitionProduceResponse] = field(default_factory=dict)
    waits: dict[str, tuple[int, int]] = field(default_factory=dict)
    effects: Effects = field(default_factory=list)


def handle_produce(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """Append what may be appended; answer now, or when enough replicas have it (LOG-1, LOG-2)."""
    request = envelope.body
    if type(request) is not ProduceRequest:
        raise EngineError(f"{broker.name}: {request!r} is not a Produce request")
    arriving = Arriving(broker, request)
    rule = refusal(broker.request_rules, arriving)
    if rule is not None:
        answers = {}
        for partition, batch in request.batches.items():
            arriving.partition, arriving.batch = partition, batch
            answers[partition] = refused(arriving, rule)
        return _answer(broker, envelope, request, answers)
    if broker.verification is None:
        return _append_for_client(broker, envelope, request, None, now)
    asked = broker.verification.of_produce(
        envelope, request.transactional_id, _permitted(broker, request), now
    )
    if asked is not None:
        return broker.go_on(asked, now)
    return _append_for_client(broker, envelope, request, Verified(envelope), now)


def _permitted(broker: Broker, request: ProduceRequest) -> dict[str, RecordBatch]:
    """The batches for topics that the client may write and this broker knows."""
    arriving, permitted = Arriving(broker, request), {}
    for partition, batch in request.batches.items():
        arriving.partition, arriving.replica = partition, broker.replicas.get(partition)
        if not topic_denied(arriving) and not partition_unknown(arriving):
            permitted[partition] = batch
    return permitted


def produce_verified(broker: Broker, verified: Verified, now: int) -> Effects:
    """A Produce goes on once its partitions were asked about."""
    request = verified.envelope.body
    if type(request) is not ProduceRequest:
        raise EngineError(f"{broker.name}: {request!r} is not a Produce request")
    return _append_for_client(broker, verified.envelope, request, verified, now)


def _append_for_client(
    broker: Broker, envelope: Envelope, request: ProduceRequest, verified: Verified | None, now: int
) -> Effects:
    rules = broker.partition_rules
    done = _append_all(broker, request, rules, Origin.CLIENT, envelope.source, now, verified)
    if done.waits and request.acks == ACKS_ALL:
        wait_for_replication(
            broker,
            done.answers,
            done.waits,
            now + request.timeout_ms,
            client=envelope.source,
            correlation_id=envelope.correlation_id,
        )
        return done.effects
    return done.effects + _answer(broker, envelope, request, done.answers)


def append_for_broker(
    broker: Broker,
    batches: dict[str, RecordBatch],
    done: tuple[str, object],
    now: int,
    *,
    timeout_ms: int,
    acks: int = ACKS_ALL,
) -> Effects:
    """Append what this broker itself wants stored: a coordinator's record, a marker.

    ``done`` names who is told, by ``broker.append_ended(done, answers, now)``, once every partition is
    replicated or refused; that may be within this call.
    """
    request = ProduceRequest(None, acks, timeout_ms, batches)
    made = _append_all(broker, request, INTERNAL_RULES, Origin.COORDINATOR, broker.name, now)
    if made.waits and acks == ACKS_ALL:
        wait_for_replication(
            broker, made.answers, made.waits, now + timeout_ms, client=broker.name, done=done
        )
        return made.effects
    return made.effects + broker.append_ended(done, made.answers, now)


def _append_all(
    broker: Broker,
    request: ProduceRequest,
    rules: tuple[Rule[Arriving], ...],
    origin: Origin,
    source: str,
    now: int,
    verified: Verified | None = None,
) -> Appends:
    """Ask the rules about every batch of a request, and append it; a refused one does not hold up the others."""
    made = Appends()
    unverified = None if verified is None else verified.errors
    arriving = Arriving(broker, request)
    replicas = broker.replicas
    for partition, batch in request.batches.items():
        replica = replicas.get(partition)
        arriving.partition, arriving.batch, arriving.replica = partition, batch, replica
        answer = None
        if unverified and partition in unverified:
            error = unverified[partition]
            made.answers[partition] = PartitionProduceResponse(error=PRODUCE_SEES.get(error, error))
            continue
        rule = refusal(rules, arriving)
        if rule is not None:
            answer = refused(arriving, rule)
        if verified is not None and answer is None and replica is not None:
            answer = _unverified(replica, batch, verified)
        if answer is None and replica is not None:
            answer = _append(broker, replica, batch, request.acks, source, origin, now, made)
        if answer is not None:
            made.answers[partition] = answer
    return made


def _unverified(replica: Replica, batch: RecordBatch, verified: Verified) -> PartitionProduceResponse | None:
    log = replica.log
    error = unguarded(log.producers, batch, verified.guards.get(replica.partition))
    return None if error is None else PartitionProduceResponse(error=error, log_start_offset=log.log_start)


def _append(
    broker: Broker,
    replica: Replica,
    batch: RecordBatch,
    acks: int,
    source: str,
    origin: Origin,
    now: int,
    made: Appends,
) -> PartitionProduceResponse:
    """Ask the log; says what it decided. Puts the offset to wait for into ``made`` unless it is replicated."""
    log = replica.log
    say = _say_decision if origin is _CLIENT else say_internal
    appended = log.append_as_leader((batch,), now, leader_epoch=replica.leader_epoch, origin=origin)
    error = appended.error
    if error is not NO_ERROR:
        say(broker, replica, batch, appended, source, acks)
        return PartitionProduceResponse(error=error, log_start_offset=log.log_start)
    if appended.rule is None:
        broker.changed_partitions.add(replica.partition)
        broker.note_activity(batch.max_timestamp)
        if replica.advance_high_watermark():
            made.effects.extend(complete_waiting(broker, replica, now))
    until = appended.last_offset + 1
    if acks == ACKS_ALL and log.high_watermark < until:
        made.waits[replica.partition] = (until, replica.leader_epoch)
    say(broker, replica, batch, appended, source, acks)
    return PartitionProduceResponse(error, appended.base_offset, appended.log_append_time, log.log_start)


def _answer(
    broker: Broker, envelope: Envelope, request: ProduceRequest, answers: dict[str, PartitionProduceResponse]
) -> Effects:
    """The answer, now. With acks=0 there is none, but a failed append ends the connection, so that the client
    at least learns that something is wrong (``KafkaApis.handleProduceRequest``)."""
    if request.acks != 0:
        return [Send(envelope.source, ProduceResponse(partitions=answers), envelope.correlation_id, True)]
    if any(answer.error is not Error.NONE for answer in answers.values()):
        broker.watch.note("broker.connection_ended", ("LOG-2",), broker=broker.name, client=envelope.source)
        return [Disconnect(envelope.source)]
    return []


# Saying what was decided --------------------------------------------------------------------------


_DUPLICATE = ("SEQ-10", "SEQ-2", "SEQ-11", "LOG-3", "CPT-5")
_DUPLICATE_ACROSS_WRAP = (*_DUPLICATE, "SEQ-4")


_ALSO = {"LOG-6": ("LOG-5", "SEQ-16")}
"""The check that a transaction is whole is the last one: all of it happened on a copy, which is thrown away."""
_ALSO_TRANSACTIONAL = {**_ALSO, "SEQ-12": ("FEN-1", "FEN-2")}
"""An older epoch under a transactional id is an instance that was replaced and still acts."""


def _say_decision(
    broker: Broker, replica: Replica, batch: RecordBatch, appended: Appended, client: str, acks: int
) -> None:
    """The sentence, the decision and the refusal of one batch that reached the log."""
    watch = broker.watch
    rule = appended.rule
    if not watch.recording:
        if watch.said is None:
            watch.said = "broker.appended" if rule is None else rule.why
        return
    log = replica.log
    params: dict[str, Any] = {
        "broker": broker.name,
        "partition": replica.partition,
        "client": client,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "first_sequence": batch.base_sequence,
        "last_sequence": batch.last_sequence,
    }
    if rule is None:
        _say_appended(broker, replica, batch, appended, acks, params)
        if appended.arrival is not None:
            _note_what_is_new(broker, replica, batch, appended.arrival)
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
            raise EngineError(f"{broker.name}: a refusal without what it looked at")
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
        watch.decide(append_rules.decision(broker.name, replica.partition, shown, appended.arrival, rule))


def _note_what_is_new(broker: Broker, replica: Replica, batch: RecordBatch, arrival: Arrival) -> None:
    """What an accepted batch changed in the numbering: an unknown producer, a new epoch, a wrap."""
    known = {"broker": broker.name, "partition": replica.partition, "producer_id": batch.producer_id}
    note = broker.watch.note
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
    broker: Broker,
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
    broker.watch.say(
        key,
        rules,
        **params,
        record_count=batch.record_count,
        base_offset=appended.base_offset,
        last_offset=appended.last_offset,
        log_end=replica.log.log_end,
        high_watermark=replica.log.high_watermark,
    )
