"""How a broker handles Produce: the checks in order, the append, and when the answer leaves (LOG-1, LOG-2).

Owns the table of checks before the log is asked and the requests that wait for replication. What the log
itself refuses stands in ``append_rules``.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.broker import append_rules
from engine.broker.append_rules import Arrival
from engine.broker.partition_log import Appended
from engine.broker.replica import DelayedProduce, Replica
from engine.errors import EngineError, Error
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

if TYPE_CHECKING:
    from engine.broker.broker import Broker

ACKS_ALL = -1


class Arriving:
    """One batch of a Produce request at a broker: all that a check may look at."""

    __slots__ = ("batch", "broker", "partition", "replica", "request")

    def __init__(self, broker: Broker, request: ProduceRequest) -> None:
        self.broker = broker
        self.request = request
        self.partition = ""
        self.batch: RecordBatch | None = None
        self.replica: Replica | None = None


Guard = Callable[[Arriving], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProduceCheck:
    """One row: if the guard ``when`` holds the batch is answered ``answer`` and not appended.

    ``whole_request``: judged once and answered for every partition. ``only_if`` and ``unless`` name a field
    of the profile. ``tells_log_start``: the answer carries the log start offset, as Kafka's does for these
    errors.
    """

    spec: str
    when: str
    answer: Error
    why: str
    next_key: str
    whole_request: bool = False
    tells_log_start: bool = False
    only_if: str | None = None
    unless: str | None = None


def transactional_id_denied(arriving: Arriving) -> bool:
    """Transactional records need Write on the request's transactional id."""
    request = arriving.request
    name = request.transactional_id
    if name is None and not any(batch.is_transactional for batch in request.batches.values()):
        return False
    return name is None or arriving.broker.is_denied("Write", f"transactional_id:{name}")


def idempotent_write_denied(arriving: Arriving) -> bool:
    """Idempotent, not transactional records need IdempotentWrite on the cluster."""
    broker = arriving.broker
    if not broker.denied or arriving.request.transactional_id is not None:
        return False
    if not broker.is_denied("IdempotentWrite", "cluster"):
        return False
    return any(batch.producer_id != NO_PRODUCER_ID for batch in arriving.request.batches.values())


def topic_denied(arriving: Arriving) -> bool:
    broker = arriving.broker
    return bool(broker.denied) and broker.is_denied("Write", f"topic:{arriving.partition.rpartition('-')[0]}")


def partition_unknown(arriving: Arriving) -> bool:
    return arriving.replica is None and arriving.partition not in arriving.broker.metadata


def not_leader(arriving: Arriving) -> bool:
    replica = arriving.replica
    return replica is None or replica.leader != replica.broker_id


def too_few_in_sync(arriving: Arriving) -> bool:
    replica = arriving.replica
    return replica is not None and arriving.request.acks == ACKS_ALL and len(replica.isr) < replica.min_isr


def too_large(arriving: Arriving) -> bool:
    batch = arriving.batch
    return batch is not None and batch.size > arriving.broker.configuration.message_max_bytes


def producer_without_sequence(arriving: Arriving) -> bool:
    """A producer id without a sequence cannot be checked (``LogValidator.validateBatch``)."""
    batch = arriving.batch
    return batch is not None and batch.producer_id != NO_PRODUCER_ID and batch.base_sequence < 0


GUARDS: dict[str, Guard] = {
    guard.__name__: guard
    for guard in (
        transactional_id_denied,
        idempotent_write_denied,
        topic_denied,
        partition_unknown,
        not_leader,
        too_few_in_sync,
        too_large,
        producer_without_sequence,
    )
}

