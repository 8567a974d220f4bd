"""Requests of real clients are read as the engine's messages, and its responses are written as the bytes that Kafka
sent.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace
from typing import Any

import pytest

from engine.codec.crc32c import crc32c
from engine.errors import Error
from engine.messages import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    FetchResponse,
    ListTransactionsRequest,
    ListTransactionsResponse,
    PartitionFetchResponse,
    PartitionProduceResponse,
    PartitionProducers,
    ProducerDescription,
    ProduceResponse,
    TransactionDescription,
    TransactionListing,
    VerifyPartitionsResponse,
)
from engine.profiles import K41
from engine.vectors.wire_broker import Recording
from engine.vectors.wire_versions import recorded
from engine.wire.api_versions import ApiVersionsResponse
from engine.wire.apis import APIS
from engine.wire.broker_apis import listed
from engine.wire.exchange import read_request, write_response
from engine.wire.message import decode_request, decode_response, encode
from engine.wire.records import KeptRecords
from engine.wire.wire_error import WireError
from tests.engine.narrowing import present
from tests.engine.wire.recorded import FOLDERS, KEYS, NAMES, exchanges, recording

NOT_RECORDED = {61, 65, 66}
"""Keys of APIs for administrators' requests; only what the broker's tool printed about the responses was recorded
(KIP-664).
"""
FIELDS = (
    *("transactional_id", "transaction_timeout_ms", "producer_id", "producer_epoch"),
    *("committed", "group_id", "require_stable"),
)


def produced(*parts: tuple[str, list[tuple[int, bytes]]]) -> bytes:
    """Return a Produce of version 8 with these (topic, [(partition, records)]), built from the bytes of a recorded
    one.
    """
    data = struct.pack(">hhih", 0, 8, 7, -1) + struct.pack(">hhii", -1, -1, 5000, len(parts))
    for topic, partitions in parts:
        data += struct.pack(">h", len(topic)) + topic.encode() + struct.pack(">i", len(partitions))
        for number, records in partitions:
            data += struct.pack(">ii", number, len(records)) + records
    return data


def one_batch() -> bytes:
    """Return the records of a recorded Produce, as bytes."""
    step = next(
        found for found in recording("wire_tv0", "idempotent_sequences")["steps"] if found["api"] == "Produce"
    )
    payload = decode_request(bytes.fromhex(step["request_hex"])).payload
    records: bytes = payload.topic_data[0].partition_data[0].records
    return records


def changed(records: bytes, place: int, value: bytes) -> bytes:
    """Return the batch with other bytes at a place, and a valid checksum."""
    body = records[:place] + value + records[place + len(value) :]
    return body[:17] + struct.pack(">I", crc32c(body[21:])) + body[21:]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_request_says_what_its_client_asked(folder: str, name: str) -> None:
    document = recording(folder, name)
    topic = document["topic"]
    for step in document["steps"]:
        request = read_request(bytes.fromhex(step["request_hex"]), KeptRecords())
        assert (request.api, request.version) == (step["api"], step["version"])
        asked, body = step["request"], request.body
        if step["api"] == "Produce":
            (((partition, batch),)) = body.batches.items()
            assert partition == f"{topic}-{asked['partition']}"
            for field in ("producer_id", "producer_epoch", "base_sequence", "is_transactional"):
                assert getattr(batch, field) == asked[field], step["n"]
            assert batch.record_count == asked["count"] == len(batch.serials)
            continue
        for field in FIELDS:
            if field in asked:
                assert getattr(body, field) == asked[field], (step["n"], field)
        if step["api"] == "AddPartitionsToTxn":
            assert body.partitions == tuple(f"{topic}-{found}" for found in asked["partitions"])
        if step["api"] == "TxnOffsetCommit":
            offsets = {f"{topic}-{number}": offset for number, offset in asked["offsets"]}
            assert {found: given.offset for found, given in body.offsets.items()} == offsets


@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder in FOLDERS for name in NAMES[:2]])
def test_a_reader_gets_the_bytes_that_producers_sent(folder: str, name: str) -> None:
    """A consumer gets keys, values, headers and timestamps as producers sent them, with the offsets and leader epochs
    of the log: the same bytes as in Kafka's own file.
    """
    document = recording(folder, name)
    player = Recording(document, recorded(document["transaction_version"]))
    for step in document["steps"]:
        player.ask(step)
    for fetch in document["fetch"]:
        request, answers = player.ask(fetch)
        response = player.response(request, answers)
        assert len(response) == fetch["response_len"]
        (topic,) = decode_response(response, request.key, request.version).payload.responses
        assert hashlib.sha256(topic.partitions[0].records).hexdigest() == fetch["records_sha256"]


def compact(text: str) -> bytes:
    return bytes([len(text) + 1]) + text.encode()


def asked_by_a_broker(
    version: int, *transactions: tuple[str, int, bool, dict[str, tuple[int, ...]]]
) -> bytes:
    """Return AddPartitionsToTxn as brokers send it: (transactional id, producer id, verify only, {topic:
    partitions}).
    """
    data = struct.pack(">hhih", 24, version, 7, -1) + b"\0" + bytes([len(transactions) + 1])
    for name, producer_id, verify_only, topics in transactions:
        data += compact(name) + struct.pack(">qh?", producer_id, 0, verify_only) + bytes([len(topics) + 1])
        for topic, partitions in topics.items():
            data += compact(topic) + bytes([len(partitions) + 1])
            data += struct.pack(f">{len(partitions)}i", *partitions) + b"\0"
        data += b"\0"
    return data + b"\0"


@pytest.mark.parametrize("version", [4, 5])
def test_a_broker_asks_about_several_transactions_at_once(version: int) -> None:
    """KIP-890: partitions are verified or added, and each has its error, grouped by transactional id."""
    kept = KeptRecords()
    asked = asked_by_a_broker(version, ("a", 4, True, {"t": (0, 1), "u": (2,)}), ("b", 5, False, {"t": (3,)}))
    request = read_request(asked, kept)
    one, other = request.body.entries
    assert (one.transactional_id, one.producer_id, one.verify_only) == ("a", 4, True)
    assert one.partitions == ("t-0", "t-1", "u-2")
    assert (other.partitions, other.verify_only) == (("t-3",), False)
    errors = {
        "a": {"t-0": Error.NONE, "t-1": Error.TRANSACTION_ABORTABLE, "u-2": Error.NONE},
        "b": {"t-3": Error.PRODUCER_FENCED},
    }
    written = write_response(request, VerifyPartitionsResponse(errors=errors), kept)
    payload = decode_response(written, 24, version).payload
    assert [
        (found.transactional_id, topic.name, part.partition_index, int(part.partition_error_code))
        for found in payload.results_by_transaction
        for topic in found.topic_results
        for part in topic.results_by_partition
    ] == [("a", "t", 0, 0), ("a", "t", 1, 120), ("a", "u", 2, 0), ("b", "t", 3, 90)]


@pytest.mark.parametrize(
    ("api", "older", "newer"), [("Produce", 8, 12), ("TxnOffsetCommit", 3, 5), ("EndTxn", 3, 5)]
)
def test_the_version_of_a_request_says_which_protocol_its_client_uses(
    api: str, older: int, newer: int
) -> None:
    """Produce 12, TxnOffsetCommit 5 and EndTxn 5 belong to transaction version 2 (KIP-890)."""
    requests = {(name, version): data for name, version, data, _ in exchanges()}
    asked = [read_request(requests[api, version], KeptRecords()) for version in (older, newer)]
    assert [found.body.transaction_version for found in asked] == [0, 2]
    assert [found.knows_abortable for found in asked] == [False, api != "EndTxn"]


@pytest.mark.parametrize(("version", "lists_level_0"), [(0, None), (3, False), (4, True)])
def test_the_list_of_requests_has_the_cluster_s_features(version: int, lists_level_0: bool | None) -> None:
    """Older clients cannot read a feature that begins at level 0 (KAFKA-17492)."""
    data = struct.pack(">hhih", 18, version, 7, -1) + (
        b"\0" + compact("c") + compact("1") + b"\0" if version > 2 else b""
    )
    request = read_request(data, KeptRecords())
    payload = decode_response(write_response(request, listed(K41, 2, 9), KeptRecords()), 18, version).payload
    if lists_level_0 is None:
        assert not hasattr(payload, "finalized_features")
        return
    assert [found.name for found in payload.supported_features] == ["transaction.version"] * lists_level_0
    (found,) = payload.finalized_features
    assert (found.name, found.max_version_level, payload.finalized_features_epoch) == (
        "transaction.version",
        2,
        9,
    )


def test_a_produce_carries_batches_for_several_partitions() -> None:
    kept, records = KeptRecords(), one_batch()
    data = produced(("a", [(0, records), (3, records)]), ("b-c", [(1, records)]))
    request = read_request(data, kept)
    body = request.body
    assert list(body.batches) == ["a-0", "a-3", "b-c-1"]
    serials = [serial for batch in body.batches.values() for serial in batch.serials]
    assert len(serials) == len(set(serials)), "a record has one serial"
    answers = {
        name: PartitionProduceResponse(Error.NONE, base_offset=5 + place)
        for place, name in enumerate(body.batches)
    }
    response = write_response(request, ProduceResponse(partitions=answers), kept)
    topics = decode_response(response, 0, 8).payload.responses
    assert [
        (topic.name, part.index, part.base_offset) for topic in topics for part in topic.partition_responses
    ] == [("a", 0, 5), ("a", 3, 6), ("b-c", 1, 7)]


def test_a_fetch_of_several_partitions_is_one_message_and_one_response() -> None:
    data = bytes.fromhex(recording("wire_tv0", "transaction_rules")["fetch"][1]["request_hex"])
    message = decode_request(data)
    (topic,) = message.payload.topics
    (asked,) = topic.partitions
    wider = replace(topic, partitions=(asked, replace(asked, partition=1)))
    data = encode(message._replace(payload=replace(message.payload, topics=(wider,))))
    kept = KeptRecords()
    request = read_request(data, kept)
    assert list(request.body.offsets) == ["w-txn-public-0", "w-txn-public-1"]
    assert request.body.isolation == "read_committed"
    answer = FetchResponse(
        partitions={
            partition: PartitionFetchResponse(error=Error.NONE, high_watermark=place, aborted=((4, 2),))
            for place, partition in enumerate(request.body.offsets)
        }
    )
    (found,) = decode_response(write_response(request, answer, kept), 1, 11).payload.responses
    assert [(part.partition_index, part.high_watermark) for part in found.partitions] == [(0, 0), (1, 1)]
    assert found.partitions[1].aborted_transactions[0].first_offset == 2


def test_the_list_of_requests_is_written_as_kafka_wrote_it() -> None:
    found = [(request, response) for api, _, request, response in exchanges() if api == "ApiVersions"]
    for data, wanted in found:
        request = read_request(data, KeptRecords())
        listed = decode_response(present(wanted), 18, 0).payload.api_keys
        versions = {one.api_key: (one.min_version, one.max_version) for one in listed}
        assert write_response(request, ApiVersionsResponse(versions=versions), KeptRecords()) == wanted
    assert len(found) == 2


def test_every_version_of_the_table_is_known() -> None:
    """The table promises no version that cannot be read, and every response of Kafka can be written."""
    kept = KeptRecords()
    apis = {api: data for api, _, data, _ in exchanges()}
    assert {KEYS[name] for name in apis} | NOT_RECORDED == APIS.keys()
    for key, api in APIS.items():
        for version in range(api.lowest, api.highest + 1):
            with pytest.raises(WireError, match="byte 8"):
                read_request(struct.pack(">hhi", key, version, 1), kept)


def test_a_request_that_is_not_in_the_table_says_which_are() -> None:
    with pytest.raises(WireError, match="byte 0: api key 3 version 8 is not read; known are Produce 3 to 12"):
        read_request(bytes.fromhex("00030008" + "00" * 20), KeptRecords())
    with pytest.raises(WireError, match="byte 0: Produce version 2 is not read"):
        read_request(bytes.fromhex("00000002" + "00" * 20), KeptRecords())


def test_records_that_are_no_batch_are_refused_by_their_partition() -> None:
    records = one_batch()
    for wrong, reason in (
        (b"", "0 bytes, a batch has at least 61"),
        (records[:60], "60 bytes, a batch has at least 61"),
        (records + records, "a batch of"),
        (records[:16] + b"\1" + records[17:], "format 1; send format 2"),
        (records[:17] + b"\0\0\0\0" + records[21:], "the checksum does not fit"),
        (changed(records, 21, b"\0\x20"), "a control batch"),
        (changed(records, 57, b"\x7f\xff\xff\xff"), "2147483647 records"),
        (changed(records, 23, b"\x7f\xff\xff\xff"), "the last at offset delta 2147483647"),
    ):
        with pytest.raises(WireError, match=f"records of t-0: .*{reason}"):
            read_request(produced(("t", [(0, wrong)])), KeptRecords())


def test_a_partition_named_twice_or_below_zero_is_refused() -> None:
    records = one_batch()
    with pytest.raises(WireError, match="partition t-0: named twice"):
        read_request(produced(("t", [(0, records)]), ("t", [(0, records)])), KeptRecords())
    with pytest.raises(WireError, match="topic 't': partition -1; partitions are numbered from 0"):
        read_request(produced(("t", [(-1, records)])), KeptRecords())


def test_what_an_administrator_asks_is_read_and_answered_in_kafkas_layout() -> None:
    """These bytes are not from a recording. kio reads the written response, except for a start time of -1."""
    header = struct.pack(">i", 7) + struct.pack(">h", -1) + b"\0"
    topic = bytes([2, 2]) + b"t" + bytes([3]) + struct.pack(">ii", 0, 1) + b"\0"
    asked = {
        61: struct.pack(">hh", 61, 0) + header + topic + b"\0",
        65: struct.pack(">hh", 65, 0) + header + bytes([2, 6]) + b"txn-1" + b"\0",
        66: struct.pack(">hh", 66, 1)
        + header
        + bytes([2, 8])
        + b"Ongoing"
        + bytes([2])
        + struct.pack(">q", 1000)
        + struct.pack(">q", 5000)
        + b"\0",
    }
    read = {key: read_request(data, KeptRecords()) for key, data in asked.items()}
    assert read[61].body == DescribeProducersRequest(partitions=("t-0", "t-1"))
    assert read[65].body == DescribeTransactionsRequest(transactional_ids=("txn-1",))
    assert read[66].body == ListTransactionsRequest(
        states=("Ongoing",), producer_ids=(1000,), duration_ms=5000
    )

    def answered(answer: object, key: int) -> Any:
        return decode_response(
            write_response(read[key], answer, KeptRecords()), key, read[key].version
        ).payload

    producer = ProducerDescription(producer_id=1000, producer_epoch=3, last_sequence=8, last_timestamp=12)
    partitions = {
        "t-0": PartitionProducers(error=Error.NONE, active_producers=(producer,)),
        "t-1": PartitionProducers(error=Error.NOT_LEADER_OR_FOLLOWER),
    }
    (topic,) = answered(DescribeProducersResponse(partitions=partitions), 61).topics
    (shown,) = topic.partitions[0].active_producers
    assert (shown.producer_id, shown.producer_epoch, shown.coordinator_epoch) == (1000, 3, -1)
    assert (shown.last_sequence, shown.current_txn_start_offset) == (8, -1)
    assert [one.error_code.value for one in topic.partitions] == [0, 6]
    described = TransactionDescription(
        error=Error.NONE,
        state="Empty",
        timeout_ms=60000,
        start_ms=1500,
        producer_id=1000,
        producer_epoch=0,
        partitions=("t-0", "t-1", "u-2"),
    )
    (state,) = answered(
        DescribeTransactionsResponse(transactions={"txn-1": described}), 65
    ).transaction_states
    assert (state.transactional_id, state.transaction_state) == ("txn-1", "Empty")
    assert [(one.topic, one.partitions) for one in state.topics] == [("t", (0, 1)), ("u", (2,))]
    never = DescribeTransactionsResponse(transactions={"txn-1": replace(described, start_ms=-1)})
    data = write_response(read[65], never, KeptRecords())
    assert struct.pack(">iq", 60000, -1) in data, "before the first transaction"
    listing = ListTransactionsResponse(
        error=Error.NONE,
        transactions={"txn-1": TransactionListing(producer_id=1000, state="Ongoing")},
        unknown_states=("Open",),
    )
    shown = answered(listing, 66)
    assert shown.unknown_state_filters == ("Open",)
    assert [(one.transactional_id, one.transaction_state) for one in shown.transaction_states] == [
        ("txn-1", "Ongoing")
    ]
