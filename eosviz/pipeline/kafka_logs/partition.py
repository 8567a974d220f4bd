"""The state of one partition after all batches of its log: its producers, transactions, index of aborted
transactions, last stable offset, and what consumers of both isolation levels get.

Source: Kafka's `ProducerStateManager`, `ProducerAppendInfo` and `UnifiedLog` (`firstUnstableOffset`). A
transaction belongs to a producer id, so a marker with a newer epoch also ends it. The last stable offset is
the lower of the high watermark and the first offset of the first open transaction.
"""

import heapq
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.broker.sequence import increment
from engine.codec.damage import DamageKind
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_index import AbortedTransaction
from engine.messages import NO_PRODUCER_ID, NO_SEQUENCE
from eosviz.pipeline.kafka_logs.batch_facts import UNKNOWN_END, BatchFacts, Range, clipped, merged

DAMAGE_MAX = 100
"""At most this many damaged places are kept as sentences. All are counted."""
SEQUENCE_BREAKS_MAX = 100
"""At most this many breaks in one producer's sequences are kept. All are counted."""
JUMPS_MAX = 100
"""At most this many jumps of base offsets are kept with their place. All are counted."""

_MARKERS = {"COMMIT": "committed", "ABORT": "aborted", UNKNOWN_END: "ended"}
_SEQUENCES = 1 << 31


@dataclass(slots=True)
class Transaction:
    """One transaction of a producer in this partition."""

    producer_id: int
    epoch: int
    """The epoch of the transaction's first data."""
    first_offset: int
    last_offset: int
    """The last offset of the transaction's data, not that of its marker."""
    first_timestamp: int
    """The largest timestamp of the transaction's first batch, in milliseconds since 1970; usually a client's
    clock set it. If there is no batch, the newest timestamp of the producer."""
    file: str
    """The segment that contains the transaction's first batch, or the place in a text or snapshot that shows
    the transaction."""
    position: int = -1
    """The byte of `file` at which the first batch begins; -1 if it is unknown."""
    records: int = 0
    ranges: list[Range] = field(default_factory=list)
    result: str = "open"
    """`open`, `committed` or `aborted`; `ended` if only a dump without records shows the marker, so that the
    outcome is unknown."""
    marker: "Marker | None" = None
    newest_epoch: int = -1
    """The epoch of the transaction's last data. It may be higher than `epoch`: until there is a marker, data
    with the producer's next epoch belongs to the same transaction."""
    followed_ms: int = -1
    """The time of the first marker after the transaction's first batch, in ms by a broker's clock: the
    transaction did not begin later. -1 if there is no such marker."""
    from_snapshot: bool = False
    """Whether only a broker's snapshot shows the transaction's beginning, because the data there was
    deleted."""

    @property
    def place(self) -> str:
        """Where the transaction's first batch is: the file and the byte, or `file` alone if no byte is
        known."""
        return place_of(self.file, self.position)


class Marker(NamedTuple):
    """A COMMIT or ABORT marker."""

    producer_id: int
    epoch: int
    offset: int
    result: str
    coordinator_epoch: int
    timestamp: int
    file: str
    position: int
    """The byte of the file at which the marker begins."""

    @property
    def place(self) -> str:
        """Where the marker is: the file and the byte."""
        return place_of(self.file, self.position)

    @property
    def type(self) -> str:
        """The marker's type as Kafka names it; `?` if it is unknown, because only a dump without records
        shows the marker."""
        return {"committed": "COMMIT", "aborted": "ABORT"}.get(self.result, "?")


@dataclass(frozen=True, slots=True)
class Jump:
    """A batch whose base offset is higher than expected: batches before it are missing in the files."""

    place: str
    expected: int
    found: int


@dataclass(frozen=True, slots=True)
class SequenceBreak:
    """A batch whose first sequence is not the expected one."""

    offset: int
    expected: int
    found: int

    @property
    def is_duplicate(self) -> bool:
        """Whether the found sequence comes before the expected one. Sequences wrap around after 2^31 - 1, so
        the shorter way around decides."""
        return (self.found - self.expected) % _SEQUENCES >= _SEQUENCES // 2


