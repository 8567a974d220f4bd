"""Variable-length integers with zigzag coding: seven bits in each byte, lowest first. If the top bit of a
byte is set, another byte follows.

Source: KIP-98 and Kafka's `ByteUtils`. Records use 32-bit numbers for lengths and counts (at most 5 bytes),
and a 64-bit number for the timestamp delta (at most 10 bytes).
"""

from engine.codec.damage import DamageKind, damaged

VARINT_BYTES_MAX = 5
VARLONG_BYTES_MAX = 10


def read_varint(data: bytes, position: int, end: int, at: int = 0) -> tuple[int, int]:
    """The 32-bit number at `position`, and the position after it.

    The enclosing field ends at `end`; `at` is added to positions in errors. Raises DamagedError when the
    number does not end before `end`, has more than 5 bytes, or does not fit 32 bits.
    """
    if position < end and (byte := data[position]) < 0x80:
        # Most numbers of a record take one byte, so this line decides how fast segments are read.
        return (byte >> 1) ^ -(byte & 1), position + 1
    return _read(data, position, end, at, VARINT_BYTES_MAX, 32)


def read_varlong(data: bytes, position: int, end: int, at: int = 0) -> tuple[int, int]:
    """The same as `read_varint`, for 64 bits and 10 bytes."""
    return _read(data, position, end, at, VARLONG_BYTES_MAX, 64)


def _read(data: bytes, position: int, end: int, at: int, bytes_max: int, bits: int) -> tuple[int, int]:
    raw, shift, start = 0, 0, position
    limit = min(end, start + bytes_max)
    while position < limit:
        byte = data[position]
        position += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            if raw >> bits:
                raise damaged(DamageKind.VARINT, at + start, f"≤ {bits} bit", f"{raw.bit_length()} bit")
            return (raw >> 1) ^ -(raw & 1), position
        shift += 7
    if limit == end and end - start < bytes_max:
        raise damaged(DamageKind.VARINT, at + start, f"≤ {end - start} B", f"> {end - start} B")
    raise damaged(DamageKind.VARINT, at + start, f"≤ {bytes_max} B", f"> {bytes_max} B")


def write_varint(value: int) -> bytes:
    """The bytes of a 32-bit number. Raises ValueError when it does not fit."""
    return _write(value, 32)


def write_varlong(value: int) -> bytes:
    """The bytes of a 64-bit number. Raises ValueError when it does not fit."""
    return _write(value, 64)


def _write(value: int, bits: int) -> bytes:
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ValueError(f"{value} does not fit {bits} bits")
    raw = (value << 1) ^ (value >> bits - 1)
    result = bytearray()
    while raw > 0x7F:
        result.append(raw & 0x7F | 0x80)
        raw >>= 7
    result.append(raw)
    return bytes(result)
