"""A broker's settings, with the defaults of CFG-4. A scenario may set each of them to a positive integer; a few
have an effect only with ZooKeeper, or only without it (``scenario/kept_by.py``)."""

from __future__ import annotations

from dataclasses import dataclass

DELETE_RETENTION_MS = 86_400_000
"""Kafka's default of ``delete.retention.ms``."""


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
"""Dict of setting → its name in Kafka. A setting that is absent here is fixed in Kafka, has no single name
there, or belongs to this simulation alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerConfiguration:
    """The settings of a broker. Times are in virtual milliseconds, sizes in bytes. The size of the producer
    cache is a switch (GEN-9)."""

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
    """How long in ms a broker waits for the response to markers, or to a verification request, before it closes
    the connection that carried the request."""
    marker_retry_ms: int = 20
    """Pause in ms before a broker sends a refused marker again, or repeats a failed write that ends a
    transaction. It is also the pause after an announcement of the controller, before the broker sends the
    markers whose leader could not be reached until then."""
    producer_state_expiration_ms: int = 604800000
    producer_state_scan_interval_ms: int = 600000
    """Time in ms between two scans for idle producers. Kafka 2.x has no setting for it: there it is ten minutes
    (``LogManager``)."""
    session_timeout_ms: int = 300
    """A broker that sends nothing for this long in ms loses its session and its leaderships (LOG-10). The
    session is one with ZooKeeper, or one with the active controller (``broker.session.timeout.ms``)."""
    heartbeat_interval_ms: int = 2000
    """Time in ms between two heartbeats to the active controller (``broker.heartbeat.interval.ms``)."""
    registration_ms: int = 20
    """With ZooKeeper: time in ms until a broker that resumes after the end of its session learns of this end.
    Until then it acts as before (FEN-6)."""
    zookeeper_reply_timeout_ms: int = 300
    """If ZooKeeper does not reply for this long in ms, a broker reads the node of producer ids again (PID-4), or
    writes the ISR again."""
    controller_reply_timeout_ms: int = 300
    """If the controller does not respond for this long in ms, a broker sends its request again."""
    controller_failover_ms: int = 2000
    """Time in ms from the failure of the active controller until its successor is active
    (``controller.quorum.fetch.timeout.ms``)."""
    delete_retention_ms: int = DELETE_RETENTION_MS
    """How long in ms compaction keeps tombstones, and markers whose transactions have no batch left (LOG-13)."""
    message_max_bytes: int = 1048588
    segment_records: int | None = None
    """A segment is closed before it grows beyond this many records (LOG-4); None: there is no such limit."""
    segment_bytes: int | None = None
    """A segment is closed before it grows beyond this many bytes (``log.segment.bytes``); None: there is no
    such limit."""
    replica_fetch_interval_ms: int = 5
    replica_fetch_batches_max: int = 1000
    """A response to a follower has at most this many batches; the follower's next fetch gets the rest."""
    consumer_fetch_batches_max: int = 1000
    """A response to a consumer has at most this many batches; the consumer's next fetch gets the rest."""