@dataclass(slots=True)
class Producer:
    """What this partition knows of one producer id: the fields of a `.snapshot`, and what its batches and
    markers have shown."""

    producer_id: int
    epoch: int = -1
    last_sequence: int = NO_SEQUENCE
    last_offset: int = -1
    last_timestamp: int = -1
    coordinator_epoch: int = -1
    open: Transaction | None = None
    last_marker: Marker | None = None
    breaks: list[SequenceBreak] = field(default_factory=list)
    gap_count: int = 0
    duplicate_count: int = 0
    has_version_2: bool = False
    """Whether a COMMIT marker had a newer epoch than the data that it committed. This happens only with
    transaction version 2."""


@dataclass(slots=True)
class _Answers:
    """Results that were computed and stay valid until the partition changes."""

    open_now: tuple[Transaction, ...]
    written: tuple[Range, ...] | None = None
    committed: tuple[Range, ...] | None = None
    visible: dict[tuple[int, int], tuple[Range, ...]] = field(default_factory=dict)
    """Dict of (log start offset, last stable offset) → the ranges of offsets that a read_committed consumer
    gets."""


@dataclass(slots=True)
class Partition:
    """The state of one partition. Give it the batches in the order of the log, with `add`; then read the
    state."""

    name: str
    log_start: int = 0
    cut: int | None = None
    """The high watermark, if the state at an earlier time is wanted: later batches are ignored. None:
    everything in the files counts as replicated."""
    log_end: int = 0
    batches: int = 0
    records: int = 0
    data_records: int = 0
    control_batches: int = 0
    corrupt: int = 0
    legacy: int = 0
    has_holes: bool = False
    """Whether offsets are missing between or inside batches: the log cleaner removed them, or something was
    lost."""
    is_printed: bool = False
    """Whether the partition was read from text, of which a part may be missing."""
    is_cleaned: bool = False
    """Whether batches have lost some of their records. Only the log cleaner removes single records."""
    jumps: list[Jump] = field(default_factory=list)
    jump_count: int = 0
    newest_marker_ms: int = -1
    """The time of the newest marker, in milliseconds since 1970 by a broker's clock. The times of data come
    from clients' clocks, which may be wrong."""
    client_lag_ms: int = 0
    """By how many milliseconds, at most, transactional data has an earlier time than a marker before it:
    clients' clocks are slow, or records have the times of older events."""
    damage: list[str] = field(default_factory=list)
    reserved: str | None = None
    """Where the zeros after the newest batch begin: space that `log.preallocate` reserved. None if there are
    no zeros."""
    producers: dict[int, Producer] = field(default_factory=dict)
    transactions: list[Transaction] = field(default_factory=list)
    """All transactions, also open ones, in the order of their first offsets. If there are no batches, in the
    order in which the producers are printed."""
    raised_at: int = -1
    """The offset of the first COMMIT marker with a newer epoch than the data that it commits; -1 if there is
    none."""
    stray_markers: list[Marker] = field(default_factory=list)
    """Markers that ended no transaction here, because the files have no data of their transactions before
    them."""
    aborted_index: list[AbortedTransaction] = field(default_factory=list)
    _written: list[Range] = field(default_factory=list)
    _committed: list[Range] = field(default_factory=list)
    _doubted_from: int = -1
    _unfollowed: list[Transaction] = field(default_factory=list, repr=False, compare=False)
    """The transactions that have begun since the newest marker."""
    _open_firsts: list[tuple[int, int]] = field(default_factory=list)
    """A heap of (first offset, producer id), with every open transaction and some that have ended."""
    _answers: _Answers | None = field(default=None, repr=False, compare=False)

    @property
    def high_watermark(self) -> int:
        """The offset up to which the log counts as replicated, which is `log_end`; -1 if it is unknown."""
        return self.log_end

    @property
    def open_transactions(self) -> tuple[Transaction, ...]:
        """The open transactions, sorted by first offset. The first one determines the last stable offset."""
        return self._answered().open_now

    @property
    def reports_jumps(self) -> bool:
        """Whether there are jumps that are to be reported, because nothing shows that the log cleaner caused
        them."""
        return bool(self.jumps) and not self.is_cleaned

    def last_stable_offset(self, without: Collection[int] = ()) -> int:
        """The last stable offset; -1 if it is unknown. `without`: producer ids whose open transaction is
        assumed to have ended. If the beginning of an open transaction was deleted, the last stable offset is
        the log start offset (`UnifiedLog.maybeIncrementFirstUnstableOffset`)."""
        holder = next((one for one in self.open_transactions if one.producer_id not in without), None)
        firsts = [] if holder is None else [max(holder.first_offset, self.log_start)]
        ends = [self.high_watermark] if self.high_watermark >= 0 else []
        return min([*ends, *firsts], default=-1)

    def visible_uncommitted(self) -> tuple[Range, ...]:
        """The offsets of the data records that a read_uncommitted consumer gets."""
        answers = self._answered()
        if answers.written is None:
            answers.written = merged(self._written)
        return clipped(answers.written, self.log_start, self.high_watermark)

    def is_doubted_behind(self, offset: int) -> bool:
        """Whether a batch after the one at `offset` is damaged or missing. It may have been a marker."""
        return offset < self._doubted_from

    @property
    def doubted_from(self) -> int:
        """All offsets below this one are in doubt, because a later batch is missing or damaged. -1 if none is
        in doubt."""
        return self._doubted_from

    def doubt(self, offset: int) -> None:
        """Put all offsets below `offset` in doubt, because a later batch is missing or damaged."""
        self._doubted_from = max(self._doubted_from, offset)

    def visible_committed(
        self, aborting: Collection[int] = (), committing: Transaction | None = None
    ) -> tuple[Range, ...]:
        """The offsets of the data records that a read_committed consumer gets. `aborting`: producer ids whose
        open transactions are assumed to be aborted. `committing`: an open transaction that is assumed to be
        committed. If it is the first open transaction, `aborting` is not used."""
        # If another transaction is committed, its records stay invisible, because the first open one blocks
        # them.
        if committing is not None and committing is self.open_transactions[0]:
            stable = self.last_stable_offset((committing.producer_id,))
            seen = merged([*self._committed, *committing.ranges])
            return clipped(seen, self.log_start, stable)
        answers = self._answered()
        if answers.committed is None:
            answers.committed = merged(self._committed)
        # An abort changes the result only because the last stable offset changes.
        bounds = (self.log_start, self.last_stable_offset(aborting))
        if bounds not in answers.visible:
            answers.visible[bounds] = clipped(answers.committed, *bounds)
        return answers.visible[bounds]

    def _answered(self) -> _Answers:
        if self._answers is None:
            open_now = (one.open for one in self.producers.values() if one.open is not None)
            self._answers = _Answers(tuple(sorted(open_now, key=lambda one: one.first_offset)))
        return self._answers

    def add(self, batch: BatchFacts) -> None:
        """Take in the next batch. A batch at or after `cut` is ignored. A damaged one is counted and puts the
        offsets before it in doubt."""
        self._answers = None
        if self.cut is not None and batch.base_offset >= self.cut:
            return
        if batch.damage is not None:
            self._add_damage(f"{batch.file}: {batch.damage}")
            return
        if batch.magic < 0:
            self.reserved = place_of(batch.file, batch.position)
            return
        if self.reserved is not None:
            if batch.base_offset > self.log_end:
                # Before a broker begins the next segment, it cuts reserved space off the last one. So zeros
                # between batches are damage.
                found = f"expected {self.log_end}..{self.log_end}, found {batch.base_offset}"
                self._add_damage(f"{self.reserved}: {DamageKind.BASE_OFFSET.value}: {found}")
            self.reserved = None
        if batch.base_offset > self.log_end and self.batches:
            self._add_jump(batch)
        self.batches += 1
        if batch.last_offset >= self.log_end:
            self.log_end = batch.last_offset + 1
        if batch.magic < 2:
            self.legacy += 1
            return
        self.records += batch.records
        if batch.control_type is None:
            self._add_data(batch)
            return
        self.control_batches += 1
        if batch.control_type in _MARKERS and batch.producer_id > NO_PRODUCER_ID:
            self._add_marker(batch, _MARKERS[batch.control_type])

    def _producer(self, producer_id: int) -> Producer:
        found = self.producers.get(producer_id)
        if found is None:
            found = self.producers[producer_id] = Producer(producer_id)
        return found

    def _add_jump(self, batch: BatchFacts) -> None:
        self.has_holes = True
        self.doubt(self.log_end)
        self.jump_count += 1
        if len(self.jumps) < JUMPS_MAX:
            place = place_of(batch.file, batch.position)
            self.jumps.append(Jump(place, self.log_end, batch.base_offset))

    def _add_damage(self, words: str) -> None:
        self.corrupt += 1
        self.doubt(self.log_end)
        if len(self.damage) < DAMAGE_MAX:
            self.damage.append(words)

    def _add_data(self, batch: BatchFacts) -> None:
        self.data_records += batch.records
        if batch.records <= batch.last_offset - batch.base_offset:
            self.has_holes = self.is_cleaned = True
        _extend(self._written, batch.offsets)
        if batch.producer_id <= NO_PRODUCER_ID:
            _extend(self._committed, batch.offsets)
            return
        producer = self._producer(batch.producer_id)
        _follow_sequence(producer, batch)
        producer.last_timestamp = batch.max_timestamp
        if not batch.is_transactional:
            _extend(self._committed, batch.offsets)
            return
        if self.newest_marker_ms - batch.max_timestamp > self.client_lag_ms:
            self.client_lag_ms = self.newest_marker_ms - batch.max_timestamp
        if producer.open is None:
            producer.open = Transaction(
                producer_id=batch.producer_id,
                epoch=batch.producer_epoch,
                first_offset=batch.base_offset,
                last_offset=batch.last_offset,
                first_timestamp=batch.max_timestamp,
                file=batch.file,
                position=batch.position,
            )
            self.enter(producer.open)
        transaction = producer.open
        transaction.last_offset = batch.last_offset
        transaction.newest_epoch = batch.producer_epoch
        transaction.records += batch.records
        _extend(transaction.ranges, batch.offsets)

    def _add_marker(self, batch: BatchFacts, result: str) -> None:
        marker = Marker(
            producer_id=batch.producer_id,
            epoch=batch.producer_epoch,
            offset=batch.base_offset,
            result=result,
            coordinator_epoch=batch.coordinator_epoch,
            timestamp=batch.max_timestamp,
            file=batch.file,
            position=batch.position,
        )
        producer = self._producer(batch.producer_id)
        _enter_epoch(producer, batch.producer_epoch)
        producer.coordinator_epoch = batch.coordinator_epoch
        producer.last_timestamp = batch.max_timestamp
        producer.last_marker = marker
        self.newest_marker_ms = max(self.newest_marker_ms, marker.timestamp)
        for begun in self._unfollowed:
            begun.followed_ms = marker.timestamp
        self._unfollowed.clear()
        transaction, producer.open = producer.open, None
        if transaction is None:
            self.stray_markers.append(marker)
            return
        transaction.result, transaction.marker = result, marker
        if result == "committed" and marker.epoch > transaction.newest_epoch:
            producer.has_version_2 = True
            self.raised_at = marker.offset if self.raised_at < 0 else self.raised_at
        if result == "committed":
            _extend(self._committed, transaction.ranges)
        if result != "aborted":
            return
        first_open = self._first_open()
        stable = marker.offset + 1 if first_open is None else min(marker.offset + 1, first_open)
        entry = (transaction.producer_id, transaction.first_offset, marker.offset, stable)
        self.aborted_index.append(AbortedTransaction(*entry))

    def enter(self, transaction: Transaction) -> None:
        """Add an open transaction of a producer."""
        self._answers = None
        self.transactions.append(transaction)
        self._unfollowed.append(transaction)
        heapq.heappush(self._open_firsts, (transaction.first_offset, transaction.producer_id))

    def begin_earlier(self, transaction: Transaction, first_offset: int) -> None:
        """Lower the first offset of an open transaction to `first_offset`; a higher one changes nothing."""
        transaction.first_offset = min(transaction.first_offset, first_offset)
        self._answers = None
        heapq.heappush(self._open_firsts, (transaction.first_offset, transaction.producer_id))

    def _first_open(self) -> int | None:
        while self._open_firsts:
            first_offset, producer_id = self._open_firsts[0]
            producer = self.producers.get(producer_id)
            if producer is not None and producer.open and producer.open.first_offset == first_offset:
                return first_offset
            heapq.heappop(self._open_firsts)
        return None


