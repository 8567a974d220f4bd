"""The facts of one batch that the analysis needs, as one flat row."""

from typing import NamedTuple

from engine.codec.record_batch import BatchHeader
from engine.codec.segment import BatchRow, DamageRow, LegacyRow, Row

Range = tuple[int, int]
"""The first and the last offset, both inclusive."""

EMPTIED = "EMPTIED"
"""The type of a control batch whose record was removed by the log cleaner, so that its real type is lost."""
UNKNOWN_END = "UNTOLD"
"""The type of a control batch in a dump without records: the batch may be a COMMIT or an ABORT marker."""


class BatchFacts(NamedTuple):
    """One part of a segment's file: a batch, an entry of an older format, damage, or reserved space."""

    file: str
    position: int
    """The byte of the file at which this part starts."""
    magic: int = -1
    """-1 for damage of unknown format, and for reserved space."""
    base_offset: int = -1
    last_offset: int = -1
    records: int = 0
    offsets: tuple[Range, ...] = ()
    """The offsets of the existing records, control records included. Only the log cleaner leaves holes. Empty
    if the batch has no records left, and for every part that is not a batch."""
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    last_sequence: int = -1
    is_transactional: bool = False
    control_type: str | None = None
    """`COMMIT`, `ABORT`, another of Kafka's names, EMPTIED or UNKNOWN_END; None for data and for parts that
    are not a batch."""
    coordinator_epoch: int = -1
    max_timestamp: int = -1
    damage: str | None = None
    """Each damaged place, and what is wrong there. None if nothing is damaged."""

    @property
    def is_reserved(self) -> bool:
        """Whether this is space that `log.preallocate` reserved, which the segment reader found to be zeros."""
        return self.magic < 0 and self.damage is None


class Layout(NamedTuple):
    """The properties of a batch that a lane shows in addition to its facts. The analysis does not need them."""

    size: int = -1
    """Bytes of the whole batch; -1 if unknown."""
    codec: str = "none"
    leader_epoch: int = -1


def layout_of(row: Row) -> Layout:
    """The layout of a segment's row."""
    if isinstance(row, BatchRow):
        return Layout(row.header.size, row.header.codec, row.header.partition_leader_epoch)
    return Layout(row.size)


def batch_facts(file: str, row: Row) -> BatchFacts:
    """The facts of `row`, which was read from `file`."""
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
    """Whether the header alone determines which offsets exist."""
    return header.record_count in (0, header.last_offset_delta + 1)


def every_offset(base_offset: int, last_offset: int, records: int) -> tuple[Range, ...]:
    """The offsets of a batch that has all of its records or none."""
    return ((base_offset, last_offset),) if records else ()


def merged(ranges: list[Range]) -> tuple[Range, ...]:
    """`ranges` in ascending order. Ranges that touch or overlap are joined."""
    joined: list[Range] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def clipped(ranges: tuple[Range, ...], start: int, end: int) -> tuple[Range, ...]:
    """The offsets of `ranges` from `start` (inclusive) to `end` (exclusive), as ranges."""
    return tuple(
        (max(first, start), min(last, end - 1)) for first, last in ranges if last >= start and first < end
    )
