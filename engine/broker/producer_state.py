"""The state that a partition keeps for every producer that wrote to it (SEQ-7, LOG-5).

Owns the producer entries with their cached batches, the transactions that are open or not yet stable, and the
snapshots. An append is validated on a copy, which is merged only after the append succeeded. The rules
themselves are the tables in ``append_rules``. The caller passes all offsets.

The structure follows Kafka's ``ProducerStateManager``, ``ProducerStateEntry`` and ``ProducerAppendInfo``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.broker.append_rules import AppendRule, Arrival, Level, Rules, judge
from engine.broker.sequence import decrement
from engine.errors import EngineError
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, RecordBatch
from engine.profile import Profile


class BatchMetadata(NamedTuple):
    """The fields of a cached batch by which the leader recognises a duplicate and responds with the stored
    offsets. ``offset_delta``: the last offset minus the first. ``timestamp``: in ms."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_sequence(self) -> int:
        return decrement(self.last_sequence, self.offset_delta)

    @property
    def first_offset(self) -> int:
        return self.last_offset - self.offset_delta


class ProducerStateEntry:
    """One producer's entry. An absent epoch or timestamp is -1. ``batches``: the cached batches, oldest first."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "last_timestamp",
        "producer_epoch",
        "producer_id",
        "transaction_first_offset",
    )

    def __init__(
        self,
        producer_id: int,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        coordinator_epoch: int = -1,
        last_timestamp: int = -1,
        transaction_first_offset: int | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.coordinator_epoch = coordinator_epoch
        self.last_timestamp = last_timestamp
        self.transaction_first_offset = transaction_first_offset
        self.batches: list[BatchMetadata] = []

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    @property
    def last_data_offset(self) -> int:
        return self.batches[-1].last_offset if self.batches else -1

    def take_epoch(self, producer_epoch: int) -> None:
        """Set the epoch; a change of epoch empties the cache (SEQ-8)."""
        if producer_epoch != self.producer_epoch:
            self.batches.clear()
            self.producer_epoch = producer_epoch


class Awaited:
    """The state of the verification for one producer whose transaction has no batch in the partition yet
    (``VerificationStateEntry``)."""

    __slots__ = ("epoch", "guard", "lowest_sequence", "raises", "since")

    def __init__(self, guard: int, epoch: int, lowest_sequence: int, since: int, raises: bool) -> None:
        self.guard = guard
        """The number that a verified append must have (``VerificationGuard``). A marker removes it, and the
        next verification gets a new number. So an append whose verification was requested before the marker
        has another number and is refused."""
        self.epoch = epoch
        self.lowest_sequence = lowest_sequence
        self.since = since
        self.raises = raises
        """Whether each transaction of the client has an epoch of its own (transaction version 2)."""

    def take(self, epoch: int, sequence: int) -> None:
        """Add a batch that waits for the same verification; keep the lowest sequence of the newest epoch."""
        if epoch == self.epoch and sequence < self.lowest_sequence:
            self.lowest_sequence = sequence
        if epoch > self.epoch:
            self.epoch, self.lowest_sequence = epoch, sequence


class SnapshotEntry(NamedTuple):
    """A producer's entry in a snapshot file: it holds only the newest batch (LOG-10)."""

    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    last_timestamp: int
    transaction_first_offset: int | None
    newest: BatchMetadata | None


class CompletedTransaction(NamedTuple):
    producer_id: int
    first_offset: int
    last_offset: int
    """The offset of the marker that ended the transaction."""
    is_aborted: bool


class MarkerEffect(NamedTuple):
    """The effects of a marker besides the end of a transaction. They depend on the version."""

    opens_what_it_ends: bool
    """Whether a marker without an open transaction counts as a transaction by itself. An ABORT marker then
    gets a line in the index of aborted transactions (LOG-9)."""
    is_activity: bool
    """Whether the producer's entry takes over the marker's timestamp (LOG-12)."""


