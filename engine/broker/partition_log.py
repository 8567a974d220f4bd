"""One replica's log of one partition: batches in segments, and the rules for an append (LOG-4 to LOG-11).

Owns stored batches, segment borders, log start, log end, high watermark, last stable offset, the aborted
index and the producer state that belongs to them. It does not know the leader, the in-sync replicas or the
appends that wait.

An append is first validated on copies, and stored only if every batch of it passed. Batches are immutable:
leader, followers and answers share the same objects. Offsets are consecutive, except where the cleaner
removed records, or a truncation to an offset inside a batch removed the whole batch.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from engine.broker.aborted_index import AbortedIndex, AbortedTransaction
from engine.broker.append_rules import AppendRule, Level, Rules, rules_in_force
from engine.broker.appended import Appended, with_offset
from engine.broker.cleaner_progress import CleanerProgress
from engine.broker.configuration import BrokerConfiguration
from engine.broker.log_loading import load_producers, rebuild_producers, recover_segments
from engine.broker.parts import BatchPart, ProducerPart
from engine.broker.producer_state import (
    Appending,
    BatchMetadata,
    CompletedTransaction,
    ProducerStateEntry,
    ProducerStateManager,
)
from engine.broker.transaction_notes import note_ended, note_stale_copy, touch_undecided
from engine.broker.validation import Origin, levels
from engine.errors import NO_ERROR, EngineError, Error
from engine.events import LogAppended, LogStartRaised, LogTruncated
from engine.messages import NO_OFFSET, NO_PRODUCER_ID, RecordBatch
from engine.profile import Profile
from engine.shapes.logs import LogPointers
from engine.switches import Switches
from engine.topic_partition import topic_of
from engine.watching import Part, Path, Watch

_REPLICATION = Origin.REPLICATION
_LOGGED = Level.LOGGED


class PartitionLog:
    """The log of ``partition`` on broker ``replica``."""

    __slots__ = (
        "_base_offsets",
        "aborted",
        "active_bytes",
        "active_records",
        "appended_at",
        "batches",
        "cleaned",
        "data_levels",
        "epoch_starts",
        "high_watermark",
        "keeps_producers",
        "log_end",
        "log_start",
        "marker_levels",
        "one_batch_per_append",
        "part",
        "partition",
        "place",
        "producers",
        "replica",
        "rolls_first",
        "segment_bytes",
        "segment_records",
        "segments",
        "shows_cut",
        "watch",
    )

    def __init__(
        self,
        partition: str,
        replica: int,
        *,
        profile: Profile,
        switches: Switches,
        configuration: BrokerConfiguration,
        watch: Watch,
        rules: Rules | None = None,
        part: Part | None = None,
    ) -> None:
        self.partition = partition
        self.replica = replica
        self.place: Path = ("partitions", partition, "replicas", str(replica))
        self.one_batch_per_append = profile.one_batch_per_append
        self.rolls_first = profile.rolls_before_validation
        """Whether a full segment is closed before the batches are validated, so that even a duplicate closes
        it."""
        self.keeps_producers = profile.idempotence
        """Whether the version keeps the state of producers."""
        self.shows_cut = profile.truncation_sets_high_watermark
        """Whether the producer state applies the high watermark at once after a truncation: ended
        transactions whose markers are below it then no longer hold back the LSO."""
        self.segment_records = configuration.segment_records
        self.segment_bytes = configuration.segment_bytes
        self.watch = watch
        self.part = part
        topic = topic_of(partition)
        self.data_levels, self.marker_levels = levels(profile, topic)
        self.producers = ProducerStateManager(
            profile=profile,
            rules=rules_in_force(profile, switches) if rules is None else rules,
            cache_size=switches.duplicate_cache_size,
            expiration_ms=configuration.producer_state_expiration_ms,
        )
        self.batches: list[RecordBatch] = []
        self._base_offsets: list[int] = []
        self.appended_at: list[int] = []
        self.segments: list[int] = [0]
        self.active_records = 0
        self.active_bytes = 0
        self.epoch_starts: list[tuple[int, int]] = []
        """Pairs (leader epoch, first offset of this epoch in the log), in ascending order."""
        self.aborted = AbortedIndex()
        self.cleaned = CleanerProgress()
        self.log_start = 0
        self.log_end = 0
        self.high_watermark = 0

    # Appending ------------------------------------------------------------------------------------

    def append_as_leader(
        self, batches: Sequence[RecordBatch], now: int, *, leader_epoch: int, origin: Origin = Origin.CLIENT
    ) -> Appended:
        """Validate and store ``batches`` in one append (SEQ-10). Nothing is stored unless all of them pass. A
        duplicate gets the offsets of the stored batch, and changes no entry (LOG-3). Several batches get
        INVALID_RECORD in versions with ``one_batch_per_append``."""
        if len(batches) != 1 and self.one_batch_per_append:
            return Appended(Error.INVALID_RECORD, NO_OFFSET, NO_OFFSET)
        appendings: dict[int, Appending] = {}
        completed: list[CompletedTransaction] = []
        offsets = self._places(batches)
        refused = self._validate(batches, offsets, origin, appendings, completed)
        if refused is not None:
            return refused
        first_offset = self.log_end
        for batch, offset in zip(batches, offsets, strict=True):
            self._store(with_offset(batch, offset, leader_epoch), now)
        self._merge(appendings, completed)
        if completed and self.watch.recording:
            note_ended(self, completed)
        if not appendings:
            return Appended(NO_ERROR, first_offset, self.log_end - 1)
        arrival = next(iter(appendings.values())).arrival
        return Appended(NO_ERROR, first_offset, self.log_end - 1, None, arrival, self.data_levels[origin])

    def append_as_follower(self, batches: Sequence[RecordBatch], now: int) -> Appended:
        """Store the leader's batches at their offsets, validated as *replication* (SEQ-9). Raises EngineError
        when the first batch begins below the log end."""
        if not batches:
            return Appended(Error.NONE, NO_OFFSET, NO_OFFSET)
        if batches[0].base_offset < self.log_end:
            raise EngineError(
                f"{self.partition} on broker {self.replica}: a follower at offset {self.log_end} "
                f"was given a batch at {batches[0].base_offset}"
            )
        appendings: dict[int, Appending] = {}
        completed: list[CompletedTransaction] = []
        # Where the cleaner removed records, there is a gap between two batches.
        offsets = [batch.base_offset for batch in batches]
        refused = self._validate(batches, offsets, _REPLICATION, appendings, completed)
        if refused is not None:
            return refused
        first_offset = batches[0].base_offset
        for batch in batches:
            self._store(batch, now)
        self._merge(appendings, completed)
        return Appended(NO_ERROR, first_offset, self.log_end - 1)

    def _places(self, batches: Sequence[RecordBatch]) -> Sequence[int]:
        if len(batches) == 1:
            return (self.log_end,)
        lengths = (batch.last_offset_delta + 1 for batch in batches)
        *offsets, _ = accumulate(lengths, initial=self.log_end)
        return offsets

    def _validate(
        self,
        batches: Sequence[RecordBatch],
        offsets: Sequence[int],
        origin: Origin,
        appendings: dict[int, Appending],
        completed: list[CompletedTransaction],
    ) -> Appended | None:
        """Check the batches against copies of their producers' entries. Returns the result if a batch is
        refused or is a duplicate; else None. ``offsets``: the base offset of each batch. ``appendings`` (by
        producer id) and ``completed`` receive the changes that the caller merges after the append."""
        producers = self.producers
        if self.rolls_first:
            self._make_room(batches)
        for batch, offset in zip(batches, offsets, strict=True):
            producer_id = batch.producer_id
            if producer_id != NO_PRODUCER_ID:
                appending = appendings.get(producer_id)
                if appending is None:
                    appending = appendings[producer_id] = producers.prepare(producer_id)
                is_control = batch.is_control
                level = self.marker_levels[origin] if is_control else self.data_levels[origin]
                rule = producers.judge(appending, batch, level)
                if rule is not None:
                    return self._decided(rule, appending, level)
                if level is _LOGGED:
                    note_stale_copy(self, appending, batch)
                if is_control:
                    ended = appending.add_marker(batch, offset, producers.markers)
                    if ended is not None:
                        completed.append(ended)
                    if self.watch.recording:
                        touch_undecided(self, producer_id, offset)
                else:
                    appending.add_data(batch, offset)
        if not self.rolls_first:
            self._make_room(batches)
        return None

    def _decided(self, rule: AppendRule, appending: Appending, level: Level) -> Appended:
        arrival = appending.arrival
        if arrival is not None and rule.answer is Error.NONE:
            found = arrival.duplicate_of
            return Appended(
                Error.NONE, found.first_offset, found.last_offset, rule, arrival, level, found.timestamp
            )
        return Appended(rule.answer, NO_OFFSET, NO_OFFSET, rule, arrival, level)

    def _store(self, batch: RecordBatch, now: int) -> None:
        """Store one batch at the log end (LOG-4)."""
        records = batch.last_offset_delta + 1
        base_offset = batch.base_offset
        starts = self.epoch_starts
        if not starts or starts[-1][0] != batch.leader_epoch:
            self.begin_epoch(batch.leader_epoch, base_offset)
        self.batches.append(batch)
        self._base_offsets.append(base_offset)
        self.appended_at.append(now)
        self.active_records += records
        self.active_bytes += batch.size
        self.log_end = base_offset + records
        if batch.is_transactional and self.producers.awaited:
            self.producers.awaited.pop(batch.producer_id, None)
        watch = self.watch
        if watch.judging:
            watch.emit(
                LogAppended,
                partition=self.partition,
                replica=self.replica,
                base_offset=base_offset,
                last_offset=base_offset + batch.last_offset_delta,
                serials=batch.serials,
                producer_id=batch.producer_id,
                producer_epoch=batch.producer_epoch,
                base_sequence=batch.base_sequence,
                is_transactional=batch.is_transactional,
                control_type=batch.control_type,
                offset_deltas=None if batch.content is None else batch.content.offset_deltas,
            )
        if watch.recording:
            watch.touch(BatchPart(self, base_offset))
            self._touch()

    def _make_room(self, batches: Sequence[RecordBatch]) -> None:
        """Roll the segment if this append would make it longer than allowed (``Log.maybeRoll``)."""
        if not self.active_records:
            return
        if self.segment_records is not None:
            records = 0
            for batch in batches:
                records += batch.last_offset_delta + 1
            if self.active_records + records > self.segment_records:
                self.roll()
                return
        if self.segment_bytes is not None:
            size = sum(batch.size for batch in batches)
            if self.active_bytes + size > self.segment_bytes:
                self.roll()

    def _merge(self, appendings: dict[int, Appending], completed: list[CompletedTransaction]) -> None:
        """Apply the changes of an append to the producers' state and the aborted index (LOG-5, LOG-9)."""
        producers = self.producers
        for appending in appendings.values():
            producers.merge(appending)
        for ended in completed:
            stable = producers.stable_offset_at(ended)
            if ended.is_aborted:
                self.aborted.add(
                    AbortedTransaction(ended.producer_id, ended.first_offset, ended.last_offset, stable)
                )
            producers.complete(ended)
        producers.map_end_offset = self.log_end
        if self.watch.recording:
            for producer_id in appendings:
                self.watch.touch(ProducerPart(self, producer_id))

    def roll(self) -> None:
        """Start a new segment at the log end and write a producer snapshot there (``Log.roll``)."""
        self.producers.map_end_offset = self.log_end
        self.producers.take_snapshot()
        if self.segments[-1] != self.log_end:
            self.segments.append(self.log_end)
        self.active_records = 0
        self.active_bytes = 0
        self._touch()

    # Pointers -------------------------------------------------------------------------------------

    @property
    def producer_count(self) -> int | None:
        """How many producers have state in this log. None in a version that keeps none."""
        return len(self.producers.entries) if self.keeps_producers else None

    @property
    def last_stable_offset(self) -> int:
        """The offset below which every record is replicated and every transaction has a replicated marker (LOG-8)."""
        unstable = self.producers.first_unstable_offset()
        if unstable is None:
            return self.high_watermark
        return min(self.high_watermark, max(unstable, self.log_start))

    def set_high_watermark(self, offset: int) -> bool:
        """Move the high watermark to ``offset``, but not below the log start or above the log end; True when
        it moved."""
        if offset > self.log_end:
            offset = self.log_end
        if offset < self.log_start:
            offset = self.log_start
        decided = bool(self.producers.unstable) and self.producers.on_high_watermark(offset)
        if offset == self.high_watermark:
            if decided:
                self._touch()  # Only now is it known that the markers of the loaded log are replicated.
            return False
        self.high_watermark = offset
        if self.watch.recording:
            self._touch()
        return True

    def raise_log_start(self, to: int) -> list[int]:
        """Raise the log start to ``to`` (retention, DeleteRecords), and the high watermark with it if it is
        lower, as it may be on a follower. Returns the ids of the producers that are forgotten. Raises
        EngineError above the log end."""
        if to <= self.log_start:
            return []
        if to > self.log_end:
            raise EngineError(f"{self.partition}: log start {to} would pass the log end {self.log_end}")
        self.log_start = to
        self.high_watermark = max(self.high_watermark, to)
        gone = self.producers.on_log_start_raised(to)
        self.watch.emit(LogStartRaised, partition=self.partition, replica=self.replica, to=to)
        self._touch_producers(gone)
        self._touch()
        return gone

    def delete_segments(self) -> None:
        """Delete the segments that are completely below the log start, as the retention task does. The
        segment that holds the log start stays."""
        offset = self.log_start
        keep_from = self.segments[0]
        for start in self.segments[1:]:
            if start <= offset:
                keep_from = start
        if keep_from == self.segments[0]:
            return
        count = bisect_left(self._base_offsets, keep_from)
        gone = self._base_offsets[:count]
        del self.batches[:count], self._base_offsets[:count], self.appended_at[:count]
        self.producers.on_segments_dropped(start for start in self.segments if start < keep_from)
        self.segments = [start for start in self.segments if start >= keep_from]
        self.aborted.drop_below(keep_from)
        self._touch_batches(gone)

    def replace_batches(self, changed: dict[int, RecordBatch | None]) -> None:
        """Replace batches by their compacted versions. ``changed``: dict of base offset → new batch; None:
        remove the batch (LOG-13)."""
        kept = [
            (changed.get(batch.base_offset, batch), at)
            for batch, at in zip(self.batches, self.appended_at, strict=True)
        ]
        self.batches = [batch for batch, _ in kept if batch is not None]
        self.appended_at = [at for batch, at in kept if batch is not None]
        self._base_offsets = [batch.base_offset for batch in self.batches]
        self._touch_batches(list(changed))
        self._touch()

    def segment_times(self) -> dict[int, int]:
        """Dict of first offset of each closed segment → time in ms of the newest append whose records are
        still in it; 0 if the segment is empty."""
        newest: dict[int, int] = {}
        for start in self.segments[:-1]:
            first, last = (bisect_left(self._base_offsets, at) for at in (start, self.segment_end(start)))
            newest[start] = max(self.appended_at[first:last], default=0)
        return newest

    # Cutting and reloading ------------------------------------------------------------------------

    def truncate(self, to: int, now: int) -> bool:
        """Remove the records from offset ``to`` on, and rebuild the producer state (LOG-10). Returns True if
        the log end moved. A batch that holds ``to`` is removed as a whole."""
        if to >= self.log_end:
            self.epoch_starts = [(epoch, start) for epoch, start in self.epoch_starts if start < self.log_end]
            return False
        producers_before = list(self.producers.entries)
        count = bisect_left(self._base_offsets, to)
        if count and self.batches[count - 1].last_offset >= to:
            count -= 1
        gone = self._base_offsets[count:]
        reopened = dict.fromkeys(batch.producer_id for batch in self.batches[count:] if batch.is_control)
        del self.batches[count:], self._base_offsets[count:], self.appended_at[count:]
        self.segments = [start for start in self.segments if start <= to] or [to]
        in_active = bisect_left(self._base_offsets, self.segments[-1])
        self.active_records = sum(batch.last_offset_delta + 1 for batch in self.batches[in_active:])
        self.active_bytes = sum(batch.size for batch in self.batches[in_active:])
        self.epoch_starts = [(epoch, start) for epoch, start in self.epoch_starts if start < to]
        self.aborted.truncate(to)
        self.cleaned.truncate(to)
        self.log_end = to
        self.log_start = min(self.log_start, to)
        self.high_watermark = min(self.high_watermark, to)
        rebuild_producers(self, to, now)
        if self.shows_cut:
            self.producers.on_high_watermark(self.high_watermark)
        self.watch.emit(LogTruncated, partition=self.partition, replica=self.replica, to=to)
        self._touch_batches(gone)
        self._touch_producers(dict.fromkeys([*producers_before, *self.producers.entries]))
        if self.watch.recording:
            for producer_id in reopened:
                touch_undecided(self, producer_id, to)
        self._touch()
        return True

    def restart_at(self, offset: int, now: int) -> None:
        """Remove all records and start empty at ``offset`` (``truncateFullyAndStartAt``)."""
        # This also removes the records below the log start in its segment.
        self.truncate(self._base_offsets[0] if self.batches else self.log_start, now)
        self.segments = [offset]
        self.epoch_starts = []
        self.log_start = self.log_end = self.high_watermark = offset
        self.producers.restart_at(offset)
        self._touch()

    def clear(self) -> None:
        """Remove the whole log: the partition was deleted."""
        gone, known = self._base_offsets, list(self.producers.entries)
        self.batches, self._base_offsets, self.appended_at = [], [], []
        self.producers.entries.clear()
        self._touch_batches(gone)
        self._touch_producers(known)

    def close(self, *, clean: bool) -> None:
        """Called when the broker stops: the producer state in memory is lost. A clean stop writes a snapshot
        first."""
        producers = self.producers
        if clean:
            producers.map_end_offset = self.log_end
            producers.take_snapshot()
        known = list(producers.entries)
        # The log itself shows which transactions are open, so the view of a stopped broker keeps them.
        producers.entries.clear()
        producers.awaited.clear()
        self._touch_producers(known)
        self._touch()

    def reopen(
        self, now: int, *, clean: bool, recovery_point: int | None = None, log_start: int | None = None
    ) -> None:
        """Load the log from disk after a stop (LOG-10). ``recovery_point``: an offset; after a crash, the
        segment that holds it and all later ones are read again; None: only the newest segment is read again.
        ``log_start``: the log start in the broker's checkpoint; None: it stays. The high watermark starts
        again at the log start."""
        if log_start is not None:
            self.log_start = max(log_start, self.segments[0])
        if not clean:
            recover_segments(self, self.segments[-1] if recovery_point is None else recovery_point, now)
        self.producers.open(self.segments)
        load_producers(self, now, clean=clean)
        self.high_watermark = self.log_start
        self._touch_producers(list(self.producers.entries))
        self._touch()

    def preset_producer(
        self,
        producer_id: int,
        producer_epoch: int,
        last_sequence: int | None,
        last_offset: int | None,
        now: int,
    ) -> None:
        """For the initial state of a run (GEN-7): set a producer's entry, with at most one cached batch,
        which has one record. ``last_sequence`` None: no batch is cached. ``last_offset`` None: the batch is
        the last one in the log."""
        entry = ProducerStateEntry(producer_id)
        entry.producer_epoch = producer_epoch
        entry.last_timestamp = now
        if last_sequence is not None:
            offset = self.log_end - 1 if last_offset is None else last_offset
            entry.batches.append(BatchMetadata(last_sequence, offset, 0, now))
        self.producers.entries[producer_id] = entry
        self._touch_producers([producer_id])

    def expire_producers(self, now: int) -> list[int]:
        """Forget idle producers (LOG-12); returns their ids."""
        gone = self.producers.expire(now)
        self._touch_producers(gone)
        return gone

    def forget_producers(self) -> list[int]:
        """The fault *expire producer state*: forget every producer without an open transaction, idle or not
        (GEN-6)."""
        gone = [
            producer_id
            for producer_id, entry in self.producers.entries.items()
            if entry.transaction_first_offset is None
        ]
        for producer_id in gone:
            del self.producers.entries[producer_id]
        self._touch_producers(gone)
        return gone

    # Reading --------------------------------------------------------------------------------------

    def read(
        self, offset: int, *, committed: bool, batches_max: int, bytes_max: int | None = None
    ) -> tuple[tuple[RecordBatch, ...], tuple[tuple[int, int], ...]]:
        """Whole batches of one segment, from the batch with ``offset`` up to a bound (CON-1): the last stable
        offset if ``committed``, else the high watermark. The second result: (producer id, first offset) of
        each aborted transaction from ``offset`` to the end of the segment; empty unless ``committed``. There
        are at most ``batches_max`` batches; they have at most ``bytes_max`` bytes, unless the first batch
        alone is larger. The caller checks that ``offset`` lies inside the log."""
        bound = self.last_stable_offset if committed else self.high_watermark
        index = max(0, bisect_right(self._base_offsets, offset) - 1)
        while index < len(self.batches) and self.batches[index].last_offset < offset:
            index += 1
        chosen: list[RecordBatch] = []
        limit = None
        size = 0
        for batch in self.batches[index : index + batches_max]:
            if batch.last_offset >= bound:
                break
            if limit is None:
                limit = self.segment_end(batch.base_offset)
            size += batch.size
            if batch.base_offset >= limit or (chosen and bytes_max is not None and size > bytes_max):
                break
            chosen.append(batch)
        if not committed:
            return tuple(chosen), ()
        if not chosen and not self.producers.markers.opens_what_it_ends:
            return (), ()
        first = chosen[0].base_offset if chosen else offset
        return tuple(chosen), self.aborted.between(offset, self.segment_end(first))

    def read_for_follower(self, offset: int, batches_max: int) -> tuple[RecordBatch, ...]:
        """At most ``batches_max`` batches from ``offset`` on, up to the log end: a follower may read above
        the high watermark (LOG-7)."""
        index = bisect_left(self._base_offsets, offset)
        return tuple(self.batches[index : index + batches_max])

    def segment_end(self, offset: int) -> int:
        """First offset of the segment after the one that holds ``offset``; in the last segment, the log end."""
        index = bisect_right(self.segments, offset)
        return self.segments[index] if index < len(self.segments) else self.log_end

    @property
    def last_epoch(self) -> int:
        """The newest leader epoch that began in this log; -1 when none did."""
        return self.epoch_starts[-1][0] if self.epoch_starts else -1

    def begin_epoch(self, leader_epoch: int, offset: int) -> None:
        """Note that this leader epoch begins at ``offset``, unless it is the newest already; a new leader calls
        it before its first append (``maybeAssignEpochStartOffset``)."""
        starts = self.epoch_starts
        if leader_epoch != (starts[-1][0] if starts else -1):
            starts.append((leader_epoch, offset))

    def end_of_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """The newest epoch at or below ``leader_epoch``, and the offset at which it ends in this log,
        exclusive (KIP-101, KIP-279). If no epoch of this log is that old: ``leader_epoch`` itself, and the
        offset at which the oldest epoch begins, or the log end if no epoch has begun."""
        index = bisect_right(self.epoch_starts, leader_epoch, key=_epoch)
        found = self.epoch_starts[index - 1][0] if index else leader_epoch
        end = self.epoch_starts[index][1] if index < len(self.epoch_starts) else self.log_end
        return found, end

    def batch_at(self, base_offset: int) -> tuple[RecordBatch, int] | None:
        """The batch with exactly this base offset and the time of its append; None when there is none."""
        index = bisect_left(self._base_offsets, base_offset)
        if index == len(self.batches) or self._base_offsets[index] != base_offset:
            return None
        return self.batches[index], self.appended_at[index]

    # The view -------------------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        """A part for every stored batch and every producer entry."""
        return [
            *(BatchPart(self, base_offset) for base_offset in self._base_offsets),
            *(ProducerPart(self, producer_id) for producer_id in self.producers.entries),
        ]

    def pointers(self) -> LogPointers:
        """The log's offsets, as fields of the replica's part of the view."""
        return {
            "log_start": self.log_start,
            "log_end": self.log_end,
            "high_watermark": self.high_watermark,
            "last_stable_offset": self.last_stable_offset,
            "segments": list(self.segments),
        }

    def _touch(self) -> None:
        if self.part is not None and self.watch.recording:
            self.watch.touch(self.part)

    def _touch_batches(self, base_offsets: list[int]) -> None:
        if self.watch.recording:
            for base_offset in base_offsets:
                self.watch.touch(BatchPart(self, base_offset))

    def _touch_producers(self, producer_ids: Any) -> None:
        if self.watch.recording:
            for producer_id in producer_ids:
                self.watch.touch(ProducerPart(self, producer_id))


def _epoch(start: tuple[int, int]) -> int:
    return start[0]
