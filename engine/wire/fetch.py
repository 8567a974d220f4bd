"""Fetch: any number of partitions, each of which the engine is asked for with a message of its own.

Sessions (KIP-227) are declined as a broker may: every answer has session id 0, so every request names all its
partitions. The engine has no limits in bytes and answers at once; what a request says of them is passed over.
"""

from __future__ import annotations

from typing import Any

from engine.messages import FetchRequest, FetchResponse
from engine.wire.records import KeptRecords
from engine.wire.request import Answers, WireRequest
from engine.wire.topics import by_topic, checked_name, once

READ_COMMITTED_LEVEL = 1
READ_COMMITTED = "read_committed"


def read(payload: Any, kept: KeptRecords) -> tuple[FetchRequest, ...]:
    level = READ_COMMITTED if payload.isolation_level == READ_COMMITTED_LEVEL else "read_uncommitted"
    parts = [(topic.topic, part) for topic in payload.topics for part in topic.partitions]
    names = once(checked_name(topic, part.partition) for topic, part in parts)
    return tuple(
        FetchRequest(partition=name, fetch_offset=part.fetch_offset, isolation=level)
        for name, (_, part) in zip(names, parts, strict=True)
    )


def write(request: WireRequest, answers: Answers, kept: KeptRecords) -> dict[str, Any]:
    asked = zip(request.bodies, answers, strict=True)
    return {
        "throttle_time": max((answer.throttle_time_ms for answer in answers), default=0),
        "error_code": 0,
        "responses": by_topic(
            ((answer.partition, _partition(one, answer, kept)) for one, answer in asked), topic_field="topic"
        ),
    }


def _partition(asked: FetchRequest, answer: FetchResponse, kept: KeptRecords) -> dict[str, Any]:
    aborted = [{"producer_id": producer_id, "first_offset": first} for producer_id, first in answer.aborted]
    return {
        "error_code": answer.error.code,
        "high_watermark": answer.high_watermark,
        "last_stable_offset": answer.last_stable_offset,
        "log_start_offset": answer.log_start_offset,
        "aborted_transactions": aborted if asked.isolation == READ_COMMITTED else None,
        "records": b"".join(kept.bytes_of(batch) for batch in answer.batches),
    }
