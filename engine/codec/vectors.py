"""Runs the cases of `record_batch` and `txn_log_record` in Kafka's test vectors through this package's
functions.

Each case is tested in both directions: its input is encoded and compared with Kafka's bytes, and Kafka's
bytes are decoded and compared with the expected fields. Both formats are the same in all versions that have
them, so a case's version is ignored.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engine.codec.control_record import ControlType
from engine.codec.record import Header, Record
from engine.codec.record_batch import BatchHeader, encode_batch, encode_marker
from engine.codec.segment import BatchRow, SegmentReader
from engine.codec.transaction_log_record import (
    STATUS_BY_NAME,
    TransactionLogValue,
    decode_key,
    decode_value,
    encode_key,
    encode_value,
)
from engine.topic_partition import topic_partition
from engine.vectors.outcome import Failure, Outcome, Skip

Case = dict[str, Any]
Checks = Iterator[tuple[str, object, object]]
"""Triples for a comparison: the step, the expected value, the actual value."""


def run(case: Case, version: str) -> Outcome:
    """Run one case. Returns the first difference, or None. Raises Skip for another topic, and for a
    compressed batch."""
    checks = _CHECKS.get(case["topic"])
    if checks is None:
        raise Skip(f"the codec does not run topic {case['topic']}")
    for step, expected, got in checks(case):
        if expected != got:
            return Failure(step, expected, got)
    return None


def _record_batch(case: Case) -> Checks:
    given, expected = case["input"], case["expected"]
    if given.get("compression", "none") != "none":
        raise Skip(f"codec {given['compression']} is not read yet")
    yield "encode", expected["hex"], _encoded(given, expected).hex()
    rows = list(SegmentReader().rows(bytes.fromhex(expected["hex"])))
    yield "decode: rows", ["BatchRow"], [type(row).__name__ for row in rows]
    yield "decode: damage", [], [str(damage) for row in rows for damage in row.damage]
    for row in rows:
        if isinstance(row, BatchRow):
            yield from _decoded(given, expected, row)


def _decoded(given: Case, expected: Case, row: BatchRow) -> Checks:
    """Compare the decoded fields with the expected ones and with the input."""
    fields = _batch_fields(row)
    for name, value in expected.items():
        if name != "hex":
            yield f"decode: {name}", value, fields.get(name, "no such field")
    header = row.header
    yield "decode: pid", given["pid"], header.producer_id
    yield "decode: epoch", given["epoch"], header.producer_epoch
    yield "decode: leader_epoch", given["leader_epoch"], header.partition_leader_epoch
    yield "decode: base_offset", given["base_offset"], header.base_offset
    if "marker" not in given:
        yield "decode: base_sequence", given["base_sequence"], header.base_sequence
        yield "decode: timestamp_type", given["timestamp_type"], header.timestamp_type
        yield "decode: records", _as_read(_records(given), header), list(row.records)


def _batch_fields(row: BatchRow) -> dict[str, object]:
    """The decoded batch, with the field names of the vectors."""
    header, control = row.header, row.control
    fields: dict[str, object] = {
        "size": header.size,
        "crc": header.crc,
        "last_offset": header.last_offset,
        "max_timestamp": header.max_timestamp,
        "last_sequence": header.last_sequence,
        "is_control": header.is_control,
        "is_transactional": header.is_transactional,
        "count": header.record_count,
    }
    if control is not None:
        key, value = row.records[0].key, row.records[0].value
        fields["control_key_hex"] = None if key is None else key.hex()
        fields["control_value_hex"] = None if value is None else value.hex()
        fields["control_type"] = control.type_name
        fields["coordinator_epoch"] = control.coordinator_epoch
    return fields


def _as_read(records: list[Record], header: BatchHeader) -> list[Record]:
    """The records as a consumer sees them. With LogAppendTime, all have the time of the append."""
    if header.timestamp_type == "CreateTime":
        return records
    return [record._replace(timestamp=header.max_timestamp) for record in records]


def _encoded(given: Case, expected: Case) -> bytes:
    """The bytes of the input, encoded as a batch or as a marker."""
    if "marker" in given and not given.get("records"):
        return encode_marker(
            ControlType[given["marker"]],
            given["coordinator_epoch"],
            producer_id=given["pid"],
            producer_epoch=given["epoch"],
            timestamp=given["timestamp"],
            base_offset=given["base_offset"],
            partition_leader_epoch=given["leader_epoch"],
        )
    # The broker's clock gives the time of the append. When a case does not list this time, it is the maximum
    # timestamp.
    append_timestamp = given.get("log_append_time", expected["max_timestamp"])
    return encode_batch(
        _records(given),
        base_offset=given["base_offset"],
        partition_leader_epoch=given["leader_epoch"],
        producer_id=given["pid"],
        producer_epoch=given["epoch"],
        base_sequence=given["base_sequence"],
        is_transactional=given["transactional"],
        append_timestamp=None if given["timestamp_type"] == "CreateTime" else append_timestamp,
    )


def _records(given: Case) -> list[Record]:
    return [
        Record(
            given["base_offset"] + index,
            record["timestamp"],
            _bytes(record.get("key")),
            _bytes(record.get("value")),
            tuple(Header(key.encode(), _bytes(value)) for key, value in record.get("headers", ())),
        )
        for index, record in enumerate(given["records"])
    ]


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _transaction_log_record(case: Case) -> Checks:
    given, expected = case["input"], case["expected"]
    value = TransactionLogValue(
        producer_id=given["pid"],
        producer_epoch=given["epoch"],
        timeout_ms=given["timeout_ms"],
        status=STATUS_BY_NAME[given["state"]],
        partitions=tuple(_topic_partition(name) for name in given["partitions"]),
        last_update_ms=given["update_ms"],
        start_ms=given["start_ms"],
    )
    if "error" in expected:
        yield "encode value", "refused", _refusal(value)
        return
    yield "encode key", expected["key_hex"], encode_key(given["transactional_id"]).hex()
    yield "decode key", given["transactional_id"], decode_key(bytes.fromhex(expected["key_hex"]))
    read = decode_value(bytes.fromhex(expected["value_hex"]))
    yield "decode value", _in_order(value), _in_order(read)
    yield (
        "encode value",
        expected["value_hex"],
        encode_value(replace(value, partitions=read.partitions)).hex(),
    )


def _in_order(value: TransactionLogValue) -> TransactionLogValue:
    """The partitions in a fixed order: Kafka keeps them in a hash map."""
    return replace(value, partitions=tuple(sorted(value.partitions)))


def _refusal(value: TransactionLogValue) -> str:
    try:
        return encode_value(value).hex()
    except ValueError:
        return "refused"


def _topic_partition(name: str) -> tuple[str, int]:
    return topic_partition(name)


_CHECKS = {"record_batch": _record_batch, "txn_log_record": _transaction_log_record}