def place_of(file: str, position: int) -> str:
    """A place as text: the file and the byte, or the file alone if `position` is -1."""
    return file if position < 0 else f"{file}: byte {position}"


def fold(
    name: str, batches: Iterable[BatchFacts], *, log_start: int = 0, log_end: int = 0, cut: int | None = None
) -> Partition:
    """The state of the partition `name` after `batches`. `log_end`: the lowest possible log end offset.
    `cut`: the high watermark at an earlier time, if the state at that time is wanted."""
    partition = Partition(name, log_start, cut, log_end=log_end if cut is None else min(cut, log_end))
    for batch in batches:
        partition.add(batch)
    return partition


def know(partition: Partition, entry: ProducerEntry, place: str) -> None:
    """Add a producer from a running broker's answer, or from a printed snapshot if there are no batches."""
    producer = Producer(
        entry.producer_id, entry.producer_epoch, entry.last_sequence, entry.last_offset, entry.last_timestamp,
        entry.coordinator_epoch,
    )  # fmt: skip
    if entry.open_first_offset >= 0:
        producer.open = Transaction(
            producer_id=entry.producer_id,
            epoch=entry.producer_epoch,
            first_offset=entry.open_first_offset,
            last_offset=entry.last_offset,
            first_timestamp=entry.last_timestamp,
            file=place,
            newest_epoch=entry.producer_epoch,
        )
        partition.enter(producer.open)
    partition.producers[entry.producer_id] = producer


