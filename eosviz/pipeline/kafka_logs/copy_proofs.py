"""Decides whether the copies of a case prove what a verdict needs. A verdict may depend on the absence of
something only if the copies prove that it was absent in the cluster.

The coordinator may seem not to know a producer, or a marker may seem to be missing, only because a file was
left out, was truncated, was copied too early, or is from another cluster. Each need is a function. It returns
sentences that say what is not proved, and none if the need is met. `verdict_rules.py` lists the needs of each
verdict.

Source: Kafka's `TransactionCoordinator`. The record of a new producer id, and that of each partition of a
transaction, is written before the first batch there. The markers are written before the record of a completed
transaction.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from engine.codec.transaction_log_record import TransactionLogValue
from eosviz.pipeline.kafka_logs.coordinator import (
    TOPIC,
    Coordinator,
    CoordinatorEntry,
    ReadLog,
    partition_of,
)
from eosviz.pipeline.kafka_logs.declared import ContradictedError, Declared
from eosviz.pipeline.kafka_logs.directories import CLEANER_CHECKPOINT
from eosviz.pipeline.kafka_logs.internal_topics import ClusterMetadata
from eosviz.pipeline.kafka_logs.origins import NOWHERE, Origin
from eosviz.pipeline.kafka_logs.partition import Marker, Partition, Transaction
from eosviz.pipeline.kafka_logs.words import Words, moment_by, place_words, words

BROKER_SKEW_MS = 10_000
"""The largest assumed difference between two brokers' clocks, in ms, for verdicts that depend on the order of
their times. A difference that the files show is added."""
CLIENT_SKEW_MS = 60_000
"""A client's clock is assumed to be behind a broker's by at most this many ms."""
COPY_DELAY_MS = 3_600_000
"""A coordinator's log is assumed to be copied at most this many ms after the data. Within this time the log
cleaner may have removed records that the log still had when the data was copied."""
EXPIRY_MS = 7 * 24 * 3_600_000
"""Kafka's default of `transactional.id.expiration.ms`: for this time a coordinator remembers an unused
transactional id."""
HISTORY_MAX = 1000
"""Only this many of a producer id's newest records are searched for the first one that ended a
transaction."""
CLOCKS_MAX = 100
"""Only this many of a partition's newest markers, and of a producer id's newest records, are compared to find
out how far clocks differ."""
NAMED_MAX = 8
"""One sentence names at most this many partitions, and counts the others. A need has at most this many
sentences about flaws of the coordinator's logs."""


@dataclass(slots=True)
class Copies:
    """What is known about all copies of a case."""

    coordinator: Coordinator
    declared: Declared = field(default_factory=Declared)
    transaction_partitions: int | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Dict of partition of the data → the cluster and the topic id that its files show."""
    mixed_topics: frozenset[str] = frozenset()
    """The topics whose partitions have different topic ids: either their files come from two clusters, or the
    topic was deleted and created again."""
    renamed_topics: frozenset[str] = frozenset()
    """Topics that have the topic id of another topic: the folders of one of the two were renamed."""
    has_mixed_names: bool = False
    """Whether a bundle and other files were read together, or several bundles. Each bundle has its own
    pseudonyms, so names cannot be compared."""
    missing: tuple[Words, ...] | None = None
    """The sentences that say what is missing from `__transaction_state` as a whole. None until they are
    computed."""
    _by_age: list[tuple[int, str]] | None = None
    _older: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _strangers: dict[str, int] = field(default_factory=dict)
    _skews: dict[str, int] = field(default_factory=dict)

    def older_than(self, time_ms: int) -> tuple[str, ...]:
        """The names of the partitions of `__transaction_state` without a record of `time_ms` or later,
        shortened by `named`."""
        if self._by_age is None:
            self._by_age = sorted((log.newest_ms, name) for name, log in self.coordinator.logs.items())
        count = bisect_left(self._by_age, (time_ms, ""))
        if count not in self._older:
            self._older[count] = named(sorted((name for _, name in self._by_age[:count]), key=_number_of))
        return self._older[count]

    def skew_of(self, partition: Partition) -> int:
        """How far the clock of the partition's broker and those of the coordinators may differ, in ms."""
        if partition.name not in self._skews:
            markers = (one.last_marker for one in partition.producers.values() if one.last_marker is not None)
            newest = nlargest(CLOCKS_MAX, markers, key=lambda one: one.timestamp)
            self._skews[partition.name] = BROKER_SKEW_MS + max(map(self._skew_at, newest), default=0)
        return self._skews[partition.name]

    def _skew_at(self, marker: Marker) -> int:
        """How far the time of a COMMIT marker lies outside the time between the records of its decision and
        of its completion, in ms. 0 if it lies within, or if those records are unknown."""
        if marker.result != "committed":
            return 0
        logs = self.coordinator.logs
        outside: list[int] = []
        decided_ms = -1
        for one in self.coordinator.history.get(marker.producer_id, [])[-CLOCKS_MAX:]:
            value = one.value
            if value is None or one.decision != "committed" or value.producer_epoch != marker.epoch:
                continue
            if one.partition not in logs or logs[one.partition].newest_ms < marker.timestamp:
                # The marker may belong to a transaction that the copied coordinator's log does not contain
                # yet.
                return 0
            if one.is_prepared:
                decided_ms = value.last_update_ms
            elif 0 <= decided_ms <= value.last_update_ms:
                outside.append(max(decided_ms - marker.timestamp, marker.timestamp - value.last_update_ms, 0))
                decided_ms = -1
        return min(outside, default=0)

    def stranger_at(self, partition: Partition) -> int:
        """The highest offset of a COMMIT marker that is newer than EXPIRY_MS before the coordinator's newest
        record, and whose producer the coordinator does not know; -1 if there is none. Only the last marker of
        each producer counts."""
        if partition.name not in self._strangers:
            since = self.coordinator.newest_ms - EXPIRY_MS
            offsets = (
                one.last_marker.offset
                for one in partition.producers.values()
                if one.last_marker is not None
                and one.last_marker.result == "committed"
                and one.last_marker.timestamp > since
                and not self.coordinator.knows(one.producer_id)
            )
            self._strangers[partition.name] = max(offsets, default=-1)
        return self._strangers[partition.name]


