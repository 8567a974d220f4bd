"""Requests of Kafka's admin client about the producers of a log, and about transactional ids (KIP-664)."""

from __future__ import annotations

from typing import Any

from engine.messages import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    ListTransactionsRequest,
    ListTransactionsResponse,
    ProducerDescription,
    TransactionDescription,
)
from engine.topic_partition import topic_partition
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest
from engine.wire.topics import by_topic, checked_name, once


def read_producers(payload: Any, kept: KeptRecords) -> DescribeProducersRequest:
    names = once(
        checked_name(topic.name, number) for topic in payload.topics for number in topic.partition_indexes
    )
    return DescribeProducersRequest(partitions=tuple(names))


def write_producers(
    request: WireRequest, answer: DescribeProducersResponse, kept: KeptRecords
) -> dict[str, Any]:
    rows = (
        (
            name,
            {
                "error_code": found.error.code,
                "active_producers": [_producer(one) for one in found.active_producers],
            },
        )
        for name, found in answer.partitions.items()
    )
    return {"throttle_time": answer.throttle_time_ms, "topics": by_topic(rows)}


def _producer(found: ProducerDescription) -> dict[str, Any]:
    return {
        "producer_id": found.producer_id,
        "producer_epoch": found.producer_epoch,
        "last_sequence": found.last_sequence,
        "last_timestamp": found.last_timestamp,
        "coordinator_epoch": found.coordinator_epoch,
        "current_txn_start_offset": found.current_txn_start_offset,
    }


def read_transactions(payload: Any, kept: KeptRecords) -> DescribeTransactionsRequest:
    return DescribeTransactionsRequest(transactional_ids=tuple(payload.transactional_ids))


def write_transactions(
    request: WireRequest, answer: DescribeTransactionsResponse, kept: KeptRecords
) -> dict[str, Any]:
    return {
        "throttle_time": answer.throttle_time_ms,
        "transaction_states": [_transaction(name, found) for name, found in answer.transactions.items()],
    }


def _transaction(name: str, found: TransactionDescription) -> dict[str, Any]:
    topics: dict[str, list[int]] = {}
    for partition in found.partitions:
        topic, number = topic_partition(partition)
        topics.setdefault(topic, []).append(number)
    return {
        "error_code": found.error.code,
        "transactional_id": name,
        "transaction_state": found.state,
        "transaction_timeout": found.timeout_ms,
        "transaction_start_time": found.start_ms,
        "producer_id": found.producer_id,
        "producer_epoch": found.producer_epoch,
        "topics": [{"topic": topic, "partitions": numbers} for topic, numbers in topics.items()],
    }


def read_list(payload: Any, kept: KeptRecords) -> ListTransactionsRequest:
    """Read a ListTransactions request. From version 1 on it may ask for transactions that have been open for
    long (KIP-994)."""
    return ListTransactionsRequest(
        states=tuple(payload.state_filters),
        producer_ids=tuple(payload.producer_id_filters),
        duration_ms=getattr(payload, "duration_filter", -1),
    )


def write_list(request: WireRequest, answer: ListTransactionsResponse, kept: KeptRecords) -> dict[str, Any]:
    return {
        "throttle_time": answer.throttle_time_ms,
        "error_code": answer.error.code,
        "unknown_state_filters": list(answer.unknown_states),
        "transaction_states": [
            {"transactional_id": name, "producer_id": found.producer_id, "transaction_state": found.state}
            for name, found in answer.transactions.items()
        ],
    }
