"""Happenings of consumers: fetches, records, positions, and requests to a group coordinator."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening


@happening
class PositionSought(Happening):
    """An application moved its consumer's position (``seek``)."""

    consumer: str
    partition: str
    before: int
    position: int


@happening
class Rewound(Aside):
    """The consumer goes back to the committed offsets of its group."""

    consumer: str
    group: str | None


@happening
class FetchSent(Happening):
    consumer: str
    broker: str
    partition: str
    offset: int


@happening
class FetchRefused(Happening):
    consumer: str
    partition: str
    error: Error
    asks_metadata: bool


@happening
class EndRefused(Happening):
    consumer: str
    partition: str
    error: Error
    backoff: int


@happening
class PositionReset(Happening):
    """The consumer moved its position, because the log no longer contains the offset ``before``."""

    consumer: str
    partition: str
    before: int
    position: int


@happening
class EndAsked(Happening):
    """The group of a consumer has no committed offset for these partitions, and the consumer asks for their end."""

    consumer: str
    group: str | None
    broker: str
    partitions: tuple[str, ...]


@happening
class MetadataAsked(Happening):
    consumer: str
    broker: str
    topics: tuple[str, ...]


@happening
class Rebootstrapped(Happening):
    """The consumer can reach none of the brokers that it knew; now it knows the bootstrap brokers alone."""

    consumer: str


@happening
class MetadataLearned(Happening):
    """The consumer got new metadata. ``changed``: the leader of a partition or the set of brokers has changed."""

    consumer: str
    changed: bool


@happening
class UnexpectedAnswer(Happening):
    """A response arrived whose request is no longer in flight."""

    consumer: str
    broker: str


@happening
class Disconnected(Happening):
    """A connection ended, or could not be made. ``count``: the number of requests that were in flight on
    it."""

    consumer: str
    broker: str
    count: int


@happening
class RecordsBrought(Happening):
    """A consumer read a response with ``count`` records for the application. ``kept``: the consumer buffers
    the records until the application polls. ``stretches``: (first offset, last offset, fate) of the offsets
    that the position passed, inclusive; empty unless the run is recorded."""

    consumer: str
    partition: str
    count: int
    position: int
    kept: bool
    stretches: Sequence[tuple[int, int, str]]


@happening
class KeysApplied(Aside):
    """An application that stores the keys of applied records got records. ``applied``: the number of new
    ones, which it applied. ``repeats``: the number of repeated ones, which it skipped."""

    consumer: str
    applied: int
    repeats: int
    remembered: int


# -- requests to the coordinator of a group ------------------------------------------------------------


class AfterAnswer(Enum):
    """The reactions of a consumer to the coordinator's response to a request: end the request, repeat it after the
    backoff, look up the coordinator and repeat it, or give it up."""

    DONE = "done"
    RETRY = "retry"
    LOOK_UP = "look_up"
    GIVE_UP = "give_up"


@happening
class GroupRequestSent(Happening):
    consumer: str
    group: str
    broker: str
    api: str
    partitions: tuple[str, ...]


@happening
class GroupRequestRefused(Happening):
    consumer: str
    group: str
    api: str
    error: Error
    backoff: int
    then: AfterAnswer


@happening
class PollTimedOut(Happening):
    """The application has not called ``poll()`` for ``limit`` ms (``max.poll.interval.ms``), so its consumer
    leaves the group. ``static``: the consumer is a static member. ``sends``: it sends LeaveGroup."""

    consumer: str
    group: str
    limit: int | None
    static: bool
    sends: bool


@happening
class ConsumerClosed(Happening):
    """The application closes its consumer. ``static``: the consumer is a static member. ``sends``: it sends
    LeaveGroup."""

    consumer: str
    group: str
    static: bool
    sends: bool


@happening
class GroupLeft(Happening):
    """The coordinator has removed the consumer from its group. ``closed``: its application has closed it."""

    consumer: str
    group: str
    closed: bool


@happening
class CommitOutsideGroup(Aside):
    """A commit fails in a consumer that has left its group; no request is sent."""

    consumer: str
    group: str


@happening
class CommitAfterClose(Aside):
    """A commit fails in a closed consumer; no request is sent."""

    consumer: str


@happening
class GroupCoordinatorFound(Happening):
    consumer: str
    group: str
    broker: str


@happening
class OffsetsCommitted(Happening):
    """The coordinator stored the offsets of a group, outside any transaction."""

    consumer: str
    group: str | None


@happening
class ReadingResumed(Happening):
    """A consumer knows its position in one partition. ``committed``: the position is the group's committed
    offset; if False, the offset at which a group without one starts. ``at_end``: this is the end of the partition
    (auto.offset.reset=latest)."""

    consumer: str
    group: str | None
    partition: str
    position: int
    committed: bool
    at_end: bool = False