def know_deleted(partition: Partition, entry: ProducerEntry, taken_at: int, place: str) -> None:
    """Add the open transaction of an entry of the broker's snapshot, if the transaction begins before the
    log's start. `taken_at`: the log end offset at which the snapshot was taken. Does nothing if a later
    marker has ended it."""
    if not 0 <= entry.open_first_offset < partition.log_start:
        return
    producer = partition.producers.setdefault(entry.producer_id, Producer(entry.producer_id))
    marker = producer.last_marker
    if marker is not None and marker.offset >= taken_at:
        return
    if producer.open is not None:
        # The producer's data in the files belongs to this transaction, whose beginning was deleted.
        partition.begin_earlier(producer.open, entry.open_first_offset)
        producer.open.from_snapshot = True
        partition.transactions.sort(key=lambda one: one.first_offset)
        return
    producer.epoch = max(producer.epoch, entry.producer_epoch)
    producer.open = Transaction(
        producer_id=entry.producer_id,
        epoch=entry.producer_epoch,
        first_offset=entry.open_first_offset,
        last_offset=entry.open_first_offset - 1,
        first_timestamp=entry.last_timestamp,
        file=place,
        newest_epoch=entry.producer_epoch,
        followed_ms=partition.newest_marker_ms,
        from_snapshot=True,
    )
    partition.enter(producer.open)
    partition.transactions.sort(key=lambda one: one.first_offset)


