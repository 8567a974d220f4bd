"""The table of requests that are read and answered, one row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from engine.wire import api_versions, fetch, offsets, produce, transactions
from engine.wire.records import KeptRecords
from engine.wire.request import Answers, WireRequest


class Api(NamedTuple):
    """How one request becomes the engine's messages, and their answers its response."""

    key: int
    name: str
    lowest: int
    highest: int
    read: Callable[[Any, KeptRecords], tuple[Any, ...]]
    """From kio's message."""
    write: Callable[[WireRequest, Answers, KeptRecords], dict[str, Any]]
    """To the values of kio's message."""


APIS: dict[int, Api] = {
    api.key: api
    for api in (
        Api(0, "Produce", 3, 12, produce.read, produce.write),
        Api(1, "Fetch", 4, 12, fetch.read, fetch.write),
        Api(9, "OffsetFetch", 1, 7, offsets.read_fetch, offsets.write_fetch),
        Api(18, "ApiVersions", 0, 4, api_versions.read, api_versions.write),
        Api(
            22,
            "InitProducerId",
            0,
            5,
            transactions.read_init_producer_id,
            transactions.write_init_producer_id,
        ),
        Api(
            24,
            "AddPartitionsToTxn",
            0,
            3,
            transactions.read_add_partitions,
            transactions.write_add_partitions,
        ),
        Api(25, "AddOffsetsToTxn", 0, 4, transactions.read_add_offsets, transactions.write_error),
        Api(26, "EndTxn", 0, 5, transactions.read_end_transaction, transactions.write_error),
        Api(28, "TxnOffsetCommit", 0, 5, offsets.read_transactional, offsets.write_transactional),
    )
}
"""By api key. A bound is where a version asks for something that the engine has no message for: Fetch 13 and Produce
13 name topics by id (KIP-516), OffsetFetch 8 asks for several groups, AddPartitionsToTxn 4 is sent by brokers."""


def known() -> str:
    """The table in a sentence."""
    return ", ".join(f"{api.name} {api.lowest} to {api.highest}" for api in APIS.values())
