"""The log of the transaction coordinators, `__transaction_state`, as a history for each producer id.

Source: Kafka's `TransactionStateManager`. The log is compacted: in the part that the log cleaner has cleaned,
only the newest record of each transactional id is left. It was the newest one at the time of the cleaning.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from engine.codec.damage import DamagedError
from engine.codec.segment import BatchRow, DamageRow, Row
from engine.codec.transaction_log_record import (
    TransactionLogValue,
    TransactionStatus,
    ValueReader,
    decode_key,
)
from engine.codec.written_by import BY_CLIENTS, WrittenBy
from engine.messages import NO_PRODUCER_ID
from eosviz.pipeline.kafka_logs.words import Words, place_words, words

TOPIC = "__transaction_state"
DAMAGE_MAX = 100
FLAWS_MAX = 3
"""At most this many flaws of one partition are kept. One is enough to doubt a verdict."""
SKEW_MS = 1000
"""The largest assumed difference between two brokers' clocks, in ms. A marker may seem to be earlier than its
decision by at most this time."""

_SIGN = 1 << 31
_DECIDED = {
    TransactionStatus.PREPARE_COMMIT: "committed",
    TransactionStatus.COMPLETE_COMMIT: "committed",
    TransactionStatus.PREPARE_ABORT: "aborted",
    TransactionStatus.PREPARE_EPOCH_FENCE: "aborted",
    TransactionStatus.COMPLETE_ABORT: "aborted",
}
PREPARED = (
    TransactionStatus.PREPARE_COMMIT,
    TransactionStatus.PREPARE_ABORT,
    TransactionStatus.PREPARE_EPOCH_FENCE,
)


@dataclass(frozen=True)
class CoordinatorEntry:
    """One record of `__transaction_state`, or one answer of a running coordinator. `value` is None for a
    tombstone: the transactional id has expired."""

    transactional_id: str
    partition: str
    """For a record: its partition, `__transaction_state-N`. For an answer: the same as `text_place`."""
    offset: int
    timestamp: int
    value: TransactionLogValue | None
    text_place: str = ""
    """For an answer: its place in a text. For a record: empty."""

    @property
    def place(self) -> str:
        """Where the record or answer was found, as text: a place in a text, or a partition and an offset."""
        return self.text_place or f"{self.partition}: offset {self.offset}"

    @property
    def is_prepared(self) -> bool:
        """Whether the record says that the outcome is decided and not all markers are written."""
        return self.value is not None and self.value.status in PREPARED

    def lists(self, partition: str) -> bool:
        """Whether the record contains `partition`, so that the coordinator knows that the transaction may
        write there."""
        return partition in self._partitions

    @cached_property
    def _partitions(self) -> frozenset[str]:
        listed = () if self.value is None else self.value.partitions
        return frozenset(f"{topic}-{number}" for topic, number in listed)

    def is_newer_than(self, answer: "CoordinatorEntry") -> bool:
        """Whether this is a record of the log that is newer than `answer`, a running coordinator's answer for
        the same id."""
        mine, other = self.value, answer.value
        if self.text_place or not answer.text_place or mine is None or other is None:
            return False
        if mine.producer_id == other.producer_id and mine.producer_epoch != other.producer_epoch:
            return mine.producer_epoch > other.producer_epoch
        if mine.start_ms >= 0 and other.start_ms >= 0:
            return mine.start_ms > other.start_ms
        return self.is_prepared or mine.status is TransactionStatus.ONGOING

    @property
    def decision(self) -> str | None:
        """The outcome that is decided, `committed` or `aborted`. None before the decision and for a
        tombstone."""
        return None if self.value is None else _DECIDED.get(self.value.status)


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of the output of `kafka-transactions.sh list`. It has no epoch and no partitions."""

    transactional_id: str
    state: str
    place: str


class _Times:
    """The records of one producer id, for lookups by time, without tombstones. Since the clocks of two
    coordinators may differ, the times of the log need not increase."""

    def __init__(self, entries: Sequence[CoordinatorEntry]) -> None:
        self.count = len(entries)
        self._known = [one for one in entries if one.value is not None]
        times = [one.value.last_update_ms for one in self._known if one.value is not None]
        self._decided: dict[str, list[int]] = {}
        for entry, time in zip(self._known, times, strict=True):
            if entry.decision is not None:
                self._decided.setdefault(entry.decision, []).append(time)
        for decided in self._decided.values():
            decided.sort()
        self._earliest_from = [*accumulate(reversed(times), min)][::-1]
        """For each record, the earliest time of this record and all later ones. These times never decrease,
        so they can be searched."""

    def decided(self, result: str, first_ms: int, last_ms: int) -> bool:
        """Whether a record with the decision `result` has a time from `first_ms` to `last_ms`, both
        inclusive."""
        times = self._decided.get(result, ())
        place = bisect_left(times, first_ms)
        return place < len(times) and times[place] <= last_ms

    def newest_until(self, time_ms: int) -> CoordinatorEntry | None:
        """The last record in the order of the log that is not later than `time_ms`; None if there is none."""
        place = bisect_right(self._earliest_from, time_ms)
        return self._known[place - 1] if place else None


