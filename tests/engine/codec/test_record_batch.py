"""Record batches: everything that is written is read back, and a value that does not fit its field is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.codec.control_record import ControlType
from engine.codec.damage import DamagedError, DamageKind
from engine.codec.record import Header, Record
from engine.codec.record_batch import HEADER_BYTES, decode_header, encode_batch, encode_marker
from engine.codec.segment import BatchRow, SegmentReader
from engine.codec.transaction_log_record import (
    TransactionLogValue,
    TransactionStatus,
    decode_key,
    decode_value,
    encode_key,
    encode_value,
)

FIELDS = st.none() | st.binary(max_size=40)
TIMESTAMPS = st.integers(-1, 2**50)
HEADERS = st.lists(st.builds(Header, st.binary(max_size=8), FIELDS), max_size=3).map(tuple)
INT16, INT32, INT64 = (st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (16, 32, 64))


def only_row(data: bytes) -> BatchRow:
    (row,) = SegmentReader().rows(data)
    assert isinstance(row, BatchRow)
    assert row.damage == ()
    return row


@st.composite
def batches(draw: st.DrawFn) -> tuple[int, list[Record]]:
    """A base offset and the records from it on, with gaps such as the cleaner leaves."""
    offset = base_offset = draw(st.integers(0, 2**40))
    records = []
    for _ in range(draw(st.integers(0, 6))):
        records.append(Record(offset, draw(TIMESTAMPS), draw(FIELDS), draw(FIELDS), draw(HEADERS)))
        offset += draw(st.integers(1, 3))
    return base_offset, records


@given(batches(), INT64, INT16, INT32, INT32, st.booleans())
def test_a_batch_round_trips(
    batch: tuple[int, list[Record]],
    producer_id: int,
    producer_epoch: int,
    base_sequence: int,
    leader_epoch: int,
    is_transactional: bool,
) -> None:
    base_offset, records = batch
    data = encode_batch(
        records,
        base_offset=base_offset,
        partition_leader_epoch=leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        is_transactional=is_transactional,
    )
    row = only_row(data)
    assert list(row.records) == records
    header = row.header
    assert (header.producer_id, header.producer_epoch) == (producer_id, producer_epoch)
    assert (header.base_sequence, header.partition_leader_epoch) == (base_sequence, leader_epoch)
    assert (header.is_transactional, header.is_control, header.codec) == (is_transactional, False, "none")
    assert header.size == len(data)
    assert header.last_offset == (records[-1].offset if records else base_offset)
    assert header.max_timestamp == max((record.timestamp for record in records), default=-1)


@given(st.sampled_from([ControlType.ABORT, ControlType.COMMIT]), INT32, INT64, INT16, TIMESTAMPS)
def test_a_marker_round_trips(
    control_type: ControlType, coordinator_epoch: int, producer_id: int, epoch: int, timestamp: int
) -> None:
    row = only_row(
        encode_marker(
            control_type,
            coordinator_epoch,
            producer_id=producer_id,
            producer_epoch=epoch,
            timestamp=timestamp,
            base_offset=7,
        )
    )
    assert row.control is not None
    assert (row.control.type_name, row.control.coordinator_epoch) == (control_type.name, coordinator_epoch)
    assert (row.header.is_control, row.header.is_transactional) == (True, True)
    assert (row.header.base_sequence, row.header.last_sequence) == (-1, -1)


def test_an_append_timestamp_holds_for_every_record() -> None:
    records = [Record(3, 100, b"k", b"v"), Record(4, 50, None, b"w")]
    row = only_row(encode_batch(records, base_offset=3, append_timestamp=900))
    assert row.header.timestamp_type == "LogAppendTime"
    assert [record.timestamp for record in row.records] == [900, 900]


def test_the_last_sequence_wraps_to_zero() -> None:
    records = [Record(offset, 0, None, b"") for offset in range(4)]
    row = only_row(encode_batch(records, producer_id=1, producer_epoch=0, base_sequence=2**31 - 2))
    assert row.header.last_sequence == 1


def test_a_batch_that_the_cleaner_emptied_keeps_its_last_offset_and_sequence() -> None:
    data = encode_batch(
        [], base_offset=19, producer_id=9, producer_epoch=0, base_sequence=11, last_offset_delta=4
    )
    row = only_row(data)
    assert (row.header.last_offset, row.header.last_sequence, row.records) == (23, 15, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("producer_epoch", 2**15),
        ("base_offset", 2**63),
        ("base_sequence", 2**31),
        ("producer_id", -(2**63) - 1),
    ],
)
def test_a_number_that_does_not_fit_is_refused(name: str, value: int) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match="fit"):
        encode_batch([Record(value if name == "base_offset" else 0, 0, None, None)], **given)


def test_a_header_needs_all_its_bytes() -> None:
    with pytest.raises(ValueError, match="61 bytes, found 60"):
        decode_header(bytes(HEADER_BYTES - 1))


@pytest.mark.parametrize("code", [2, 6, 7, -1, 32767])
def test_a_control_type_that_is_no_marker_is_named(code: int) -> None:
    key = b"\0\0" + code.to_bytes(2, "big", signed=True)
    row = only_row(encode_batch([Record(0, 0, key, b"")], is_control=True))
    assert row.control is not None
    assert row.control.coordinator_epoch is None
    names = {2: "LEADER_CHANGE", 6: "KRAFT_VOTERS"}
    assert row.control.type_name == names.get(code, f"UNKNOWN_{code}")


TEXT = st.text(max_size=20)
VALUES = st.builds(
    TransactionLogValue,
    producer_id=INT64,
    producer_epoch=INT16,
    timeout_ms=INT32,
    status=st.sampled_from([status for status in TransactionStatus if status is not TransactionStatus.EMPTY]),
    partitions=st.sets(st.tuples(TEXT, INT32), max_size=5).map(lambda pairs: tuple(sorted(pairs))),
    last_update_ms=INT64,
    start_ms=INT64,
)


@given(TEXT, VALUES)
def test_a_transaction_log_record_round_trips(transactional_id: str, value: TransactionLogValue) -> None:
    assert decode_key(encode_key(transactional_id)) == transactional_id
    assert decode_value(encode_value(value)) == value


def test_state_empty_has_null_partitions_and_refuses_others() -> None:
    value = TransactionLogValue(
        producer_id=1,
        producer_epoch=0,
        timeout_ms=60000,
        status=TransactionStatus.EMPTY,
        partitions=(),
        last_update_ms=5,
        start_ms=-1,
    )
    assert decode_value(encode_value(value)) == value
    assert encode_value(value)[17:21].hex() == "ffffffff"
    with pytest.raises(ValueError, match="Empty has no partitions"):
        encode_value(
            TransactionLogValue(
                producer_id=1,
                producer_epoch=0,
                timeout_ms=60000,
                status=TransactionStatus.EMPTY,
                partitions=(("t", 0),),
                last_update_ms=5,
                start_ms=-1,
            )
        )


@given(st.binary(max_size=80))
def test_random_bytes_are_a_value_or_damage(data: bytes) -> None:
    for decode in (decode_key, decode_value):
        try:
            decode(data)
        except DamagedError as error:
            assert 0 <= error.damage.position <= len(data)


def test_another_version_of_a_transaction_log_record_is_named() -> None:
    with pytest.raises(DamagedError) as raised:
        decode_value(b"\0\2" + bytes(40))
    assert (raised.value.damage.kind, raised.value.damage.found) == (DamageKind.VERSION, "2")
