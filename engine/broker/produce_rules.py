"""A broker's checks of a batch, in order; the checks of the log come after them (LOG-1, MSG-2, MSG-4)."""

from __future__ import annotations

from typing import Any

from engine.broker.cluster_view import ClusterView
from engine.broker.permissions import Permissions
from engine.broker.replica import Replica
from engine.broker.setup import Setup
from engine.broker.validation import Origin
from engine.errors import Error
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.requests import RequestRefused
from engine.messages import NO_PRODUCER_ID, PartitionProduceResponse, ProduceRequest, RecordBatch
from engine.rules import Rule
from engine.topic_partition import topic_of

ACKS_ALL = -1
RECORD_VERSION = 2
"""The first record format that has fields for producer ids, transactions and markers (KIP-98)."""


class Arriving:
    """One batch of a Produce request at a broker, with the values that the rules about it read."""

    __slots__ = ("batch", "cluster", "partition", "permissions", "replica", "request", "setup")

    def __init__(
        self, setup: Setup, permissions: Permissions, cluster: ClusterView, request: ProduceRequest
    ) -> None:
        self.setup = setup
        self.permissions = permissions
        self.cluster = cluster
        self.request = request
        self.partition = ""
        self.batch: RecordBatch | None = None
        self.replica: Replica | None = None


def transactional_id_missing(arriving: Arriving) -> bool:
    """The request has transactional records and no transactional id."""
    request = arriving.request
    return request.transactional_id is None and any(
        batch.is_transactional for batch in request.batches.values()
    )


def transactional_write_denied(arriving: Arriving) -> bool:
    """The client lacks Write on the request's transactional id."""
    name, permissions = arriving.request.transactional_id, arriving.permissions
    if name is None or not permissions.denied:
        return False
    return permissions.is_denied("Write", f"transactional_id:{name}")


def idempotent_write_denied(arriving: Arriving) -> bool:
    """The request has batches with a producer id but no transactional id, and its client lacks IdempotentWrite
    on the cluster."""
    permissions = arriving.permissions
    if not permissions.denied or arriving.request.transactional_id is not None:
        return False
    if not permissions.is_denied("IdempotentWrite", "cluster"):
        return False
    return any(batch.producer_id != NO_PRODUCER_ID for batch in arriving.request.batches.values())


def topic_denied(arriving: Arriving) -> bool:
    permissions = arriving.permissions
    topic = topic_of(arriving.partition)
    return bool(permissions.denied) and permissions.is_denied("Write", f"topic:{topic}")


def partition_unknown(arriving: Arriving) -> bool:
    return arriving.replica is None and arriving.partition not in arriving.cluster.metadata


def not_leader(arriving: Arriving) -> bool:
    replica = arriving.replica
    return replica is None or replica.leader != replica.broker_id


def too_few_in_sync(arriving: Arriving) -> bool:
    replica = arriving.replica
    return replica is not None and arriving.request.acks == ACKS_ALL and len(replica.isr) < replica.min_isr


def too_large(arriving: Arriving) -> bool:
    batch = arriving.batch
    return batch is not None and batch.size > arriving.setup.configuration.message_max_bytes


def producer_without_sequence(arriving: Arriving) -> bool:
    """The batch has a producer id without a sequence, so it cannot be checked (``LogValidator.validateBatch``)."""
    batch = arriving.batch
    return batch is not None and batch.producer_id != NO_PRODUCER_ID and batch.base_sequence < 0


def format_without_producers(arriving: Arriving) -> bool:
    """The batch has a producer id, and the topic's record format has no field for it (``LogValidator``)."""
    replica, batch = arriving.replica, arriving.batch
    old = replica is not None and replica.record_version < RECORD_VERSION
    return old and batch is not None and batch.producer_id != NO_PRODUCER_ID


Rules = tuple[Rule[Arriving], ...]
"""Rules of Produce. With acks=0 a refusal has no response; the broker closes the connection instead
(``KafkaApis.handleProduceRequest``)."""
REQUEST_RULES: Rules = (
    Rule(
        when=transactional_id_missing,
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        spec="LOG-1",
        why=Reason.TRANSACTIONAL_ID_MISSING,
        then=Next.CLIENT_ENDS,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition"),
        compares=((Compared.TRANSACTIONAL_ID, "transactional_id"),),
    ),
    Rule(
        when=transactional_write_denied,
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        spec="LOG-1",
        why=Reason.TRANSACTIONAL_ID_DENIED,
        then=Next.CLIENT_ENDS,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition", "transactional_id"),
        compares=((Compared.TRANSACTIONAL_ID, "transactional_id"),),
    ),
    Rule(
        when=idempotent_write_denied,
        answer=Error.CLUSTER_AUTHORIZATION_FAILED,
        spec="LOG-1",
        why=Reason.IDEMPOTENT_WRITE_DENIED,
        then=Next.CLIENT_ENDS,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition", "producer_id"),
        compares=((Compared.PRODUCER_ID, "producer_id"),),
        unless="any_write_suffices",
    ),
)
"""The rules that are checked once for the request. A refusal is the answer for every partition."""

