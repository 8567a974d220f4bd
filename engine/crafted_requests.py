"""Requests that no client of the run would send, made from a fault script's table (GEN-6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.errors import Refused
from engine.messages import (
    INT_MAX,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    CommittedOffset,
    EndTxnRequest,
    FindCoordinatorRequest,
    InitProducerIdRequest,
    OffsetCommitRequest,
    OffsetFetchRequest,
    TxnMarkerEntry,
    TxnOffsetCommitRequest,
    WriteTxnMarkersRequest,
)
from engine.middleware.messages import CRAFTABLE, craft

FIELDS: dict[str, dict[str, tuple[type, Any]]] = {
    **CRAFTABLE,
    "FindCoordinator": {"key": (str, ""), "key_type": (str, "TRANSACTION")},
    "InitProducerId": {
        "transactional_id": (str, None),
        "transaction_timeout_ms": (int, INT_MAX),
        "producer_id": (int, NO_PRODUCER_ID),
        "producer_epoch": (int, NO_PRODUCER_EPOCH),
    },
    "AddPartitionsToTxn": {
        "transactional_id": (str, ""),
        "producer_id": (int, NO_PRODUCER_ID),
        "producer_epoch": (int, NO_PRODUCER_EPOCH),
        "partitions": (list, ()),
    },
    "AddOffsetsToTxn": {
        "transactional_id": (str, ""),
        "producer_id": (int, NO_PRODUCER_ID),
        "producer_epoch": (int, NO_PRODUCER_EPOCH),
        "group_id": (str, ""),
    },
    "EndTxn": {
        "transactional_id": (str, ""),
        "producer_id": (int, NO_PRODUCER_ID),
        "producer_epoch": (int, NO_PRODUCER_EPOCH),
        "committed": (bool, True),
    },
    "WriteTxnMarkers": {
        "producer_id": (int, NO_PRODUCER_ID),
        "producer_epoch": (int, NO_PRODUCER_EPOCH),
        "coordinator_epoch": (int, 0),
        "result": (str, "COMMIT"),
        "partitions": (list, ()),
    },
    "TxnOffsetCommit": {
        "transactional_id": (str, ""),
        "group_id": (str, ""),
        "producer_id": (int, NO_PRODUCER_ID),
        "producer_epoch": (int, NO_PRODUCER_EPOCH),
        "partition": (str, "t-0"),
        "offset": (int, 0),
        "generation_id": (int, -1),
        "member_id": (str, ""),
        "group_instance_id": (str, None),
    },
    "OffsetCommit": {
        "group_id": (str, ""),
        "partition": (str, "t-0"),
        "offset": (int, 0),
        "generation_id": (int, -1),
        "member_id": (str, ""),
        "group_instance_id": (str, None),
    },
    "OffsetFetch": {"group_id": (str, ""), "partitions": (list, ()), "require_stable": (bool, True)},
}
"""API to field, type and default of what a script may write."""


def check_crafted(message: dict[str, Any], place: str) -> dict[str, Any]:
    """The fields with their defaults; Refused names the first one that is wrong."""
    api = message.get("api")
    fields = FIELDS.get(str(api))
    if fields is None:
        raise Refused("GEN-6", f"{place}.api", "unknown_api", api=repr(api), known=list(FIELDS))
    for name, value in message.items():
        if name == "api":
            continue
        if name not in fields:
            raise Refused("GEN-6", f"{place}.{name}", "unknown_field", field=name, known=list(fields))
        wanted = fields[name][0]
        texts = [item for item in value if type(item) is str] if isinstance(value, list) else []
        if type(value) is not wanted or (isinstance(value, list) and len(texts) != len(value)):
            words = {str: "text", int: "whole", bool: "bool", list: "texts"}
            raise Refused("GEN-6", f"{place}.{name}", f"wants_{words[wanted]}", value=repr(value))
    return {name: message.get(name, default) for name, (_, default) in fields.items()}


def _partitions(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "partitions": tuple(values["partitions"])}


def _markers(values: dict[str, Any]) -> object:
    return WriteTxnMarkersRequest(entries=(TxnMarkerEntry(**_partitions(values)),))


def _offsets(values: dict[str, Any]) -> object:
    partition, offset = values.pop("partition"), values.pop("offset")
    return TxnOffsetCommitRequest(**values, offsets={partition: CommittedOffset(offset=offset)})


def _plain_offsets(values: dict[str, Any]) -> object:
    partition, offset = values.pop("partition"), values.pop("offset")
    return OffsetCommitRequest(**values, offsets={partition: CommittedOffset(offset=offset)})


_MAKE: dict[str, Callable[[dict[str, Any]], object]] = {
    "FindCoordinator": lambda values: FindCoordinatorRequest(**values),
    "InitProducerId": lambda values: InitProducerIdRequest(**values),
    "AddPartitionsToTxn": lambda values: AddPartitionsToTxnRequest(**_partitions(values)),
    "AddOffsetsToTxn": lambda values: AddOffsetsToTxnRequest(**values),
    "EndTxn": lambda values: EndTxnRequest(**values),
    "WriteTxnMarkers": _markers,
    "TxnOffsetCommit": _offsets,
    "OffsetCommit": _plain_offsets,
    "OffsetFetch": lambda values: OffsetFetchRequest(**_partitions(values)),
}


def crafted(message: dict[str, Any]) -> object:
    """The request that a checked table describes."""
    values = check_crafted(message, "faults.message")
    if message["api"] in CRAFTABLE:
        return craft(message["api"], values)
    return _MAKE[message["api"]](values)


def written_fields(message: dict[str, Any]) -> list[str]:
    """The fields that a script wrote of a request, each as `name value`, in the order of `FIELDS`: the order of a
    table's keys means nothing, and a replay does not keep it."""
    return [f"{name} {told(message[name])}" for name in FIELDS[message["api"]] if name in message]


def told(value: Any) -> str:
    """A field of a made-up request as a reader sees it; an empty text shows that it is one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(told(item) for item in value)
    return str(value) if value != "" else '""'