@dataclass(frozen=True, slots=True)
class Situation:
    """What the verdict on one open transaction depends on: the transaction, the coordinator's newest record
    of its id, and the copies."""

    partition: Partition
    transaction: Transaction
    entry: CoordinatorEntry | None
    """The coordinator's newest record of the transactional id; None if no record has the producer id."""
    copies: Copies
    now: int
    """The time against which timeouts are measured, in milliseconds since 1970; -1 if unknown."""

    @property
    def value(self) -> TransactionLogValue | None:
        """The value of `entry`; None if there is no record, and for a tombstone."""
        return None if self.entry is None else self.entry.value

    @property
    def last_marker(self) -> Marker | None:
        """The newest marker of the transaction's producer in this partition; None if there is none."""
        return self.partition.producers[self.transaction.producer_id].last_marker

    @property
    def skew_ms(self) -> int:
        """How far the clocks of the brokers may differ, in milliseconds."""
        return self.copies.skew_of(self.partition)

    @property
    def began_by_ms(self) -> int:
        """The latest time at which the transaction can have begun in this partition, in ms since 1970 by a
        broker's clock. -1 if it is unknown, because no marker follows the transaction's first batch."""
        followed_ms = self.transaction.followed_ms
        return followed_ms + self.skew_ms if followed_ms >= 0 else -1

    @property
    def claimed_begin_by_ms(self) -> int:
        """The latest time at which the transaction can have begun, in ms since 1970, if the timestamp of its
        first batch is right, which its client sets freely. -1 if it has no timestamp."""
        first_ms = self.transaction.first_timestamp
        return first_ms + CLIENT_SKEW_MS + self.partition.client_lag_ms if first_ms >= 0 else -1

    @property
    def first_waited_for(self) -> Transaction:
        """The first open transaction of the partition. The last stable offset stays at its beginning, and
        read_committed consumers wait for it."""
        return self.partition.open_transactions[0]

    @property
    def logs(self) -> dict[str, ReadLog]:
        """The partitions of `__transaction_state` that would contain the transaction, with how completely
        they were read."""
        every = self.copies.coordinator.logs
        if self.entry is None:
            return every
        log = every.get(self.entry.partition)
        return {} if log is None else {self.entry.partition: log}

    @property
    def was_asked(self) -> bool:
        """Whether `entry` is the answer of a running coordinator."""
        return self.entry is not None and self.entry.text_place != ""


Need = Callable[[Situation], tuple[Words, ...]]
"""The type of a need: a function that returns sentences about what is not proved in a situation, and none if
the need is met."""


def data_whole(at: Situation) -> tuple[Words, ...]:
    """Need: from the first batch of the transaction on, the data has no damage and no gap, and is not
    truncated."""
    first_offset = at.transaction.first_offset
    if not at.partition.is_doubted_behind(first_offset):
        return ()
    return (words("need.data_whole", partition=at.partition.name, offset=first_offset),)


def print_whole(at: Situation) -> tuple[Words, ...]:
    """Need: printed text is complete. Only the person who gave it can state that."""
    if not at.partition.is_printed or at.copies.declared.rest_empty:
        return ()
    return (words("need.whole_print", partition=at.partition.name),)


