"""One partition's log, folded batch by batch: its producers, transactions, aborted index, last stable offset,
and what readers of both isolation levels see.

Source: Kafka's `ProducerStateManager`, `ProducerAppendInfo` and `UnifiedLog` (firstUnstableOffset, LSO-1). A
transaction belongs to a producer id, so a marker of a newer epoch closes it too; the last stable offset is the
lower of the high watermark and the first offset of an open transaction.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from engine.broker.sequence import increment
from engine.codec.damage import DamageKind
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_index import AbortedTransaction
from engine.messages import NO_PRODUCER_ID, NO_SEQUENCE
from eosviz.pipeline.kafka_logs.batch_facts import UNTOLD, BatchFacts, Range, clipped, merged

DAMAGE_MAX = 100
"""Damaged places kept with their words; all are counted."""
SEQUENCE_BREAKS_MAX = 100
"""Breaks in sequences kept for one producer; all are counted."""

_MARKERS = {"COMMIT": "committed", "ABORT": "aborted", UNTOLD: "ended"}
_SEQUENCES = 1 << 31


@dataclass(slots=True)
class Transaction:
    """What one transaction wrote into this partition."""

    producer_id: int
    epoch: int
    """That of its data."""
    first_offset: int
    last_offset: int
    """Of its data; the marker has an offset of its own."""
    first_timestamp: int
    """The first batch's largest timestamp, milliseconds since 1970."""
    place: str
    """File and byte of its first batch."""
    records: int = 0
    ranges: list[Range] = field(default_factory=list)
    result: str = "open"
    """`open`, `committed` or `aborted`; `ended` where a dump without records does not say how."""
    marker: "Marker | None" = None


@dataclass(frozen=True, slots=True)
class Marker:
    """A COMMIT or ABORT marker."""

    producer_id: int
    epoch: int
    offset: int
    result: str
    coordinator_epoch: int
    timestamp: int
    place: str

    @property
    def type(self) -> str:
        """As Kafka names it; `?` where a dump does not say."""
        return {"committed": "COMMIT", "aborted": "ABORT"}.get(self.result, "?")


@dataclass(frozen=True, slots=True)
class SequenceBreak:
    """A batch whose first sequence is not the next one."""

    offset: int
    expected: int
    found: int

    @property
    def is_duplicate(self) -> bool:
        """Behind what was expected, rather than ahead of it, in the half of the circle that is nearer."""
        return (self.found - self.expected) % _SEQUENCES >= _SEQUENCES // 2


@dataclass(slots=True)
class Producer:
    """What the partition knows of one producer id; the fields of a `.snapshot`, and what was seen."""

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


