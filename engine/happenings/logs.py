"""Happenings of a broker's logs: replication, transactions, producers, reading, deletion."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening

# -- replication ---------------------------------------------------------------------------------------


@happening
class FollowerTook(Happening):
    """A follower applied a fetch response.

    - ``cut_to``: the offset to which the log was truncated, or None.

    - ``started_over_at``: the offset at which the log starts after it was emptied, or None.
    - ``copied``: the number of batches.
    - ``log_end_before``: the log end before the response. All other offsets are from after the response.
    - ``producer_count``: the number of producers with state in the log; None in a version that keeps none.
    """

    broker: str
    partition: str
    leader: str
    cut_to: int | None
    started_over_at: int | None
    copied: int
    log_start_raised: bool
    high_watermark_moved: bool
    forgotten: tuple[int, ...]
    leader_epoch: int
    log_end_before: int
    log_start: int
    log_end: int
    high_watermark: int
    producer_count: int | None


@happening
class HighWatermarkAdvanced(Happening):
    """The high watermark rose, because the follower ``replica`` had fetched further."""

    broker: str
    partition: str
    replica: str
    high_watermark: int
    log_end: int


@happening
class HighWatermarkFollowsIsr(Aside):
    broker: str
    partition: str
    high_watermark: int
    in_sync: int


@happening
class IsrAskedBack(Happening):
    """A leader requests a follower's return to the in-sync replicas."""

    broker: str
    partition: str
    replica: str
    high_watermark: int


@happening
class LogOpened(Aside):
    """A starting broker opened a log. ``from_snapshot``: the stop was clean, so a snapshot has the
    producers; if False, segments were read again. ``producer_count`` None: this version keeps no producer state."""

    broker: str
    partition: str
    log_end: int
    producer_count: int | None
    from_snapshot: bool


# -- appends that wait ---------------------------------------------------------------------------------


@happening
class AppendNotReplicated(Aside):
    """An append that waited for its replication ended with an error. ``for_broker``: the broker itself made
    the append; if False, a client did."""

    broker: str
    partition: str
    base_offset: int
    until_offset: int
    high_watermark: int
    in_sync: int
    min_isr: int
    client: str
    error: Error
    for_broker: bool


@happening
class ProduceAnswered(Aside):
    """A Produce is answered, because the last of the partitions for which it waited is replicated."""

    broker: str
    client: str
    partition: str
    until_offset: int


@happening
class ProduceTimedOut(Happening):
    broker: str
    client: str
    partitions: tuple[str, ...]


@happening
class ConnectionEnded(Aside):
    """The broker closed the connection, because an append with acks=0 failed."""

    broker: str
    client: str


# -- transactions in a log -----------------------------------------------------------------------------


@happening
class StaleEpochCopied(Aside):
    """A follower copied a batch with an older epoch than the one that its log knows of the producer."""

    broker: str
    partition: str
    producer_id: int
    arrived: int
    stored: int


@happening
class AbortIndexed(Aside):
    """The index of aborted transactions got an entry for an ABORT marker. The marker deletes nothing."""

    partition: str
    producer_id: int
    first_offset: int
    marker_offset: int
    stable_offset: int


@happening
class HighWatermarkHeld(Aside):
    """The high watermark could rise, but too few replicas are in sync."""

    partition: str
    high_watermark: int
    in_sync: int
    min_isr: int


@happening
class StableOffsetAdvanced(Aside):
    """A marker is replicated. ``before`` and ``last_stable_offset`` are equal if a transaction that started
    earlier holds the last stable offset back."""

    partition: str
    before: int
    last_stable_offset: int
    high_watermark: int


@happening
class ReadersWait(Aside):
    """The last stable offset is below the high watermark, so read_committed consumers wait for the
    transaction of ``producer_id``. None: they wait only for the replication of its marker."""

    partition: str
    last_stable_offset: int
    high_watermark: int
    producer_id: int | None


@happening
class FormatWithoutMarkers(Happening):
    broker: str
    partition: str
    version: int
    result: str
    producer_id: int


# -- reading -------------------------------------------------------------------------------------------


@happening
class FetchAnswered(Happening):
    """A broker answered a consumer's Fetch.

    - ``held``: the consumer is read_committed, and the last stable offset is below the high watermark.
    - ``holder``: the producer id whose open transaction begins at the last stable offset; None: the marker of the
      transaction there was appended.
    - ``too_early``: the consumer is read_uncommitted, and the response reaches beyond the last stable offset.
    - ``aborted``: (producer id, first offset) of each aborted transaction that the response lists.
    """

    broker: str
    consumer: str
    partition: str
    fetch_offset: int
    isolation: str
    next_offset: int
    batch_count: int
    high_watermark: int
    last_stable_offset: int
    held: bool
    holder: int | None
    too_early: bool
    aborted: tuple[tuple[int, int], ...]


@happening
class EndReturned(Happening):
    """A leader returned the end of a partition to a consumer. ``stable``: ``offset`` is the last stable offset, because
    the consumer reads with read_committed; else it is the high watermark."""

    broker: str
    consumer: str
    partition: str
    offset: int
    stable: bool


# -- producers, deletion, compaction -------------------------------------------------------------------


class Forgotten(Enum):
    """The reasons why a log forgot producers: all their records were deleted, they were idle, or a fault demanded
    it."""

    HEAD_DELETED = "producers_deleted_with_head"
    IDLE = "producers_expired"
    FAULT = "producers_forgotten"


@happening
class ProducersForgotten(Happening):
    broker: str
    partition: str
    producer_ids: tuple[int, ...]
    because: Forgotten


@happening
class ProducersKept(Aside):
    """The start of the log was deleted, but the log still knows these producers."""

    broker: str
    partition: str
    producer_ids: tuple[int, ...]


@happening
class HeadDeleted(Happening):
    """The fault *delete log head* took effect. ``moved``: whether there were records to delete."""

    broker: str
    partition: str
    log_start: int
    to: int
    moved: bool


@happening
class ProducersExpired(Happening):
    """The fault *expire producer state* took effect. ``partition`` None: it concerns all partitions."""

    broker: str
    partition: str | None


@happening
class LogCompacted(Happening):
    """The fault *run compaction* took effect. ``waiting``: the number of markers and tombstones that must stay
    until they are older than ``retention`` (ms)."""

    broker: str
    partition: str
    count: int
    below: int
    markers: int
    tombstones: int
    waiting: int
    retention: int


@happening
class IsrShrinkAsked(Happening):
    """A leader requests that followers that do not fetch are removed from the in-sync replicas."""

    broker: str
    partition: str
    replicas: tuple[str, ...]


@happening
class IsrChangeAskedAgain(Happening):
    broker: str
    partitions: tuple[str, ...]


@happening
class IsrWriteSent(Happening):
    """A leader writes to ZooKeeper that a follower is in sync again."""

    broker: str
    partition: str
    replica: str
    high_watermark: int


@happening
class IsrWriteSentAgain(Happening):
    broker: str
    partitions: tuple[str, ...]


@happening
class IsrChangeAnswered(Happening):
    """The controller answered a leader's change of the in-sync replicas. ``counts``: the leader still waited
    for this response; if False, the leader had already read a newer state of the partition."""

    broker: str
    partition: str
    error: Error
    isr: tuple[int, ...]
    partition_epoch: int
    counts: bool
