"""A log segment: the rows of a `.log` file, read one by one from its bytes, each with its place in the file.

A damaged place becomes part of a row, never an exception. Reading continues after it if the next batch can be
located. Only the batch length locates the next batch, so an impossible length ends the file. The memory used
is limited to one batch.

Source: Kafka's `FileRecords`, `ByteBufferLogInputStream` and `DumpLogSegments`. The checksum does not cover
the length; when a batch fails its checksum and no batch follows, the length itself is reported.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from engine.codec.buffers import Buffer, Checksum, Decompressors
from engine.codec.control_record import ControlRecord, decode_control_record
from engine.codec.crc32c import crc32c
from engine.codec.damage import Damage, DamagedError, DamageKind
from engine.codec.record import Record, RecordsRead, decode_records
from engine.codec.record_batch import (
    ATTRIBUTES_POSITION,
    CODEC_NAMES,
    CRC_POSITION,
    HEADER_BYTES,
    LAST_OFFSET_DELTA_POSITION,
    LENGTH_MIN,
    LENGTH_POSITION,
    MAGIC,
    MAGIC_POSITION,
    OVERHEAD_BYTES,
    RECORD_COUNT_POSITION,
    BatchHeader,
    decode_header,
)
from engine.messages import INT_MAX, LONG_MAX

LEGACY_LENGTH_MIN = 14
"""The smallest possible length of a message with magic 0, in bytes (Kafka's `LegacyRecord`)."""
LEGACY_NAMES = {0: "message format v0 (before 0.10)", 1: "message format v1 (0.10 to 0.10.2)"}
FRAME_BYTES = MAGIC_POSITION + 1
"""The bytes from the start of a batch that are needed to know its size and format."""
DECOMPRESSED_BYTES_MAX = 256 * 1024 * 1024
"""A decompressor may return at most this many bytes for one batch."""

NOTHING_READ = RecordsRead((), 0, None)

_FRAME = struct.Struct(">qiib")
_ZERO_CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """A batch with magic 2, whole or with damage inside."""

    position: int
    """Byte of the file where the batch starts."""
    header: BatchHeader
    computed_crc: int
    records: tuple[Record, ...] = ()
    """The records before the first damaged byte; empty when the reader drops records."""
    records_read: int = 0
    """The number of records that were read completely, kept or not."""
    control: ControlRecord | None = None
    """The batch's control record; None for data, and when no such record can be read."""
    codec_not_read: str | None = None
    """The codec's name when the records are compressed and no decompressor was passed in for it."""
    damage: tuple[Damage, ...] = ()

    @property
    def crc_ok(self) -> bool:
        return self.header.crc == self.computed_crc

    @property
    def has_unknown_end(self) -> bool:
        """Whether this is an undamaged marker whose type is unknown, because a printed dump may leave records out."""
        header = self.header
        is_marker = header.is_control and header.is_transactional and header.record_count > 0
        return is_marker and self.control is None and not self.damage


@dataclass(frozen=True, slots=True, kw_only=True)
class LegacyRow:
    """An entry of a message set with magic 0 or 1. It is reported, but its records are not read."""

    position: int
    base_offset: int
    size: int
    magic: int
    damage: tuple[Damage, ...] = ()

    @property
    def format_name(self) -> str:
        return LEGACY_NAMES[self.magic]


@dataclass(frozen=True, slots=True, kw_only=True)
class DamageRow:
    """A range of bytes in the file that is not a batch."""

    position: int
    size: int
    """The number of bytes up to the next batch, or to the end of the file."""
    damage: tuple[Damage, ...]

    @property
    def is_reserved(self) -> bool:
        """Whether the range is only zeros after the last batch: usually the space that `log.preallocate` reserved."""
        return all(one.kind is DamageKind.ZEROS for one in self.damage)


Row = BatchRow | LegacyRow | DamageRow


class Records(Enum):
    """What the reader does with the records of data batches. It always keeps the record of a control batch."""

    KEEP = "keep"
    CHECK = "check"
    """Records are read to find damage, and dropped, so that a batch of millions of tiny records uses no memory."""
    SKIP = "skip"
    """Records are not read; the checksum still covers their bytes."""
    HOLES = "holes"
    """Records are kept in batches from which the log cleaner removed some, because only the records show the
    offsets. Other records are not read."""
    CHECK_AND_HOLES = "check_and_holes"
    """Records are kept in batches from which the log cleaner removed some. Other records are read to find
    damage, and dropped."""


@dataclass(frozen=True, slots=True)
class SegmentReader:
    """How segments are read: what happens to records, and which compiled functions replace the pure ones."""

    records: Records = Records.KEEP
    checksum: Checksum = crc32c
    decompressors: Decompressors = field(default_factory=dict)

    def rows(self, data: Buffer, base_offset: int | None = None, offset_min: int = 0) -> Iterator[Row]:
        """The rows of one segment, in the order of the file.

        `base_offset`: the offset in the segment's file name; None when unknown. `offset_min`: the lowest
        allowed first offset, because of the segment before.
        """
        view = memoryview(data)
        offset_max = LONG_MAX if base_offset is None else min(LONG_MAX, base_offset + INT_MAX)
        offset_min = max(offset_min, base_offset or 0)
        position = 0
        while position < len(view):
            row = self.row(view, position, range(offset_min, offset_max + 1))
            yield row
            if any(damage.ends_file for damage in row.damage):
                return
            # A row that breaks the order is reported once, because later rows are compared with it.
            offset_min = offset_behind(row, offset_min)
            position += row.header.size if isinstance(row, BatchRow) else row.size

    def row(self, view: memoryview, position: int, offsets: range) -> Row:
        """The row at `position`, which is inside `view`. `offsets`: the range in which its first offset must be."""
        remaining = len(view) - position
        framing = _frame_damage(view, position)
        if framing is not None:
            return DamageRow(position=position, size=remaining, damage=(framing,))
        base_offset, length, _, magic = _FRAME.unpack_from(view, position)
        size = length + OVERHEAD_BYTES
        if magic in LEGACY_NAMES:
            order = _offset_damage(base_offset, position, offsets)
            return LegacyRow(position=position, base_offset=base_offset, size=size, magic=magic, damage=order)
        if magic != MAGIC:
            found = Damage(DamageKind.MAGIC, position + MAGIC_POSITION, "0..2", str(magic))
            return DamageRow(
                position=position, size=size, damage=(found, *_length_doubt(view, position, size))
            )
        return self._batch(view, position, size, offsets)

    def _batch(self, view: memoryview, position: int, size: int, offsets: range) -> BatchRow:
        """The batch with magic 2 at `position`; all its `size` bytes are in the file."""
        batch = bytes(view[position : position + size])
        header = decode_header(batch)
        computed_crc = self.checksum(batch[ATTRIBUTES_POSITION:])
        damage = list(_offset_damage(header.base_offset, position, offsets))
        if computed_crc != header.crc:
            expected, found = f"{computed_crc:#010x}", f"{header.crc:#010x}"
            damage.append(Damage(DamageKind.CRC, position + CRC_POSITION, expected, found))
            damage.extend(_length_doubt(view, position, size))
        counts = _count_damage(header, position)
        damage.extend(counts)
        read, control, codec_not_read = NOTHING_READ, None, None
        if not counts:
            codec_not_read = self._codec_not_read(header)
            if codec_not_read is None:
                read = self._read_records(batch, header, position)
            if header.is_control and codec_not_read is None and read.damage is None:
                control, fault = _control(header, read.records, position)
                damage.extend(fault)
        if read.damage is not None:
            damage.append(read.damage)
        return BatchRow(
            position=position,
            header=header,
            computed_crc=computed_crc,
            records=read.records,
            records_read=read.whole,
            control=control,
            codec_not_read=codec_not_read,
            damage=tuple(damage),
        )

    def _codec_not_read(self, header: BatchHeader) -> str | None:
        """The codec's name if the records are compressed and there is no decompressor for it."""
        known = 0 < header.codec_code < len(CODEC_NAMES)
        return header.codec if known and header.codec not in self.decompressors else None

    def _read_records(self, batch: bytes, header: BatchHeader, position: int) -> RecordsRead:
        if header.codec_code >= len(CODEC_NAMES):
            at, expected = position + ATTRIBUTES_POSITION, f"0..{len(CODEC_NAMES) - 1}"
            return RecordsRead((), 0, Damage(DamageKind.CODEC, at, expected, str(header.codec_code)))
        wanted = header.is_control and header.record_count <= 1
        if self.records in (Records.HOLES, Records.CHECK_AND_HOLES):
            wanted = wanted or header.record_count <= header.last_offset_delta
        if self.records in (Records.SKIP, Records.HOLES) and not wanted:
            return NOTHING_READ
        keep = self.records is Records.KEEP or wanted
        if header.codec_code == 0:
            return decode_records(batch, HEADER_BYTES, header.record_count, header.frame, position, keep=keep)
        block = position + HEADER_BYTES
        try:
            plain = self.decompressors[header.codec](batch[HEADER_BYTES:], DECOMPRESSED_BYTES_MAX)
        except ValueError as error:
            return RecordsRead((), 0, Damage(DamageKind.DECOMPRESSION, block, header.codec, str(error)))
        read = decode_records(plain, 0, header.record_count, header.frame, keep=keep)
        if read.damage is None:
            return read
        # Bytes inside a compressed block have no position in the file, so the damage gets the position of the
        # block's first byte.
        return read._replace(damage=replace(read.damage, position=block))


def _frame_damage(view: memoryview, position: int) -> Damage | None:
    """Why the batch at `position` cannot be located, or None."""
    remaining = len(view) - position
    if remaining >= OVERHEAD_BYTES:
        base_offset, length = struct.unpack_from(">qi", view, position)
        if base_offset == 0 and length == 0 and _only_zeros(view[position:]):
            zeros = f"{remaining} × 0"
            return Damage(DamageKind.ZEROS, position, f"length ≥ {LENGTH_MIN}", zeros, ends_file=True)
    if remaining < FRAME_BYTES:
        expected, found = f"≥ {FRAME_BYTES} B", f"{remaining} B"
        return Damage(DamageKind.TRUNCATED_HEADER, position, expected, found, ends_file=True)
    _, length, _, magic = _FRAME.unpack_from(view, position)
    length_min = LENGTH_MIN if magic == MAGIC else LEGACY_LENGTH_MIN
    length_max = remaining - OVERHEAD_BYTES
    # If the magic is known, the file is assumed to be cut short; otherwise the length is assumed to be wrong.
    if length < length_min or (length > length_max and not 0 <= magic <= MAGIC):
        at, expected = position + LENGTH_POSITION, f"{length_min}..{length_max}"
        return Damage(DamageKind.LENGTH, at, expected, str(length), ends_file=True)
    if length > length_max:
        expected, found = f"{length + OVERHEAD_BYTES} B", f"{remaining} B"
        return Damage(DamageKind.TRUNCATED_BATCH, position, expected, found, ends_file=True)
    return None


def starts_like_segment(data: Buffer) -> bool:
    """Whether the first bytes are a batch of a known format that can be located."""
    view = memoryview(data)
    return _frame_damage(view, 0) is None and 0 <= _FRAME.unpack_from(view)[3] <= MAGIC


def _only_zeros(view: memoryview) -> bool:
    for start in range(0, len(view), _ZERO_CHUNK_BYTES):
        if any(view[start : start + _ZERO_CHUNK_BYTES]):
            return False
    return True


def _length_doubt(view: memoryview, position: int, size: int) -> tuple[Damage, ...]:
    """The damage of a doubtful length: the bytes after the damaged batch at `position` do not begin a batch."""
    follower = position + size
    if len(view) - follower < FRAME_BYTES:
        return ()
    _, length, _, magic = _FRAME.unpack_from(view, follower)
    if 0 <= magic <= MAGIC and length >= LEGACY_LENGTH_MIN:
        return ()
    at = position + LENGTH_POSITION
    expected, found = f"0..2 @ {follower + MAGIC_POSITION}", str(magic)
    return (Damage(DamageKind.LENGTH_SUSPECT, at, expected, found, ends_file=True),)


def offset_behind(row: Row, offset: int) -> int:
    """The lowest offset that may follow `row`; `offset` for a DamageRow.

    The last offset delta is not used when the checksum is wrong.
    """
    if isinstance(row, BatchRow) and row.crc_ok:
        return row.header.base_offset + max(0, row.header.last_offset_delta) + 1
    if isinstance(row, BatchRow):
        return row.header.base_offset + 1
    return row.base_offset + 1 if isinstance(row, LegacyRow) else offset


def _offset_damage(base_offset: int, position: int, offsets: range) -> tuple[Damage, ...]:
    """The damage of a base offset that is outside `offsets` (`LogSegment.append`). The checksum does not
    cover it."""
    if base_offset in offsets:
        return ()
    expected = f"{offsets.start}..{offsets.stop - 1}"
    return (Damage(DamageKind.BASE_OFFSET, position, expected, str(base_offset)),)


def _count_damage(header: BatchHeader, position: int) -> tuple[Damage, ...]:
    """The damage of header fields with values that no list of records can have."""
    if header.last_offset_delta < 0:
        at = position + LAST_OFFSET_DELTA_POSITION
        return (Damage(DamageKind.LAST_OFFSET_DELTA, at, "≥ 0", str(header.last_offset_delta)),)
    if not 0 <= header.record_count <= header.last_offset_delta + 1:
        at = position + RECORD_COUNT_POSITION
        expected = f"0..{header.last_offset_delta + 1}"
        return (Damage(DamageKind.RECORD_COUNT, at, expected, str(header.record_count)),)
    return ()


def _control(
    header: BatchHeader, records: tuple[Record, ...], position: int
) -> tuple[ControlRecord | None, tuple[Damage, ...]]:
    """The only record of a control batch, and its damage. The record is None if it is damaged or the cleaner
    removed it."""
    if header.record_count > 1:
        at = position + RECORD_COUNT_POSITION
        return None, (Damage(DamageKind.CONTROL_COUNT, at, "1", str(header.record_count)),)
    if not records:
        return None, ()
    try:
        return decode_control_record(records[0], position + HEADER_BYTES), ()
    except DamagedError as error:
        return None, (error.damage,)