PARTITION_RULES: Rules = (
    Rule(
        when=topic_denied,
        answer=Error.TOPIC_AUTHORIZATION_FAILED,
        spec="LOG-1",
        why=Reason.TOPIC_DENIED,
        then=Next.CLIENT_FAILS_BATCH,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition", "topic"),
        compares=((Compared.TOPIC, "topic"),),
    ),
    Rule(
        when=partition_unknown,
        answer=Error.UNKNOWN_TOPIC_OR_PARTITION,
        spec="LOG-1",
        why=Reason.PARTITION_UNKNOWN,
        then=Next.CLIENT_REFRESHES_METADATA,
        then_unanswered=Next.CONNECTION_ENDS,
        then_internal=Next.COORDINATOR_GETS_ERROR,
        says=("broker", "partition"),
        compares=((Compared.PARTITION, "partition"),),
    ),
    Rule(
        when=not_leader,
        answer=Error.NOT_LEADER_OR_FOLLOWER,
        spec="LOG-1",
        why=Reason.NOT_LEADER,
        then=Next.CLIENT_REFRESHES_METADATA,
        then_unanswered=Next.CONNECTION_ENDS,
        then_internal=Next.COORDINATOR_GETS_ERROR,
        says=("broker", "partition", "leader", "leader_epoch"),
        compares=((Compared.LEADER, "leader"), (Compared.RECEIVER, "broker")),
    ),
    Rule(
        when=too_few_in_sync,
        answer=Error.NOT_ENOUGH_REPLICAS,
        spec="LOG-1",
        why=Reason.TOO_FEW_IN_SYNC,
        then=Next.CLIENT_RETRIES,
        then_unanswered=Next.CONNECTION_ENDS,
        then_internal=Next.COORDINATOR_GETS_ERROR,
        says=("broker", "partition", "in_sync", "min_isr"),
        compares=((Compared.IN_SYNC_REPLICAS, "in_sync"), (Compared.MINIMUM, "min_isr")),
        by_log=True,
    ),
    Rule(
        when=too_large,
        answer=Error.MESSAGE_TOO_LARGE,
        spec="MSG-4",
        why=Reason.BATCH_TOO_LARGE,
        then=Next.CLIENT_SPLITS_BATCH,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition", "size", "limit"),
        compares=((Compared.BATCH_BYTES, "size"), (Compared.ALLOWED_BYTES, "limit")),
    ),
    Rule(
        when=producer_without_sequence,
        answer=Error.CORRUPT_MESSAGE,
        spec="MSG-2",
        why=Reason.PRODUCER_WITHOUT_SEQUENCE,
        then=Next.CLIENT_RETRIES,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition", "producer_id"),
        compares=((Compared.PRODUCER_ID, "producer_id"),),
        unless="accepts_unknown_producer",
        by_log=True,
    ),
    Rule(
        when=producer_without_sequence,
        answer=Error.INVALID_RECORD,
        spec="MSG-2",
        why=Reason.PRODUCER_WITHOUT_SEQUENCE,
        then=Next.CLIENT_FAILS_BATCH,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition", "producer_id"),
        compares=((Compared.PRODUCER_ID, "producer_id"),),
        only_if="accepts_unknown_producer",
        by_log=True,
    ),
    Rule(
        when=format_without_producers,
        answer=Error.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        spec="MSG-2",
        why=Reason.FORMAT_WITHOUT_PRODUCERS,
        then=Next.CLIENT_FAILS_BATCH,
        then_unanswered=Next.CONNECTION_ENDS,
        says=("broker", "partition", "version", "producer_id"),
        compares=((Compared.RECORD_VERSION, "version"), (Compared.MINIMUM, "needed")),
        by_log=True,
    ),
)


INTERNAL_RULES: Rules = tuple(rule for rule in PARTITION_RULES if rule.then_internal is not None)
"""The rules for an append of the broker itself: a marker or a coordinator's record."""


def refused(arriving: Arriving, rule: Rule[Arriving], origin: Origin) -> PartitionProduceResponse:
    """Emit the refusal of a batch by ``rule``, and return the batch's result. With acks=0 the client does not get
    this result."""
    replica, watch = arriving.replica, arriving.setup.watch
    if watch.hears(RequestRefused):
        watch.emit(RequestRefused, rule, _facts(arriving), _next(arriving, rule, origin))
    log_start = replica.log.log_start if rule.by_log and replica is not None else -1
    return PartitionProduceResponse(error=rule.answer, log_start_offset=log_start)


def _next(arriving: Arriving, rule: Rule[Arriving], origin: Origin) -> Next | None:
    if origin is Origin.COORDINATOR:
        return rule.then_internal
    return rule.then if arriving.request.acks != 0 else rule.then_unanswered


def _facts(arriving: Arriving) -> dict[str, Any]:
    setup, replica, batch = arriving.setup, arriving.replica, arriving.batch
    announced = arriving.cluster.metadata.get(arriving.partition)
    return {
        "broker": setup.name,
        "partition": arriving.partition,
        "leader": None if announced is None else announced.leader,
        "leader_epoch": None if announced is None else announced.leader_epoch,
        "in_sync": 0 if replica is None else len(replica.isr),
        "min_isr": 0 if replica is None else replica.min_isr,
        "size": None if batch is None else batch.size,
        "limit": setup.configuration.message_max_bytes,
        "producer_id": None if batch is None else batch.producer_id,
        "transactional_id": arriving.request.transactional_id,
        "version": RECORD_VERSION if replica is None else replica.record_version,
        "needed": RECORD_VERSION,
        "topic": topic_of(arriving.partition),
    }
