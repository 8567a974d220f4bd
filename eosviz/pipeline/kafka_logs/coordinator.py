"""The transaction coordinator's log, `__transaction_state`, as a history for each producer id.

Source: Kafka's `TransactionStateManager`. The log is compacted. In the part that the log cleaner has cleaned,
only the newest record of each transactional id is left. So a record there was the newest of its id when that part
was cleaned.
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
"""At most this many flaws of one partition are kept; one is enough for a doubt."""
SKEW_MS = 1000
"""Two brokers' clocks may differ by this: a marker may seem to precede its decision by at most this time."""

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
    """One record of the log, or the answer of a running coordinator. `value` is None for a tombstone, which
    means that the id has expired."""

    transactional_id: str
    partition: str
    """The partition of the log, `__transaction_state-N`; for the answer of a running coordinator the same as
    `text_place`."""
    offset: int
    timestamp: int
    value: TransactionLogValue | None
    text_place: str = ""
    """The place in a text, for the answer of a running coordinator; empty for a record of the log."""

    @property
    def place(self) -> str:
        """The place of the record, for people: in a text, or a partition and an offset."""
        return self.text_place or f"{self.partition}: offset {self.offset}"

    @property
    def is_prepared(self) -> bool:
        """Whether the record has a decision that is not completed."""
        return self.value is not None and self.value.status in PREPARED

    def lists(self, partition: str) -> bool:
        """Whether the record lists `partition`: the coordinator then knows that the transaction may write there."""
        return partition in self._partitions

    @cached_property
    def _partitions(self) -> frozenset[str]:
        listed = () if self.value is None else self.value.partitions
        return frozenset(f"{topic}-{number}" for topic, number in listed)

    def is_newer_than(self, answer: "CoordinatorEntry") -> bool:
        """Whether this record of a log is newer than a running coordinator's answer for the same id."""
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
        """The decided outcome, `committed` or `aborted`. None before the decision and for a tombstone."""
        return None if self.value is None else _DECIDED.get(self.value.status)


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of `kafka-transactions.sh list`. Such a row has neither an epoch nor partitions."""

    transactional_id: str
    state: str
    place: str


class _Times:
    """The records of one producer id by time, without tombstones. The clocks of two coordinators may differ,
    so the log need not be in this order."""

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
        """For each record, the earliest time of this record and all later ones. These times never decrease."""

    def decided(self, result: str, first_ms: int, last_ms: int) -> bool:
        """Whether a record between the two times, both inclusive, decided `result`."""
        times = self._decided.get(result, ())
        place = bisect_left(times, first_ms)
        return place < len(times) and times[place] <= last_ms

    def newest_until(self, time_ms: int) -> CoordinatorEntry | None:
        """The last record of the log that is not later than `time_ms`, or None."""
        place = bisect_right(self._earliest_from, time_ms)
        return self._known[place - 1] if place else None


@dataclass(slots=True)
class ReadLog:
    """How completely one partition of the topic was read."""

    newest_ms: int = -1
    """The time of the newest record, in milliseconds since 1970 by a broker's clock. The log was copied at this
    time or later. -1 if there is no record."""
    has_holes: bool = False
    """Offsets are missing, and nothing shows that the log cleaner removed them: a segment may have been lost."""
    is_cleaned: bool = False
    """Offsets are missing because the log cleaner removed them, unless something was lost."""
    hole_end: int = 0
    """The offset after the last hole; 0 without a hole."""
    segment_gap: tuple[int, int] | None = None
    """The first and the last offset that are missing at the end of a segment before the next one; only the first
    such gap. The log cleaner or a lost segment may have caused it. None without a gap."""
    flaws: list[Words] = field(default_factory=list)
    """Why the copy is not the whole log, as sentences. There are at most FLAWS_MAX."""
    is_printed: bool = False
    """Whether the log was read from text, which may have been cut."""
    is_reserved: bool = False
    """Whether the file ends with zeros."""
    is_bare: bool = False
    """Whether all files are empty."""
    cluster_id: str = ""
    topic_id: str = ""
    _end: int = 0

    def add_flaw(self, flaw: Words) -> None:
        if len(self.flaws) < FLAWS_MAX:
            self.flaws.append(flaw)

    def follow(self, first_offset: int, last_offset: int, segment_bases: Sequence[int] = ()) -> None:
        """Take in the next batch, whose offsets are given inclusive, and note a hole before it.
        `segment_bases`: ascending."""
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
    """The contents of all partitions of the coordinators' topic that were read, and the answers of running
    coordinators."""

    partitions: list[str] = field(default_factory=list)
    logs: dict[str, ReadLog] = field(default_factory=dict)
    """The logs, by partition. The answers of running coordinators belong to none of them."""
    latest: dict[str, CoordinatorEntry] = field(default_factory=dict)
    """The newest record of each transactional id."""
    history: dict[int, list[CoordinatorEntry]] = field(default_factory=dict)
    """The records by producer id, in the order of the log. A tombstone is under the last producer id of its
    transactional id."""
    newest_version: dict[int, int] = field(default_factory=dict)
    """For each producer id, the newest transaction version that its client used."""
    written: WrittenBy = field(default_factory=WrittenBy)
    listed: dict[int, Listed] = field(default_factory=dict)
    """The rows of lists, by producer id."""
    lists: list[str] = field(default_factory=list)
    """The places in texts at which tables of `kafka-transactions.sh list` begin."""
    is_renamed: bool = False
    """Whether the transactional ids are pseudonyms of a bundle, from which the partition of a record cannot
    be computed."""
    records: int = 0
    newest_ms: int = -1
    damaged: int = 0
    damage: list[str] = field(default_factory=list)
    _times: dict[int, _Times] = field(default_factory=dict, repr=False, compare=False)
    """Producer id → its records by time. An entry is made when it is needed."""

    def read(self, name: str, rows: Iterable[Row], segment_bases: Sequence[int] = ()) -> None:
        """Take in one partition. `rows` include the records. `segment_bases`: the base offsets of the
        partition's segments, ascending. Damage is counted."""
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
        """Add the contents of other partitions or texts, which were read separately. All records of a transactional
        id are in one partition."""
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
        """Whether a record or a list names the producer id."""
        return producer_id in self.history or producer_id in self.listed

    @property
    def sources(self) -> list[str]:
        """The sources that would mention a producer id if the coordinator knew it. Empty if no source would."""
        return sorted(self.partitions) + self.lists

    def latest_of(self, producer_id: int) -> CoordinatorEntry | None:
        """The newest record of the transactional id to which `producer_id` belonged last. None if it belonged to
        none."""
        entries = self.history.get(producer_id)
        return None if not entries else self.latest[entries[-1].transactional_id]

    def undecided_at(self, producer_id: int, result: str, timestamp: int) -> CoordinatorEntry | None:
        """The newest record of `producer_id` at `timestamp` (ms), if it shows that `result` was not decided
        by then; else None."""
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
        # An older copy of the log may lack the decision.
        return None if log is None or log.newest_ms <= timestamp + SKEW_MS else newest

    def add(self, entry: CoordinatorEntry) -> None:
        """Take in a record, which is the next one of its transactional id."""
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
        # When the epochs of an id are used up, the id gets a new producer id. The open transaction belongs to
        # the older producer id.
        if entry.value is not None and value.previous_producer_id not in (NO_PRODUCER_ID, value.producer_id):
            self.remember(value.previous_producer_id, entry)

    def learn(self, entry: CoordinatorEntry) -> None:
        """Make `entry` the newest record of its transactional id, unless `entry` is a running coordinator's
        answer and the known record is newer."""
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
        """Count a damaged place, and keep its sentence while there is room."""
        self.damaged += 1
        if len(self.damage) < DAMAGE_MAX:
            self.damage.append(sentence)


def partition_of(transactional_id: str, count: int) -> str:
    """The partition that has all records of a transactional id, if there are `count` partitions. Source:
    Kafka's `TransactionStateManager.partitionFor`."""
    code = 0
    encoded = transactional_id.encode("utf-16-be", errors="surrogatepass")
    for high, low in zip(encoded[::2], encoded[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    positive = code if code < _SIGN else (1 << 32) - code
    return f"{TOPIC}-{positive % _SIGN % count}"
