"""The record batch, magic 2: its header of 61 bytes, to bytes and back (MSG-2).

Source: KIP-98, Kafka's `DefaultRecordBatch`. Layout, big endian, with the byte where each field starts:

    0 base offset i64    8 batch length i32 (bytes after this field)    12 partition leader epoch i32
    16 magic i8          17 CRC-32C u32 of everything from byte 21       21 attributes i16
    23 last offset delta i32    27 base timestamp i64    35 max timestamp i64
    43 producer id i64   51 producer epoch i16   53 base sequence i32    57 record count i32    61 records

The checksum does not cover the first 21 bytes: the broker rewrites offset and leader epoch on append.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from engine.broker.sequence import increment
from engine.codec.buffers import Buffer, Checksum
from engine.codec.control_record import ControlType, encode_control_key, encode_marker_value
from engine.codec.crc32c import crc32c
from engine.codec.record import Record, RecordFrame, encode_record, first_timestamp
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE

MAGIC = 2
HEADER_BYTES = 61
OVERHEAD_BYTES = 12
"""Size of base offset and batch length, the two fields before the bytes that the batch length counts."""
LENGTH_POSITION = 8
MAGIC_POSITION = 16
CRC_POSITION = 17
ATTRIBUTES_POSITION = 21
LAST_OFFSET_DELTA_POSITION = 23
RECORD_COUNT_POSITION = 57
LENGTH_MIN = HEADER_BYTES - OVERHEAD_BYTES

HEADER_FORMAT = ">qiibIhiqqqhii"
"""The fields of `BatchHeader`, as format characters of `struct`."""
_HEADER = struct.Struct(HEADER_FORMAT)
_CHECKED = struct.Struct(">hiqqqhii")
_UNCHECKED = struct.Struct(">qiibI")

CODEC_MASK = 0x07
_LOG_APPEND_TIME = 0x08
_TRANSACTIONAL = 0x10
_CONTROL = 0x20
_DELETE_HORIZON = 0x40

CODEC_NAMES = ("none", "gzip", "snappy", "lz4", "zstd")
"""Kafka's names, by the code in the lowest three attribute bits."""

TimestampType = Literal["CreateTime", "LogAppendTime"]


class Attribute(IntEnum):
    """The attribute bits that do not belong to the codec."""

    LOG_APPEND_TIME = _LOG_APPEND_TIME
    TRANSACTIONAL = _TRANSACTIONAL
    CONTROL = _CONTROL
    DELETE_HORIZON = _DELETE_HORIZON


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchHeader:
    """The header with exactly the values in its bytes. They are not checked, so that a damaged header can be
    read, too."""

    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def size(self) -> int:
        """Bytes of the whole batch."""
        return self.batch_length + OVERHEAD_BYTES

    @property
    def last_offset(self) -> int:
        """The last offset of the batch. It stays the same when the log cleaner removes the last records."""
        return self.base_offset + self.last_offset_delta

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record; -1 when the batch has no sequence (SEQ-3)."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return increment(self.base_sequence, self.last_offset_delta)

    @property
    def codec_code(self) -> int:
        return self.attributes & CODEC_MASK

    @property
    def codec(self) -> str:
        """Kafka's name of the compression codec; `unknown` for codes 5 to 7."""
        return CODEC_NAMES[self.codec_code] if self.codec_code < len(CODEC_NAMES) else "unknown"

    @property
    def timestamp_type(self) -> TimestampType:
        return "LogAppendTime" if self.attributes & _LOG_APPEND_TIME else "CreateTime"

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & _TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & _CONTROL)

    @property
    def delete_horizon_ms(self) -> int | None:
        """The time in milliseconds since 1970 from which the cleaner may drop tombstones and markers
        (KIP-534); None: the batch has none. It is stored in the field of the base timestamp."""
        return self.base_timestamp if self.attributes & _DELETE_HORIZON else None

    @property
    def frame(self) -> RecordFrame:
        """The fields of this header that each record needs."""
        append_timestamp = self.max_timestamp if self.timestamp_type == "LogAppendTime" else None
        return RecordFrame(self.base_offset, self.last_offset_delta, self.base_timestamp, append_timestamp)


def decode_header(data: Buffer, position: int = 0) -> BatchHeader:
    """The 61 bytes at `position` as a header. Raises ValueError when there are fewer."""
    if len(data) - position < HEADER_BYTES:
        raise ValueError(f"a batch header has {HEADER_BYTES} bytes, found {max(0, len(data) - position)}")
    return header_of(_HEADER.unpack_from(data, position))


def header_of(fields: Sequence[int]) -> BatchHeader:
    """The header from its values in the order of HEADER_FORMAT."""
    return BatchHeader(
        base_offset=fields[0],
        batch_length=fields[1],
        partition_leader_epoch=fields[2],
        magic=fields[3],
        crc=fields[4],
        attributes=fields[5],
        last_offset_delta=fields[6],
        base_timestamp=fields[7],
        max_timestamp=fields[8],
        producer_id=fields[9],
        producer_epoch=fields[10],
        base_sequence=fields[11],
        record_count=fields[12],
    )


def encode_batch(
    records: Sequence[Record],
    *,
    base_offset: int = 0,
    partition_leader_epoch: int = -1,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    is_transactional: bool = False,
    is_control: bool = False,
    append_timestamp: int | None = None,
    last_offset_delta: int | None = None,
    checksum: Checksum = crc32c,
) -> bytes:
    """The bytes of an uncompressed batch that holds `records`, whose offsets and timestamps are absolute.
    With `append_timestamp` it is a batch with LogAppendTime. `last_offset_delta`: for a batch whose last
    records the cleaner removed. Raises ValueError if a number does not fit its field."""
    base_timestamp = first_timestamp(records)
    if last_offset_delta is None:
        last_offset_delta = records[-1].offset - base_offset if records else 0
    frame = RecordFrame(base_offset, last_offset_delta, base_timestamp, append_timestamp)
    max_timestamp = append_timestamp
    if max_timestamp is None:
        max_timestamp = max((record.timestamp for record in records), default=-1)
    attributes = _LOG_APPEND_TIME if append_timestamp is not None else 0
    attributes |= _TRANSACTIONAL if is_transactional else 0
    attributes |= _CONTROL if is_control else 0
    body = b"".join(encode_record(record, frame) for record in records)
    identity = (producer_id, producer_epoch, base_sequence)
    try:
        checked = _CHECKED.pack(
            attributes, last_offset_delta, base_timestamp, max_timestamp, *identity, len(records)
        )
        length = LENGTH_MIN + len(body)
        crc = checksum(checked + body)
        return _UNCHECKED.pack(base_offset, length, partition_leader_epoch, MAGIC, crc) + checked + body
    except struct.error as error:
        raise ValueError(f"a number does not fit its field in the batch header: {error}") from None


def encode_marker(
    control_type: ControlType,
    coordinator_epoch: int,
    *,
    producer_id: int,
    producer_epoch: int,
    timestamp: int,
    base_offset: int = 0,
    partition_leader_epoch: int = -1,
    checksum: Checksum = crc32c,
) -> bytes:
    """The bytes of a COMMIT or ABORT marker: a transactional control batch of one record, without a
    sequence.
    """
    key, value = encode_control_key(control_type), encode_marker_value(coordinator_epoch)
    return encode_batch(
        [Record(base_offset, timestamp, key, value)],
        base_offset=base_offset,
        partition_leader_epoch=partition_leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        is_transactional=True,
        is_control=True,
        checksum=checksum,
    )
