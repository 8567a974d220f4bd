"""The offset index beside a segment (`.index`): the positions of some of its batches.

Source: Kafka's `OffsetIndex` and `LogSegment.append`: entries of 8 bytes, a batch's last offset relative to
the segment's base offset (int32) and the byte where the batch starts (int32), both rising.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from engine.codec.buffers import Buffer
from engine.codec.rising_pairs import rising_pairs

_ENTRY = struct.Struct(">ii")


class IndexEntry(NamedTuple):
    """One batch of the segment."""

    relative_offset: int
    """The offset of the batch's last record minus the segment's base offset."""
    position: int
    """The byte of the segment where the batch starts."""


def index_entries(data: Buffer) -> Iterator[IndexEntry]:
    return rising_pairs(data, _ENTRY, IndexEntry, IndexEntry(-1, 0))
