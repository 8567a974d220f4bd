"""A `.snapshot` file: a partition's producer state at the offset in the file's name.

Source: Kafka's `ProducerStateManager.readSnapshot`. The file has the version (int16), the CRC-32C of
everything after it (u32) and the number of entries (int32). Entries of 46 bytes follow."""

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
    """The snapshot's entry of one producer id. In a field, -1 means that there is no value."""

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