class Appending:
    """One producer's batches in one append: validation works on a copy of the stored entry (SEQ-16).

    No change is visible before :meth:`ProducerStateManager.merge`.
    """

    __slots__ = ("arrival", "batches", "completed", "started", "stored", "updated")

    def __init__(self, stored: ProducerStateEntry) -> None:
        self.stored = stored
        self.updated = ProducerStateEntry(
            stored.producer_id,
            stored.producer_epoch,
            stored.coordinator_epoch,
            stored.last_timestamp,
            stored.transaction_first_offset,
        )
        self.started: list[int] = []
        """The first offset of each transaction that this append opens."""
        self.arrival: Arrival | None = None

    def arrive(self, batch: RecordBatch) -> Arrival:
        """The values that the rules compare, from the batch and from its producer's state."""
        stored = self.stored
        updated = self.updated
        arrival = self.arrival = Arrival()
        arrival.producer_id = batch.producer_id
        arrival.epoch = batch.producer_epoch
        arrival.first_sequence = batch.base_sequence
        arrival.last_sequence_arrived = batch.last_sequence
        arrival.is_transactional = batch.is_transactional
        arrival.coordinator_epoch = batch.coordinator_epoch
        arrival.cached = stored.batches[:]
        arrival.duplicate_of = None
        arrival.stored_epoch = stored.producer_epoch
        arrival.running_epoch = updated.producer_epoch
        arrival.running_coordinator_epoch = updated.coordinator_epoch
        arrival.transaction_first_offset = updated.transaction_first_offset
        if updated.batches:
            arrival.last_sequence = updated.batches[-1].last_sequence
        elif stored.batches and stored.producer_epoch == batch.producer_epoch:
            arrival.last_sequence = stored.batches[-1].last_sequence
        else:
            arrival.last_sequence = NO_SEQUENCE
        return arrival

    def add_data(self, batch: RecordBatch, base_offset: int) -> None:
        """Apply a validated data batch to the copy; the first batch of a transaction opens it (LOG-6)."""
        updated = self.updated
        updated.take_epoch(batch.producer_epoch)
        delta = batch.last_offset_delta
        updated.batches.append(
            BatchMetadata(batch.last_sequence, base_offset + delta, delta, batch.max_timestamp)
        )
        updated.last_timestamp = batch.max_timestamp
        if batch.is_transactional and updated.transaction_first_offset is None:
            updated.transaction_first_offset = base_offset
            self.started.append(base_offset)

    def add_marker(
        self, batch: RecordBatch, base_offset: int, markers: MarkerEffect
    ) -> CompletedTransaction | None:
        """Apply a validated marker to the copy; returns the transaction that it ends, or None (MRK-6, LOG-9)."""
        updated = self.updated
        first_offset = updated.transaction_first_offset
        if first_offset is None and markers.opens_what_it_ends:
            first_offset = base_offset
            self.started.append(base_offset)
        updated.take_epoch(batch.producer_epoch)
        updated.transaction_first_offset = None
        updated.coordinator_epoch = batch.coordinator_epoch
        if markers.is_activity:
            updated.last_timestamp = batch.max_timestamp
        if first_offset is None:
            return None
        return CompletedTransaction(
            batch.producer_id, first_offset, base_offset, batch.control_type == "ABORT"
        )


