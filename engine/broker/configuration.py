"""A broker's settings, with the defaults of CFG-4. A scenario may lower all of them."""

from __future__ import annotations

from dataclasses import dataclass

DELETE_RETENTION_MS = 86_400_000
"""``delete.retention.ms``."""


KAFKA_NAMES = {
    "transaction_state_partitions": "transaction.state.log.num.partitions",
    "offsets_partitions": "offsets.topic.num.partitions",
    "internal_replication_factor": "transaction.state.log.replication.factor",
    "internal_min_isr": "transaction.state.log.min.isr",
    "transaction_max_timeout_ms": "transaction.max.timeout.ms",
    "transaction_scan_interval_ms": "transaction.abort.timed.out.transaction.cleanup.interval.ms",
    "transactional_id_expiration_ms": "transactional.id.expiration.ms",
    "transactional_id_scan_interval_ms": "transaction.remove.expired.transaction.cleanup.interval.ms",
    "marker_request_timeout_ms": "request.timeout.ms",
    "heartbeat_interval_ms": "broker.heartbeat.interval.ms",
    "delete_retention_ms": "log.cleaner.delete.retention.ms",
    "message_max_bytes": "message.max.bytes",
    "segment_bytes": "log.segment.bytes",
}
"""Kafka's own names of a broker's settings. A setting that is absent here is fixed in Kafka, has no single
name there, or belongs to this simulation alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerConfiguration:
    """Times are virtual milliseconds, sizes bytes. The producer cache's size is a switch (GEN-9), not a
    setting."""

    producer_id_block_size: int = 1000
    transaction_state_partitions: int = 50
    offsets_partitions: int = 50
    internal_replication_factor: int = 3
    internal_min_isr: int = 2
    transaction_max_timeout_ms: int = 900000
    transaction_scan_interval_ms: int = 10000
    transactional_id_expiration_ms: int = 604800000
    transactional_id_scan_interval_ms: int = 3600000
    loading_ms: int = 10
    """How long in ms a new coordinator takes to read its log partition (TXC-22)."""
    marker_request_timeout_ms: int = 30000
    """After this long without a response the connection that carried markers, or the question of a
    verification, is closed."""
    marker_retry_ms: int = 20
    """Pause before markers are sent again that were refused or whose leader could not be reached, and before the
    end of a transaction is written again."""
    producer_state_expiration_ms: int = 604800000
    producer_state_scan_interval_ms: int = 600000
    """How often the broker looks for idle producers; Kafka's fixed ten minutes (``LogManager``)."""
    session_timeout_ms: int = 300
    """A broker from which nothing came for this long loses its session and its leaderships (LOG-10). The
    session is one with ZooKeeper, or one with the active controller that heartbeats keep alive
    (``broker.session.timeout.ms``)."""
    heartbeat_interval_ms: int = 2000
    """How often a broker sends a heartbeat to the active controller (``broker.heartbeat.interval.ms``)."""
    registration_ms: int = 20
    """Time between the moment a broker wakes, after its session ended, and the moment it learns of that;
    until then it acts as before (FEN-6)."""
    zookeeper_reply_timeout_ms: int = 300
    """After this long without a reply, a broker reads the block node again (PID-4), or writes the ISR again."""
    controller_reply_timeout_ms: int = 300
    """After this long without a response from the active controller, a broker sends its request again."""
    controller_failover_ms: int = 2000
    """Time between the failure of the active controller and its successor's start
    (``controller.quorum.fetch.timeout.ms``)."""
    delete_retention_ms: int = DELETE_RETENTION_MS
    """How long compaction keeps tombstones, and markers of transactions without a record left (LOG-13)."""
    message_max_bytes: int = 1048588
    segment_records: int | None = None
    """Records after which a segment is rolled; None: one segment (LOG-4)."""
    segment_bytes: int | None = None
    """Bytes after which a segment is rolled, as ``log.segment.bytes``; None: not by size."""
    replica_fetch_interval_ms: int = 5
    replica_fetch_batches_max: int = 1000
    """The most batches in one response to a follower; its next fetch gets the rest."""
    consumer_fetch_batches_max: int = 1000
    """The most batches in one response to a consumer; its next fetch gets the rest."""
