"""Transaction indexes, producer snapshots, checkpoints and records of the internal topics, against Kafka's own
dumps of the same files.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.codec import consumer_offsets_record, transaction_log_record
from engine.codec.checkpoint_file import LeaderEpoch, decode_leader_epochs, decode_offset_checkpoint
from engine.codec.consumer_offsets_record import GroupKey, OffsetKey, OtherKey
from engine.codec.damage import DamagedError, DamageKind
from engine.codec.producer_snapshot import decode_producer_snapshot
from engine.codec.record import Record
from engine.codec.segment import BatchRow, SegmentReader
from engine.codec.transaction_index import decode_transaction_index
from tests.engine.codec.kafka_dump import KAFKA_LOGS, DumpedRecord, dump_of, parse_dump
from tests.engine.codec.test_kafka_agreement import name


def dumped(ending: str) -> list[Path]:
    return sorted(path for path in KAFKA_LOGS.rglob(f"*{ending}") if dump_of(path).exists())


def lines(path: Path) -> list[str]:
    return dump_of(path).read_text().splitlines()[1:]


@pytest.mark.parametrize("path", dumped(".txnindex"), ids=name)
def test_a_transaction_index_is_as_kafka_dumped_it(path: Path) -> None:
    entries, damage = decode_transaction_index(path.read_bytes())
    words = [
        f"version: 0 producerId: {entry.producer_id} firstOffset: {entry.first_offset}"
        f" lastOffset: {entry.last_offset} lastStableOffset: {entry.last_stable_offset}"
        for entry in entries
    ]
    assert (words, damage) == (lines(path), ())


def test_a_torn_transaction_index_keeps_what_is_whole() -> None:
    data = (KAFKA_LOGS / "h2_open/hangopen-0/00000000000000000000.txnindex").read_bytes()
    entries, damage = decode_transaction_index(data[:50])
    assert ([entry.last_offset for entry in entries], damage[0].position) == ([1], 34)
    entries, damage = decode_transaction_index(data[:34] + b"\0\7" + data[36:])
    assert (len(entries), damage[0].kind, damage[0].found) == (1, DamageKind.VERSION, "7")


@pytest.mark.parametrize("path", dumped(".snapshot"), ids=name)
def test_a_producer_snapshot_is_as_kafka_dumped_it(path: Path) -> None:
    words = []
    for entry in decode_producer_snapshot(path.read_bytes()):
        first = f"[{entry.open_first_offset}]" if entry.open_first_offset >= 0 else ".empty"
        words.append(
            f"producerId: {entry.producer_id} producerEpoch: {entry.producer_epoch} coordinatorEpoch:"
            f" {entry.coordinator_epoch} currentTxnFirstOffset: OptionalLong{first}"
            f" lastTimestamp: {entry.last_timestamp} "
        )
        if entry.last_sequence >= 0:
            first_sequence = (entry.last_sequence - entry.offset_delta) % 2**31
            words[-1] += (
                f"firstSequence: {first_sequence} lastSequence: {entry.last_sequence} lastOffset:"
                f" {entry.last_offset} offsetDelta: {entry.offset_delta} timestamp: {entry.last_timestamp}"
            )
    # The dump takes the time of the batch from the entry, too, if a marker came later.
    assert [line.rstrip() for line in words] == [line.rstrip() for line in lines(path)]


def test_a_damaged_snapshot_is_not_believed() -> None:
    data = bytearray((KAFKA_LOGS / "h2_open/hangopen-0/00000000000000000008.snapshot").read_bytes())
    data[30] ^= 1
    with pytest.raises(DamagedError) as raised:
        decode_producer_snapshot(bytes(data))
    assert (raised.value.damage.kind, raised.value.damage.position) == (DamageKind.CRC, 2)


def test_checkpoints_are_read() -> None:
    assert decode_leader_epochs(b"0\n2\n0 0\n2 5\n") == (LeaderEpoch(0, 0), LeaderEpoch(2, 5))
    offsets = decode_offset_checkpoint((KAFKA_LOGS / "_internal/replication-offset-checkpoint").read_bytes())
    assert (offsets["hangopen-0"], offsets["comp-lz4-0"], len(offsets)) == (8, 75, 43)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"", "line 1"),
        (b"9\n0\n", "line 1"),
        (b"0\n2\n0 0\n", "line 2"),
        (b"0\n1\n0\n", "line 3"),
        (b"0\n1\n0 x\n", "line 3"),
    ],
)
def test_a_damaged_checkpoint_says_the_line(data: bytes, place: str) -> None:
    with pytest.raises(ValueError, match=place):
        decode_leader_epochs(data)


def internal_records(topic: str) -> Iterator[tuple[Record, DumpedRecord]]:
    for log in dumped(".log"):
        if not log.parent.name.startswith(topic):
            continue
        rows = [row for row in SegmentReader().rows(log.read_bytes()) if isinstance(row, BatchRow)]
        for row, batch in zip(rows, parse_dump(log), strict=True):
            if row.control is None:
                yield from zip(row.records, batch.records, strict=True)


def printed(record: DumpedRecord) -> tuple[dict[str, Any], str]:
    match = re.fullmatch(r" key: (\{.*?\}\}) payload: (.*)", record.rest)
    assert match, record.rest
    return json.loads(match[1]), match[2]


def test_every_record_of_the_transaction_log_is_as_kafka_dumped_it() -> None:
    count, versions = 0, set()
    for record, dump in internal_records("__transaction_state-"):
        key, payload = printed(dump)
        assert transaction_log_record.decode_key(record.key or b"") == key["data"]["transactionalId"]
        if record.value is None:
            assert payload == "<DELETE>"
            continue
        value, wanted = transaction_log_record.decode_value(record.value), json.loads(payload)
        partitions = {
            (topic["topic"], number)
            for topic in wanted["data"]["transactionPartitions"] or ()
            for number in topic["partitionIds"]
        }
        assert set(value.partitions) == partitions
        assert {
            "producerId": value.producer_id,
            "producerEpoch": value.producer_epoch,
            "transactionTimeoutMs": value.timeout_ms,
            "transactionStatus": value.status.value,
            "transactionLastUpdateTimestampMs": value.last_update_ms,
            "transactionStartTimestampMs": value.start_ms,
        } | (
            {"clientTransactionVersion": value.client_transaction_version}
            if value.client_transaction_version
            else {}
        ) == {key: item for key, item in wanted["data"].items() if key != "transactionPartitions"}
        count += 1
        versions.add(wanted["version"])
    assert count > 300
    assert versions == {"0", "1"}


def test_every_record_of_the_group_offsets_is_as_kafka_dumped_it() -> None:
    offsets = members = 0
    for record, dump in internal_records("__consumer_offsets-"):
        wanted_key, payload = printed(dump)
        key, wanted = consumer_offsets_record.decode_key(record.key or b""), json.loads(payload)["data"]
        assert key._asdict() == wanted_key["data"]
        assert record.value is not None
        if isinstance(key, OffsetKey):
            value = consumer_offsets_record.decode_offset(record.value)
            assert wanted == {
                "offset": value.offset,
                "leaderEpoch": value.leader_epoch,
                "metadata": value.metadata,
                "commitTimestamp": value.commit_ms,
            }
            offsets += 1
        else:
            assert isinstance(key, GroupKey)
            group = consumer_offsets_record.decode_group(record.value)
            assert (group.protocol_type, group.generation, group.protocol, group.leader, group.state_ms) == (
                wanted["protocolType"],
                wanted["generation"],
                wanted["protocol"],
                wanted["leader"],
                wanted["currentStateTimestamp"],
            )
            ids = [(member.member_id, member.client_host) for member in group.members]
            assert ids == [(member["memberId"], member["clientHost"]) for member in wanted["members"]]
            members += len(ids)
    assert offsets >= 6
    assert members >= 1


def test_older_offsets_and_newer_keys() -> None:
    """These bytes are made by hand from Kafka's OffsetCommitValue.json: the offsets in the oracle files have version
    4 only.
    """
    body = (7).to_bytes(8, "big")
    metadata, time = b"\0\1m", (99).to_bytes(8, "big")
    first = consumer_offsets_record.decode_offset(b"\0\1" + body + metadata + time + (100).to_bytes(8, "big"))
    assert (first.offset, first.metadata, first.commit_ms, first.expire_ms) == (7, "m", 99, 100)
    second = consumer_offsets_record.decode_offset(b"\0\2" + body + metadata + time)
    assert (second.offset, second.leader_epoch, second.expire_ms) == (7, -1, -1)
    third = consumer_offsets_record.decode_offset(b"\0\3" + body + b"\0\0\0\5" + metadata + time)
    assert third.leader_epoch == 5
    assert consumer_offsets_record.decode_key(b"\0\3\0\1g") == OtherKey(3)
    for data in (b"\0\5" + bytes(40), b"\0\3" + body, b"\0\2" + body + metadata + time + b"\0"):
        with pytest.raises(DamagedError):
            consumer_offsets_record.decode_offset(data)
