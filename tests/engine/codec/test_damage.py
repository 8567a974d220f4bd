"""Damaged segments: the damaged byte is named, everything readable is read, and nothing raises or hangs."""

import struct
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.codec.control_record import ControlType
from engine.codec.crc32c import crc32c
from engine.codec.damage import DamageKind
from engine.codec.record import Header, Record
from engine.codec.record_batch import encode_batch, encode_marker
from engine.codec.segment import BatchRow, DamageRow, LegacyRow, Records, Row, SegmentReader
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.engine.narrowing import of

IDEMPOTENT = (KAFKA_LOGS / "b_idem" / "idem-0" / "00000000000000000000.log").read_bytes()
COMMITTED = (KAFKA_LOGS / "c_commit" / "txcommit-0" / "00000000000000000000.log").read_bytes()


def rows_of(data: bytes) -> list[Row]:
    return list(SegmentReader().rows(data, 0))


def starts(data: bytes) -> list[int]:
    return [row.position for row in rows_of(data)]


def places(rows: Sequence[Row]) -> list[tuple[DamageKind, int]]:
    return [(damage.kind, damage.position) for row in rows for damage in row.damage]


def patched(data: bytes, position: int, replacement: bytes) -> bytes:
    return data[:position] + replacement + data[position + len(replacement) :]


def resealed(batch: bytes) -> bytes:
    """Return the batch with a new checksum and length, so that only what the test changed is wrong."""
    batch = patched(batch, 8, struct.pack(">i", len(batch) - 12))
    return patched(batch, 17, struct.pack(">I", crc32c(batch[21:])))


def single(records: Sequence[Record] = (Record(0, 5, b"key", b"value", (Header(b"h", b"x"),)),)) -> bytes:
    return encode_batch(records, producer_id=1, producer_epoch=0, base_sequence=0)


# A file that is cut short


def test_a_file_cut_anywhere_keeps_the_batches_before_and_names_where_the_last_one_starts() -> None:
    begins = starts(IDEMPOTENT)
    whole = rows_of(IDEMPOTENT)
    for length in range(len(IDEMPOTENT)):
        rows = rows_of(IDEMPOTENT[:length])
        complete = [
            row for row, end in zip(whole, [*begins[1:], len(IDEMPOTENT)], strict=True) if end <= length
        ]
        if length in begins:
            assert rows == complete
            continue
        assert rows[:-1] == complete
        (damage,) = rows[-1].damage
        at = begins[len(complete)]
        kind = DamageKind.TRUNCATED_HEADER if length - at < 17 else DamageKind.TRUNCATED_BATCH
        assert (damage.kind, damage.position, damage.found) == (kind, at, f"{length - at} B")
        assert damage.ends_file


def test_zeros_at_the_end_are_named_as_such() -> None:
    rows = rows_of(COMMITTED + bytes(4096))
    assert places(rows) == [(DamageKind.ZEROS, len(COMMITTED))]
    assert rows[-1].damage[0].found == "4096 × 0"


# One byte that is wrong


def test_every_flipped_byte_is_noticed_and_the_other_batches_stay_readable() -> None:
    batches = [single(), encode_marker_at(1), single_at(2), single_at(3)]
    data = b"".join(batches)
    second = len(batches[0])
    third = second + len(batches[1])
    for position in range(second, third):
        for flip in (0x01, 0x80):
            rows = rows_of(patched(data, position, bytes([data[position] ^ flip])))
            inside = position - second
            # The checksum does not cover the leader epoch, because followers rewrite it.
            if 12 <= inside < 16:
                assert places(rows) == []
                continue
            # An offset that was changed without violating the order looks like a true one.
            if inside == 7 and flip == 1:
                assert places(rows) in ([], [(DamageKind.BASE_OFFSET, second)])
                continue
            assert places(rows), f"byte {inside} ^ {flip:#x} is not noticed"
            assert rows[0].damage == ()
            if inside >= 16:
                assert [row.position for row in rows[-2:]] == [third, third + len(batches[2])]
                assert [row.damage for row in rows[-2:]] == [(), ()]


