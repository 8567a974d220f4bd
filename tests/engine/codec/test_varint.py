"""Varints: round trips over the whole range, and every way in which the bytes can be wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.codec.damage import DamagedError, DamageKind
from engine.codec.varint import read_varint, read_varlong, write_varint, write_varlong


@given(st.integers(-(2**31), 2**31 - 1))
def test_32_bits_round_trip(value: int) -> None:
    raw = write_varint(value)
    assert len(raw) <= 5
    assert read_varint(b"\x99" + raw + b"\x01", 1, len(raw) + 2) == (value, len(raw) + 1)


@given(st.integers(-(2**63), 2**63 - 1))
def test_64_bits_round_trip(value: int) -> None:
    raw = write_varlong(value)
    assert len(raw) <= 10
    assert read_varlong(raw, 0, len(raw)) == (value, len(raw))


@pytest.mark.parametrize(
    ("value", "raw"),
    [(0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (-64, "7f"), (64, "8001"), (-65, "8101"), (8191, "fe7f"),
     (2**31 - 1, "feffffff0f"), (-(2**31), "ffffffff0f")],
)  # fmt: skip
def test_bytes_as_kafka_writes_them(value: int, raw: str) -> None:
    assert write_varint(value).hex() == raw


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**40])
def test_a_number_that_does_not_fit_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="does not fit 32 bits"):
        write_varint(value)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("", "> 0 B"),
        ("80", "> 1 B"),
        ("ffffffff", "> 4 B"),
        ("808080808000", "> 5 B"),
        ("ffffffffffffffff", "> 5 B"),
        ("8080808010", "33 bit"),
        ("ffffffff7f", "35 bit"),
    ],
)
def test_a_wrong_one_names_its_first_byte(raw: str, found: str) -> None:
    data = b"\0\0" + bytes.fromhex(raw)
    with pytest.raises(DamagedError) as raised:
        read_varint(data, 2, len(data), at=100)
    damage = raised.value.damage
    assert (damage.kind, damage.position, damage.found) == (DamageKind.VARINT, 102, found)


def test_the_end_of_the_enclosing_field_is_the_end() -> None:
    with pytest.raises(DamagedError):
        read_varint(write_varint(64), 0, 1)
