"""Requests of a producer to a transaction coordinator: to get an identity, to add partitions and offsets, and
to end the transaction."""

from __future__ import annotations

from typing import Any

from engine.errors import Error
from engine.messages import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    TransactionPartitions,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
)
from engine.wire.message import milliseconds
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest
from engine.wire.topics import by_topic, checked_name, once

OF_BROKERS_FROM = 4
"""From this version of AddPartitionsToTxn on, brokers send it, about several transactions (KIP-890)."""
RAISES_EPOCH_FROM = 5
"""From this version of EndTxn on, clients use transaction version 2."""
RAISES_EPOCH = 2


def read_init_producer_id(payload: Any, kept: KeptRecords) -> InitProducerIdRequest:
    """Read an InitProducerId request. From version 3 on a client names the identity that it has (KIP-360)."""
    return InitProducerIdRequest(
        transactional_id=payload.transactional_id,
        transaction_timeout_ms=milliseconds(payload.transaction_timeout),
        producer_id=getattr(payload, "producer_id", NO_PRODUCER_ID),
        producer_epoch=getattr(payload, "producer_epoch", NO_PRODUCER_EPOCH),
    )


def write_init_producer_id(
    request: WireRequest, answer: InitProducerIdResponse, kept: KeptRecords
) -> dict[str, Any]:
    return {
        **write_error(request, answer, kept),
        "producer_id": answer.producer_id,
        "producer_epoch": answer.producer_epoch,
    }


def read_add_partitions(
    payload: Any, kept: KeptRecords
) -> AddPartitionsToTxnRequest | VerifyPartitionsRequest:
    """Read an AddPartitionsToTxn request about one transaction, or from version 4 on one that a broker sends
    about several (KIP-890)."""
    if payload.__version__ >= OF_BROKERS_FROM:
        return VerifyPartitionsRequest(entries=tuple(_entry(found) for found in payload.transactions))
    names = once(
        checked_name(topic.name, number)
        for topic in payload.v3_and_below_topics
        for number in topic.partitions
    )
    return AddPartitionsToTxnRequest(
        transactional_id=payload.v3_and_below_transactional_id,
        producer_id=payload.v3_and_below_producer_id,
        producer_epoch=payload.v3_and_below_producer_epoch,
        partitions=tuple(names),
    )


def _entry(found: Any) -> TransactionPartitions:
    names = once(checked_name(topic.name, number) for topic in found.topics for number in topic.partitions)
    return TransactionPartitions(
        transactional_id=found.transactional_id,
        producer_id=found.producer_id,
        producer_epoch=found.producer_epoch,
        partitions=tuple(names),
        verify_only=found.verify_only,
    )


def write_add_partitions(
    request: WireRequest, answer: AddPartitionsToTxnResponse | VerifyPartitionsResponse, kept: KeptRecords
) -> dict[str, Any]:
    if isinstance(answer, VerifyPartitionsResponse):
        return {
            "throttle_time": 0,
            "error_code": 0,
            "results_by_transaction": [
                {"transactional_id": name, "topic_results": _of_topics(errors)}
                for name, errors in answer.errors.items()
            ],
        }
    return {
        "throttle_time": answer.throttle_time_ms,
        "results_by_topic_v3_and_below": _of_topics(answer.errors),
    }


def _of_topics(errors: dict[str, Error]) -> list[dict[str, Any]]:
    return by_topic(
        ((name, {"partition_error_code": error.code}) for name, error in errors.items()),
        partitions_field="results_by_partition",
    )


def read_add_offsets(payload: Any, kept: KeptRecords) -> AddOffsetsToTxnRequest:
    return AddOffsetsToTxnRequest(
        transactional_id=payload.transactional_id,
        producer_id=payload.producer_id,
        producer_epoch=payload.producer_epoch,
        group_id=payload.group_id,
    )


def read_end_transaction(payload: Any, kept: KeptRecords) -> EndTxnRequest:
    return EndTxnRequest(
        transactional_id=payload.transactional_id,
        producer_id=payload.producer_id,
        producer_epoch=payload.producer_epoch,
        committed=payload.committed,
        transaction_version=RAISES_EPOCH if payload.__version__ >= RAISES_EPOCH_FROM else 0,
    )


def write_end_transaction(request: WireRequest, answer: EndTxnResponse, kept: KeptRecords) -> dict[str, Any]:
    return {
        **write_error(request, answer, kept),
        "producer_id": answer.producer_id,
        "producer_epoch": answer.producer_epoch,
    }


def write_error(request: WireRequest, answer: Any, kept: KeptRecords) -> dict[str, Any]:
    """The values of a response that has only an error."""
    return {"throttle_time": answer.throttle_time_ms, "error_code": answer.error.code}