PRODUCE_CHECKS: tuple[ProduceCheck, ...] = (
    ProduceCheck(
        spec="LOG-1",
        when="transactional_id_denied",
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        why="broker.transactional_id_denied",
        next_key="refusal.client_ends",
        whole_request=True,
    ),
    ProduceCheck(
        spec="LOG-1",
        when="idempotent_write_denied",
        answer=Error.CLUSTER_AUTHORIZATION_FAILED,
        why="broker.idempotent_write_denied",
        next_key="refusal.client_ends",
        whole_request=True,
    ),
    ProduceCheck(
        spec="LOG-1",
        when="topic_denied",
        answer=Error.TOPIC_AUTHORIZATION_FAILED,
        why="broker.topic_denied",
        next_key="refusal.client_fails_batch",
    ),
    ProduceCheck(
        spec="LOG-1",
        when="partition_unknown",
        answer=Error.UNKNOWN_TOPIC_OR_PARTITION,
        why="broker.partition_unknown",
        next_key="refusal.client_refreshes_metadata",
    ),
    ProduceCheck(
        spec="LOG-1",
        when="not_leader",
        answer=Error.NOT_LEADER_OR_FOLLOWER,
        why="broker.not_leader",
        next_key="refusal.client_refreshes_metadata",
    ),
    ProduceCheck(
        spec="LOG-1",
        when="too_few_in_sync",
        answer=Error.NOT_ENOUGH_REPLICAS,
        why="broker.too_few_in_sync",
        next_key="refusal.client_retries",
        tells_log_start=True,
    ),
    ProduceCheck(
        spec="MSG-4",
        when="too_large",
        answer=Error.MESSAGE_TOO_LARGE,
        why="broker.batch_too_large",
        next_key="refusal.client_splits_batch",
    ),
    ProduceCheck(
        spec="MSG-2",
        when="producer_without_sequence",
        answer=Error.CORRUPT_MESSAGE,
        why="broker.producer_without_sequence",
        tells_log_start=True,
        next_key="refusal.client_retries",
        unless="accepts_unknown_producer",
    ),
    ProduceCheck(
        spec="MSG-2",
        when="producer_without_sequence",
        answer=Error.INVALID_RECORD,
        why="broker.producer_without_sequence",
        tells_log_start=True,
        next_key="refusal.client_fails_batch",
        only_if="accepts_unknown_producer",
    ),
)

Checks = tuple[tuple[Guard, ProduceCheck], ...]


def checks_for(profile: Any) -> tuple[Checks, Checks]:
    """The rows of a profile: those judged once per request, and those judged per partition."""
    chosen = [
        (GUARDS[check.when], check)
        for check in PRODUCE_CHECKS
        if (check.only_if is None or getattr(profile, check.only_if))
        and (check.unless is None or not getattr(profile, check.unless))
    ]
    return (
        tuple(row for row in chosen if row[1].whole_request),
        tuple(row for row in chosen if not row[1].whole_request),
    )


