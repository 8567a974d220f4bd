"""Every message of the protocol, under Kafka's names, with the fields of MSG-1 and MSG-2.

A message is data inside an :class:`Envelope`; only ``network`` moves envelopes. A message never changes after
it was sent, so copies of a run share it. Topic-partitions are written ``topic-partition`` (``t-0``)
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, ClassVar

from engine.errors import Error
from engine.value import ordered_value, value

NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_SEQUENCE = -1
NO_OFFSET = -1
INT_MAX = 2147483647
LONG_MAX = 9223372036854775807
SHORT_MAX = 32767
Unsaid = dict[str, object]
"""Dict of field of a message → a value. The view leaves the field out when it has this value."""
ANY_VALUE = object()
"""The value in ``Unsaid`` of a field that only judges or the wire format need: the view always leaves the
field out."""
RAISING_VERSION = 2
"""The first transaction version with an epoch for each transaction (KIP-890, second part)."""


@value
class BatchContent:
    """The keys of a batch's records, and in internal topics their values. ``keys`` and ``values`` have one
    entry for each record, or none. A record with a key and the value None is a tombstone."""

    keys: tuple[object, ...] = ()
    """Empty: no record has a key, so compaction keeps them all."""
    values: tuple[object, ...] = ()
    """Empty for application data, whose values the engine does not read."""
    offset_deltas: tuple[int, ...] | None = None
    """The offsets, relative to the base offset, of the records that compaction kept. None: no record is missing,
    so the offsets are consecutive."""


@ordered_value
class RecordBatch:
    """A batch, as it is sent and as it is stored (MSG-2). ``serials`` is hidden from the protocol: it names
    records for applications, the view and the judges (GEN-8)."""

    unsaid: ClassVar[Unsaid] = {"serials": ANY_VALUE, "content": None}
    record_count: int
    last_offset_delta: int
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    base_sequence: int = NO_SEQUENCE
    last_sequence: int = NO_SEQUENCE
    """The sequence number of the last record: base sequence plus last offset delta, wrapped to 31 bits (``inc``,
    SEQ-3)."""
    is_transactional: bool = False
    is_control: bool = False
    control_type: str | None = None
    """``COMMIT`` or ``ABORT`` when ``is_control``."""
    coordinator_epoch: int = -1
    max_timestamp: int = 0
    size: int = 0
    """Estimated bytes on the wire."""
    serials: tuple[int, ...] = ()
    base_offset: int = NO_OFFSET
    leader_epoch: int = -1
    content: BatchContent | None = None

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta


@value
class MetadataRequest:
    api: ClassVar[str] = "Metadata"
    unsaid: ClassVar[Unsaid] = {"with_internal": False}
    topics: tuple[str, ...] = ()
    """Empty: the request asks for all topics but the internal ones."""
    with_internal: bool = False
    """True: if ``topics`` is empty, the request asks for the internal topics, too."""


@value
class PartitionMetadata:
    unsaid: ClassVar[Unsaid] = {"replicas": ANY_VALUE}
    leader: int | None
    leader_epoch: int
    isr: tuple[int, ...]
    error: Error = Error.NONE
    replicas: tuple[int, ...] = ()


@value
class MetadataResponse:
    api: ClassVar[str] = "Metadata"
    brokers: tuple[int, ...]
    partitions: dict[str, PartitionMetadata]
    throttle_time_ms: int = 0


@value
class InitProducerIdRequest:
    api: ClassVar[str] = "InitProducerId"
    transactional_id: str | None = None
    transaction_timeout_ms: int = INT_MAX
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH


@value
class InitProducerIdResponse:
    api: ClassVar[str] = "InitProducerId"
    error: Error
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    throttle_time_ms: int = 0


@ordered_value
class ProduceRequest:
    api: ClassVar[str] = "Produce"
    unsaid: ClassVar[Unsaid] = {"transaction_version": 0}
    transactional_id: str | None
    acks: int
    """0, 1 or -1 (all)."""
    timeout_ms: int
    batches: dict[str, RecordBatch]
    """Dict of topic-partition → its only batch, in the order in which the batches were drained."""
    transaction_version: int = 0
    """2: the leader adds the partitions to the transaction (KIP-890; Kafka's Produce from version 12 on)."""


@ordered_value
class PartitionProduceResponse:
    error: Error
    base_offset: int = NO_OFFSET
    log_append_time: int = -1
    log_start_offset: int = NO_OFFSET
    underlying: Error | None = None
    """The error of the verification that made the leader refuse the batch with ``error`` before any append;
    None without one. Kafka's response has it as text."""
    unsaid: ClassVar[Unsaid] = {"underlying": ANY_VALUE}


@value
class ProduceResponse:
    api: ClassVar[str] = "Produce"
    partitions: dict[str, PartitionProduceResponse]
    throttle_time_ms: int = 0


@value
class FetchRequest:
    """A consumer's fetch of one or more partitions. ``offsets``: dict of topic-partition → the next offset to read."""

    api: ClassVar[str] = "Fetch"
    offsets: dict[str, int]
    isolation: str
    """``read_uncommitted`` or ``read_committed``."""


@value
class PartitionFetchResponse:
    """The result of a Fetch for one partition."""

    error: Error
    batches: tuple[RecordBatch, ...] = ()
    high_watermark: int = 0
    last_stable_offset: int = 0
    log_start_offset: int = 0
    aborted: tuple[tuple[int, int], ...] = ()
    """(producer id, first offset) of each aborted transaction whose records a read_committed consumer has to
    skip."""


@value
class FetchResponse:
    api: ClassVar[str] = "Fetch"
    partitions: dict[str, PartitionFetchResponse]
    throttle_time_ms: int = 0


@value
class FindCoordinatorRequest:
    """A client asks which broker coordinates this transactional id or group (FND-1..6)."""

    api: ClassVar[str] = "FindCoordinator"
    key: str
    key_type: str
    """``TRANSACTION`` or ``GROUP``."""


@value
class FindCoordinatorResponse:
    api: ClassVar[str] = "FindCoordinator"
    key: str
    key_type: str
    error: Error
    node: int | None = None
    """Id of the coordinating broker; None with an error."""
    throttle_time_ms: int = 0


@value
class AddPartitionsToTxnRequest:
    api: ClassVar[str] = "AddPartitionsToTxn"
    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: tuple[str, ...]


@value
class AddPartitionsToTxnResponse:
    api: ClassVar[str] = "AddPartitionsToTxn"
    errors: dict[str, Error]
    """Dict of topic-partition → its error. All partitions have the same error, unless some are denied or unknown:
    then the others have OPERATION_NOT_ATTEMPTED (TXC-12)."""
    throttle_time_ms: int = 0


@value
class AddOffsetsToTxnRequest:
    api: ClassVar[str] = "AddOffsetsToTxn"
    transactional_id: str
    producer_id: int
    producer_epoch: int
    group_id: str


@value
class AddOffsetsToTxnResponse:
    api: ClassVar[str] = "AddOffsetsToTxn"
    error: Error
    throttle_time_ms: int = 0


@value
class EndTxnRequest:
    api: ClassVar[str] = "EndTxn"
    unsaid: ClassVar[Unsaid] = {"transaction_version": 0}
    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    transaction_version: int = 0
    """2: the coordinator raises the epoch and answers with it (KIP-890; Kafka's EndTxn from version 5 on)."""


@value
class EndTxnResponse:
    api: ClassVar[str] = "EndTxn"
    unsaid: ClassVar[Unsaid] = {"producer_id": NO_PRODUCER_ID, "producer_epoch": NO_PRODUCER_EPOCH}
    error: Error
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    """Producer id and epoch of the next transaction, if the request has transaction version 2."""
    throttle_time_ms: int = 0


@value
class TxnMarkerEntry:
    """The outcome of one transaction, for the partitions that one broker leads (MRK-1)."""

    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    result: str
    """``COMMIT`` or ``ABORT``."""
    partitions: tuple[str, ...]


@value
class WriteTxnMarkersRequest:
    """The outcomes of several transactions, from a coordinator's broker to a leader (MRK-3)."""

    api: ClassVar[str] = "WriteTxnMarkers"
    entries: tuple[TxnMarkerEntry, ...]


@value
class WriteTxnMarkersResponse:
    api: ClassVar[str] = "WriteTxnMarkers"
    errors: dict[int, dict[str, Error]]
    """Dict of producer id → dict of topic-partition → error."""


@value
class ListOffsetsRequest:
    """A consumer requests the end of partitions: the high watermark, or, with read_committed, the last stable
    offset."""

    api: ClassVar[str] = "ListOffsets"
    partitions: tuple[str, ...]
    isolation: str


@value
class PartitionEnd:
    """The result of a ListOffsets for one partition. ``offset``: -1 after an error."""

    error: Error
    offset: int = -1


@value
class ListOffsetsResponse:
    api: ClassVar[str] = "ListOffsets"
    partitions: dict[str, PartitionEnd]
    throttle_time_ms: int = 0


@value
class DescribeProducersRequest:
    """An administrator's client requests the producers that the logs of these partitions remember (KIP-664,
    since 2.8)."""

    api: ClassVar[str] = "DescribeProducers"
    partitions: tuple[str, ...]


@value
class ProducerDescription:
    """One producer that a log remembers."""

    producer_id: int
    producer_epoch: int
    last_sequence: int = NO_SEQUENCE
    last_timestamp: int = -1
    coordinator_epoch: int = -1
    """The coordinator epoch of the producer's last marker in this log; -1 before the first one."""
    current_txn_start_offset: int = NO_OFFSET
    """First offset of the transaction that is open in this log; -1 when none is."""


@value
class PartitionProducers:
    """The result of a DescribeProducers for one partition."""

    error: Error
    active_producers: tuple[ProducerDescription, ...] = ()


@value
class DescribeProducersResponse:
    api: ClassVar[str] = "DescribeProducers"
    partitions: dict[str, PartitionProducers]
    throttle_time_ms: int = 0


@value
class DescribeTransactionsRequest:
    """An administrator's client requests the state of these transactional ids from their coordinator
    (KIP-664, since 3.0)."""

    api: ClassVar[str] = "DescribeTransactions"
    transactional_ids: tuple[str, ...]


@value
class TransactionDescription:
    """One transactional id at its coordinator. With an error, the other fields are empty."""

    error: Error
    state: str = ""
    timeout_ms: int = 0
    start_ms: int = 0
    """The virtual time in ms at which the newest transaction began; -1 before the first one."""
    producer_id: int = 0
    producer_epoch: int = 0
    partitions: tuple[str, ...] = ()
    """The partitions of the open transaction; once it is decided, those that still need their marker."""


@value
class DescribeTransactionsResponse:
    api: ClassVar[str] = "DescribeTransactions"
    transactions: dict[str, TransactionDescription]
    throttle_time_ms: int = 0


@value
class ListTransactionsRequest:
    """An administrator's client requests the transactional ids that a broker coordinates (KIP-664, since
    3.0), filtered by ``states``, ``producer_ids`` and ``duration_ms`` (KIP-994, since 3.8). A field that is
    empty or -1 sets no condition."""

    api: ClassVar[str] = "ListTransactions"
    states: tuple[str, ...] = ()
    producer_ids: tuple[int, ...] = ()
    duration_ms: int = -1


@value
class TransactionListing:
    """One transactional id in the list of its coordinator."""

    producer_id: int
    state: str


@value
class ListTransactionsResponse:
    api: ClassVar[str] = "ListTransactions"
    error: Error
    transactions: dict[str, TransactionListing]
    unknown_states: tuple[str, ...] = ()
    """The requested states that the coordinator does not know."""
    throttle_time_ms: int = 0


@value
class TransactionPartitions:
    """One transaction in a verification request: the partitions about which a leader asks."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: tuple[str, ...]
    verify_only: bool = True
    """False: the coordinator also adds the partitions that do not belong to the transaction yet."""


@value
class VerifyPartitionsRequest:
    """A leader's broker asks a coordinator whether these partitions belong to these transactions, or asks it to add
    them (KIP-890; Kafka's AddPartitionsToTxn from version 4 on)."""

    api: ClassVar[str] = "AddPartitionsToTxn"
    entries: tuple[TransactionPartitions, ...]


@value
class VerifyPartitionsResponse:
    api: ClassVar[str] = "AddPartitionsToTxn"
    errors: dict[str, dict[str, Error]]
    """Dict of transactional id → dict of topic-partition → error."""


@value
class CommittedOffset:
    """A group's committed offset of one topic-partition."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


@value
class Membership:
    """A client's membership in a consumer group (``ConsumerGroupMetadata``). The defaults: the client has
    joined no group."""

    member_id: str = ""
    generation_id: int = -1
    group_instance_id: str | None = None


NO_MEMBER = Membership()


@value
class TxnOffsetCommitRequest:
    """Offsets that become visible when the transaction is committed (OFS-1)."""

    api: ClassVar[str] = "TxnOffsetCommit"
    unsaid: ClassVar[Unsaid] = {"transaction_version": 0}
    transactional_id: str
    group_id: str
    producer_id: int
    producer_epoch: int
    offsets: dict[str, CommittedOffset]
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    transaction_version: int = 0
    """2: the group's coordinator adds its partition of the offsets topic to the transaction (KIP-890; Kafka's
    TxnOffsetCommit from version 5 on)."""


@value
class TxnOffsetCommitResponse:
    api: ClassVar[str] = "TxnOffsetCommit"
    errors: dict[str, Error]
    throttle_time_ms: int = 0


@value
class OffsetCommitRequest:
    """Offsets outside any transaction: they become visible once their record is replicated, without a marker
    (OFS-6)."""

    api: ClassVar[str] = "OffsetCommit"
    group_id: str
    offsets: dict[str, CommittedOffset]
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None


@value
class OffsetCommitResponse:
    api: ClassVar[str] = "OffsetCommit"
    errors: dict[str, Error]
    throttle_time_ms: int = 0


@value
class LeaveGroupRequest:
    """A member leaves its group."""

    api: ClassVar[str] = "LeaveGroup"
    group_id: str
    member_id: str


@value
class LeaveGroupResponse:
    api: ClassVar[str] = "LeaveGroup"
    error: Error


@value
class OffsetFetchRequest:
    api: ClassVar[str] = "OffsetFetch"
    group_id: str
    partitions: tuple[str, ...]
    require_stable: bool = True
    """True: the response is UNSTABLE_OFFSET_COMMIT while offsets of a transaction are pending (KIP-447)."""


@value
class OffsetFetchResponse:
    api: ClassVar[str] = "OffsetFetch"
    unsaid: ClassVar[Unsaid] = {"committed": None}
    error: Error
    offsets: dict[str, int]
    """Dict of topic-partition → committed offset; -1 where there is none."""
    errors: dict[str, Error] | None = None
    """Dict of topic-partition → its own error; None when no partition has one."""
    throttle_time_ms: int = 0
    committed: dict[str, CommittedOffset] | None = None
    """The committed offsets with leader epoch and metadata. No client of a run requests these."""


@ordered_value
class ReplicaFetchRequest:
    """A follower's fetch of one partition (LOG-7). ``fetch_offset`` is the follower's log end offset, which
    the leader stores."""

    api: ClassVar[str] = "ReplicaFetch"
    partition: str
    replica: int
    fetch_offset: int
    leader_epoch: int
    last_fetched_epoch: int = -1
    """The newest leader epoch in the follower's log; -1: there is none. It shows whether the logs have
    diverged (KIP-595)."""


@ordered_value
class ReplicaFetchResponse:
    api: ClassVar[str] = "ReplicaFetch"
    partition: str
    error: Error
    batches: tuple[RecordBatch, ...] = ()
    high_watermark: int = 0
    log_start_offset: int = 0
    leader_epoch: int = 0
    diverging_epoch: tuple[int, int] | None = None
    """(leader epoch, the offset at which this epoch ends in the leader's log). The follower first truncates its log
    to that offset. None: the logs have not diverged."""


@value
class ZooKeeperRead:
    """Read ``/latest_producer_id_block`` (PID-3)."""

    api: ClassVar[str] = "ZooKeeperRead"
    path: str


@value
class ZooKeeperWrite:
    """A conditional write. It is refused unless the stat version equals ``expected_version`` (None: never
    refused)."""

    api: ClassVar[str] = "ZooKeeperWrite"
    path: str
    data: str
    expected_version: int | None


@value
class ZooKeeperReply:
    api: ClassVar[str] = "ZooKeeperReply"
    path: str
    data: str | None
    version: int
    """Stat version after the operation; -1 when the node does not exist."""
    written: bool = False
    conflict: bool = False


@value
class LeaderAndIsr:
    """The controller's decision about one partition (LOG-10). With ZooKeeper it is an announcement, which
    brokers receive at once; with KRaft it is the content of a metadata record."""

    api: ClassVar[str] = "LeaderAndIsr"
    partition: str
    leader: int | None
    leader_epoch: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    min_isr: int = 1
    segment_records: int | None = None
    record_version: int = 2
    """Kafka's *message format*. Versions below 2 have no producer ids and no transactions."""
    not_fetching: tuple[int, ...] = ()
    """The replicas whose fetching a fault has stopped (*shrink ISR*) and not restored."""
    version: int = 0
    """With ZooKeeper the version of the partition's node, with KRaft the partition epoch. It rises with every
    change."""


@value
class UpdateMetadata:
    """The controller's announcement of the live brokers."""

    api: ClassVar[str] = "UpdateMetadata"
    live_brokers: tuple[int, ...]
    without_endpoint: tuple[int, ...] = ()
    """Live brokers that no client or broker can reach for now (*make endpoint unavailable*)."""
    transaction_version: int = 0
    """The cluster's level of the feature ``transaction.version``."""
    features_epoch: int = 0
    """Increases with every change of a feature's level (KIP-584)."""
    broker_epochs: tuple[tuple[int, int], ...] = ()
    """With KRaft: (broker, broker epoch) of the brokers that may lead and be in sync."""


@value
class IdlePartitions:
    """The controller announces the leadership of an internal topic's partitions that no request has used yet
    (:class:`UsePartition`)."""

    api: ClassVar[str] = "LeaderAndIsr"
    topic: str
    partition_count: int
    words: tuple[LeaderAndIsr, ...]


@value
class StopReplica:
    """The controller announces that a partition is deleted."""

    api: ClassVar[str] = "StopReplica"
    partition: str


@value
class CreateTopic:
    """A broker asks the controller to create an internal topic that a request needs (FND-3, FND-4)."""

    api: ClassVar[str] = "CreateTopic"
    topic: str


@value
class ReturnToIsr:
    """A leader requests that a replica that has caught up is added to the in-sync replicas again."""

    partition: str
    replica: int
    version: int
    """The version of the partition's state at the leader. If there is a newer one, the change is ignored."""


@value
class AlterIsr(ReturnToIsr):
    """``ReturnToIsr`` as a request to the controller, which compares the version (KIP-497)."""

    api: ClassVar[str] = "AlterIsr"


@value
class IsrWrite(ReturnToIsr):
    """The leader's own write to ZooKeeper, which compares the version of the partition's node (until 2.6)."""

    api: ClassVar[str] = "IsrWrite"


@value
class BrokerRegistrationRequest:
    """A broker that started requests a broker epoch from the active controller (KIP-631)."""

    api: ClassVar[str] = "BrokerRegistration"
    broker: int
    incarnation: int
    """The number of times that the broker has started. In Kafka it is a random id."""


@value
class BrokerRegistrationResponse:
    api: ClassVar[str] = "BrokerRegistration"
    error: Error
    broker_epoch: int = -1


@value
class BrokerHeartbeatRequest:
    """A heartbeat: the broker is alive, has read the metadata log up to an offset, and may request its
    shutdown (KIP-631)."""

    api: ClassVar[str] = "BrokerHeartbeat"
    broker: int
    broker_epoch: int
    metadata_offset: int
    """The offset after the last metadata record that the broker has applied."""
    want_shut_down: bool = False


@value
class BrokerHeartbeatResponse:
    api: ClassVar[str] = "BrokerHeartbeat"
    error: Error
    is_fenced: bool = True
    should_shut_down: bool = False


@value
class AllocateProducerIdsRequest:
    """A broker requests its next block of producer ids from the controller (KIP-730)."""

    api: ClassVar[str] = "AllocateProducerIds"
    broker: int
    broker_epoch: int


@value
class AllocateProducerIdsResponse:
    api: ClassVar[str] = "AllocateProducerIds"
    error: Error
    producer_id_start: int = NO_PRODUCER_ID
    producer_id_len: int = 0


@value
class WantedIsr:
    """The in-sync replicas that a leader requests for one partition (KIP-497)."""

    leader_epoch: int
    partition_epoch: int
    """The partition epoch of the state with which the leader compared its followers. If the controller has a
    newer state, it refuses the change."""
    isr: tuple[int, ...]
    broker_epochs: tuple[int, ...]
    """The broker epochs of the members of ``isr``, in the same order (KIP-903)."""


@value
class AlterPartitionRequest:
    """A leader requests changes of the in-sync replicas (KIP-497). ``changes``: dict of topic-partition → its
    change."""

    api: ClassVar[str] = "AlterPartition"
    broker: int
    broker_epoch: int
    changes: dict[str, WantedIsr]


@value
class AlteredPartition:
    """The controller's state of a partition after the change. If the change was refused, there is only an error."""

    error: Error
    leader: int | None = None
    leader_epoch: int = -1
    isr: tuple[int, ...] = ()
    partition_epoch: int = -1


@value
class AlterPartitionResponse:
    """The result of an AlterPartition. ``error``: the error of the whole request; if there is one, the response
    names no partition."""

    api: ClassVar[str] = "AlterPartition"
    error: Error
    partitions: dict[str, AlteredPartition]


@value
class PartitionUsed:
    """An internal partition is used for the first time, so its brokers create replicas."""

    api: ClassVar[str] = "PartitionUsed"
    partition: str


@value
class RecordsWritten:
    """The metadata log has grown to ``end``; brokers learn of the records when they have read them."""

    api: ClassVar[str] = "RecordsWritten"
    end: int


@value
class FetchingStopped:
    """A fault has stopped the fetching of some followers of a partition, or has let it continue. The message names
    all followers that do not fetch now; if it names none, all followers fetch again."""

    api: ClassVar[str] = "FetchingStopped"
    partition: str
    replicas: tuple[int, ...]


@cache
def broker_number(name: str) -> int:
    """The id in the name of a broker: 2 for ``broker-2``."""
    return int(name.rpartition("-")[2])


@dataclass(slots=True)
class Envelope:
    """One message in flight. ``source`` and ``destination`` are actor names (``p1``, ``broker-1``).
    ``sent_at`` and ``arrives_at`` are virtual milliseconds. ``connection``: the client, the broker and the purpose
    of the connection that carries the message; these names are empty for a message outside a network."""

    id: int
    source: str
    destination: str
    body: object
    correlation_id: int
    is_response: bool
    sent_at: int
    arrives_at: int
    connection: tuple[str, str, str] = ("", "", "")

    @property
    def kind(self) -> str:
        """``request`` or ``response``, as sentences call the message."""
        return "response" if self.is_response else "request"


@dataclass(slots=True)
class Send:
    """Effect of a role: put this message on the link to ``destination``. A response repeats the request's
    ``correlation_id``."""

    destination: str
    body: object
    correlation_id: int
    is_response: bool = False


FOR_ALL_ELSE, FOR_GROUP, FOR_MARKERS, FOR_VERIFICATION = "", "group", "markers", "verification"
"""The purpose of a connection (GEN-11). A consumer has a separate connection to its group coordinator; a
broker has separate ones for markers and for verification."""


@dataclass(frozen=True, slots=True)
class Connect:
    """Effect of a client: open the connection to ``peer`` for ``purpose``."""

    peer: str
    purpose: str = FOR_ALL_ELSE


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Effect of a client: end the connection to ``peer`` for ``purpose``. Messages in flight on it are lost."""

    peer: str
    purpose: str = FOR_ALL_ELSE


@dataclass(frozen=True, slots=True)
class ShutDown:
    """Effect of a broker: stop it, because its controlled shutdown has ended."""


@dataclass(frozen=True, slots=True)
class FollowLog:
    """Effect of a broker: begin to read the metadata log, because the broker has a broker epoch now."""


@dataclass(frozen=True, slots=True)
class UsePartition:
    """Effect of a broker: create the replicas of an internal partition, which is used for the first time."""

    partition: str


Effect = Send | Connect | Disconnect | UsePartition | ShutDown | FollowLog
Effects = list[Effect]
"""The effects that a role returns to the kernel, in order."""


_PLAIN = frozenset((int, str, bool, float, type(None)))
_SHOWN: dict[type, tuple[tuple[str, ...], Unsaid] | None] = {}


def _shown_fields(made: type) -> tuple[tuple[str, ...], Unsaid] | None:
    """The fields of a dataclass that the view shows, and their values in ``Unsaid``; None for any other type. The
    result is stored in the cache by a single assignment, because worker threads share the cache."""
    shown_of = None
    if is_dataclass(made):
        unsaid: Unsaid = getattr(made, "unsaid", {})
        names = (item.name for item in fields(made))
        shown = tuple(name for name in names if unsaid.get(name) is not ANY_VALUE)
        shown_of = (shown, {name: nothing for name, nothing in unsaid.items() if name in shown})
    _SHOWN[made] = shown_of
    return shown_of


def _fetch_of_one(request: FetchRequest) -> dict[str, Any] | None:
    if len(request.offsets) != 1:
        return None
    ((partition, offset),) = request.offsets.items()
    return {"partition": partition, "fetch_offset": offset, "isolation": request.isolation}


def _fetched_of_one(response: FetchResponse) -> dict[str, Any] | None:
    if len(response.partitions) != 1:
        return None
    ((partition, answer),) = response.partitions.items()
    return {"partition": partition, **describe(answer), "throttle_time_ms": response.throttle_time_ms}


_OF_ONE_PARTITION: dict[type, Callable[[Any], dict[str, Any] | None]] = {
    FetchRequest: _fetch_of_one,
    FetchResponse: _fetched_of_one,
}
"""Dict of class → a function that shows a Fetch of a single partition without the nesting by partition."""


def describe(value: Any) -> Any:
    """The fields of a message as JSON, without those that its class leaves out (``Unsaid``), such as serials."""
    made = type(value)
    if made in _PLAIN:
        return value
    if made in _OF_ONE_PARTITION:
        shown = _OF_ONE_PARTITION[made](value)
        if shown is not None:
            return shown
    fields_of = _SHOWN[made] if made in _SHOWN else _shown_fields(made)
    if fields_of is not None:
        names, unsaid = fields_of
        shown = {}
        for name in names:
            item = getattr(value, name)
            shown[name] = item if type(item) in _PLAIN else describe(item)
        for name, nothing in unsaid.items():
            if shown[name] == nothing:
                del shown[name]
        return shown
    if isinstance(value, dict):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(describe(item) for item in value)
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if isinstance(value, Enum):
        return value.name
    return value
