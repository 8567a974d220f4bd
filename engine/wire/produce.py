"""Reads and writes Produce, with any number of partitions and one batch for each."""

from __future__ import annotations

from typing import Any

from engine.errors import Error
from engine.messages import PartitionProduceResponse, ProduceRequest, ProduceResponse
from engine.wire.message import milliseconds
from engine.wire.records import KeptRecords, batch_in
from engine.wire.request import WireRequest
from engine.wire.topics import by_topic, checked_name, once

ADDS_PARTITIONS_FROM = 12
"""From this version of Produce on, clients use transaction version 2: the leader adds the partitions (KIP-890)."""
ADDS_PARTITIONS = 2


def read(payload: Any, kept: KeptRecords) -> ProduceRequest:
    parts = [(topic.name, part) for topic in payload.topic_data for part in topic.partition_data]
    names = list(once(checked_name(topic, part.index) for topic, part in parts))
    return ProduceRequest(
        transactional_id=payload.transactional_id,
        acks=payload.acks,
        timeout_ms=milliseconds(payload.timeout),
        batches={
            name: batch_in(part.records, name, kept) for name, (_, part) in zip(names, parts, strict=True)
        },
        transaction_version=ADDS_PARTITIONS if payload.__version__ >= ADDS_PARTITIONS_FROM else 0,
    )


def write(request: WireRequest, answer: ProduceResponse, kept: KeptRecords) -> dict[str, Any]:
    return {
        "throttle_time": answer.throttle_time_ms,
        "responses": by_topic(
            ((partition, _partition(part)) for partition, part in answer.partitions.items()),
            number_field="index",
            partitions_field="partition_responses",
        ),
    }


NOT_ADDED = "Partition was not added to the transaction"
UNVERIFIED = "Unable to verify the partition has been added to the transaction. Underlying error: {}"


def _error_message(answer: PartitionProduceResponse) -> str | None:
    """The text that Kafka sends with an error of the verification (``ReplicaManager.handleProduceAppend``)."""
    if answer.underlying is None:
        return None
    if answer.underlying is not answer.error:
        return UNVERIFIED.format(answer.underlying.name)
    return NOT_ADDED if answer.error is Error.INVALID_TXN_STATE else None


def _partition(answer: PartitionProduceResponse) -> dict[str, Any]:
    return {
        "error_message": _error_message(answer),
        "error_code": answer.error.code,
        "base_offset": answer.base_offset,
        "log_append_time": answer.log_append_time,
        "log_start_offset": answer.log_start_offset,
    }
