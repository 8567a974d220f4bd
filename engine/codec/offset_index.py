"""The offset index beside a segment (`.index`): the positions of some of its batches.

Source: Kafka's `OffsetIndex` and `LogSegment.append`. An entry has 8 bytes: a batch's last offset minus the
segment's base offset (int32), and the byte where the batch starts (int32). Both numbers rise from entry to
entry.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from engine.codec.buffers import Buffer
from engine.codec.rising_pairs import rising_pairs

_ENTRY = struct.Struct(">ii")


class IndexEntry(NamedTuple):
    """An entry of the index: one batch of the segment."""

    relative_offset: int
    """The offset of the batch's last record minus the segment's base offset."""
    position: int
    """The byte of the segment where the batch starts."""


def index_entries(data: Buffer) -> Iterator[IndexEntry]:
    return rising_pairs(data, _ENTRY, IndexEntry, IndexEntry(-1, 0))
