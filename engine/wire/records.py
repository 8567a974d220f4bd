"""Converts between the records that clients send as bytes and the batches of the engine's logs.

The engine numbers the records of clients (serials) and does not have their bytes. So the bytes of a batch are
stored here under the serial of its first record, and consumers get them back with the offset and the leader epoch
from the log. A broker does the same, because the checksum does not cover these two fields. A batch that compaction
changed is encoded anew.
"""

from __future__ import annotations

import struct

from engine.broker.sequence import increment
from engine.codec.batch_message import bytes_of
from engine.codec.crc32c import crc32c
from engine.codec.record_batch import ATTRIBUTES_POSITION, HEADER_BYTES, MAGIC, BatchHeader, decode_header
from engine.messages import NO_SEQUENCE, RecordBatch
from engine.wire.wire_error import WireError

KEPT_BYTES_MAX = 64 * 1024 * 1024
RECORD_BYTES_MIN = 7
"""The smallest size of a record: its length, attributes, two deltas, key, value and headers take at least one
byte each."""
RECORDS_MAX = 100_000
"""A batch has at most this many records. A compressed batch may hold more than its bytes suggest."""
_OFFSET_AND_LENGTH = struct.Struct(">qii")


class KeptRecords:
    """The batches that clients have sent to one cluster, by the serial of their first record."""

    def __init__(self) -> None:
        self._batches: dict[int, bytes] = {}
        self._next_serial = 0
        self._bytes = 0

    def keep(self, batch: bytes, record_count: int) -> tuple[int, ...]:
        """Store the bytes of a batch; returns the serials of its records. Raises WireError when more than
        KEPT_BYTES_MAX would be stored."""
        if self._bytes + len(batch) > KEPT_BYTES_MAX:
            raise WireError(
                "the records",
                f"{self._bytes} bytes are kept already",
                f"at most {KEPT_BYTES_MAX} are: begin with a new broker",
            )
        first = self._next_serial
        self._batches[first] = batch
        self._bytes += len(batch)
        self._next_serial += record_count
        return tuple(range(first, self._next_serial))

    def bytes_of(self, stored: RecordBatch) -> bytes:
        """The bytes of a stored batch for a consumer. A batch that no client sent (a marker), or that
        compaction changed, is encoded anew."""
        sent = self._batches.get(stored.serials[0]) if stored.serials else None
        if sent is None or decode_header(sent).record_count != stored.record_count:
            return bytes_of(stored)
        _, length, _ = _OFFSET_AND_LENGTH.unpack_from(sent)
        placed = _OFFSET_AND_LENGTH.pack(stored.base_offset, length, stored.leader_epoch)
        return placed + sent[_OFFSET_AND_LENGTH.size :]


def batch_in(data: bytes | None, partition: str, kept: KeptRecords) -> RecordBatch:
    """Read the batch that a Produce request has for ``partition``; there must be exactly one. Its bytes are
    stored in ``kept``. Raises WireError for missing or wrong bytes. Source: `ProduceRequest.validateRecords`,
    `LogValidator.validateBatch` and `DefaultRecordBatch.ensureValid`."""
    place = f"records of {partition}"
    if data is None or len(data) < HEADER_BYTES:
        found = 0 if data is None else len(data)
        raise WireError(place, f"{found} bytes, a batch has at least {HEADER_BYTES}", "send one batch")
    header = decode_header(data)
    if header.magic != MAGIC:
        raise WireError(place, f"format {header.magic}", f"send format {MAGIC}, as since Kafka 0.11")
    if header.size != len(data):
        raise WireError(
            place, f"a batch of {header.size} bytes in {len(data)}", "send one whole batch a partition"
        )
    if crc32c(data[ATTRIBUTES_POSITION:]) != header.crc:
        raise WireError(place, "the checksum does not fit the bytes", "send the batch again")
    if header.is_control:
        raise WireError(place, "a control batch", "brokers write these: send records")
    room = (header.size - HEADER_BYTES) // RECORD_BYTES_MIN if header.codec_code == 0 else RECORDS_MAX
    if not 0 < header.record_count <= min(room, RECORDS_MAX):
        raise WireError(
            place,
            f"{header.record_count} records in {header.size} bytes",
            f"send 1 to {RECORDS_MAX} records, and their right number",
        )
    if header.last_offset_delta != header.record_count - 1:
        raise WireError(
            place,
            f"{header.record_count} records, the last at offset delta {header.last_offset_delta}",
            "number the records of a batch from 0",
        )
    return batch_of(header, kept.keep(data, header.record_count))


def batch_of(header: BatchHeader, serials: tuple[int, ...]) -> RecordBatch:
    """The engine's message for a batch, made from its header."""
    first, delta = header.base_sequence, header.last_offset_delta
    return RecordBatch(
        record_count=header.record_count,
        last_offset_delta=delta,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=first,
        last_sequence=NO_SEQUENCE if first == NO_SEQUENCE else increment(first, delta),
        is_transactional=header.is_transactional,
        is_control=header.is_control,
        max_timestamp=header.max_timestamp,
        size=header.size,
        serials=serials,
    )