def encode_marker_at(offset: int) -> bytes:
    return encode_marker(
        ControlType.COMMIT, 3, producer_id=1, producer_epoch=0, timestamp=5, base_offset=offset
    )


def single_at(offset: int) -> bytes:
    return encode_batch([Record(offset, 5, b"k", b"v")], base_offset=offset)


def test_a_checksum_that_does_not_hold_still_shows_the_batch() -> None:
    begin = starts(IDEMPOTENT)[1]
    rows = rows_of(patched(IDEMPOTENT, begin + 43, b"\x7f"))
    row = rows[1]
    assert isinstance(row, BatchRow)
    assert not row.crc_ok
    assert places(rows) == [(DamageKind.CRC, begin + 17)]
    assert row.damage[0].found == f"{row.header.crc:#010x}"
    assert row.damage[0].expected == f"{row.computed_crc:#010x}"
    assert row.records == of(BatchRow, rows_of(IDEMPOTENT)[1]).records


@pytest.mark.parametrize("length", [-1, -(2**31), 0, 13, 48])
def test_a_length_that_cannot_be_true_ends_the_file(length: int) -> None:
    begin = starts(IDEMPOTENT)[2]
    rows = rows_of(patched(IDEMPOTENT, begin + 8, struct.pack(">i", length)))
    assert len(rows) == 3
    assert isinstance(rows[-1], DamageRow)
    assert places(rows) == [(DamageKind.LENGTH, begin + 8)]
    assert rows[-1].damage[0].found == str(length)
    assert rows[-1].damage[0].ends_file


def test_the_largest_length_costs_nothing() -> None:
    rows = rows_of(patched(IDEMPOTENT, 8, struct.pack(">i", 2**31 - 1)))
    assert places(rows) == [(DamageKind.TRUNCATED_BATCH, 0)]


def test_a_length_that_leads_astray_is_suspected() -> None:
    length = struct.unpack_from(">i", IDEMPOTENT, 8)[0]
    rows = rows_of(patched(IDEMPOTENT, 8, struct.pack(">i", length + 1)))
    assert places(rows)[:2] == [(DamageKind.CRC, 17), (DamageKind.LENGTH_SUSPECT, 8)]
    assert len(rows) == 1


def test_an_unknown_magic_is_stepped_over() -> None:
    begins = starts(IDEMPOTENT)
    rows = rows_of(patched(IDEMPOTENT, begins[1] + 16, b"\x05"))
    assert places(rows) == [(DamageKind.MAGIC, begins[1] + 16)]
    assert [row.position for row in rows] == begins


@pytest.mark.parametrize("magic", [0, 1])
def test_the_old_formats_are_named(magic: int) -> None:
    body = struct.pack(">Ibb", 0, magic, 0) + bytes(8 * magic) + struct.pack(">ii", -1, -1)
    data = struct.pack(">qi", 4, len(body)) + body + single_at(5)
    old, new = rows_of(data)
    assert isinstance(old, LegacyRow)
    assert (old.base_offset, old.magic, old.size) == (4, magic, 12 + len(body))
    assert f"v{magic}" in old.format_name
    assert isinstance(new, BatchRow)
    assert places([old, new]) == []


def test_offsets_that_go_back_are_named_once() -> None:
    data = single_at(7) + single_at(3) + single_at(4)
    rows = rows_of(data)
    assert places(rows) == [(DamageKind.BASE_OFFSET, len(single_at(7)))]
    assert rows[1].damage[0].expected.startswith("8..")
    assert rows[1].damage[0].found == "3"


def test_an_offset_too_far_from_the_segment_is_named() -> None:
    rows = list(SegmentReader().rows(single_at(2**31 + 10), 10))
    assert places(rows) == [(DamageKind.BASE_OFFSET, 0)]
    assert places(list(SegmentReader().rows(single_at(2**31 + 9), 10))) == []


# A header with a valid checksum and wrong values