def same_cluster(at: Situation) -> tuple[Words, ...]:
    """Need: the data and `__transaction_state` are from the same cluster. Either the files show it or the
    person who gave them states it."""
    if at.copies.has_mixed_names:
        return (words("need.one_bundle"),)
    mixed = at.copies.mixed_topics & {TOPIC, at.partition.name.rpartition("-")[0]}
    if mixed:
        return (words("need.one_topic", topic=tuple(sorted(mixed))),)
    if at.partition.name.rpartition("-")[0] in at.copies.renamed_topics:
        return (words("need.one_name", topic=tuple(sorted(at.copies.renamed_topics))),)
    mine = at.copies.origins.get(at.partition.name, NOWHERE).cluster_id
    logs = at.logs.values()
    if at.copies.declared.one_cluster or (mine and logs and all(log.cluster_id == mine for log in logs)):
        return ()
    return (words("need.cluster", partition=at.partition.name),)


def id_whole(at: Situation) -> tuple[Words, ...]:
    """Need: no record of the transactional id is missing from its partition of `__transaction_state`."""
    if at.was_asked or at.entry is None:
        return ()
    if not at.logs:
        return (words("need.whole_log", partition=at.entry.partition),)
    return tuple(_flaws(at))


def topic_whole(at: Situation) -> tuple[Words, ...]:
    """Need: no record of `__transaction_state` is missing."""
    copies = at.copies
    # The sentences are stored, because they are the same for every transaction with an unknown id, of which
    # there may be many.
    if copies.missing is None:
        copies.missing = (*_missing(copies), *_flaws(at))
    return copies.missing


def _missing(copies: Copies) -> tuple[Words, ...]:
    if copies.coordinator.lists:
        return () if copies.declared.rest_empty else (words("need.whole_list"),)
    count = copies.transaction_partitions
    if count is None:
        given = named(sorted(copies.coordinator.logs, key=_number_of))
        return (words("need.partition_count", given=given),)
    missing = [f"{TOPIC}-{number}" for number in range(count)]
    missing = [name for name in missing if name not in copies.coordinator.logs]
    if not missing or copies.declared.rest_empty:
        return ()
    return (words("need.partitions", missing=named(missing), count=count),)


def _number_of(name: str) -> tuple[int, str]:
    number = name.rpartition("-")[2]
    return (int(number) if number.isdecimal() else -1, name)


def _flaws(at: Situation) -> Sequence[Words]:
    found: list[Words] = []
    for name, log in sorted(at.logs.items()):
        if log.flaws:
            found += [words("need.whole_log", partition=name), *log.flaws]
        elif log.is_printed and not at.copies.declared.rest_empty:
            found.append(words("need.whole_print", partition=name))
        elif log.is_bare and not at.copies.declared.rest_empty:
            found.append(words("need.bare", partition=name))
        elif log.has_holes and not at.copies.declared.rest_empty:
            found.append(words("need.no_holes", partition=name, file=CLEANER_CHECKPOINT))
        elif log.segment_gap is not None and not at.copies.declared.rest_empty:
            first, last = log.segment_gap
            found.append(words("need.no_lost_segment", partition=name, first=first, last=last))
    return found[:NAMED_MAX]


def coordinator_newer(at: Situation) -> tuple[Words, ...]:
    """Need: each partition of `__transaction_state` that would contain the transaction (`Situation.logs`) was
    copied after it had begun in the data."""
    entry, value, mine = at.entry, at.value, at.transaction
    same_id = value is not None and value.producer_id == mine.producer_id
    if entry is not None and value is not None and same_id and value.producer_epoch < mine.newest_epoch:
        return (words("need.newer_epoch", place=place_words(entry.place), epoch=mine.newest_epoch),)
    since = at.began_by_ms
    is_sure = since >= 0
    if not is_sure:
        if at.first_waited_for is not at.transaction:
            first_offset = at.first_waited_for.first_offset
            return (words("need.first_ended", partition=at.partition.name, offset=first_offset),)
        since = at.claimed_begin_by_ms
        if since >= 0:
            # The newest marker ended the transaction before this one in the order of offsets, so the readers
            # have waited for this one since then.
            since = max(since, at.partition.newest_marker_ms + at.skew_ms)
    after = at.copies.declared.copied_after
    if 0 <= since <= (-1 if after is None else after):
        return ()
    if not is_sure:
        return (words("need.readers_waited", partition=at.partition.name, at=moment_by(since)),)
    logs = at.logs
    older = (
        at.copies.older_than(since)
        if at.entry is None
        else named([n for n in logs if logs[n].newest_ms < since])
    )
    if logs and not older and not at.was_asked:
        return ()
    return (words("need.coordinator_newer", partitions=older or TOPIC, at=moment_by(since)),)


