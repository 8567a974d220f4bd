"""The time index beside a segment (`.timeindex`), which finds the first offset with at least a given
timestamp.

Source: Kafka's `TimeIndex`. An entry has 12 bytes: the largest timestamp so far (int64), and the offset of
its record minus the segment's base offset (int32). Both numbers rise from entry to entry.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from engine.codec.buffers import Buffer
from engine.codec.rising_pairs import rising_pairs

_ENTRY = struct.Struct(">qi")


class TimeEntry(NamedTuple):
    """An entry: the largest timestamp in the segment so far, and the record that has it."""

    timestamp: int
    """Milliseconds since 1970."""
    relative_offset: int
    """The record's offset minus the segment's base offset."""


def time_index_entries(data: Buffer) -> Iterator[TimeEntry]:
    return rising_pairs(data, _ENTRY, TimeEntry, TimeEntry(0, -1))