@pytest.mark.parametrize(
    ("position", "raw", "kind"),
    [
        (23, struct.pack(">i", -1), DamageKind.LAST_OFFSET_DELTA),
        (57, struct.pack(">i", -1), DamageKind.RECORD_COUNT),
        (57, struct.pack(">i", 2**31 - 1), DamageKind.RECORD_COUNT),
        (21, b"\0\x05", DamageKind.CODEC),
        (21, b"\0\x07", DamageKind.CODEC),
    ],
)
def test_a_header_field_that_cannot_be_true(position: int, raw: bytes, kind: DamageKind) -> None:
    rows = rows_of(resealed(patched(single(), position, raw)) + single_at(9))
    assert places(rows) == [(kind, position)]
    assert len(rows) == 2


def test_a_count_beyond_the_bytes_names_where_they_end() -> None:
    batch = patched(patched(single(), 57, struct.pack(">i", 2**31 - 1)), 23, struct.pack(">i", 2**31 - 2))
    rows = rows_of(resealed(batch))
    assert places(rows) == [(DamageKind.RECORD_COUNT, len(batch))]
    assert isinstance(rows[0], BatchRow)
    assert len(rows[0].records) == 1


# Records with wrong values, inside a batch with a valid checksum


def with_body(body: bytes, count: int = 1) -> bytes:
    head = encode_batch([], base_offset=0, last_offset_delta=max(0, count - 1))
    return resealed(patched(head + body, 57, struct.pack(">i", count)))


@pytest.mark.parametrize(
    ("body", "count", "kind", "place"),
    [
        ("", 1, DamageKind.RECORD_COUNT, 0),
        ("0c000000010100" "ff", 1, DamageKind.TRAILING_BYTES, 7),
        ("0c000000010100", 2, DamageKind.RECORD_COUNT, 7),
        ("01", 1, DamageKind.RECORD_LENGTH, 0),
        ("00", 1, DamageKind.RECORD_LENGTH, 0),
        ("0e000000010100", 1, DamageKind.RECORD_LENGTH, 0),
        ("feffffff0f00", 1, DamageKind.RECORD_LENGTH, 0),
        ("808080808000", 1, DamageKind.VARINT, 0),
        ("8080808010", 1, DamageKind.VARINT, 0),
        ("ff", 1, DamageKind.VARINT, 0),
        ("0c000000030100", 1, DamageKind.FIELD_LENGTH, 4),
        ("0c000000080100", 1, DamageKind.FIELD_LENGTH, 4),
        ("14000000feffffff0f0100", 1, DamageKind.FIELD_LENGTH, 4),
        ("0c000000010101", 1, DamageKind.HEADER_COUNT, 6),
        ("0c000000010102", 1, DamageKind.HEADER_COUNT, 6),
        ("10000000010102" "0101", 1, DamageKind.FIELD_LENGTH, 7),
        ("14000000" "0101" "feffffff0f", 1, DamageKind.HEADER_COUNT, 6),
        ("0c000002010100", 1, DamageKind.RECORD_OFFSET, 0),
        ("0c000001010100", 1, DamageKind.RECORD_OFFSET, 0),
        ("0c000000010100" "0c000000010100", 2, DamageKind.RECORD_OFFSET, 7),
        ("0e000000010100" "00", 1, DamageKind.RECORD_LENGTH, 0),
    ],
)  # fmt: skip
def test_a_record_that_lies_names_its_byte(body: str, count: int, kind: DamageKind, place: int) -> None:
    data = with_body(bytes.fromhex(body), count) + single_at(9)
    rows = rows_of(data)
    assert places(rows) == [(kind, 61 + place)]
    assert len(rows) == 2


@pytest.mark.parametrize(
    ("records", "kind"),
    [
        ([Record(0, 0, None, bytes(6))], DamageKind.CONTROL_KEY),
        ([Record(0, 0, b"\0\0\0", bytes(6))], DamageKind.CONTROL_KEY),
        ([Record(0, 0, b"\xff\xff\0\1", bytes(6))], DamageKind.CONTROL_VERSION),
        ([Record(0, 0, b"\0\0\0\1", None)], DamageKind.CONTROL_VALUE),
        ([Record(0, 0, b"\0\0\0\1", bytes(5))], DamageKind.CONTROL_VALUE),
        ([Record(0, 0, b"\0\0\0\1", b"\x80" + bytes(5))], DamageKind.CONTROL_VERSION),
        (
            [Record(0, 0, b"\0\0\0\1", bytes(6)), Record(1, 0, b"\0\0\0\1", bytes(6))],
            DamageKind.CONTROL_COUNT,
        ),
    ],
)
def test_a_control_record_that_says_nothing(records: list[Record], kind: DamageKind) -> None:
    (row,) = rows_of(encode_batch(records, is_control=True))
    assert isinstance(row, BatchRow)
    assert row.control is None
    assert [damage.kind for damage in row.damage] == [kind]
    assert list(row.records) == records


