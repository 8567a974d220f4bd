"""A `.snapshot` file: a partition's producer state at the offset in the file's name.

Source: Kafka's `ProducerStateManager.readSnapshot`: version int16, CRC-32C u32 of everything behind it, count
int32, then entries of 46 bytes.
"""

import struct
from typing import NamedTuple

from engine.codec.buffers import Checksum
from engine.codec.crc32c import crc32c
from engine.codec.damage import DamageKind, damaged
from engine.codec.field_cursor import FieldCursor

VERSION = 1
_CRC = struct.Struct(">I")
_CHECKED_FROM = 6
_ENTRY = struct.Struct(">qhiqiqiq")


class ProducerEntry(NamedTuple):
    """The snapshot's entry of one producer id; -1 means none."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    """Number of offsets in the last batch, minus 1."""
    last_timestamp: int
    coordinator_epoch: int
    open_first_offset: int
    """First offset of the open transaction; -1 when none is open."""


def decode_producer_snapshot(data: bytes, checksum: Checksum = crc32c) -> tuple[ProducerEntry, ...]:
    """The entries, in the order of the file. Raises DamagedError; a damaged snapshot is rejected as a whole."""
    cursor = FieldCursor(data)
    version = cursor.int16()
    if version != VERSION:
        raise damaged(DamageKind.VERSION, 0, VERSION, version)
    (crc,) = cursor.numbers(_CRC)
    computed = checksum(data[_CHECKED_FROM:])
    if crc != computed:
        raise damaged(DamageKind.CRC, 2, f"{computed:#010x}", f"{crc:#010x}")
    count = cursor.count(item_bytes_min=_ENTRY.size)
    entries = tuple(ProducerEntry(*cursor.numbers(_ENTRY)) for _ in range(count))
    cursor.end()
    return entries
