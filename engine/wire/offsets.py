"""Requests of clients to a group coordinator about offsets inside a transaction, and about a group's
committed offsets."""

from __future__ import annotations

from typing import Any

from engine.errors import Error
from engine.messages import (
    NO_OFFSET,
    CommittedOffset,
    OffsetFetchRequest,
    OffsetFetchResponse,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
)
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest
from engine.wire.topics import by_topic, checked_name, once
from engine.wire.wire_error import WireError

ERROR_OF_GROUP_FROM = 2
"""From this version of OffsetFetch on, an error of the whole group has a field of its own."""

ADDS_PARTITION_FROM = 5
"""From this version of TxnOffsetCommit on, clients use transaction version 2: the group coordinator adds its
partition of ``__consumer_offsets`` to the transaction (KIP-890)."""
ADDS_PARTITION = 2


def read_transactional(payload: Any, kept: KeptRecords) -> TxnOffsetCommitRequest:
    """Read a TxnOffsetCommit request. From version 2 on a client sends the leader epoch, from version 3 on
    its member and generation (KIP-447)."""
    parts = [(topic.name, part) for topic in payload.topics for part in topic.partitions]
    names = once(checked_name(topic, part.partition_index) for topic, part in parts)
    return TxnOffsetCommitRequest(
        transactional_id=payload.transactional_id,
        group_id=payload.group_id,
        producer_id=payload.producer_id,
        producer_epoch=payload.producer_epoch,
        offsets={
            name: CommittedOffset(
                offset=part.committed_offset,
                leader_epoch=getattr(part, "committed_leader_epoch", -1),
                metadata=part.committed_metadata or "",
            )
            for name, (_, part) in zip(names, parts, strict=True)
        },
        generation_id=getattr(payload, "generation_id", -1),
        member_id=getattr(payload, "member_id", ""),
        group_instance_id=getattr(payload, "group_instance_id", None),
        transaction_version=ADDS_PARTITION if payload.__version__ >= ADDS_PARTITION_FROM else 0,
    )


def write_transactional(
    request: WireRequest, answer: TxnOffsetCommitResponse, kept: KeptRecords
) -> dict[str, Any]:
    return {
        "throttle_time": answer.throttle_time_ms,
        "topics": by_topic((name, {"error_code": error.code}) for name, error in answer.errors.items()),
    }


def read_fetch(payload: Any, kept: KeptRecords) -> OffsetFetchRequest:
    if payload.topics is None:
        raise WireError("topics", "null, which asks for all partitions of the group", "name the partitions")
    names = once(
        checked_name(topic.name, number) for topic in payload.topics for number in topic.partition_indexes
    )
    return OffsetFetchRequest(
        group_id=payload.group_id,
        partitions=tuple(names),
        require_stable=getattr(payload, "require_stable", False),
    )


def write_fetch(request: WireRequest, answer: OffsetFetchResponse, kept: KeptRecords) -> dict[str, Any]:
    errors, offsets, known = answer.errors or {}, answer.offsets, answer.committed or {}
    if request.version < ERROR_OF_GROUP_FROM and answer.error is not Error.NONE:
        asked: OffsetFetchRequest = request.body
        errors, offsets = (
            dict.fromkeys(asked.partitions, answer.error),
            dict.fromkeys(asked.partitions, NO_OFFSET),
        )
    return {
        "throttle_time": answer.throttle_time_ms,
        "error_code": answer.error.code,
        "topics": by_topic(
            (
                name,
                {
                    "committed_offset": offset,
                    "committed_leader_epoch": known[name].leader_epoch if name in known else -1,
                    "metadata": known[name].metadata if name in known else "",
                    "error_code": errors.get(name, Error.NONE).code,
                },
            )
            for name, offset in offsets.items()
        ),
    }
