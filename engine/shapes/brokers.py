"""Brokers, coordinators and ZooKeeper in a view; docs/frame.md, *View*."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from engine.shapes.words import JsonObject


class ProducerIdBlock(TypedDict):
    """A broker's block of producer ids: `start` to `end`, both inclusive. `next` is the id that the broker
    assigns next."""

    start: int
    end: int
    next: int


class CoordinatorView(TypedDict):
    """A broker as coordinator. `coordinator_epochs`: dict of log partition that it coordinates → coordinator epoch.
    `loading`: dict of log partition that it still reads → the virtual time in ms at which it has read it."""

    coordinator_epochs: NotRequired[dict[str, int]]
    loading: NotRequired[dict[str, int]]


class LookupView(TypedDict):
    """The newest FindCoordinator request for a key: the key, its hash, its partition and the leader."""

    key: str
    topic: str
    hash: int
    partition: int | None
    leader: int | None


class TransactionView(TypedDict):
    """A transactional id at its coordinator. `state` is the durable state, `pending_state` the one that is
    being written."""

    state: str
    pending_state: str | None
    producer_id: int
    last_producer_id: int | None
    producer_epoch: int
    last_producer_epoch: int | None
    timeout_ms: int
    partitions: list[str]
    started_at: int | None
    times_out_at: int | None
    """The virtual time in ms after which the coordinator's next scan aborts the transaction; null unless the
    state is `Ongoing`."""
    last_update: int
    failed_epoch_fence: bool
    coordinator_epoch: int
    log_partition: int


class MarkerView(TypedDict):
    """A marker that waits or is in flight."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    result: str
    partitions: list[str]
    log_partition: NotRequired[int]
    """The partition of the transaction log that holds the transactional id. Queues are ordered by it."""


class WaitingMarkersView(TypedDict):
    """A decided transaction that still waits for markers. `remaining`: the partitions that still need a marker.
    `retries`: how often markers were sent again."""

    result: str
    remaining: list[str]
    retries: int
    passed_over: NotRequired[list[str]]
    """Partitions whose response was discarded, so that their markers are not sent before another coordinator
    is elected."""


class MarkerBoardView(TypedDict):
    """The markers that a coordinator still has to send."""

    queues: NotRequired[dict[str, list[MarkerView]]]
    """Dict of broker id of a leader → the markers that wait to be sent to it."""
    unknown_broker: NotRequired[list[MarkerView]]
    in_flight: NotRequired[dict[str, list[MarkerView]]]
    """Dict of broker id → the markers of the only request in flight to this broker."""
    waiting: NotRequired[dict[str, WaitingMarkersView]]
    stopped: NotRequired[bool]
    """Only in runs of the first version of the engine, in which a response could end the sender of markers: whether
    this coordinator sends no more markers until it restarts."""


class PlacedOffset(TypedDict):
    """A committed offset, with the position of its record in the group's log (null: not replicated yet)."""

    offset: int
    position: int | None


class GroupView(TypedDict):
    """A consumer group at its coordinator."""

    log_partition: int
    generation: NotRequired[int]
    members: NotRequired[dict[str, Any]]
    committed: NotRequired[dict[str, PlacedOffset]]
    committing: NotRequired[dict[str, int]]
    """Dict of topic-partition → offset, for commits outside transactions that are not in the log yet."""
    pending: NotRequired[dict[str, dict[str, PlacedOffset]]]
    """Dict of producer id → topic-partition → pending offset of the producer's open transaction."""


class BrokerFields(TypedDict):
    """The fields of a broker itself."""

    alive: bool
    paused: bool
    starting: bool
    producer_id_block: ProducerIdBlock | None
    denied: list[str]
    lifecycle: NotRequired[str]
    """With KRaft: the state of the broker's own lifecycle (Kafka's `BrokerState`)."""
    broker_epoch: NotRequired[int | None]
    metadata_offset: NotRequired[int]
    """With KRaft: the offset after the last record of the metadata log that the broker has applied."""
    next_block: NotRequired[ProducerIdBlock | None]
    """With KRaft: the block that the broker has received and from which it has issued no id yet."""


class BrokerView(BrokerFields):
    """A broker. The fields of its coordinators are absent while they are empty."""

    coordinator: NotRequired[CoordinatorView]
    lookups: NotRequired[dict[str, LookupView]]
    transactions: NotRequired[dict[str, TransactionView]]
    """Dict of transactional id → its entry."""
    markers: NotRequired[MarkerBoardView]
    groups: NotRequired[dict[str, GroupView]]


class ZooKeeperNode(TypedDict):
    """A ZooKeeper node with its stat version."""

    data: str
    version: int


class ZooKeeperSession(TypedDict):
    """A broker's session at ZooKeeper. `expires_at`: virtual ms."""

    alive: bool
    expires_at: int | None


class ZooKeeperView(TypedDict):
    """ZooKeeper: its nodes by path, and the brokers' sessions by broker id."""

    nodes: NotRequired[dict[str, ZooKeeperNode]]
    sessions: NotRequired[dict[str, ZooKeeperSession]]


class MetadataRecordView(TypedDict):
    """A record of the metadata log, or `count` records of one kind that were written together."""

    epoch: int
    """The epoch of the controller that wrote the record."""
    kind: str
    """Kafka's name of the record."""
    about: str
    """The partition, topic or broker that the record is about."""
    fields: NotRequired[JsonObject]
    count: NotRequired[int]


class RegistrationView(TypedDict):
    """A broker as the active controller knows it."""

    epoch: int
    """The broker epoch: the offset of its registration in the metadata log."""
    state: str
    expires_at: int | None
    """The virtual time in ms at which the controller fences the broker if no heartbeat arrives. Null while no
    heartbeats are lost, and while the broker is fenced."""
    metadata_offset: int
    """The offset after the last record of the metadata log that the broker has read."""


class ActiveControllerView(TypedDict):
    """The active controller."""

    epoch: int
    active: bool
    next_producer_id: int
    transaction_version: NotRequired[int]
    """The level of the feature `transaction.version`; absent if the cluster's brokers know only level 0 (KIP-890)."""


class QuorumView(TypedDict):
    """The controllers of a cluster without ZooKeeper (KRaft)."""

    controller: NotRequired[ActiveControllerView]
    brokers: NotRequired[dict[str, RegistrationView]]
    log: NotRequired[dict[str, MetadataRecordView]]
    """Dict of offset → record."""
