"""Consumers in a view; docs/frame.md, *Readers and groups*."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from engine.shapes.clients import ConnectionView, MetadataView, RequestView

LaneStretch = tuple[int, int, str]
"""First offset, last offset (inclusive), and one word: `delivered`, or the reason why the consumer skipped
these offsets or cannot see them."""


class HeldBy(TypedDict):
    """The transaction that holds back a read_committed consumer."""

    producer_id: int | str
    first_offset: int


class LaneBehind(TypedDict):
    """What happened to the offsets below a consumer's position, newest last. `folded` is the number of older
    stretches that are not listed; in a log case, the number of offsets below the first listed stretch."""

    position: int | None
    stretches: list[LaneStretch]
    folded: int


class SeenLane(LaneBehind):
    """A consumer's view of one partition's log: the offsets below its position, and those from there to the
    log end."""

    ahead: list[LaneStretch]
    bound: int | None
    """The consumer may read the offsets below this one."""
    held_by: HeldBy | None


class ReaderLaneView(SeenLane):
    """As ``SeenLane``, for pages. In a log case: the view that a read_committed consumer would have
    (``engine/view/possible.py``)."""

    read: NotRequired[int]
    """In a log case: the number of records that the consumer got."""


class GroupSessionView(TypedDict):
    """A consumer's requests to its group coordinator."""

    group_id: str
    coordinator: int | None
    committed: dict[str, int | None]
    waiting: list[str]
    in_flight: str | None
    last_error: str | None
    polled_at: NotRequired[int | None]
    """When the application got the records that it is processing (virtual ms). This key and the next two exist if
    the time between two polls is limited (``max.poll.interval.ms``)."""
    leaves_at: NotRequired[int | None]
    left: NotRequired[bool]
    closed: NotRequired[bool]
    """True once the application has closed the consumer."""


class ConsumerFields(TypedDict):
    """The fields of a consumer itself."""

    isolation: str
    alive: bool
    paused: bool
    positions: dict[str, int]
    delivered: dict[str, list[int]]
    delivered_count: int
    applied_count: int
    skipped_duplicates: int
    buffered: NotRequired[int]
    """Number of fetched records that the application has not taken. Absent in a log case."""
    rewinding: NotRequired[bool]
    """True while the consumer waits for its group's offsets, and fetches nothing, or for the end of a partition without
    a committed offset, and does not fetch that partition. Absent in a log case."""


class ConsumerView(ConsumerFields):
    """A consumer."""

    metadata: NotRequired[MetadataView]
    connections: NotRequired[dict[str, ConnectionView]]
    requests: NotRequired[dict[str, RequestView]]
    lanes: NotRequired[dict[str, ReaderLaneView]]
    group: NotRequired[GroupSessionView]
