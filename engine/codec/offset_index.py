"""The offset index beside a segment (`.index`): where some of its batches start.

Source: Kafka's `OffsetIndex` and `LogSegment.append`: entries of 8 bytes, a batch's last offset relative to
the segment's base offset (int32) and the byte where the batch starts (int32), both rising. A file that was
not closed cleanly has its allocated length, zeros behind the last entry.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from engine.codec.buffers import Buffer

ENTRY_BYTES = 8
_ENTRY = struct.Struct(">ii")


class IndexEntry(NamedTuple):
    """One batch of the segment."""

    relative_offset: int
    """Of the batch's last record, from the segment's base offset."""
    position: int
    """The byte of the segment where the batch starts."""


def index_entries(data: Buffer) -> Iterator[IndexEntry]:
    """The entries as far as they rise; what stands behind the first that does not is no entry."""
    view = memoryview(data)
    before = IndexEntry(-1, 0)
    for relative_offset, position in _ENTRY.iter_unpack(view[: len(view) // ENTRY_BYTES * ENTRY_BYTES]):
        if relative_offset <= before.relative_offset or position <= before.position:
            return
        before = IndexEntry(relative_offset, position)
        yield before
