"""Converts batches from printed text or a bundle into lanes of the player. Their rows have the same types as
the rows of segments."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from engine.codec.control_record import ControlRecord, ControlType
from engine.codec.damage import Damage, DamageKind
from engine.codec.log_case import PrintedPartition
from engine.codec.partition_folder import PrintedSegment
from engine.codec.record_batch import (
    CODEC_NAMES,
    HEADER_FORMAT,
    LENGTH_MIN,
    MAGIC,
    OVERHEAD_BYTES,
    Attribute,
    BatchHeader,
)
from engine.codec.segment import BatchRow, DamageRow, LegacyRow, Row
from eosviz.pipeline.kafka_logs.bundle_lines import BatchLine, PartitionLine
from eosviz.pipeline.kafka_logs.bundle_writing import batch_line
from eosviz.pipeline.kafka_logs.case import Case
from eosviz.pipeline.kafka_logs.directories import PartitionDirectory

LaneLine = PartitionLine | BatchLine
_UNKNOWN = "UNKNOWN_"
_HEADER = struct.Struct(HEADER_FORMAT)


def lane_lines(case: Case, batches_max: int) -> Iterator[bytes]:
    """The partitions that were not read from folders, as JSON lines: for each partition one line, and then
    its batches. There are at most `batches_max` batches in all."""
    encoder = msgspec.json.Encoder()
    left = batches_max
    for read in (*case.partitions, *case.copies):
        if isinstance(read.directory, PartitionDirectory):
            continue
        batches = [batch_line(*one) for one, _ in zip(read.directory.shown(), range(left), strict=False)]
        left -= len(batches)
        if batches:
            partition = PartitionLine(read.partition.name, read.partition.log_start, read.start_source, -1)
            yield from (encoder.encode(line) + b"\n" for line in (partition, *batches))


def read_lanes(raw: Iterable[bytes]) -> list[PrintedPartition]:
    """The partitions in the lines that `lane_lines` wrote."""
    decoder = msgspec.json.Decoder(LaneLine)
    lanes: list[tuple[PartitionLine, list[BatchLine]]] = []
    for line in map(decoder.decode, raw):
        if isinstance(line, PartitionLine):
            lanes.append((line, []))
        else:
            lanes[-1][1].append(line)
    return [lane_of(partition.name, batches) for partition, batches in lanes]


def lane_of(name: str, batches: Sequence[BatchLine]) -> PrintedPartition:
    """One partition, with its batches in the order of the log."""
    first = min((line.segment for line in batches), default=0)
    return PrintedPartition(name, first, _rows(name, batches))


def _rows(name: str, batches: Sequence[BatchLine]) -> Iterator[PrintedSegment | Row]:
    for base_offset, group in groupby(batches, key=lambda line: line.segment):
        of_segment = list(group)
        size = max(max(0, line.position) + max(0, line.size) for line in of_segment)
        yield PrintedSegment(f"{name}/{base_offset:020}.log", base_offset, size)
        yield from map(row_of, of_segment)


def row_of(line: BatchLine) -> Row:
    """The row that the segment reader would make of this batch. If a number cannot be in a batch header, the
    row is one of damage."""
    position, size = max(0, line.position), max(0, line.size)
    damage = () if line.damage is None else (Damage(DamageKind.REPORTED, position, "–", "–"),)
    if line.magic in (0, 1):
        return LegacyRow(
            position=position, base_offset=line.base_offset, size=size, magic=line.magic, damage=damage
        )
    if line.magic < 0 and line.damage is None:
        zeros = Damage(DamageKind.ZEROS, position, f"length ≥ {LENGTH_MIN}", f"{size} × 0")
        return DamageRow(position=position, size=size, damage=(zeros,))
    header = _header(line)
    if header is None:
        damage = (Damage(DamageKind.REPORTED, position, "–", "–"),)
        return DamageRow(position=position, size=size, damage=damage)
    control = None if line.control_type is None else _control(line)
    return BatchRow(position=position, header=header, computed_crc=0, control=control, damage=damage)


def _header(line: BatchLine) -> BatchHeader | None:
    codec = CODEC_NAMES.index(line.codec) if line.codec in CODEC_NAMES else len(CODEC_NAMES)
    transactional = Attribute.TRANSACTIONAL if line.is_transactional else 0
    header = BatchHeader(
        base_offset=line.base_offset,
        batch_length=max(0, line.size - OVERHEAD_BYTES),
        partition_leader_epoch=line.leader_epoch,
        magic=line.magic,
        crc=0,
        attributes=codec | transactional | (0 if line.control_type is None else Attribute.CONTROL),
        last_offset_delta=line.last_offset - line.base_offset,
        base_timestamp=line.max_timestamp,
        max_timestamp=line.max_timestamp,
        producer_id=line.producer_id,
        producer_epoch=line.producer_epoch,
        base_sequence=line.base_sequence,
        record_count=line.records,
    )
    try:
        _HEADER.pack(*(getattr(header, name) for name in BatchHeader.__slots__))
    except struct.error:
        return None
    whole = header.base_offset >= 0 and 0 <= header.record_count <= header.last_offset_delta + 1
    return header if whole and header.magic == MAGIC else None


def _control(line: BatchLine) -> ControlRecord | None:
    """The control record of a batch. None if the batch has none, or if its type is unknown."""
    name = line.control_type or ""
    if name in ControlType.__members__:
        marker = name in (ControlType.COMMIT.name, ControlType.ABORT.name)
        return ControlRecord(0, ControlType[name], line.coordinator_epoch if marker else None)
    code = name.removeprefix(_UNKNOWN)
    return ControlRecord(0, int(code), None) if name != code and code.isdecimal() and len(code) < 6 else None
