"""Reads and writes Fetch, whose partitions are all in one message of the engine.

Sessions (KIP-227) are declined, which a broker may do: every response has session id 0, so every request
names all its partitions. The engine has no limits in bytes and answers at once, so the limits and the waiting
time in the request are ignored.
"""

from __future__ import annotations

from typing import Any

from engine.messages import FetchRequest, FetchResponse, PartitionFetchResponse
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest
from engine.wire.topics import by_topic, checked_name, once

READ_COMMITTED_LEVEL = 1
READ_COMMITTED = "read_committed"


def read(payload: Any, kept: KeptRecords) -> FetchRequest:
    parts = [(topic.topic, part) for topic in payload.topics for part in topic.partitions]
    names = once(checked_name(topic, part.partition) for topic, part in parts)
    return FetchRequest(
        offsets={name: part.fetch_offset for name, (_, part) in zip(names, parts, strict=True)},
        isolation=READ_COMMITTED if payload.isolation_level == READ_COMMITTED_LEVEL else "read_uncommitted",
    )


def write(request: WireRequest, answer: FetchResponse, kept: KeptRecords) -> dict[str, Any]:
    committed = request.body.isolation == READ_COMMITTED
    return {
        "throttle_time": answer.throttle_time_ms,
        "error_code": 0,
        "responses": by_topic(
            ((name, _partition(part, committed, kept)) for name, part in answer.partitions.items()),
            topic_field="topic",
        ),
    }


def _partition(answer: PartitionFetchResponse, committed: bool, kept: KeptRecords) -> dict[str, Any]:
    aborted = [{"producer_id": producer_id, "first_offset": first} for producer_id, first in answer.aborted]
    return {
        "error_code": answer.error.code,
        "high_watermark": answer.high_watermark,
        "last_stable_offset": answer.last_stable_offset,
        "log_start_offset": answer.log_start_offset,
        "aborted_transactions": aborted if committed else None,
        "records": b"".join(kept.bytes_of(batch) for batch in answer.batches),
    }