@dataclass(slots=True)
class ReadLog:
    """How completely one partition of `__transaction_state` was read."""

    newest_ms: int = -1
    """The time of the newest record, in milliseconds since 1970 by a broker's clock; -1 if there is no
    record. The log was copied at this time or later."""
    has_holes: bool = False
    """Whether offsets are missing without a proof that the log cleaner removed them: a segment may have been
    lost."""
    is_cleaned: bool = False
    """Whether offsets are missing. If nothing was lost, the log cleaner has removed them."""
    hole_end: int = 0
    """The offset after the last missing one; 0 if none is missing."""
    segment_gap: tuple[int, int] | None = None
    """The first and the last offset that are missing between the end of one segment and the beginning of the
    next. Only the first such gap is stored. The log cleaner or a lost segment may have caused it. None if
    there is no gap."""
    flaws: list[Words] = field(default_factory=list)
    """Sentences that say why the copy is not the whole log, at most FLAWS_MAX."""
    is_printed: bool = False
    """Whether the log was read from text, which may have been cut."""
    is_reserved: bool = False
    """Whether the log's file ends with zeros, which Kafka may have reserved."""
    is_bare: bool = False
    """Whether all files of the partition are empty."""
    cluster_id: str = ""
    topic_id: str = ""
    _end: int = 0

    def add_flaw(self, flaw: Words) -> None:
        if len(self.flaws) < FLAWS_MAX:
            self.flaws.append(flaw)

    def follow(self, first_offset: int, last_offset: int, segment_bases: Sequence[int] = ()) -> None:
        """Take in the next batch, with its first and last offset (inclusive), and note missing offsets before
        it. `segment_bases`: the base offsets of the partition's segments, ascending."""
        if first_offset > self._end:
            self.has_holes = self.is_cleaned = True
            self.hole_end = first_offset
            place = bisect_right(segment_bases, first_offset) - 1
            if self.segment_gap is None and place >= 0 and segment_bases[place] > self._end:
                self.segment_gap = (self._end, segment_bases[place] - 1)
        self._end = max(self._end, last_offset + 1)

    @property
    def end(self) -> int:
        """The offset after the newest batch."""
        return self._end


