"""The fast check of records accepts no batch that the reader refuses, and finds the same in the batches that it
accepts.
"""

import random

import numpy as np
import pytest

from engine.codec.record import Header, Record, decode_records
from engine.codec.record_batch import HEADER_BYTES, decode_header, encode_batch
from eosviz.pipeline.kafka_logs import record_columns
from eosviz.pipeline.kafka_logs.compiled import checksum
from eosviz.pipeline.kafka_logs.record_columns import HEADERS_MAX, LANES_MIN, batches_that_hold

SIZES = (None, 0, 1, 63, 64, 200, 9000)
"""Sizes of keys and values: None, empty, and lengths whose varint has one, two and three bytes."""


def batch(chance: random.Random, count: int) -> bytes:
    def sized() -> bytes | None:
        size = chance.choice(SIZES)
        return None if size is None else chance.randbytes(size)

    records = [
        Record(
            offset,
            1_790_000_000_000 + chance.choice((0, 3, -5, 100, 86_400_000, 10**12)),
            sized(),
            sized() if chance.random() < 0.5 else b"value",
            tuple(
                Header(b"h" * chance.choice((0, 1, 70)), sized()) for _ in range(chance.choice((0, 0, 1, 3)))
            ),
        )
        for offset in range(count)
    ]
    return encode_batch(records, checksum=checksum)


def hold(batches: list[bytes]) -> list[bool]:
    ends = np.cumsum([len(one) for one in batches], dtype=np.int64)
    starts = np.concatenate(([0], ends[:-1])) + HEADER_BYTES
    counts = np.array([decode_header(one).record_count for one in batches], dtype=np.int64)
    data = np.frombuffer(b"".join(batches), dtype=np.uint8)
    found: list[bool] = batches_that_hold(data, starts, ends, counts).tolist()
    return found


def whole(batch: bytes) -> bool:
    header = decode_header(batch)
    return decode_records(batch, HEADER_BYTES, header.record_count, header.frame).damage is None


@pytest.mark.parametrize("batches", [1, LANES_MIN + 8], ids=["record by record", "in columns"])
def test_whole_batches_hold_whatever_stands_in_their_records(batches: int) -> None:
    chance = random.Random(1)
    made = [batch(chance, chance.choice((1, 2, 7, 60))) for _ in range(batches)]
    assert hold(made) == [True] * batches


def test_of_batches_with_a_changed_byte_none_holds_that_the_reader_refuses() -> None:
    chance = random.Random(2)
    refused = 0
    for _ in range(40):
        made = []
        for _ in range(LANES_MIN + 8):
            data = bytearray(batch(chance, chance.choice((1, 3, 12))))
            # The changed byte is in a field at the beginning, and not somewhere in a value.
            place = chance.randrange(HEADER_BYTES, min(len(data), HEADER_BYTES + 24))
            data[place] = chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF, data[place] ^ 1, data[place] + 2 & 0xFF))
            made.append(bytes(data))
        whole_ones = [whole(one) for one in made]
        refused += whole_ones.count(False)
        # If a number takes more bytes than usual, the batch may be valid and yet not accepted; this is rare.
        assert all(is_whole or not holds for holds, is_whole in zip(hold(made), whole_ones, strict=True))
    assert refused > 300


def test_a_batch_of_more_records_than_are_looked_at_together_is_left_to_the_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_columns, "RECORDS_MAX", 10)
    chance = random.Random(3)
    assert hold([batch(chance, count) for count in (10, 11, 4, 5, 6)]) == [True, False, True, True, True]


def test_records_behind_the_last_one_and_missing_ones_do_not_hold() -> None:
    data = bytearray(batch(random.Random(4), 5))
    for count in (4, 6):
        data[57:61] = count.to_bytes(4, "big")
        assert hold([bytes(data)]) == [False]


def test_a_record_of_very_many_headers_is_left_to_the_reader() -> None:
    made = [
        encode_batch([Record(0, 0, None, None, (Header(b"", None),) * count)], checksum=checksum)
        for count in (HEADERS_MAX, HEADERS_MAX + 1)
    ]
    assert [whole(one) for one in made] == [True, True]
    assert hold(made) == [True, False]