def _enter_epoch(producer: Producer, epoch: int) -> None:
    """Set the producer's epoch. If it is a new one, the last sequence and the last offset become unknown."""
    if producer.epoch != epoch:
        producer.epoch, producer.last_sequence, producer.last_offset = epoch, NO_SEQUENCE, -1


def _follow_sequence(producer: Producer, batch: BatchFacts) -> None:
    _enter_epoch(producer, batch.producer_epoch)
    if batch.base_sequence == NO_SEQUENCE:
        return
    # The sequence before the first batch of an epoch is unknown, because earlier batches may have been
    # deleted.
    if producer.last_sequence != NO_SEQUENCE:
        expected = increment(producer.last_sequence, 1)
        if batch.base_sequence != expected:
            found = SequenceBreak(batch.base_offset, expected, batch.base_sequence)
            producer.duplicate_count += found.is_duplicate
            producer.gap_count += not found.is_duplicate
            if len(producer.breaks) < SEQUENCE_BREAKS_MAX:
                producer.breaks.append(found)
    producer.last_sequence, producer.last_offset = batch.last_sequence, batch.last_offset


def _extend(ranges: list[Range], more: Iterable[Range]) -> None:
    """Append `more` to `ranges`. Adjacent ranges are joined, so that a long sequence of batches is one
    range."""
    for first, last in more:
        if ranges and ranges[-1][1] + 1 == first:
            ranges[-1] = (ranges[-1][0], last)
        else:
            ranges.append((first, last))
