"""Conversion between batches of the engine's log and their bytes, in both directions.

The hidden serials of records are not written; the bytes have the format of a real log.
"""

from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import BatchHeader, encode_batch, encode_marker
from engine.codec.segment import BatchRow, SegmentReader
from engine.messages import BatchContent, RecordBatch


def bytes_of(batch: RecordBatch) -> bytes:
    """The bytes of a stored batch, as Kafka writes it. Each record has a value of one byte, and the batch's
    timestamp. Raises ValueError if the batch has no offset yet, KeyError for a control batch without a known
    type."""
    if batch.base_offset < 0:
        raise ValueError("a batch without a base offset has no place in a log")
    if batch.is_control:
        return encode_marker(
            ControlType[str(batch.control_type)],
            batch.coordinator_epoch,
            producer_id=batch.producer_id,
            producer_epoch=batch.producer_epoch,
            timestamp=batch.max_timestamp,
            base_offset=batch.base_offset,
            partition_leader_epoch=batch.leader_epoch,
        )
    content = batch.content or BatchContent()
    deltas = range(batch.record_count) if content.offset_deltas is None else content.offset_deltas
    keys = content.keys or (None,) * batch.record_count
    records = [
        Record(
            batch.base_offset + delta, batch.max_timestamp, None if key is None else str(key).encode(), b"x"
        )
        for delta, key in zip(deltas, keys, strict=True)
    ]
    return encode_batch(
        records,
        base_offset=batch.base_offset,
        partition_leader_epoch=batch.leader_epoch,
        producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch,
        base_sequence=batch.base_sequence,
        is_transactional=batch.is_transactional,
        last_offset_delta=batch.last_offset_delta,
    )


def message_of(row: BatchRow, timestamp: int) -> RecordBatch:
    """A batch that was read from a segment, as a stored batch of the engine. ``timestamp``: the batch's
    timestamp in ms, counted from the time that the caller counts as 0."""
    header: BatchHeader = row.header
    content = None
    deltas = tuple(record.offset - header.base_offset for record in row.records)
    if row.records and deltas != tuple(range(header.last_offset_delta + 1)):
        content = BatchContent(offset_deltas=deltas)
    return RecordBatch(
        record_count=header.record_count,
        last_offset_delta=header.last_offset_delta,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        last_sequence=header.last_sequence,
        is_transactional=header.is_transactional,
        is_control=header.is_control,
        control_type=None if row.control is None else row.control.type_name,
        coordinator_epoch=coordinator_epoch_of(row),
        max_timestamp=timestamp,
        size=header.size,
        base_offset=header.base_offset,
        leader_epoch=header.partition_leader_epoch,
        content=content,
    )


def coordinator_epoch_of(row: BatchRow) -> int:
    """The coordinator epoch in the batch's marker; -1 if the batch has no readable marker."""
    if row.control is None or row.control.coordinator_epoch is None:
        return -1
    return row.control.coordinator_epoch


def read_back(data: bytes) -> list[RecordBatch]:
    """The batches in a segment's bytes. Raises ValueError, with the first place that is not a whole batch."""
    batches = []
    for row in SegmentReader().rows(data):
        if not isinstance(row, BatchRow) or row.damage:
            raise ValueError(f"byte {row.position}: not a whole batch: {row.damage}")
        batches.append(message_of(row, row.header.max_timestamp))
    return batches
