"""The compiled codecs and checksum are compared with what Kafka dumped, and tried on results that are too large or
cut.
"""

import gzip
import random
from pathlib import Path

import pyarrow
import pytest

from engine.codec.crc32c import crc32c
from engine.codec.damage import DamageKind
from engine.codec.record_batch import HEADER_BYTES
from engine.codec.segment import BatchRow
from eosviz.pipeline.kafka_logs.compiled import DECOMPRESSORS, checksum, segment_reader
from tests.engine.codec.kafka_dump import KAFKA_LOGS, dumped_segments, parse_dump
from tests.engine.codec.test_kafka_agreement import INTERNAL, compare_records, header_words, name


@pytest.mark.parametrize("log", dumped_segments(), ids=name)
def test_every_batch_and_record_is_as_kafka_dumped_it(log: Path) -> None:
    rows, dumped = list(segment_reader().rows(log.read_bytes(), int(log.stem))), parse_dump(log)
    for row, batch in zip(rows, dumped, strict=True):
        assert isinstance(row, BatchRow)
        assert (row.damage, row.codec_not_read) == ((), None)
        assert header_words(row) == batch.header
        compare_records(row, batch, internal=log.parent.name.startswith(INTERNAL))


def test_the_compiled_checksum_is_the_pure_one() -> None:
    chance = random.Random(7)
    for size in (0, 1, 9, 4096, 70_001):
        data = chance.randbytes(size)
        assert checksum(data) == checksum(memoryview(data)) == crc32c(data)


def compressed(codec: str, plain: bytes) -> bytes:
    if codec == "gzip":
        return gzip.compress(plain)
    if codec == "snappy":
        snapped: bytes = pyarrow.compress(plain, codec="snappy", asbytes=True)
        return snapped
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, codec) as stream:
        stream.write(plain)
    written: bytes = sink.getvalue().to_pybytes()
    return written


@pytest.mark.parametrize("codec", sorted(DECOMPRESSORS))
def test_a_result_is_whole_up_to_the_largest_allowed_and_refused_beyond(codec: str) -> None:
    plain = b"eos" * 100_000
    block = compressed(codec, plain)
    assert DECOMPRESSORS[codec](block, len(plain)) == plain
    with pytest.raises(ValueError, match="more than 299999 B"):
        DECOMPRESSORS[codec](block, len(plain) - 1)


@pytest.mark.parametrize("codec", sorted(DECOMPRESSORS))
def test_torn_or_foreign_bytes_are_a_value_error(codec: str) -> None:
    block = compressed(codec, random.Random(3).randbytes(50_000))
    for torn in (block[: len(block) // 2], b"\xff" * 40, block[:1]):
        with pytest.raises(ValueError, match=r"."):
            DECOMPRESSORS[codec](torn, 1 << 20)


@pytest.mark.parametrize("codec", sorted(DECOMPRESSORS))
def test_damage_inside_a_compressed_block_is_a_row_that_says_where(codec: str) -> None:
    """The checksum is made valid again, so that only the codec can find the damage."""
    log = KAFKA_LOGS / "i_compression" / f"comp-{codec}-0" / f"{0:020}.log"
    data = bytearray(log.read_bytes())
    row = next(
        row
        for row in segment_reader().rows(bytes(data))
        if isinstance(row, BatchRow) and row.header.codec == codec
    )
    data[row.position + HEADER_BYTES : row.position + HEADER_BYTES + 12] = b"\xff" * 12
    data[row.position + 17 : row.position + 21] = checksum(
        bytes(data[row.position + 21 : row.position + row.header.size])
    ).to_bytes(4, "big")
    rows = list(segment_reader().rows(bytes(data)))
    damage = {row.position: row.damage for row in rows if row.damage}
    assert list(damage) == [row.position]
    assert [one.kind for one in damage[row.position]] == [DamageKind.DECOMPRESSION]
    assert damage[row.position][0].position == row.position + HEADER_BYTES
    assert len(rows) == len(parse_dump(log))