@dataclass(slots=True)
class Partition:
    """The fold. Give it batches in the order of the log, then ask."""

    name: str
    log_start: int = 0
    cut: int | None = None
    """The high watermark to look at; None for everything in the files."""
    log_end: int = 0
    batches: int = 0
    records: int = 0
    data_records: int = 0
    control_batches: int = 0
    corrupt: int = 0
    legacy: int = 0
    has_holes: bool = False
    """Offsets are missing between batches or inside them: the log cleaner was here."""
    newest_marker_ms: int = -1
    """A broker's clock; data has the clock of its client, which may say anything."""
    damage: list[str] = field(default_factory=list)
    reserved: str | None = None
    """Where the zeros begin that stand behind the newest batch: space that `log.preallocate` reserved."""
    producers: dict[int, Producer] = field(default_factory=dict)
    transactions: list[Transaction] = field(default_factory=list)
    """In the order of their first offsets, open ones included."""
    stray_markers: list[Marker] = field(default_factory=list)
    """Markers that closed nothing here: none of the transaction's data is in front of them."""
    aborted_index: list[AbortedTransaction] = field(default_factory=list)
    _written: list[Range] = field(default_factory=list)
    _committed: list[Range] = field(default_factory=list)

    @property
    def high_watermark(self) -> int:
        """Everything in the files counts as replicated, unless the caller cut; -1 when nothing tells it."""
        return self.log_end

    @property
    def open_transactions(self) -> tuple[Transaction, ...]:
        """By first offset: the first one holds the last stable offset."""
        open_now = [producer.open for producer in self.producers.values() if producer.open is not None]
        return tuple(sorted(open_now, key=lambda transaction: transaction.first_offset))

    def last_stable_offset(self, without: Collection[int] = ()) -> int:
        """`without`: producer ids whose open transaction is taken to be ended. A transaction whose beginning was
        deleted holds back what is left of the log (`UnifiedLog.maybeIncrementFirstUnstableOffset`).
        """
        open_now = [one for one in self.open_transactions if one.producer_id not in without]
        firsts = [max(one.first_offset, self.log_start) for one in open_now]
        ends = [self.high_watermark] if self.high_watermark >= 0 else []
        return min([*ends, *firsts], default=-1)

    def visible_uncommitted(self) -> tuple[Range, ...]:
        """Offsets of the data records that a read_uncommitted consumer gets."""
        return clipped(merged(self._written), self.log_start, self.high_watermark)

    def visible_committed(self, aborting: Collection[int] = ()) -> tuple[Range, ...]:
        """Offsets of the data records that a read_committed consumer gets; `aborting`: as if the open
        transactions of these producer ids had been aborted.
        """
        return clipped(merged(self._committed), self.log_start, self.last_stable_offset(aborting))

    def add(self, batch: BatchFacts) -> None:
        """The next batch. One at or behind the cut is left out, a damaged one is counted only."""
        if self.cut is not None and batch.base_offset >= self.cut:
            return
        if batch.damage is not None:
            self._add_damage(f"{batch.file}: {batch.damage}")
            return
        if batch.is_reserved:
            self.reserved = f"{batch.file}: byte {batch.position}"
            return
        if self.reserved is not None:
            if batch.base_offset > self.log_end:
                # A segment is cut to what it holds before the next one begins.
                found = f"expected {self.log_end}..{self.log_end}, found {batch.base_offset}"
                self._add_damage(f"{self.reserved}: {DamageKind.BASE_OFFSET.value}: {found}")
            self.reserved = None
        if batch.base_offset > self.log_end and self.batches:
            self.has_holes = True
        self.batches += 1
        self.log_end = max(self.log_end, batch.last_offset + 1)
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

    def _add_damage(self, words: str) -> None:
        self.corrupt += 1
        if len(self.damage) < DAMAGE_MAX:
            self.damage.append(words)

    def _add_data(self, batch: BatchFacts) -> None:
        self.data_records += batch.records
        self.has_holes |= batch.records <= batch.last_offset - batch.base_offset
        _extend(self._written, batch.offsets)
        if batch.producer_id <= NO_PRODUCER_ID:
            _extend(self._committed, batch.offsets)
            return
        producer = self.producers.setdefault(batch.producer_id, Producer(batch.producer_id))
        _follow_sequence(producer, batch)
        producer.last_timestamp = batch.max_timestamp
        if not batch.is_transactional:
            _extend(self._committed, batch.offsets)
            return
        if producer.open is None:
            producer.open = Transaction(
                producer_id=batch.producer_id,
                epoch=batch.producer_epoch,
                first_offset=batch.base_offset,
                last_offset=batch.last_offset,
                first_timestamp=batch.max_timestamp,
                place=f"{batch.file}: byte {batch.position}",
            )
            self.transactions.append(producer.open)
        producer.open.last_offset = batch.last_offset
        producer.open.records += batch.records
        _extend(producer.open.ranges, batch.offsets)

    def _add_marker(self, batch: BatchFacts, result: str) -> None:
        marker = Marker(
            producer_id=batch.producer_id,
            epoch=batch.producer_epoch,
            offset=batch.base_offset,
            result=result,
            coordinator_epoch=batch.coordinator_epoch,
            timestamp=batch.max_timestamp,
            place=f"{batch.file}: byte {batch.position}",
        )
        producer = self.producers.setdefault(batch.producer_id, Producer(batch.producer_id))
        _enter_epoch(producer, batch.producer_epoch)
        producer.coordinator_epoch = batch.coordinator_epoch
        producer.last_timestamp = batch.max_timestamp
        producer.last_marker = marker
        self.newest_marker_ms = max(self.newest_marker_ms, marker.timestamp)
        transaction, producer.open = producer.open, None
        if transaction is None:
            self.stray_markers.append(marker)
            return
        transaction.result, transaction.marker = result, marker
        if result == "committed":
            _extend(self._committed, transaction.ranges)
        if result != "aborted":
            return
        firsts = [one.first_offset for one in self.open_transactions]
        stable = min([marker.offset + 1, *firsts])
        entry = (transaction.producer_id, transaction.first_offset, marker.offset, stable)
        self.aborted_index.append(AbortedTransaction(*entry))


def fold(
    name: str, batches: Iterable[BatchFacts], *, log_start: int = 0, log_end: int = 0, cut: int | None = None
) -> Partition:
    """`batches` as a partition. `log_end`: that of an empty log, the last segment's base offset; `cut`: the
    high watermark of an earlier moment.
    """
    partition = Partition(name, log_start, cut, log_end=log_end if cut is None else min(cut, log_end))
    for batch in batches:
        partition.add(batch)
    return partition


def know(partition: Partition, entry: ProducerEntry, place: str) -> None:
    """A producer as a broker tells it: when its open transaction began, not how far it goes."""
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
            place=place,
        )
        partition.transactions.append(producer.open)
    partition.producers[entry.producer_id] = producer


def _enter_epoch(producer: Producer, epoch: int) -> None:
    """Another epoch forgets the batches of the one before, as the broker does."""
    if producer.epoch != epoch:
        producer.epoch, producer.last_sequence, producer.last_offset = epoch, NO_SEQUENCE, -1


def _follow_sequence(producer: Producer, batch: BatchFacts) -> None:
    _enter_epoch(producer, batch.producer_epoch)
    if batch.base_sequence == NO_SEQUENCE:
        return
    # Nothing is known of the sequence before the first batch: the log may have been trimmed.
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
    """Append, joining what touches the end: a long run of batches is one range."""
    for first, last in more:
        if ranges and ranges[-1][1] + 1 == first:
            ranges[-1] = (ranges[-1][0], last)
        else:
            ranges.append((first, last))
