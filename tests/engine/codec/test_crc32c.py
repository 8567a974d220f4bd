"""CRC-32C: published values; and the function, which folds several bytes at once, against the definition, bit
by bit.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.codec.crc32c import POLYNOMIAL, crc32c


def by_definition(data: bytes) -> int:
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (POLYNOMIAL if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
    ids=["empty", "check value", "RFC 3720 zeros", "RFC 3720 ones", "RFC 3720 rising", "RFC 3720 falling"],
)
def test_published_values(data: bytes, expected: int) -> None:
    assert crc32c(data) == expected


def test_every_length_around_the_borders_of_folding() -> None:
    source = random.Random(1)
    message = source.randbytes(4200)
    for length in [*range(80), *range(300, 340), *range(508, 518), 1023, 1024, 1025, 4095, 4096, 4099]:
        assert crc32c(message[:length]) == by_definition(message[:length]), length


@given(st.binary(max_size=2000))
def test_any_message(data: bytes) -> None:
    assert crc32c(data) == by_definition(data)


def test_a_view_gives_the_same_as_its_bytes() -> None:
    data = bytes(range(256)) * 8
    assert crc32c(memoryview(data)) == crc32c(bytearray(data)) == crc32c(data)