def readers_declared_waiting(at: Situation) -> bool:
    """Whether only a person's statement (`Declared.copied_after`) shows that the transaction began before the
    files were copied."""
    return at.copies.declared.copied_after is not None and at.began_by_ms < 0


def segments_declared_whole(at: Situation) -> list[str]:
    """The partitions of `__transaction_state` with a gap between two segments. Only a person can state that
    no segment is missing there."""
    return sorted(name for name, log in at.logs.items() if log.segment_gap is not None)


def data_newer(at: Situation) -> tuple[Words, ...]:
    """Need: the data was copied after the coordinator had ended the transaction, so that its marker would be
    in the data."""
    over = _over_since(at)
    if over is None or is_marked(at):
        return ()
    seen = max(at.partition.newest_marker_ms, at.copies.declared.copied_after or -1)
    if over >= 0 and seen >= over + at.skew_ms:
        return ()
    return (words("need.data_newer", partition=at.partition.name, at=moment_by(over + at.skew_ms)),)


def _over_since(at: Situation) -> int | None:
    """The time, in ms since 1970, at which the coordinator's records show that every transaction which the
    producer had begun in this partition had ended; None if they show no such time."""
    entry, coordinator = at.entry, at.copies.coordinator
    if entry is None:
        cleaned = any(log.is_cleaned for log in coordinator.logs.values())
        return coordinator.newest_ms - COPY_DELAY_MS if cleaned else None
    if entry.value is None:
        return entry.timestamp
    mine = (at.transaction.producer_id, at.transaction.newest_epoch)
    moments = [entry.value.last_update_ms]
    for one in coordinator.history.get(at.transaction.producer_id, [])[-HISTORY_MAX:]:
        value = one.value
        if value is None or one.is_prepared or one.transactional_id != entry.transactional_id:
            continue
        if value.producer_id != mine[0] or value.producer_epoch > mine[1]:
            moments.append(value.last_update_ms)
        elif value.start_ms > at.began_by_ms >= 0:
            # The producer's next transaction had begun, so the one before was complete.
            moments.append(value.start_ms)
    return min(moments)


def is_marked(at: Situation) -> bool:
    """Whether the producer's last marker before this transaction belongs to the coordinator's newest record.
    If so, that record is about an earlier transaction."""
    value, marker = at.value, at.last_marker
    if value is None or marker is None or marker.offset > at.transaction.first_offset:
        return False
    if (value.producer_id, value.producer_epoch) != (marker.producer_id, marker.epoch):
        return False
    return value.client_transaction_version >= 2 or 0 <= value.start_ms <= marker.timestamp - at.skew_ms


def not_contradicted(at: Situation) -> tuple[Words, ...]:
    """Need: the data does not contradict that the coordinator does not know the producer. It would by a recent
    marker of this producer, or after the transaction's beginning by a recent COMMIT marker of another unknown
    producer. Recent: less than EXPIRY_MS before the coordinator's newest record."""
    marker = at.last_marker
    offset = at.copies.stranger_at(at.partition)
    since = at.copies.coordinator.newest_ms - EXPIRY_MS
    if marker is not None and marker.timestamp > since:
        offset = marker.offset
    elif offset < at.transaction.first_offset:
        return ()
    return (words("need.contradicted", partition=at.partition.name, offset=offset),)


def partition_count(coordinator: Coordinator, metadata: ClusterMetadata, declared: Declared) -> int | None:
    """The number of partitions of `__transaction_state`; None if it is unknown. Raises ContradictedError if
    files and statements contradict each other."""
    recorded, count = metadata.transaction_partitions, declared.transaction_partitions
    if recorded is not None and count is not None and recorded != count:
        raise ContradictedError(
            words("refused.stated_otherwise", count=count, stated=recorded, place=metadata.place)
        )
    count = recorded or count
    if count is None:
        return None
    for name in coordinator.logs:
        if _number_of(name)[0] >= count:
            raise ContradictedError(words("refused.more", count=count, partition=name))
    for entry in coordinator.latest.values():
        if coordinator.is_renamed or entry.partition not in coordinator.logs:
            continue
        if entry.partition != (right := partition_of(entry.transactional_id, count)):
            named_id = {"transactional_id": entry.transactional_id, "right": right}
            raise ContradictedError(
                words("refused.other_count", count=count, partition=entry.partition, **named_id)
            )
    return count


def named(names: Sequence[str]) -> tuple[str, ...]:
    """The first NAMED_MAX names; if there are more, also a text with their number."""
    more = len(names) - NAMED_MAX
    return (*names[:NAMED_MAX], f"… (+{more})") if more > 0 else tuple(names)
