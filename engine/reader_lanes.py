"""The parts of the view that show what each consumer sees of each lane: its position, and why the offsets from there on
are hidden (CON-11, CON-12).

There is a part of the view for every consumer and topic-partition. The part reads both the consumer and the
leader's log, which no role may do, and makes no decision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from engine.broker.partition_log import PartitionLog
from engine.client.consumer import Consumer
from engine.client.reading import READ_COMMITTED, Reading
from engine.shapes.readers import HeldBy, LaneStretch, SeenLane
from engine.watching import Path

NOT_FETCHED, UNDECIDED, NOT_REPLICATED, NOT_SUBSCRIBED = (
    "not_fetched",
    "undecided",
    "not_replicated",
    "not_subscribed",
)
"""The reasons why a consumer has not read an offset:

- NOT_FETCHED: the consumer has not fetched the offset yet.
- UNDECIDED: an open transaction, or one whose marker is not replicated, holds back the last stable offset (CON-5).
- NOT_REPLICATED: the offset is not below the high watermark.
- NOT_SUBSCRIBED: the consumer does not read this partition (CON-11 d).
"""


class ReaderLane:
    """The part of the view at ``consumers.<name>.lanes.<tp>``. ``ahead``: the stretches of offsets from the
    consumer's position to the log end, each with the reason why it was not read. ``bound``: the consumer may read the
    offsets below it. ``held_by``: the transaction that keeps ``bound`` below the high watermark."""

    __slots__ = ("consumer", "leader_log", "partition", "path")

    def __init__(
        self, leader_log: Callable[[str], PartitionLog | None], consumer: Consumer, partition: str
    ) -> None:
        self.leader_log = leader_log
        self.consumer = consumer
        self.partition = partition
        self.path: Path = ("consumers", consumer.name, "lanes", partition)

    def view(self) -> SeenLane:
        reading = self.consumer.readings.get(self.partition)
        log = self.leader_log(self.partition)
        if reading is None:
            whole = [] if log is None else _stretch(log.log_start, log.log_end, NOT_SUBSCRIBED)
            return {
                "position": None,
                "stretches": [],
                "folded": 0,
                "ahead": whole,
                "bound": None,
                "held_by": None,
            }
        if log is None:
            return {**reading.view(), "ahead": [], "bound": None, "held_by": None}
        return seen(reading, self.consumer.isolation, log)


def seen(reading: Reading, isolation: str, log: PartitionLog) -> SeenLane:
    """The view of a consumer's lane: the consumer's position, and which offsets of the leader's log it has not read,
    and why."""
    bound = log.last_stable_offset if isolation == READ_COMMITTED else log.high_watermark
    return {
        **reading.view(),
        "ahead": _ahead(reading.position, bound, log),
        "bound": bound,
        "held_by": _held_by(log) if bound < log.high_watermark else None,
    }


def _ahead(position: int, bound: int, log: PartitionLog) -> list[LaneStretch]:
    """The stretches between the position and the log end, as [first offset, last offset (inclusive), why the
    consumer has not read them]."""
    return [
        *_stretch(position, bound, NOT_FETCHED),
        *_stretch(max(position, bound), log.high_watermark, UNDECIDED),
        *_stretch(max(position, log.high_watermark), log.log_end, NOT_REPLICATED),
    ]


def _stretch(first: int, end: int, reason: str) -> list[LaneStretch]:
    return cast("list[LaneStretch]", [[first, end - 1, reason]]) if first < end else []


def _held_by(log: PartitionLog) -> HeldBy | None:
    """The transaction at the last stable offset; None if no open transaction begins there."""
    producers = log.producers
    first = producers.first_unstable_offset()
    if first is None or first not in producers.open_transactions:
        return None
    return {"producer_id": producers.open_transactions[first], "first_offset": first}