# Any bytes


def check_any(data: bytes) -> None:
    """Check what must hold for every input: rows are in order and inside the file, and each damage is inside the
    file.
    """
    rows = rows_of(data)
    position = 0
    for row in rows:
        assert row.position == position
        size = row.header.size if isinstance(row, BatchRow) else row.size
        assert size > 0
        position += size
        assert position <= len(data)
        for damage in row.damage:
            assert 0 <= damage.position <= len(data)
            assert str(damage)
    assert all(not damage.ends_file for row in rows[:-1] for damage in row.damage)
    ended = bool(rows) and any(damage.ends_file for damage in rows[-1].damage)
    assert ended or position == len(data)


@settings(max_examples=300)
@given(st.binary(max_size=400))
def test_random_bytes_are_rows_or_damage(data: bytes) -> None:
    check_any(data)


@settings(max_examples=300)
@given(st.data())
def test_a_real_segment_with_random_wounds(data: st.DataObject) -> None:
    segment = bytearray(COMMITTED)
    for _ in range(data.draw(st.integers(1, 8))):
        segment[data.draw(st.integers(0, len(segment) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(segment)))
    check_any(bytes(segment[:cut]))


@settings(max_examples=300)
@given(st.binary(max_size=120), st.integers(0, 50), st.booleans())
def test_random_records_behind_a_true_checksum(body: bytes, count: int, is_control: bool) -> None:
    batch = with_body(body, count)
    if is_control:
        batch = resealed(patched(batch, 22, b"\x20"))
    check_any(batch + single_at(99))


def test_a_file_of_the_smallest_stretches_gives_a_row_for_each() -> None:
    unknown = struct.pack(">qiib", 0, 14, 0, 9) + bytes(9)
    legacy = struct.pack(">qiib", 2**60, 14, 0, 0) + bytes(9)
    rows = rows_of((unknown + legacy) * 2000)
    assert [type(row) for row in rows] == [DamageRow, LegacyRow] * 2000


def test_a_decompressor_that_fails_is_damage() -> None:
    log = KAFKA_LOGS / "i_compression" / "comp-gzip-0" / "00000000000000000000.log"

    def fail(data: bytes, size_max: int) -> bytes:
        raise ValueError("bad block")

    def short(data: bytes, size_max: int) -> bytes:
        return b"\x0c"

    for decompressor, kind in ((fail, DamageKind.DECOMPRESSION), (short, DamageKind.RECORD_LENGTH)):
        rows = list(SegmentReader(decompressors={"gzip": decompressor}).rows(log.read_bytes(), 0))
        assert places(rows[:1]) == [(kind, 61)]


@pytest.mark.parametrize("mode", [Records.CHECK, Records.SKIP])
def test_millions_of_records_in_one_batch_need_not_be_kept(mode: Records) -> None:
    tiny = bytes.fromhex("0c000000010100")
    count = 20_000
    body = b"".join(tiny[:3] + bytes([(index % 64) * 2]) + tiny[4:] for index in range(count))
    data = with_body(body, count)
    (row,) = SegmentReader(records=mode).rows(data)
    assert isinstance(row, BatchRow)
    assert row.records == ()
    # Offset deltas that decrease are damage, which is found only when the records are read.
    read = (64, [(DamageKind.RECORD_OFFSET, 61 + 64 * 7)]) if mode is Records.CHECK else (0, [])
    assert (row.records_read, places([row])) == read


def test_the_record_of_a_marker_is_kept_whatever_happens_to_others() -> None:
    for mode in Records:
        (row,) = SegmentReader(records=mode).rows(encode_marker_at(0))
        assert isinstance(row, BatchRow)
        assert row.control is not None
        assert row.control.type_name == "COMMIT"
