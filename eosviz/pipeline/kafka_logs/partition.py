"""One partition's log, folded batch by batch: its producers, transactions, aborted index, last stable offset, and
what consumers of both isolation levels get.

Source: Kafka's `ProducerStateManager`, `ProducerAppendInfo` and `UnifiedLog` (`firstUnstableOffset`). A transaction
belongs to a producer id, so a marker of a newer epoch closes it too; the last stable offset is the lower of the high
watermark and the first offset of the first open transaction.
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
"""How many damaged places are kept as sentences; all are counted."""
SEQUENCE_BREAKS_MAX = 100
"""How many breaks in one producer's sequences are kept; all are counted."""
JUMPS_MAX = 100
"""How many jumps of base offsets are kept with their place; all are counted."""

_MARKERS = {"COMMIT": "committed", "ABORT": "aborted", UNKNOWN_END: "ended"}
_SEQUENCES = 1 << 31


@dataclass(slots=True)
class Transaction:
    """One transaction in this partition."""

    producer_id: int
    epoch: int
    """The epoch of its first data."""
    first_offset: int
    last_offset: int
    """The last offset of its data; the marker has an offset of its own."""
    first_timestamp: int
    """The largest timestamp of its first batch, in milliseconds since 1970, usually set by the client. Without a
    batch, the newest timestamp of the producer."""
    file: str
    """The segment with its first batch, or the place in a text or snapshot that shows it."""
    position: int = -1
    """The byte of the file at which the first batch begins; -1 if no file shows it."""
    records: int = 0
    ranges: list[Range] = field(default_factory=list)
    result: str = "open"
    """`open`, `committed` or `aborted`; `ended` if the only source is a dump without records, which does not
    show the outcome."""
    marker: "Marker | None" = None
    newest_epoch: int = -1
    """The epoch of its last data. It may be higher than `epoch`: until a marker comes, data of the producer's
    next epoch belongs to the same transaction."""
    followed_ms: int = -1
    """The time of a marker after its first batch, by a broker's clock: the transaction began no later. -1: no
    marker follows."""
    from_snapshot: bool = False
    """Whether only the broker's snapshot shows the beginning of the transaction, because the data there was deleted."""

    @property
    def place(self) -> str:
        """The file and the byte of the transaction's first batch, or `file` alone if no byte is known."""
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
        """The file and the byte of the marker."""
        return place_of(self.file, self.position)

    @property
    def type(self) -> str:
        """Kafka's name of the marker's type; `?` if a dump does not show it."""
        return {"committed": "COMMIT", "aborted": "ABORT"}.get(self.result, "?")


@dataclass(frozen=True, slots=True)
class Jump:
    """A batch whose base offset is higher than expected: batches before it are not in the files."""

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
        """Whether the found sequence is behind the expected one, on the circle of 2^31 numbers."""
        return (self.found - self.expected) % _SEQUENCES >= _SEQUENCES // 2


@dataclass(slots=True)
class Producer:
    """The partition's state of one producer id: the fields of a `.snapshot`, and what its batches and markers
    have shown."""

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
    """Whether a COMMIT marker has a newer epoch than the data that it commits. This happens with transaction
    version 2, and only then."""


@dataclass(slots=True)
class _Answers:
    """Results that are kept until the partition changes."""

    open_now: tuple[Transaction, ...]
    written: tuple[Range, ...] | None = None
    committed: tuple[Range, ...] | None = None
    visible: dict[tuple[int, int], tuple[Range, ...]] = field(default_factory=dict)
    """(Log start, last stable offset) → the ranges that a read_committed consumer gets."""