class ProducerStateManager:
    """All producers of one replica of one partition.

    ``map_end_offset``: the entries include the log up to this offset. ``open_transactions``: dict of first
    offset → producer id. ``unstable``: dict of first offset of an ended transaction → offset of its marker,
    until the high watermark is above the marker.
    """

    __slots__ = (
        "awaited",
        "cache_size",
        "drops_stray_snapshots",
        "drops_with_records",
        "entries",
        "expiration_ms",
        "last_snapshot",
        "map_end_offset",
        "markers",
        "open_transactions",
        "refuses_lower_epoch_unasked",
        "rules",
        "snapshots",
        "unstable",
        "verifies_each_epoch",
    )

    def __init__(self, *, profile: Profile, rules: Rules, cache_size: int, expiration_ms: int) -> None:
        self.markers = MarkerEffect(profile.indexes_empty_abort, profile.marker_counts_as_activity)
        self.drops_with_records = profile.retention_drops_producers
        """Whether a producer is forgotten when its newest batch is below the log start."""
        self.drops_stray_snapshots = profile.drops_stray_snapshots
        self.verifies_each_epoch = profile.verifies_each_epoch
        """Which batches in an open transaction need no verification. True: only those of the producer's
        present epoch. False: those of any epoch."""
        self.refuses_lower_epoch_unasked = profile.refuses_lower_epoch_unasked
        self.rules = rules
        self.cache_size = cache_size
        self.expiration_ms = expiration_ms
        self.entries: dict[int, ProducerStateEntry] = {}
        self.awaited: dict[int, Awaited] = {}
        """Dict of producer id → its verification. It is kept in memory only, and is empty unless the profile
        verifies partitions."""
        self.open_transactions: dict[int, int] = {}
        self.unstable: dict[int, int] = {}
        self.snapshots: dict[int, tuple[SnapshotEntry, ...]] = {}
        self.map_end_offset = 0
        self.last_snapshot = 0
        """Snapshots are written only above this offset. It is the offset of the newest snapshot, if there is
        one."""

    # Appending ------------------------------------------------------------------------------------

    def prepare(self, producer_id: int) -> Appending:
        """Start validating an append of this producer on a copy of its entry."""
        stored = self.entries.get(producer_id)
        return Appending(ProducerStateEntry(producer_id) if stored is None else stored)

    def judge(self, appending: Appending, batch: RecordBatch, level: Level) -> AppendRule | None:
        """The row that refuses the batch or recognises it as a duplicate; None when the batch may be stored."""
        tried = self.rules.markers[level] if batch.is_control else self.rules.data[level]
        return judge(tried, appending.arrive(batch)) if tried else None

    def merge(self, appending: Appending) -> ProducerStateEntry:
        """Store a validated copy, after the append succeeded (LOG-5)."""
        updated = appending.updated
        if updated.producer_id == NO_PRODUCER_ID:
            raise EngineError("producer state: cannot merge an append without a producer id (LOG-5)")
        entry = self.entries.get(updated.producer_id)
        if entry is None:
            entry = self.entries[updated.producer_id] = ProducerStateEntry(updated.producer_id)
        entry.take_epoch(updated.producer_epoch)
        entry.batches.extend(updated.batches)
        if len(entry.batches) > self.cache_size:
            del entry.batches[: len(entry.batches) - self.cache_size]
        entry.coordinator_epoch = updated.coordinator_epoch
        entry.transaction_first_offset = updated.transaction_first_offset
        if self.markers.is_activity:
            entry.last_timestamp = updated.last_timestamp
        else:
            entry.last_timestamp = entry.batches[-1].timestamp if entry.batches else -1
        for first_offset in appending.started:
            self.open_transactions[first_offset] = updated.producer_id
        return entry

    def is_open(self, producer_id: int, epoch: int) -> bool:
        """Whether the producer has an open transaction here in which a batch of this epoch needs no verification
        (``UnifiedLog.hasOngoingTransaction``)."""
        entry = self.entries.get(producer_id)
        if entry is None or entry.transaction_first_offset is None:
            return False
        return entry.producer_epoch == epoch or not self.verifies_each_epoch

    def is_refused_unasked(self, producer_id: int, epoch: int) -> bool:
        """Whether a write needs no verification because this log will refuse it: its epoch is below the producer's
        present one (``UnifiedLog.maybeStartTransactionVerification``)."""
        entry = self.entries.get(producer_id)
        return self.refuses_lower_epoch_unasked and entry is not None and epoch < entry.producer_epoch

    def begin_waiting(
        self, producer_id: int, sequence: int, epoch: int, guard: int, now: int, *, raises: bool = False
    ) -> int:
        """Note that a batch waits for verification. Returns the guard that its append needs: the one of an
        earlier batch of the producer that still waits, else ``guard``."""
        awaited = self.awaited.get(producer_id)
        if awaited is None:
            awaited = self.awaited[producer_id] = Awaited(guard, epoch, sequence, now, raises)
        awaited.take(epoch, sequence)
        return awaited.guard

    def complete(self, completed: CompletedTransaction) -> None:
        """Note that an open transaction got its marker. The transaction still holds back the LSO until the
        marker is below the high watermark. Raises EngineError if the transaction is not open."""
        if self.open_transactions.pop(completed.first_offset, None) is None:
            raise EngineError(
                f"producer state: a marker at {completed.last_offset} ends a transaction at "
                f"{completed.first_offset} that is not open"
            )
        self.unstable[completed.first_offset] = completed.last_offset

    def stable_offset_at(self, completed: CompletedTransaction) -> int:
        """The LSO that the index keeps with an aborted transaction: the first offset of the earliest *other*
        open transaction, or else the offset after the marker."""
        others = [first for first in self.open_transactions if first != completed.first_offset]
        return min(others, default=completed.last_offset + 1)

    def first_unstable_offset(self) -> int | None:
        """The first offset of the earliest transaction that is open, or whose marker is not replicated yet; None:
        there is no such transaction (LOG-8)."""
        if not self.open_transactions:
            return min(self.unstable) if self.unstable else None
        first = min(self.open_transactions)
        return min(first, min(self.unstable)) if self.unstable else first

    def on_high_watermark(self, high_watermark: int) -> bool:
        """Let the transactions whose marker is below the high watermark no longer hold back the LSO. Returns
        True if there were any."""
        stable = [first for first, marker in self.unstable.items() if marker < high_watermark]
        for first in stable:
            del self.unstable[first]
        return bool(stable)

    # Forgetting and reloading ---------------------------------------------------------------------

    def is_expired(self, entry: ProducerStateEntry, now: int) -> bool:
        """Whether the producer was idle for ``expiration_ms`` or longer and has no open transaction
        (LOG-12)."""
        return entry.transaction_first_offset is None and now - entry.last_timestamp >= self.expiration_ms

    def expire(self, now: int) -> list[int]:
        """Forget the producers that were idle for too long, and the verifications that began too long ago.
        Returns the producers' ids."""
        gone = [producer_id for producer_id, entry in self.entries.items() if self.is_expired(entry, now)]
        for producer_id in gone:
            del self.entries[producer_id]
        for producer_id in [
            key for key, kept in self.awaited.items() if now - kept.since >= self.expiration_ms
        ]:
            del self.awaited[producer_id]
        return gone

    def next_expiry(self) -> int | None:
        """The time in ms at which the next producer without an open transaction expires; None: there is none."""
        times = [
            entry.last_timestamp + self.expiration_ms
            for entry in self.entries.values()
            if entry.transaction_first_offset is None
        ]
        return min(times, default=None)

    def _forgotten_below(self, log_start: int) -> int:
        """The log start, if this version drops producers and snapshots below it (2.0); else -1."""
        return log_start if self.drops_with_records else -1

    def on_log_start_raised(self, log_start: int) -> list[int]:
        """Called when the log start was raised to ``log_start``. Returns the ids of the producers that are
        dropped; only 2.0 drops any (LOG-11). Other producers keep every cached batch, because Kafka's
        ``removeBatchesOlderThan`` has no effect."""
        floor = self._forgotten_below(log_start)
        gone = [producer_id for producer_id, entry in self.entries.items() if entry.last_data_offset < floor]
        for producer_id in gone:
            del self.entries[producer_id]
        for first in [first for first, owner in self.open_transactions.items() if owner in gone]:
            del self.open_transactions[first]
        self._keep_snapshots([offset for offset in self.snapshots if offset >= floor])
        self.on_high_watermark(log_start)
        self.map_end_offset = max(self.map_end_offset, log_start)
        self.last_snapshot = max(self.snapshots, default=log_start)
        return gone

    def _keep_snapshots(self, offsets: Iterable[int]) -> None:
        self.snapshots = {offset: self.snapshots[offset] for offset in offsets}

    def on_segments_dropped(self, segments: Iterable[int]) -> None:
        """Delete the snapshots at the starts of these segments, which are deleted."""
        for start in segments:
            self.snapshots.pop(start, None)

    def open(self, segments: Iterable[int]) -> None:
        """The log is opened: forget the producer state in memory. Since 2.8, also remove stray snapshots
        (``removeStraySnapshots``, KAFKA-9393)."""
        self.forget_all()
        self.map_end_offset = self.last_snapshot = 0
        if not self.drops_stray_snapshots:
            return
        starts = set(segments)
        behind = max(self.snapshots, default=0)
        kept = [offset for offset in self.snapshots if offset in starts or offset == behind > max(starts)]
        self._keep_snapshots(kept)

    def take_snapshot(self) -> None:
        """Write a snapshot of the state at ``map_end_offset``, unless there is one at that offset or later."""
        if self.map_end_offset <= self.last_snapshot:
            return
        self.last_snapshot = self.map_end_offset
        self.snapshots[self.map_end_offset] = tuple(
            SnapshotEntry(
                entry.producer_id,
                entry.producer_epoch,
                entry.coordinator_epoch,
                entry.last_timestamp,
                entry.transaction_first_offset,
                entry.batches[-1] if entry.batches else None,
            )
            for entry in self.entries.values()
        )

    def truncate_and_reload(self, log_start: int, log_end: int, now: int) -> None:
        """Remove the snapshots that are not above ``log_start`` or are above ``log_end``, and load the newest
        of the others (``truncateAndReload``). A state that already ends at ``log_end`` stays."""
        self._keep_snapshots([offset for offset in self.snapshots if log_start < offset <= log_end])
        if log_end == self.map_end_offset:
            self.on_log_start_raised(log_start)
            return
        self.load(log_start, now)

    def restart_at(self, offset: int) -> None:
        """The log starts empty at ``offset``: forget all producers and all snapshots."""
        self.forget_all()
        self.snapshots.clear()
        self.last_snapshot = 0
        self.map_end_offset = offset

    def forget_all(self) -> None:
        """Forget the state in memory. The snapshots stay, because they are files."""
        self.entries.clear()
        self.open_transactions.clear()
        self.unstable.clear()

    def load(self, log_start: int, now: int) -> None:
        """Replace the state by the newest snapshot; without one, by an empty state that begins at ``log_start``."""
        self.forget_all()
        newest = max(self.snapshots, default=None)
        self.map_end_offset = self.last_snapshot = log_start if newest is None else newest
        for saved in () if newest is None else self.snapshots[newest]:
            self._load_entry(saved, log_start, now)

    def replay(self, batches: Iterable[RecordBatch], end: int) -> list[tuple[CompletedTransaction, int]]:
        """Apply batches of one segment without checks (``Log.loadProducersFromLog``). Returns the
        transactions that these batches end, each with its stable offset (:meth:`stable_offset_at`)."""
        appendings: dict[int, Appending] = {}
        completed: list[CompletedTransaction] = []
        for batch in batches:
            if batch.producer_id == NO_PRODUCER_ID:
                continue
            appending = appendings.get(batch.producer_id)
            if appending is None:
                appending = appendings[batch.producer_id] = self.prepare(batch.producer_id)
            if batch.is_control:
                ended = appending.add_marker(batch, batch.base_offset, self.markers)
                if ended is not None:
                    completed.append(ended)
            else:
                appending.add_data(batch, batch.base_offset)
        for appending in appendings.values():
            self.merge(appending)
        stable = []
        for ended in completed:
            stable.append((ended, self.stable_offset_at(ended)))
            self.complete(ended)
        self.map_end_offset = end
        return stable

    def _load_entry(self, saved: SnapshotEntry, log_start: int, now: int) -> None:
        """Load one entry of a snapshot, unless it has expired or its records are gone."""
        entry = ProducerStateEntry(saved.producer_id)
        entry.producer_epoch = saved.producer_epoch
        entry.coordinator_epoch = saved.coordinator_epoch
        entry.last_timestamp = saved.last_timestamp
        entry.transaction_first_offset = saved.transaction_first_offset
        if saved.newest is not None:
            # A snapshot has only one timestamp for each producer; the batch gets it, too.
            entry.batches.append(saved.newest._replace(timestamp=saved.last_timestamp))
        if self.is_expired(entry, now):
            return
        if entry.last_data_offset < self._forgotten_below(log_start):
            return
        self.entries[saved.producer_id] = entry
        if saved.transaction_first_offset is not None:
            self.open_transactions[saved.transaction_first_offset] = saved.producer_id
