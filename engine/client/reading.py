"""One partition as one consumer reads it: its position, the delivered offsets, and why other offsets are
hidden.

This module owns the position, the filter of read_committed (CON-3, CON-4) and the list of delivered and
hidden offsets with the reason (CON-11, CON-12). It knows no requests and no connections.
"""

from __future__ import annotations

from typing import NamedTuple, cast

from engine.messages import PartitionFetchResponse, RecordBatch
from engine.shapes.readers import LaneBehind, LaneStretch

READ_UNCOMMITTED, READ_COMMITTED = "read_uncommitted", "read_committed"
SHOWN_MAX = 20
"""The view lists at most this many delivered serials of a partition, the newest ones; the consumer's
``delivered_count`` counts the records of all its partitions."""
STRETCHES_MAX = 200
"""The view lists at most this many stretches of a partition, the newest ones; ``folded`` counts the older ones."""

DELIVERED = "delivered"
ABORTED, CONTROL, COMPACTED, DELETED, SOUGHT = "aborted", "control", "compacted", "deleted", "sought"
"""Why a consumer skipped an offset:

- ABORTED: its transaction was aborted (CON-3).
- CONTROL: it is a marker (CON-4).
- COMPACTED: compaction removed it (CON-11 a).
- DELETED: its segment was deleted (CON-11 b).
- SOUGHT: the position moved past it: by ``seek`` (CON-11 c), or to the group's committed offset or the end of the
  partition (CON-9).
"""


class Stretch(NamedTuple):
    """Offsets ``first`` to ``last`` with one fate: delivered, or the reason why they were not."""

    first: int
    last: int
    fate: str


class Taken(NamedTuple):
    """The result of one response: the records for the application, and what happened to each offset from the
    old position up to the new one (``position``), as stretches in order."""

    serials: list[int]
    offsets: list[int]
    stretches: list[Stretch]
    position: int


def take(response: PartitionFetchResponse, isolation: str, position: int, remember: bool = True) -> Taken:
    """Read a response from ``position`` on, as the consumer's ``CompletedFetch`` does (CON-3, CON-4).
    ``remember`` False: leave out the stretches."""
    if not remember:
        return _take_unseen(response, isolation, position)
    serials: list[int] = []
    offsets: list[int] = []
    stretches: list[Stretch] = []
    for batch, fate in visible(response, isolation):
        if batch.last_offset < position:
            continue
        if batch.base_offset > position:
            stretches.append(Stretch(position, batch.base_offset - 1, COMPACTED))
            position = batch.base_offset
        if fate == DELIVERED:
            _take_records(batch, position, serials, offsets, stretches)
        else:
            emptied = fate == ABORTED and batch.record_count == 0  # Compaction left nothing to skip.
            stretches.append(Stretch(position, batch.last_offset, COMPACTED if emptied else fate))
        position = batch.last_offset + 1
    return Taken(serials, offsets, stretches, position)


def _take_unseen(response: PartitionFetchResponse, isolation: str, position: int) -> Taken:
    serials: list[int] = []
    offsets: list[int] = []
    for batch, fate in visible(response, isolation):
        last = batch.last_offset
        if last < position:
            continue
        if fate == DELIVERED:
            if batch.content is None or batch.content.offset_deltas is None:
                first = position if position > batch.base_offset else batch.base_offset
                serials += batch.serials[first - batch.base_offset :]
                offsets += range(first, last + 1)
            else:
                _take_records(batch, max(position, batch.base_offset), serials, offsets, [])
        position = last + 1
    return Taken(serials, offsets, [], position)


