"""Produce: one batch for each of any number of partitions."""

from __future__ import annotations

from typing import Any

from engine.messages import PartitionProduceResponse, ProduceRequest, ProduceResponse
from engine.wire.message import milliseconds
from engine.wire.records import KeptRecords, batch_in
from engine.wire.request import WireRequest
from engine.wire.topics import by_topic, checked_name, once


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


def _partition(answer: PartitionProduceResponse) -> dict[str, Any]:
    return {
        "error_code": answer.error.code,
        "base_offset": answer.base_offset,
        "log_append_time": answer.log_append_time,
        "log_start_offset": answer.log_start_offset,
    }
