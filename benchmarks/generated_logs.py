"""Partition folders as a busy transactional cluster writes them, made from nothing but a size."""

from pathlib import Path

from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import (
    ATTRIBUTES_POSITION,
    CRC_POSITION,
    encode_batch,
    encode_marker,
)
from engine.messages import INT_MAX
from eosviz.pipeline.kafka_logs.compiled import checksum

RECORDS = 86
VALUE_BYTES = 170
BATCHES_A_TRANSACTION = 10
PRODUCERS = 3
SEGMENT_BYTES = 256 * 1024 * 1024
STARTED_MS = 1_790_000_000_000
_PRODUCER_POSITION = 43
_SEQUENCE_POSITION = 53


class _Log:
    """One partition's segments and their indexes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._base = self.offset = self.written = 0
        self._segment = bytearray()
        self._index = bytearray()

    def append(self, batch: bytes, records: int) -> None:
        if len(self._segment) + len(batch) > SEGMENT_BYTES:
            self.roll()
        last = self.offset + records - 1 - self._base
        if self._segment:
            self._index += last.to_bytes(4, "big") + len(self._segment).to_bytes(4, "big")
        self._segment += batch
        self.offset += records
        self.written += len(batch)

    def roll(self) -> None:
        name = f"{self._base:020}"
        (self._folder / f"{name}.log").write_bytes(self._segment)
        (self._folder / f"{name}.index").write_bytes(self._index)
        self._base, self._segment, self._index = self.offset, bytearray(), bytearray()


def make_logs(place: Path, partitions: int, total_bytes: int) -> int:
    """Write folders `made-0`, `made-1`, … into `place`; the bytes of their segments together."""
    written = 0
    for number in range(partitions):
        log = _Log(place / f"made-{number}")
        sequences = [0] * PRODUCERS
        turn = 0
        while log.written < total_bytes // partitions:
            producer, turn = turn % PRODUCERS, turn + 1
            for _ in range(BATCHES_A_TRANSACTION):
                log.append(_batch(log.offset, 100 + producer, sequences[producer]), RECORDS)
                sequences[producer] = (sequences[producer] + RECORDS) & INT_MAX
            marker = encode_marker(
                ControlType.ABORT if turn % 7 == 0 else ControlType.COMMIT,
                0,
                producer_id=100 + producer,
                producer_epoch=0,
                timestamp=STARTED_MS + turn,
                base_offset=log.offset,
                partition_leader_epoch=0,
                checksum=checksum,
            )
            log.append(marker, 1)
        log.roll()
        written += log.written
    return written


_PATTERN = bytearray(
    encode_batch(
        [
            Record(offset, STARTED_MS + offset, b"key-%06d" % offset, bytes(range(VALUE_BYTES)))
            for offset in range(RECORDS)
        ],
        partition_leader_epoch=0,
        producer_id=0,
        producer_epoch=0,
        base_sequence=0,
        is_transactional=True,
        checksum=checksum,
    )
)


def _batch(base_offset: int, producer_id: int, sequence: int) -> bytes:
    """The pattern in another place: encoding each would take longer than what is measured."""
    batch = _PATTERN
    batch[0:8] = base_offset.to_bytes(8, "big")
    batch[_PRODUCER_POSITION : _PRODUCER_POSITION + 8] = producer_id.to_bytes(8, "big")
    batch[_SEQUENCE_POSITION : _SEQUENCE_POSITION + 4] = sequence.to_bytes(4, "big")
    batch[CRC_POSITION : CRC_POSITION + 4] = checksum(batch[ATTRIBUTES_POSITION:]).to_bytes(4, "big")
    return bytes(batch)
