"""The time index beside a segment (`.timeindex`): from which offset on its records are at least so late.

Source: Kafka's `TimeIndex`: entries of 12 bytes, the largest timestamp so far (int64) and the offset of its
record relative to the segment's base offset (int32), both rising. A file that was not closed cleanly has its
allocated length, zeros behind the last entry.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from engine.codec.buffers import Buffer

ENTRY_BYTES = 12
_ENTRY = struct.Struct(">qi")


class TimeEntry(NamedTuple):
    """One record of the segment."""

    timestamp: int
    """Milliseconds since 1970."""
    relative_offset: int
    """From the segment's base offset."""


def time_index_entries(data: Buffer) -> Iterator[TimeEntry]:
    """The entries as far as they rise; what stands behind the first that does not is no entry."""
    view = memoryview(data)
    before = TimeEntry(0, -1)
    for timestamp, relative_offset in _ENTRY.iter_unpack(view[: len(view) // ENTRY_BYTES * ENTRY_BYTES]):
        if timestamp <= before.timestamp or relative_offset <= before.relative_offset:
            return
        before = TimeEntry(timestamp, relative_offset)
        yield before
