"""The requests that can be read from bytes, and whose responses can be written as bytes. ``APIS`` is made
from the engine's table of APIs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from engine import apis
from engine.wire import api_versions, describing, fetch, offsets, produce, transactions
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest


class WireApi(NamedTuple):
    """One API, with its versions and two functions: one turns a request into a message of the engine, the
    other the engine's answer into a response."""

    key: int
    name: str
    lowest: int
    highest: int
    read: Callable[[Any, KeptRecords], Any]
    """A function that converts kio's message to the engine's."""
    write: Callable[[WireRequest, Any, KeptRecords], dict[str, Any]]
    """A function that converts the engine's answer to the values of kio's message."""


_READ_AND_WRITTEN: dict[str, tuple[Any, Any]] = {
    "Produce": (produce.read, produce.write),
    "Fetch": (fetch.read, fetch.write),
    "OffsetFetch": (offsets.read_fetch, offsets.write_fetch),
    "InitProducerId": (transactions.read_init_producer_id, transactions.write_init_producer_id),
    "AddPartitionsToTxn": (transactions.read_add_partitions, transactions.write_add_partitions),
    "AddOffsetsToTxn": (transactions.read_add_offsets, transactions.write_error),
    "EndTxn": (transactions.read_end_transaction, transactions.write_end_transaction),
    "DescribeProducers": (describing.read_producers, describing.write_producers),
    "DescribeTransactions": (describing.read_transactions, describing.write_transactions),
    "ListTransactions": (describing.read_list, describing.write_list),
    "TxnOffsetCommit": (offsets.read_transactional, offsets.write_transactional),
}


def _rows() -> Iterator[WireApi]:
    """A row for each API of the engine's table that has versions, and for ApiVersions. The highest version
    includes those that only brokers send (``BETWEEN_BROKERS``)."""
    of_brokers = {api.name: api.versions[1] for api in apis.BETWEEN_BROKERS if api.versions is not None}
    for api in apis.APIS:
        if api.key is not None and api.versions is not None:
            lowest, highest = api.versions
            highest = of_brokers.get(api.name, highest)
            yield WireApi(api.key, api.name, lowest, highest, *_READ_AND_WRITTEN[api.name])
    yield WireApi(18, "ApiVersions", 0, 4, api_versions.read, api_versions.write)


APIS: dict[int, WireApi] = {api.key: api for api in sorted(_rows())}
"""Dict of API key → its row. The highest version of an API is the last one before a version with a field for
which the engine has no message: Fetch 13 and Produce 13 name topics by id (KIP-516), OffsetFetch 8 requests
several groups, ListTransactions 2 filters by a pattern (KIP-1152)."""


def known() -> str:
    """The APIs of the table with their versions, as text."""
    return ", ".join(f"{api.name} {api.lowest} to {api.highest}" for api in APIS.values())
