"""One record of a batch with magic 2, and the sequence of records after a batch header.

Source: KIP-82 (headers), KIP-98, Kafka's `DefaultRecord`. The fields of a record are: length varint,
attributes int8 (unused), timestamp delta varlong, offset delta varint, key, value (each a varint length, -1
for null, then bytes), header count varint, headers (key, value).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.codec.damage import Damage, DamagedError, DamageKind, damaged
from engine.codec.varint import read_varint, read_varlong, write_varint, write_varlong


class Header(NamedTuple):
    """A header of a record. In Kafka its key is UTF-8 text; here it is bytes, because a file may hold anything."""

    key: bytes
    value: bytes | None


class Record(NamedTuple):
    """One record with its absolute offset. It is a tuple to save memory, because a segment may have millions
    of records."""

    offset: int
    timestamp: int
    """Milliseconds since 1970; -1: none. The attributes of the batch say whether it is the time of creation
    or of the append."""
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordFrame:
    """The fields of the batch header that its records need."""

    base_offset: int
    last_offset_delta: int
    base_timestamp: int
    append_timestamp: int | None
    """In a batch with LogAppendTime: its maximum timestamp, which all its records have. Otherwise None."""


def encode_record(record: Record, frame: RecordFrame) -> bytes:
    """The bytes of `record` inside a batch. Raises ValueError when a delta or a length does not fit its
    field.
    """
    body = bytearray(b"\0")
    body += write_varlong(record.timestamp - frame.base_timestamp)
    body += write_varint(record.offset - frame.base_offset)
    body += _sized(record.key)
    body += _sized(record.value)
    body += write_varint(len(record.headers))
    for header in record.headers:
        body += _sized(header.key)
        body += _sized(header.value)
    return write_varint(len(body)) + bytes(body)


def _sized(field: bytes | None) -> bytes:
    return write_varint(-1) if field is None else write_varint(len(field)) + field


class RecordsRead(NamedTuple):
    """The result of reading a sequence of records."""

    records: tuple[Record, ...]
    """The records before the first damaged byte; empty when records were only checked."""
    whole: int
    """Number of records that were read whole."""
    damage: Damage | None


def decode_records(
    data: bytes, position: int, count: int, frame: RecordFrame, at: int = 0, *, keep: bool = True
) -> RecordsRead:
    """Read the `count` records from `position` to the end of `data`, up to the first damaged byte. Never
    raises. `at` is added to the positions of damage. ``keep`` False: the records are checked and not
    returned."""
    records: list[Record] = []
    delta_min, index = 0, 0
    try:
        for index in range(count):
            if position == len(data):
                raise damaged(DamageKind.RECORD_COUNT, at + position, count, index)
            record, behind = _decode_record(data, position, frame, at)
            delta = record.offset - frame.base_offset
            if not delta_min <= delta <= frame.last_offset_delta:
                expected = f"{delta_min}..{frame.last_offset_delta}"
                raise damaged(DamageKind.RECORD_OFFSET, at + position, expected, delta)
            if keep:
                records.append(record)
            position, delta_min = behind, delta + 1
        index = count
        if position < len(data):
            raise damaged(DamageKind.TRAILING_BYTES, at + position, "0 B", f"{len(data) - position} B")
    except DamagedError as error:
        return RecordsRead(tuple(records), index, error.damage)
    return RecordsRead(tuple(records), index, None)


def _decode_record(data: bytes, position: int, frame: RecordFrame, at: int) -> tuple[Record, int]:
    start = position
    length, position = read_varint(data, position, len(data), at)
    end = position + length
    if not 1 <= length <= len(data) - position:
        raise damaged(DamageKind.RECORD_LENGTH, at + start, f"1..{len(data) - position}", length)
    timestamp_delta, position = read_varlong(data, position + 1, end, at)
    offset_delta, position = read_varint(data, position, end, at)
    key, position = _read_sized(data, position, end, at)
    value, position = _read_sized(data, position, end, at)
    headers, position = _read_headers(data, position, end, at)
    if position != end:
        raise damaged(DamageKind.RECORD_LENGTH, at + start, length - (end - position), length)
    timestamp = frame.append_timestamp
    if timestamp is None:
        timestamp = frame.base_timestamp + timestamp_delta
    return Record(frame.base_offset + offset_delta, timestamp, key, value, headers), end


def _read_sized(data: bytes, position: int, end: int, at: int) -> tuple[bytes | None, int]:
    """A field that follows its varint length (None for length -1), and the position after it."""
    start = position
    length, position = read_varint(data, position, end, at)
    if length == -1:
        return None, position
    if length < -1:
        raise damaged(DamageKind.FIELD_LENGTH, at + start, "≥ -1", length)
    if length > end - position:
        raise damaged(DamageKind.FIELD_LENGTH, at + start, f"≤ {end - position}", length)
    return data[position : position + length], position + length


def _read_headers(data: bytes, position: int, end: int, at: int) -> tuple[tuple[Header, ...], int]:
    start = position
    count, position = read_varint(data, position, end, at)
    # A header takes at least two bytes, so a count above half of the remaining bytes is wrong.
    if not 0 <= count <= (end - position) // 2:
        raise damaged(DamageKind.HEADER_COUNT, at + start, f"0..{(end - position) // 2}", count)
    headers = []
    for _ in range(count):
        key_start = position
        key, position = _read_sized(data, position, end, at)
        if key is None:
            raise damaged(DamageKind.FIELD_LENGTH, at + key_start, "≥ 0", -1)
        value, position = _read_sized(data, position, end, at)
        headers.append(Header(key, value))
    return tuple(headers), position


def first_timestamp(records: Sequence[Record]) -> int:
    """The base timestamp of a batch with `records`: the timestamp of the first one; -1 when there is none."""
    return records[0].timestamp if records else -1