@dataclass(slots=True)
class Partition:
    """One partition's state after its batches. Add the batches in the order of the log, then read the
    state."""

    name: str
    log_start: int = 0
    cut: int | None = None
    """The high watermark; None: everything in the files counts as replicated."""
    log_end: int = 0
    batches: int = 0
    records: int = 0
    data_records: int = 0
    control_batches: int = 0
    corrupt: int = 0
    legacy: int = 0
    has_holes: bool = False
    """Offsets are missing between batches or inside them: the log cleaner removed them, or something was lost."""
    is_printed: bool = False
    """The partition was read from text, of which a part may be missing."""
    is_cleaned: bool = False
    """Batches have lost some of their records: only the log cleaner does that."""
    jumps: list[Jump] = field(default_factory=list)
    jump_count: int = 0
    newest_marker_ms: int = -1
    """The time of the newest marker, by a broker's clock. The times of data come from clients' clocks, which
    may be wrong."""
    client_lag_ms: int = 0
    """The largest difference, in milliseconds, by which transactional data has an earlier time than a marker
    before it: the clients' clocks are slow, or the records have the times of older events."""
    damage: list[str] = field(default_factory=list)
    reserved: str | None = None
    """The beginning of the zeros after the newest batch: space that `log.preallocate` reserved. None without
    zeros."""
    producers: dict[int, Producer] = field(default_factory=dict)
    transactions: list[Transaction] = field(default_factory=list)
    """All transactions, open ones included, in the order of their first offsets; without batches, in the order of
    the printed producers."""
    raised_at: int = -1
    """The offset of the first COMMIT marker with a newer epoch than the data that it commits; -1: there is none."""
    stray_markers: list[Marker] = field(default_factory=list)
    """Markers that closed nothing here: the files have no data of their transactions before them."""
    aborted_index: list[AbortedTransaction] = field(default_factory=list)
    _written: list[Range] = field(default_factory=list)
    _committed: list[Range] = field(default_factory=list)
    _doubted_from: int = -1
    _unfollowed: list[Transaction] = field(default_factory=list, repr=False, compare=False)
    """The transactions that began after the newest marker."""
    _open_firsts: list[tuple[int, int]] = field(default_factory=list)
    """A heap of first offset and producer id, for every open transaction and some that have ended."""
    _answers: _Answers | None = field(default=None, repr=False, compare=False)

    @property
    def high_watermark(self) -> int:
        """The offset up to which the log counts as replicated: `log_end`; -1 if unknown."""
        return self.log_end

    @property
    def open_transactions(self) -> tuple[Transaction, ...]:
        """The open transactions by first offset. The first one determines the last stable offset."""
        return self._answered().open_now

    @property
    def reports_jumps(self) -> bool:
        """Whether there are jumps, and nothing shows that the log cleaner made them."""
        return bool(self.jumps) and not self.is_cleaned

    def last_stable_offset(self, without: Collection[int] = ()) -> int:
        """The last stable offset; -1 if it is unknown. `without`: producer ids whose open transaction is
        assumed to be ended. A transaction whose beginning was deleted blocks what is left of the log
        (`UnifiedLog.maybeIncrementFirstUnstableOffset`)."""
        holder = next((one for one in self.open_transactions if one.producer_id not in without), None)
        firsts = [] if holder is None else [max(holder.first_offset, self.log_start)]
        ends = [self.high_watermark] if self.high_watermark >= 0 else []
        return min([*ends, *firsts], default=-1)

    def visible_uncommitted(self) -> tuple[Range, ...]:
        """Offsets of the data records that a read_uncommitted consumer gets."""
        answers = self._answered()
        if answers.written is None:
            answers.written = merged(self._written)
        return clipped(answers.written, self.log_start, self.high_watermark)

    def is_doubted_behind(self, offset: int) -> bool:
        """Whether a batch after the one at `offset` is damaged or missing: it may have been a marker."""
        return offset < self._doubted_from

    @property
    def doubted_from(self) -> int:
        """Every offset below this one is in doubt, because a later batch is missing or damaged. -1: no offset
        is in doubt."""
        return self._doubted_from

    def doubt(self, offset: int) -> None:
        """Puts every offset below `offset` in doubt, because a later batch is missing or damaged."""
        self._doubted_from = max(self._doubted_from, offset)

    def visible_committed(
        self, aborting: Collection[int] = (), committing: Transaction | None = None
    ) -> tuple[Range, ...]:
        """Offsets of the data records that a read_committed consumer gets. `aborting`: as if the open
        transactions of these producer ids were aborted. `committing`: as if this open transaction were
        committed."""
        # The records of a later transaction stay invisible, because the first open one blocks them.
        if committing is not None and committing is self.open_transactions[0]:
            stable = self.last_stable_offset((committing.producer_id,))
            seen = merged([*self._committed, *committing.ranges])
            return clipped(seen, self.log_start, stable)
        answers = self._answered()
        if answers.committed is None:
            answers.committed = merged(self._committed)
        # Aborts change the result only through the last stable offset.
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
        """Take in the next batch. One at or after the cut is ignored, and a damaged one is counted."""
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
                # A broker trims a segment to its contents before it begins the next one, so zeros between
                # batches are damage.
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
        """Adds a transaction that its producer has open."""
        self._answers = None
        self.transactions.append(transaction)
        self._unfollowed.append(transaction)
        heapq.heappush(self._open_firsts, (transaction.first_offset, transaction.producer_id))

    def begin_earlier(self, transaction: Transaction, first_offset: int) -> None:
        """Lowers the first offset of an open transaction to `first_offset`, if that is lower."""
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
    """The name of a place; the file alone if the position is -1."""
    return file if position < 0 else f"{file}: byte {position}"


def fold(
    name: str, batches: Iterable[BatchFacts], *, log_start: int = 0, log_end: int = 0, cut: int | None = None
) -> Partition:
    """`batches` folded into a partition. `log_end`: the lowest possible log end offset. `cut`: the high watermark
    of an earlier moment, if the state at that moment is wanted."""
    partition = Partition(name, log_start, cut, log_end=log_end if cut is None else min(cut, log_end))
    for batch in batches:
        partition.add(batch)
    return partition


def know(partition: Partition, entry: ProducerEntry, place: str) -> None:
    """Records a producer from a running broker's answer, or from a printed snapshot without batches."""
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
    """Records the entry's transaction if it is open in the broker's snapshot, taken at log end `taken_at`,
    and begins before the log's start."""
    if not 0 <= entry.open_first_offset < partition.log_start:
        return
    producer = partition.producers.setdefault(entry.producer_id, Producer(entry.producer_id))
    marker = producer.last_marker
    if marker is not None and marker.offset >= taken_at:
        return
    if producer.open is not None:
        # The data in the files belongs to the same transaction, whose beginning was deleted.
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
    """Set the producer's epoch. A new epoch makes the last sequence and the last offset unknown."""
    if producer.epoch != epoch:
        producer.epoch, producer.last_sequence, producer.last_offset = epoch, NO_SEQUENCE, -1


def _follow_sequence(producer: Producer, batch: BatchFacts) -> None:
    _enter_epoch(producer, batch.producer_epoch)
    if batch.base_sequence == NO_SEQUENCE:
        return
    # The sequence before the first batch of an epoch is unknown: earlier batches may have been deleted.
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
    """Append `more` to `ranges`. Adjacent ranges are joined, so that a long run of batches is one range."""
    for first, last in more:
        if ranges and ranges[-1][1] + 1 == first:
            ranges[-1] = (ranges[-1][0], last)
        else:
            ranges.append((first, last))