def visible(response: PartitionFetchResponse, isolation: str) -> list[tuple[RecordBatch, str]]:
    """The batches of a response, each with its fate: DELIVERED, ABORTED or CONTROL."""
    waiting = sorted(response.aborted, key=_first_offset) if isolation == READ_COMMITTED else []
    active: set[int] = set()
    result: list[tuple[RecordBatch, str]] = []
    for batch in response.batches:
        while waiting and waiting[0][1] <= batch.last_offset:
            active.add(waiting.pop(0)[0])
        if batch.is_control:
            if batch.control_type == "ABORT":
                active.discard(batch.producer_id)
            result.append((batch, CONTROL))
        elif batch.is_transactional and batch.producer_id in active:
            result.append((batch, ABORTED))
        else:
            result.append((batch, DELIVERED))
    return result


def _first_offset(entry: tuple[int, int]) -> int:
    return entry[1]


def _take_records(
    batch: RecordBatch, position: int, serials: list[int], offsets: list[int], stretches: list[Stretch]
) -> None:
    """Take the records of a batch that are at ``position`` or later: append their serials and offsets, and
    append to ``stretches`` which offsets were delivered and which are compacted."""
    base = batch.base_offset
    content = batch.content
    if content is None or content.offset_deltas is None:
        serials += batch.serials[position - base :]
        offsets += range(position, batch.last_offset + 1)
        stretches.append(Stretch(position, batch.last_offset, DELIVERED))
        return
    for delta, serial in zip(content.offset_deltas, batch.serials, strict=True):
        at = base + delta
        if at < position:
            continue
        if at > position:
            stretches.append(Stretch(position, at - 1, COMPACTED))
        stretches.append(Stretch(at, at, DELIVERED))
        serials.append(serial)
        offsets.append(at)
        position = at + 1
    if position <= batch.last_offset:
        stretches.append(Stretch(position, batch.last_offset, COMPACTED))


class Reading:
    """One subscribed partition: the consumer's position in it, and whether the consumer wants to fetch."""

    __slots__ = (
        "awaits_metadata",
        "delivered",
        "folded",
        "in_flight",
        "needs_end",
        "not_before",
        "partition",
        "position",
        "stretches",
        "wanted",
    )

    def __init__(self, partition: str) -> None:
        self.partition = partition
        self.position = 0
        self.wanted = False
        self.in_flight = False
        self.needs_end = False
        """True while the position is unknown, because the leader has not returned the end of the partition yet."""
        self.not_before = 0
        self.awaits_metadata = False
        """True after the broker refused a Fetch because it is not the leader: the next Metadata response makes the
        partition due."""
        self.delivered: list[int] = []
        """Serials of the newest delivered records."""
        self.stretches: list[Stretch] = []
        """The fates of the offsets below the position, in offset order, newest at the end."""
        self.folded = 0
        """How many older stretches are no longer listed."""

    def remember(self, stretches: list[Stretch]) -> None:
        """Append the stretches of a response to the list; adjacent stretches with one fate are merged."""
        known = self.stretches
        for stretch in stretches:
            if known and known[-1].fate == stretch.fate and known[-1].last + 1 == stretch.first:
                known[-1] = Stretch(known[-1].first, stretch.last, stretch.fate)
            else:
                known.append(stretch)
        over = len(known) - STRETCHES_MAX
        if over > 0:
            self.folded += over
            del known[:over]

    def jump(self, to: int, fate: str) -> None:
        """Move the position. Forward: the skipped offsets get ``fate``. Backward: the offsets from ``to`` on are
        read again."""
        if to > self.position:
            self.remember([Stretch(self.position, to - 1, fate)])
        else:
            kept = [stretch for stretch in self.stretches if stretch.first < to]
            if kept and kept[-1].last >= to:
                kept[-1] = Stretch(kept[-1].first, to - 1, kept[-1].fate)
            self.stretches = kept
        self.position = to

    def view(self) -> LaneBehind:
        """The partition in the view. ``stretches``: [first offset, last offset, fate]. ``folded``: the number
        of older stretches that are not listed."""
        return {
            "position": self.position,
            "stretches": cast("list[LaneStretch]", [list(stretch) for stretch in self.stretches]),
            "folded": self.folded,
        }
