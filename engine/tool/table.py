"""The tables that the tool prints: columns as Kafka's tool names them, and rows."""

from __future__ import annotations

from engine.messages import ProducerDescription, TransactionDescription
from engine.tool.command import ABORT, DESCRIBE, DESCRIBE_PRODUCERS, FIND_HANGING, LIST, MINUTE_MS
from engine.topic_partition import topic_partition

Cell = str | int | None
Row = list[Cell]

COLUMNS: dict[str, tuple[str, ...]] = {
    LIST: ("TransactionalId", "Coordinator", "ProducerId", "TransactionState"),
    DESCRIBE: (
        "CoordinatorId",
        "TransactionalId",
        "ProducerId",
        "ProducerEpoch",
        "TransactionState",
        "TransactionTimeoutMs",
        "CurrentTransactionStartTimeMs",
        "TransactionDurationMs",
        "TopicPartitions",
    ),
    DESCRIBE_PRODUCERS: (
        "ProducerId",
        "ProducerEpoch",
        "LatestCoordinatorEpoch",
        "LastSequence",
        "LastTimestamp",
        "CurrentTransactionStartOffset",
    ),
    FIND_HANGING: (
        "Topic",
        "Partition",
        "ProducerId",
        "ProducerEpoch",
        "CoordinatorEpoch",
        "StartOffset",
        "LastTimestamp",
        "Duration(min)",
    ),
    ABORT: (),
}
"""Dict of command → the columns of its table. abort prints no table."""


def producer_row(found: ProducerDescription) -> Row:
    start = found.current_txn_start_offset
    return [
        found.producer_id,
        found.producer_epoch,
        found.coordinator_epoch,
        found.last_sequence,
        found.last_timestamp,
        None if start < 0 else start,
    ]


def description_row(coordinator: int, name: str, found: TransactionDescription, now: int) -> Row:
    start = None if found.start_ms < 0 else found.start_ms
    return [
        coordinator,
        name,
        found.producer_id,
        found.producer_epoch,
        found.state,
        found.timeout_ms,
        start,
        None if start is None else now - start,
        ",".join(found.partitions),
    ]


def hanging_row(partition: str, found: ProducerDescription, now: int) -> Row:
    topic, number = topic_partition(partition)
    return [
        topic,
        number,
        found.producer_id,
        found.producer_epoch,
        found.coordinator_epoch,
        found.current_txn_start_offset,
        found.last_timestamp,
        minutes_since(found.last_timestamp, now),
    ]


def minutes_since(timestamp: int, now: int) -> int:
    return (now - timestamp) // MINUTE_MS
