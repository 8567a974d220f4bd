"""Reads the files beside a segment that consist of pairs of rising numbers.

Source: Kafka's `AbstractIndex`: a file that was not closed cleanly keeps its allocated length, with zeros
after the last entry.
"""

import struct
from collections.abc import Callable, Iterator
from typing import TypeVar

from engine.codec.buffers import Buffer

Pair = TypeVar("Pair", bound=tuple[int, int])


def rising_pairs(
    data: Buffer, layout: struct.Struct, entry: Callable[[int, int], Pair], below: Pair
) -> Iterator[Pair]:
    """The entries while both numbers rise; the first must be above ``below``. The first entry that does not
    rise, and all bytes after it, are ignored."""
    view = memoryview(data)
    before = below
    for one, other in layout.iter_unpack(view[: len(view) // layout.size * layout.size]):
        if one <= before[0] or other <= before[1]:
            return
        before = entry(one, other)
        yield before
