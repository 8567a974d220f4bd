"""The facts about one batch that the analysis needs, as a flat tuple."""

from typing import NamedTuple

from engine.codec.record_batch import BatchHeader
from engine.codec.segment import BatchRow, DamageRow, LegacyRow, Row

Range = tuple[int, int]
"""A range of offsets: the first and the last one, both inclusive."""

EMPTIED = "EMPTIED"
"""The control type of a control batch whose record the log cleaner has removed. Its original type is
unknown."""
UNKNOWN_END = "UNTOLD"
"""The control type of a control batch in a dump without records. The batch may be a COMMIT or an ABORT
marker."""


class BatchFacts(NamedTuple):
    """What is known about one part of a segment's file: a batch, an entry of an older format, damage, or
    reserved space."""

    file: str
    position: int
    """The byte of the file at which this part starts."""
    magic: int = -1
    """The version of the batch's format. -1 for damage of unknown format, and for reserved space."""
    base_offset: int = -1
    last_offset: int = -1
    records: int = 0
    offsets: tuple[Range, ...] = ()
    """The offsets of the existing records, including control records. Only the log cleaner leaves holes
    between them. Empty if the batch has no records left, and for parts that are no batch."""
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    last_sequence: int = -1
    is_transactional: bool = False
    control_type: str | None = None
    """`COMMIT`, `ABORT`, another of Kafka's names, EMPTIED or UNKNOWN_END. None for data, and for parts that
    are no batch."""
    coordinator_epoch: int = -1
    max_timestamp: int = -1
    damage: str | None = None
    """What is damaged, and where: one text for all damage in this part. None if nothing is damaged."""

    @property
    def is_reserved(self) -> bool:
        """Whether this is space that `log.preallocate` reserved: the reader found only zeros there."""
        return self.magic < 0 and self.damage is None


class Layout(NamedTuple):
    """What a lane shows of a batch in addition to its facts. The analysis does not need it."""

    size: int = -1
    """The size of the batch in bytes, with its header; -1 if unknown."""
    codec: str = "none"
    leader_epoch: int = -1


def layout_of(row: Row) -> Layout:
    """The layout of one part of a segment's file, as it was read."""
    if isinstance(row, BatchRow):
        return Layout(row.header.size, row.header.codec, row.header.partition_leader_epoch)
    return Layout(row.size)


def batch_facts(file: str, row: Row) -> BatchFacts:
    """The facts of `row`, one part of a segment's file, which was read from the file named `file`."""
    damage = "; ".join(map(str, row.damage)) or None
    if isinstance(row, DamageRow) and row.is_reserved:
        return BatchFacts(file, row.position)
    if isinstance(row, LegacyRow):
        return BatchFacts(file, row.position, row.magic, row.base_offset, row.base_offset, damage=damage)
    if not isinstance(row, BatchRow):
        return BatchFacts(file, row.position, damage=damage)
    header, control = row.header, row.control
    control_type = None
    if header.is_control:
        control_type = control.type_name if control is not None else EMPTIED
    return BatchFacts(
        file=file,
        position=row.position,
        magic=header.magic,
        base_offset=header.base_offset,
        last_offset=header.last_offset,
        records=header.record_count,
        offsets=_offsets(header, row),
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        last_sequence=header.last_sequence,
        is_transactional=header.is_transactional,
        control_type=control_type,
        coordinator_epoch=_coordinator_epoch(row),
        max_timestamp=header.max_timestamp,
        damage=damage,
    )


def _coordinator_epoch(row: BatchRow) -> int:
    if row.control is None or row.control.coordinator_epoch is None:
        return -1
    return row.control.coordinator_epoch


def _offsets(header: BatchHeader, row: BatchRow) -> tuple[Range, ...]:
    if has_every_record(header):
        return every_offset(header.base_offset, header.last_offset, header.record_count)
    return merged([(record.offset, record.offset) for record in row.records])


def has_every_record(header: BatchHeader) -> bool:
    """Whether the header alone shows which offsets exist, because the batch has all of its records or
    none."""
    return header.record_count in (0, header.last_offset_delta + 1)


def every_offset(base_offset: int, last_offset: int, records: int) -> tuple[Range, ...]:
    """The offsets in a batch that has all of its records or none."""
    return ((base_offset, last_offset),) if records else ()


def merged(ranges: list[Range]) -> tuple[Range, ...]:
    """`ranges` in ascending order. Ranges that touch or overlap are merged."""
    joined: list[Range] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def clipped(ranges: tuple[Range, ...], start: int, end: int) -> tuple[Range, ...]:
    """Those offsets of `ranges` that are at least `start` and less than `end`, as ranges."""
    return tuple(
        (max(first, start), min(last, end - 1)) for first, last in ranges if last >= start and first < end
    )
