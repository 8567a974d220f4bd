"""Writes folders of partitions whose logs look like those of busy transactional clusters; a shape and a size decide
the content.

Encoding every record would take longer than what is measured. So each shape has some dozens of patterns: batches that
are encoded once, with a fixed random seed. Each batch of a log is a copy of one of the patterns, with offset,
producer id, sequence number and checksum of its own.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pyarrow

from engine.codec.control_record import ControlType
from engine.codec.record import Header, Record
from engine.codec.record_batch import (
    ATTRIBUTES_POSITION,
    CODEC_NAMES,
    CRC_POSITION,
    HEADER_BYTES,
    LENGTH_POSITION,
    OVERHEAD_BYTES,
    encode_batch,
    encode_marker,
)
from engine.messages import INT_MAX
from eosviz.pipeline.kafka_logs.compiled import checksum

PRODUCERS = 3
SEGMENT_BYTES = 256 * 1024 * 1024
INDEX_BYTES = 4096
"""Bytes of the log between two entries of its index, the default of Kafka's `log.index.interval.bytes`."""
STARTED_MS = 1_790_000_000_000
PATTERNS = 48
_PRODUCER_POSITION = 43
_SEQUENCE_POSITION = 53
_SNAPPY_JAVA = b"\x82SNAPPY\x00" + (1).to_bytes(4, "big") + (1).to_bytes(4, "big")


@dataclass(frozen=True, slots=True)
class Shape:
    """What the batches of a log contain. Each pair is the least and the most."""

    records: tuple[int, int]
    """Records in a batch."""
    value_bytes: tuple[int, int]
    batches_a_transaction: int
    codecs: tuple[str, ...] = ("none",)


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "even": Shape((86, 86), (170, 170), 10),
        "mixed": Shape((10, 200), (100, 1000), 10),
        "short": Shape((10, 200), (100, 100), 10),
        "packed": Shape((10, 200), (100, 1000), 10, CODEC_NAMES[1:]),
        "tiny": Shape((1, 3), (100, 300), 2),
    }
)
"""Name → shape. `even`: all batches are equally large; `mixed`: batches as several different clients write them;
`short`: as `mixed`, but with values of 100 bytes; `packed`: as `mixed`, compressed with each codec in turn; `tiny`:
batches as clients write them that do not wait for more records.
"""


class Log:
    """Writes the segments of one partition and their indexes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._base = self.offset = self.written = self._indexed = 0
        self._segment = bytearray()
        self._index = bytearray()

    def append(self, batch: bytes, records: int) -> None:
        if len(self._segment) + len(batch) > SEGMENT_BYTES:
            self.roll()
        last = self.offset + records - 1 - self._base
        if len(self._segment) - self._indexed > INDEX_BYTES:
            self._index += last.to_bytes(4, "big") + len(self._segment).to_bytes(4, "big")
            self._indexed = len(self._segment)
        self._segment += batch
        self.offset += records
        self.written += len(batch)

    def mark(self, control_type: ControlType, producer_id: int, timestamp: int) -> None:
        """Append the marker of a transaction."""
        marker = encode_marker(
            control_type,
            0,
            producer_id=producer_id,
            producer_epoch=0,
            timestamp=timestamp,
            base_offset=self.offset,
            partition_leader_epoch=0,
            checksum=checksum,
        )
        self.append(marker, 1)

    def roll(self) -> None:
        name = f"{self._base:020}"
        (self._folder / f"{name}.log").write_bytes(self._segment)
        (self._folder / f"{name}.index").write_bytes(self._index)
        self._base, self._segment, self._index, self._indexed = self.offset, bytearray(), bytearray(), 0


def make_logs(place: Path, partitions: int, total_bytes: int, shape: str = "even") -> int:
    """Write folders `made-0`, `made-1`, … into `place`. Returns the number of bytes of all their segments together."""
    patterns, chance, written = patterns_of(SHAPES[shape]), random.Random(7), 0
    for number in range(partitions):
        log = Log(place / f"made-{number}")
        sequences = [0] * PRODUCERS
        turn = 0
        while log.written < total_bytes // partitions:
            producer, turn = turn % PRODUCERS, turn + 1
            for _ in range(SHAPES[shape].batches_a_transaction):
                records, pattern = chance.choice(patterns)
                log.append(placed(pattern, log.offset, 100 + producer, sequences[producer]), records)
                sequences[producer] = (sequences[producer] + records) & INT_MAX
            ended = ControlType.ABORT if turn % 7 == 0 else ControlType.COMMIT
            log.mark(ended, 100 + producer, STARTED_MS + turn)
        log.roll()
        written += log.written
    return written


@cache
def patterns_of(shape: Shape) -> tuple[tuple[int, bytearray], ...]:
    """Return the patterns of a shape, each with the number of its records."""
    chance, made = random.Random(1), []
    for number in range(PATTERNS):
        count = chance.randint(*shape.records)
        batch = bytearray(
            encode_batch(
                [_record(chance, offset, shape) for offset in range(count)],
                partition_leader_epoch=0,
                producer_id=0,
                producer_epoch=0,
                base_sequence=0,
                is_transactional=True,
                checksum=checksum,
            )
        )
        made.append((count, _packed(batch, shape.codecs[number % len(shape.codecs)])))
    return tuple(made)


def _record(chance: random.Random, offset: int, shape: Shape) -> Record:
    # Most values in real logs are text that repeats itself, as JSON does.
    size = chance.randint(*shape.value_bytes)
    text = b"".join(
        b'{"order":%d,"state":"paid","key":"%016x"}' % (chance.randrange(10**6), chance.getrandbits(64))
        for _ in range(size // 40 + 1)
    )
    headers = (Header(b"trace", chance.randbytes(16)),) if chance.random() < 0.2 else ()
    return Record(
        offset, STARTED_MS + offset // 3, b"key-%06d" % chance.randrange(10**6), text[:size], headers
    )


def _packed(batch: bytearray, codec: str) -> bytearray:
    """Return the batch with its records compressed as a Java client compresses them."""
    if codec == "none":
        return batch
    plain = bytes(batch[HEADER_BYTES:])
    with pyarrow.BufferOutputStream() as out:
        if codec == "snappy":
            block = pyarrow.compress(plain, codec="snappy", asbytes=True)
            out.write(_SNAPPY_JAVA + len(block).to_bytes(4, "big") + block)
        else:
            with pyarrow.CompressedOutputStream(out, codec) as stream:
                stream.write(plain)
        batch[HEADER_BYTES:] = out.getvalue().to_pybytes()
    batch[LENGTH_POSITION : LENGTH_POSITION + 4] = (len(batch) - OVERHEAD_BYTES).to_bytes(4, "big")
    batch[ATTRIBUTES_POSITION + 1] |= CODEC_NAMES.index(codec)
    return batch


def placed(pattern: bytearray, base_offset: int, producer_id: int, sequence: int) -> bytes:
    """Return the bytes of the pattern with this base offset, producer id and first sequence number."""
    batch = pattern
    batch[0:8] = base_offset.to_bytes(8, "big")
    batch[_PRODUCER_POSITION : _PRODUCER_POSITION + 8] = producer_id.to_bytes(8, "big")
    batch[_SEQUENCE_POSITION : _SEQUENCE_POSITION + 4] = sequence.to_bytes(4, "big")
    batch[CRC_POSITION : CRC_POSITION + 4] = checksum(batch[ATTRIBUTES_POSITION:]).to_bytes(4, "big")
    return bytes(batch)
