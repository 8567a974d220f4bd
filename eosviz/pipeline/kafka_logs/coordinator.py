"""The transaction coordinator's own log, `__transaction_state`, as a history by producer id.

Source: Kafka's `TransactionStateManager`. The log is compacted: what the cleaner has seen keeps the newest
record of each transactional id, so a record that is there had no later one of its id at that time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.codec.damage import DamagedError
from engine.codec.segment import BatchRow, DamageRow, Row
from engine.codec.transaction_log_record import (
    TransactionLogValue,
    TransactionStatus,
    decode_key,
    decode_value,
)
from engine.messages import NO_PRODUCER_ID

TOPIC = "__transaction_state"
DAMAGE_MAX = 100
SKEW_MS = 1000
"""How far the clocks of two brokers may be apart before a marker seems to come without its decision."""

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


@dataclass(frozen=True, slots=True)
class CoordinatorEntry:
    """One record. Its `value` is None for a tombstone: the id expired."""

    transactional_id: str
    partition: str
    """`__transaction_state-N`."""
    offset: int
    timestamp: int
    value: TransactionLogValue | None
    said_at: str = ""
    """Where the text stands that says it, for what does not come from the log."""

    @property
    def place(self) -> str:
        """Where it stands."""
        return self.said_at or f"{self.partition}: offset {self.offset}"

    @property
    def decision(self) -> str | None:
        """`committed` or `aborted` once that is decided."""
        return None if self.value is None else _DECIDED.get(self.value.status)


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of `kafka-transactions.sh list`: neither epoch nor partitions."""

    transactional_id: str
    state: str
    place: str


@dataclass(slots=True)
class Coordinator:
    """What all the coordinator partitions that were read say, and what running coordinators answered."""

    partitions: list[str] = field(default_factory=list)
    latest: dict[str, CoordinatorEntry] = field(default_factory=dict)
    """By transactional id."""
    history: dict[int, list[CoordinatorEntry]] = field(default_factory=dict)
    """By producer id, in the order of the log; tombstones stand under the id's last producer id."""
    listed: dict[int, Listed] = field(default_factory=dict)
    """By producer id."""
    lists: list[str] = field(default_factory=list)
    """Where the tables of list begin."""
    records: int = 0
    newest_ms: int = -1
    damaged: int = 0
    damage: list[str] = field(default_factory=list)

    def read(self, name: str, rows: Iterable[Row]) -> None:
        """Take in one partition; `rows` keep their records. Damage is counted and told."""
        self.partitions.append(name)
        for row in rows:
            if isinstance(row, DamageRow) and row.is_reserved:
                continue
            if row.damage:
                self.add_damage(f"{name}: {row.damage[0]}")
            elif isinstance(row, BatchRow) and not row.header.is_control:
                for record in row.records:
                    try:
                        key = decode_key(record.key or b"")
                        value = None if record.value is None else decode_value(record.value)
                    except DamagedError as error:
                        self.add_damage(f"{name}: offset {record.offset}: {error}")
                        continue
                    self.add(CoordinatorEntry(key, name, record.offset, record.timestamp, value))

    def take(self, other: "Coordinator") -> None:
        """Add another partition, read apart: a transactional id has all its records in one."""
        self.partitions += other.partitions
        self.latest |= other.latest
        self.listed |= other.listed
        self.lists += other.lists
        for producer_id, entries in other.history.items():
            self.history.setdefault(producer_id, []).extend(entries)
        self.records += other.records
        self.newest_ms = max(self.newest_ms, other.newest_ms)
        self.damaged += other.damaged
        self.damage += other.damage[: DAMAGE_MAX - len(self.damage)]

    @property
    def sources(self) -> list[str]:
        """What would name a producer id if the coordinator knew it; empty when nothing does."""
        return sorted(self.partitions) + self.lists

    def latest_of(self, producer_id: int) -> CoordinatorEntry | None:
        """The newest record of the transactional id that last had `producer_id`; None when no id had it."""
        entries = self.history.get(producer_id)
        return None if not entries else self.latest[entries[-1].transactional_id]

    def undecided_at(self, producer_id: int, result: str, timestamp: int) -> CoordinatorEntry | None:
        """The newest record of `producer_id` at `timestamp`, when it shows that `result` was not decided then;
        None when it was, or when the log no longer tells.
        """
        known = [
            (entry, entry.value.last_update_ms)
            for entry in self.history.get(producer_id, ())
            if entry.value is not None
        ]
        if any(entry.decision == result and abs(time - timestamp) <= SKEW_MS for entry, time in known):
            return None
        newest = next((entry for entry, time in reversed(known) if time <= timestamp), None)
        return None if newest is None or newest.decision == result else newest

    def add(self, entry: CoordinatorEntry) -> None:
        """The next record of its transactional id."""
        self.records += 1
        self.newest_ms = max(self.newest_ms, entry.timestamp)
        before = self.latest.get(entry.transactional_id)
        self.latest[entry.transactional_id] = entry
        value = entry.value or (before.value if before is not None else None)
        if value is None:
            return
        self.history.setdefault(value.producer_id, []).append(entry)
        # When the epochs of an id are used up it moves on to another; the open transaction is the older's.
        if entry.value is not None and value.previous_producer_id not in (NO_PRODUCER_ID, value.producer_id):
            self.history.setdefault(value.previous_producer_id, []).append(entry)

    def add_damage(self, words: str) -> None:
        """Count a damaged place and keep its words while there is room."""
        self.damaged += 1
        if len(self.damage) < DAMAGE_MAX:
            self.damage.append(words)