def handle_produce(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """Append what may be appended; answer now, or when enough replicas have it (LOG-1, LOG-2)."""
    request = envelope.body
    if type(request) is not ProduceRequest:
        raise EngineError(f"{broker.name}: {request!r} is not a Produce request")
    arriving = Arriving(broker, request)
    for guard, check in broker.request_checks:
        if guard(arriving):
            answers = {}
            for partition, batch in request.batches.items():
                arriving.partition, arriving.batch = partition, batch
                answers[partition] = _refused(arriving, check)
            return _answer(broker, envelope, request, answers)
    answers = {}
    waits: dict[str, tuple[int, int]] = {}
    effects: Effects = []
    replicas = broker.replicas
    for partition, batch in request.batches.items():
        replica = replicas.get(partition)
        arriving.partition, arriving.batch, arriving.replica = partition, batch, replica
        answer = None
        for guard, check in broker.partition_checks:
            if guard(arriving):
                answer = _refused(arriving, check)
                break
        if answer is None and replica is not None:
            answer = _append(broker, replica, batch, request, envelope.source, now, waits, effects)
        if answer is not None:
            answers[partition] = answer
    if waits and request.acks == ACKS_ALL:
        _wait(broker, envelope, request, answers, waits, now)
        return effects
    return effects + _answer(broker, envelope, request, answers)


def _append(
    broker: Broker,
    replica: Replica,
    batch: RecordBatch,
    request: ProduceRequest,
    client: str,
    now: int,
    waits: dict[str, tuple[int, int]],
    effects: Effects,
) -> PartitionProduceResponse:
    """Ask the log; says what it decided. Puts the offset to wait for into ``waits`` unless it is
    replicated."""
    log = replica.log
    appended = log.append_as_leader((batch,), now, leader_epoch=replica.leader_epoch)
    error = appended.error
    if error is not Error.NONE:
        _say_decision(broker, replica, batch, appended, client, request.acks)
        return PartitionProduceResponse(error=error, log_start_offset=log.log_start)
    if appended.rule is None:
        broker.changed_partitions.add(replica.partition)
        broker.note_activity(batch.max_timestamp)
        if replica.advance_high_watermark():
            effects.extend(complete_waiting(broker, replica, now))
    until = appended.last_offset + 1
    if request.acks == ACKS_ALL and log.high_watermark < until:
        waits[replica.partition] = (until, replica.leader_epoch)
    _say_decision(broker, replica, batch, appended, client, request.acks)
    return PartitionProduceResponse(
        error=error,
        base_offset=appended.base_offset,
        log_append_time=appended.log_append_time,
        log_start_offset=log.log_start,
    )


def _wait(
    broker: Broker,
    envelope: Envelope,
    request: ProduceRequest,
    answers: dict[str, PartitionProduceResponse],
    waits: dict[str, tuple[int, int]],
    now: int,
) -> None:
    delayed = DelayedProduce(envelope.source, envelope.correlation_id, now + request.timeout_ms)
    delayed.offsets = waits
    delayed.answers = answers
    delayed.waits = len(waits)
    for partition in waits:
        replica = broker.replicas[partition]
        replica.waiting.append(delayed)
        replica.touch()
    insort(broker.delayed, delayed, key=_deadline)


def _deadline(delayed: DelayedProduce) -> int:
    return delayed.deadline


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


# Waiting for replication --------------------------------------------------------------------------


def complete_waiting(broker: Broker, replica: Replica, now: int) -> Effects:
    """Answer those who waited for this replica, after its high watermark, its ISR or its leader changed
    (LOG-2).

    Reached with too few in sync: NOT_ENOUGH_REPLICAS_AFTER_APPEND. No longer leader: NOT_LEADER_OR_FOLLOWER.
    The data stays in the log in both cases.
    """
    if not replica.waiting:
        return []
    effects: Effects = []
    still: list[DelayedProduce] = []
    partition = replica.partition
    high_watermark = replica.log.high_watermark
    for delayed in replica.waiting:
        until, leader_epoch = delayed.offsets[partition]
        if not replica.is_leader or replica.leader_epoch != leader_epoch:
            _finish(broker, delayed, partition, Error.NOT_LEADER_OR_FOLLOWER, effects)
        elif high_watermark >= until:
            enough = len(replica.isr) >= replica.min_isr
            error = Error.NONE if enough else Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
            _finish(broker, delayed, partition, error, effects)
        else:
            still.append(delayed)
    if len(still) != len(replica.waiting):
        replica.waiting = still
        replica.touch()
    return effects


def _finish(broker: Broker, delayed: DelayedProduce, partition: str, error: Error, effects: Effects) -> None:
    """One partition of a waiting request is settled; the request is answered when it was the last one."""
    until, _ = delayed.offsets.pop(partition)
    answer = delayed.answers[partition]
    watch = broker.watch
    if error is not Error.NONE:
        delayed.answers[partition] = PartitionProduceResponse(
            error=error, log_start_offset=answer.log_start_offset
        )
        if watch.recording:
            key = {
                Error.REQUEST_TIMED_OUT: "broker.replication_timed_out",
                Error.NOT_LEADER_OR_FOLLOWER: "broker.leadership_lost_while_waiting",
            }.get(error, "broker.too_few_in_sync_after_append")
            replica = broker.replicas[partition]
            reached = replica.log.high_watermark
            watch.refuse(
                "LOG-2",
                error.name,
                [["high watermark waited for", until], ["high watermark", reached]]
                if error is not Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
                else [["in-sync replicas", len(replica.isr)], ["minimum", replica.min_isr]],
                "refusal.client_retries",
            )
            watch.note(
                key,
                ("LOG-2",),
                broker=broker.name,
                partition=partition,
                base_offset=answer.base_offset,
                until_offset=until,
                high_watermark=reached,
                in_sync=len(replica.isr),
                min_isr=replica.min_isr,
                client=delayed.client,
            )
    delayed.waits -= 1
    if delayed.waits:
        return
    broker.delayed.remove(delayed)
    effects.append(
        Send(delayed.client, ProduceResponse(partitions=delayed.answers), delayed.correlation_id, True)
    )
    if watch.recording and error is Error.NONE:
        watch.note(
            "broker.produce_answered",
            ("LOG-2",),
            broker=broker.name,
            client=delayed.client,
            partition=partition,
            until_offset=until,
        )


def time_out_waiting(broker: Broker, now: int) -> Effects:
    """Answer the waiting requests whose time is over with REQUEST_TIMED_OUT; the data stays in the log."""
    effects: Effects = []
    while broker.delayed and broker.delayed[0].deadline <= now:
        delayed = broker.delayed[0]
        broker.watch.say(
            "broker.produce_timed_out",
            ("LOG-2",),
            broker=broker.name,
            client=delayed.client,
            partitions=list(delayed.offsets),
        )
        for partition in list(delayed.offsets):
            replica = broker.replicas[partition]
            replica.waiting.remove(delayed)
            replica.touch()
            _finish(broker, delayed, partition, Error.REQUEST_TIMED_OUT, effects)
    return effects


# Saying what was decided --------------------------------------------------------------------------


def _refused(arriving: Arriving, check: ProduceCheck) -> PartitionProduceResponse:
    broker, replica, batch = arriving.broker, arriving.replica, arriving.batch
    watch = broker.watch
    if watch.recording and batch is not None:
        word = broker.metadata.get(arriving.partition)
        params = {
            "broker": broker.name,
            "partition": arriving.partition,
            "leader": None if word is None else word.leader,
            "leader_epoch": None if word is None else word.leader_epoch,
            "in_sync": 0 if replica is None else len(replica.isr),
            "min_isr": 0 if replica is None else replica.min_isr,
            "size": batch.size,
            "limit": broker.configuration.message_max_bytes,
            "producer_id": batch.producer_id,
            "transactional_id": arriving.request.transactional_id,
            "topic": arriving.partition.rpartition("-")[0],
        }
        watch.say(check.why, (check.spec,), **{name: params[name] for name in SAID[check.when]})
        watch.refuse(
            check.spec,
            check.answer.name,
            [[label, params[name]] for label, name in COMPARED[check.when]],
            check.next_key,
        )
    elif watch.said is None:
        watch.said = check.why
    log_start = replica.log.log_start if check.tells_log_start and replica is not None else -1
    return PartitionProduceResponse(error=check.answer, log_start_offset=log_start)


SAID: dict[str, tuple[str, ...]] = {
    "transactional_id_denied": ("broker", "partition", "transactional_id"),
    "idempotent_write_denied": ("broker", "partition", "producer_id"),
    "topic_denied": ("broker", "partition", "topic"),
    "partition_unknown": ("broker", "partition"),
    "not_leader": ("broker", "partition", "leader", "leader_epoch"),
    "too_few_in_sync": ("broker", "partition", "in_sync", "min_isr"),
    "too_large": ("broker", "partition", "size", "limit"),
    "producer_without_sequence": ("broker", "partition", "producer_id"),
}
COMPARED: dict[str, tuple[tuple[str, str], ...]] = {
    "transactional_id_denied": (("transactional id", "transactional_id"),),
    "idempotent_write_denied": (("producer id", "producer_id"),),
    "topic_denied": (("topic", "topic"),),
    "partition_unknown": (("partition", "partition"),),
    "not_leader": (("leader", "leader"), ("receiver", "broker")),
    "too_few_in_sync": (("in-sync replicas", "in_sync"), ("minimum", "min_isr")),
    "too_large": (("batch bytes", "size"), ("allowed bytes", "limit")),
    "producer_without_sequence": (("producer id", "producer_id"),),
}


_DUPLICATE = ("SEQ-10", "SEQ-2", "SEQ-11", "LOG-3")
_DUPLICATE_ACROSS_WRAP = (*_DUPLICATE, "SEQ-4")


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
        watch.say(
            rule.why,
            (
                ("SEQ-10", rule.spec, "SEQ-17", "SEQ-7", "SEQ-19")
                if rule.why == "broker.stale_sequence_refused"
                else ("SEQ-10", rule.spec, "SEQ-17")
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
        note(
            "broker.new_epoch_accepted",
            ("SEQ-8", "SEQ-12"),
            producer_epoch=batch.producer_epoch,
            stored=arrival.stored_epoch,
            **known,
        )
    wrapped_before = batch.base_sequence == 0 and arrival.last_sequence == INT_MAX
    if wrapped_before or batch.last_sequence < batch.base_sequence:
        note("broker.sequence_wrapped", ("SEQ-3", "SEQ-13"), **known)


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


def check_table() -> None:
    """Every row's guard is known and can be told; called once when the module loads."""
    for check in PRODUCE_CHECKS:
        if check.when not in GUARDS or check.when not in SAID or check.when not in COMPARED:
            raise EngineError(f"produce checks: row {check.why} names the unknown guard {check.when!r}")


check_table()
