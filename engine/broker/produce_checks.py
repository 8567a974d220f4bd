"""What a broker asks before it lets the log look at a batch: one table, in order (LOG-1, MSG-2, MSG-4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.broker.replica import Replica
from engine.errors import EngineError, Error
from engine.messages import NO_PRODUCER_ID, PartitionProduceResponse, ProduceRequest, RecordBatch

if TYPE_CHECKING:
    from engine.broker.broker import Broker

ACKS_ALL = -1
RECORD_VERSION = 2
"""The first format that holds producer ids, transactions and markers (KIP-98)."""


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
    if name is None:
        return any(batch.is_transactional for batch in request.batches.values())
    broker = arriving.broker
    return bool(broker.denied) and broker.is_denied("Write", f"transactional_id:{name}")


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


def format_without_producers(arriving: Arriving) -> bool:
    """Records of a producer with an id, for a topic whose format has no place for it (``LogValidator``)."""
    replica, batch = arriving.replica, arriving.batch
    old = replica is not None and replica.record_version < RECORD_VERSION
    return old and batch is not None and batch.producer_id != NO_PRODUCER_ID


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
        format_without_producers,
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
    ProduceCheck(
        spec="MSG-2",
        when="format_without_producers",
        answer=Error.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        why="broker.format_without_producers",
        tells_log_start=True,
        next_key="refusal.client_fails_batch",
    ),
)

Checks = tuple[tuple[Guard, ProduceCheck], ...]


INTERNAL = ("partition_unknown", "not_leader", "too_few_in_sync")
"""What is asked about an append of the broker's own (MRK-4, TXC-5)."""


def internal_checks() -> Checks:
    """The rows for markers and coordinators' records: it is the coordinator that hears of a refusal."""
    return tuple(
        (GUARDS[check.when], replace(check, next_key="refusal.coordinator_is_told"))
        for check in PRODUCE_CHECKS
        if check.when in INTERNAL
    )


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


def refused(arriving: Arriving, check: ProduceCheck) -> PartitionProduceResponse:
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
            "version": RECORD_VERSION if replica is None else replica.record_version,
            "needed": RECORD_VERSION,
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
    "format_without_producers": ("broker", "partition", "version", "producer_id"),
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
    "format_without_producers": (("record version", "version"), ("minimum", "needed")),
}


def check_table() -> None:
    """Every row's guard is known and can be told; called once when the module loads."""
    for check in PRODUCE_CHECKS:
        if check.when not in GUARDS or check.when not in SAID or check.when not in COMPARED:
            raise EngineError(f"produce checks: row {check.why} names the unknown guard {check.when!r}")


check_table()
