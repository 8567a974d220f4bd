"""An index of the aborted transactions of a partition, for consumers that read committed data (LOG-9, CON-1)."""

from __future__ import annotations

from typing import NamedTuple


class AbortedTransaction(NamedTuple):
    """One aborted transaction in the index. ``last_offset``: the offset of its ABORT marker.
    ``last_stable_offset``: the log's last stable offset after the marker, that is the first offset of the
    earliest other transaction that was open then, or the offset after the marker if none was open."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class AbortedIndex:
    """The index: one line for each aborted transaction, in the order of their ABORT markers, as in Kafka's
    ``TransactionIndex`` files."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        self.lines: list[AbortedTransaction] = []

    def add(self, line: AbortedTransaction) -> None:
        self.lines.append(line)

    def truncate(self, to: int) -> None:
        """Remove the lines of markers at and above ``to``."""
        self.lines = [line for line in self.lines if line.last_offset < to]

    def drop_below(self, offset: int) -> None:
        """Remove the lines of markers below ``offset``, because their segments were deleted."""
        self.lines = [line for line in self.lines if line.last_offset >= offset]

    def forget(self, markers: set[int]) -> None:
        """Remove the lines of the markers at these offsets, because the log no longer holds a batch of their
        transactions (``CleanedTransactionMetadata``)."""
        self.lines = [line for line in self.lines if line.last_offset not in markers]

    def between(self, fetch_offset: int, bound: int) -> tuple[tuple[int, int], ...]:
        """(producer id, first offset) of each aborted transaction that overlaps [``fetch_offset``,
        ``bound``), in marker order."""
        found = []
        for line in self.lines:
            if line.last_offset >= fetch_offset and line.first_offset < bound:
                found.append((line.producer_id, line.first_offset))
            if line.last_stable_offset >= bound:
                break
        return tuple(found)