@dataclass(slots=True)
class Coordinator:
    """What was read of all partitions of `__transaction_state`, and the answers of running coordinators."""

    partitions: list[str] = field(default_factory=list)
    logs: dict[str, ReadLog] = field(default_factory=dict)
    """Dict of partition → how completely it was read. Answers of running coordinators belong to no
    partition."""
    latest: dict[str, CoordinatorEntry] = field(default_factory=dict)
    """Dict of transactional id → its newest record."""
    history: dict[int, list[CoordinatorEntry]] = field(default_factory=dict)
    """Dict of producer id → its records, in the order of the log. A tombstone is listed under the last
    producer id of its transactional id."""
    newest_version: dict[int, int] = field(default_factory=dict)
    """Dict of producer id → the newest transaction version that its client has used."""
    written: WrittenBy = field(default_factory=WrittenBy)
    listed: dict[int, Listed] = field(default_factory=dict)
    """Dict of producer id → its row in an output of `kafka-transactions.sh list`."""
    lists: list[str] = field(default_factory=list)
    """The places in texts at which outputs of `kafka-transactions.sh list` begin."""
    is_renamed: bool = False
    """Whether the transactional ids are pseudonyms of a bundle. If so, the partition of an id cannot be
    computed."""
    records: int = 0
    newest_ms: int = -1
    damaged: int = 0
    damage: list[str] = field(default_factory=list)
    _times: dict[int, _Times] = field(default_factory=dict, repr=False, compare=False)
    """Dict of producer id → its records for lookups by time. An entry is made when it is first needed."""

    def read(self, name: str, rows: Iterable[Row], segment_bases: Sequence[int] = ()) -> None:
        """Take in one partition. `rows`: the parts of its segments, read with their records. `segment_bases`:
        the base offsets of its segments, ascending. Damage is counted."""
        self.partitions.append(name)
        values = ValueReader()
        log = self.logs.setdefault(name, ReadLog())
        for row in rows:
            if isinstance(row, DamageRow) and row.is_reserved:
                log.is_reserved = True
                continue
            if row.damage:
                self.add_damage(f"{name}: {row.damage[0]}")
                log.add_flaw(words("flaw.damaged", place=place_words(f"{name}: byte {row.position}")))
                continue
            if isinstance(row, BatchRow):
                log.follow(row.header.base_offset, row.header.last_offset, segment_bases)
            if isinstance(row, BatchRow) and not row.header.is_control:
                for record in row.records:
                    try:
                        key = decode_key(record.key or b"")
                        value = None if record.value is None else values.decode(record.value)
                    except DamagedError as error:
                        self.add_damage(f"{name}: offset {record.offset}: {error}")
                        log.add_flaw(
                            words("flaw.damaged", place=place_words(f"{name}: offset {record.offset}"))
                        )
                        continue
                    log.newest_ms = max(log.newest_ms, record.timestamp)
                    self.add(CoordinatorEntry(key, name, record.offset, record.timestamp, value))

    def take(self, other: "Coordinator") -> None:
        """Add what was read of other partitions or texts. Partitions must come before the answers in texts:
        `learn` compares an answer with the record that is already known."""
        self.partitions += other.partitions
        self.logs |= other.logs
        self.is_renamed |= other.is_renamed
        for entry in other.latest.values():
            self.learn(entry)
        for producer_id, version in other.newest_version.items():
            self.newest_version[producer_id] = max(version, self.newest_version.get(producer_id, 0))
        self.written.merge(other.written)
        self.listed |= other.listed
        self.lists += other.lists
        for producer_id, entries in other.history.items():
            self.history.setdefault(producer_id, []).extend(entries)
        self.records += other.records
        self.newest_ms = max(self.newest_ms, other.newest_ms)
        self.damaged += other.damaged
        self.damage += other.damage[: DAMAGE_MAX - len(self.damage)]

    def knows(self, producer_id: int) -> bool:
        """Whether a record, an answer or a row of a list contains the producer id."""
        return producer_id in self.history or producer_id in self.listed

    @property
    def sources(self) -> list[str]:
        """The partitions and lists that were read. A producer id that the coordinator knows would be in one
        of them. Empty if none was read."""
        return sorted(self.partitions) + self.lists

    def latest_of(self, producer_id: int) -> CoordinatorEntry | None:
        """The newest record of the transactional id to which `producer_id` belonged last; None if it is not
        known to have belonged to one."""
        entries = self.history.get(producer_id)
        return None if not entries else self.latest[entries[-1].transactional_id]

    def undecided_at(self, producer_id: int, result: str, timestamp: int) -> CoordinatorEntry | None:
        """The newest record of `producer_id` at the time `timestamp` (ms since 1970), if it proves that
        `result` was not decided by then; otherwise None."""
        entries = self.history.get(producer_id)
        if not entries:
            return None
        times = self._times.get(producer_id)
        if times is None or times.count != len(entries):
            times = self._times[producer_id] = _Times(entries)
        if times.decided(result, timestamp - SKEW_MS, timestamp + SKEW_MS):
            return None
        newest = times.newest_until(timestamp)
        if newest is None or newest.decision == result:
            return None
        log = self.logs.get(newest.partition)
        # The copy of the log may be older than the decision.
        return None if log is None or log.newest_ms <= timestamp + SKEW_MS else newest

    def add(self, entry: CoordinatorEntry) -> None:
        """Take in a record, the next one of its transactional id."""
        self.records += 1
        self.newest_ms = max(self.newest_ms, entry.timestamp)
        if entry.value is not None:
            self.written.take_value(entry.value, entry.text_place or f"{entry.partition}: {entry.offset}")
        before = self.latest.get(entry.transactional_id)
        self.learn(entry)
        value = entry.value or (before.value if before is not None else None)
        if value is None:
            return
        self.remember(value.producer_id, entry)
        # When the epochs of a producer id are used up, the transactional id gets a new producer id. The open
        # transaction belongs to the older one.
        if entry.value is not None and value.previous_producer_id not in (NO_PRODUCER_ID, value.producer_id):
            self.remember(value.previous_producer_id, entry)

    def learn(self, entry: CoordinatorEntry) -> None:
        """Make `entry` the newest record of its transactional id, unless it is a running coordinator's answer and
        the known record is newer."""
        before = self.latest.get(entry.transactional_id)
        if before is None or not before.is_newer_than(entry):
            self.latest[entry.transactional_id] = entry

    def remember(self, producer_id: int, entry: CoordinatorEntry) -> None:
        """Append a record to the history of `producer_id`."""
        self.history.setdefault(producer_id, []).append(entry)
        value = entry.value
        is_clients = value is not None and value.status in BY_CLIENTS
        version = value.client_transaction_version if value is not None and is_clients else 0
        self.newest_version[producer_id] = max(version, self.newest_version.get(producer_id, 0))

    def add_damage(self, sentence: str) -> None:
        """Count a damaged place, and keep its sentence unless DAMAGE_MAX are kept."""
        self.damaged += 1
        if len(self.damage) < DAMAGE_MAX:
            self.damage.append(sentence)


def partition_of(transactional_id: str, count: int) -> str:
    """The partition that has all records of a transactional id, if `__transaction_state` has `count`
    partitions. Source: Kafka's `TransactionStateManager.partitionFor`."""
    code = 0
    encoded = transactional_id.encode("utf-16-be", errors="surrogatepass")
    for high, low in zip(encoded[::2], encoded[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    positive = code if code < _SIGN else (1 << 32) - code
    return f"{TOPIC}-{positive % _SIGN % count}"
