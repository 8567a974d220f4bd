"""The offsets that consumer groups committed, from `__consumer_offsets`. An offset that is committed in a
transaction is pending until the transaction's marker. Source: Kafka's `GroupMetadataManager`."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.codec.consumer_offsets_record import CommittedOffset, OffsetKey, decode_key, decode_offset
from engine.codec.damage import DamagedError
from engine.codec.segment import BatchRow, DamageRow, Row

TOPIC = "__consumer_offsets"
DAMAGE_MAX = 100


@dataclass(slots=True)
class GroupOffsets:
    """What was read of all partitions of `__consumer_offsets`."""

    partitions: list[str] = field(default_factory=list)
    committed: dict[OffsetKey, CommittedOffset] = field(default_factory=dict)
    pending: dict[int, dict[OffsetKey, CommittedOffset | None]] = field(default_factory=dict)
    """Dict of producer id → the offsets that its open transaction would commit. None instead of an offset is
    a tombstone."""
    damaged: int = 0
    damage: list[str] = field(default_factory=list)
    _held_by: dict[OffsetKey, int] | None = field(default=None, repr=False, compare=False)
    """Dict of key → the first producer id with a pending offset for it. None until it is needed."""

    def read(self, name: str, rows: Iterable[Row]) -> None:
        """Take in one partition. `rows`: the parts of its segments, read with their records. Damage is
        counted, and kept as sentences."""
        self.partitions.append(name)
        for row in rows:
            if isinstance(row, DamageRow) and row.is_reserved:
                continue
            if row.damage:
                self.add_damage(f"{name}: {row.damage[0]}")
            elif isinstance(row, BatchRow):
                self._batch(name, row)

    def take(self, other: "GroupOffsets") -> None:
        """Add what was read of other partitions."""
        self._held_by = None
        self.partitions += other.partitions
        self.committed |= other.committed
        for producer_id, held in other.pending.items():
            self.pending.setdefault(producer_id, {}).update(held)
        self.damaged += other.damaged
        self.damage += other.damage[: DAMAGE_MAX - len(self.damage)]

    def pending_of(self, key: OffsetKey) -> int | None:
        """The producer id whose open transaction would commit or delete the offset for `key`; None if there
        is none."""
        if self._held_by is None:
            self._held_by = {}
            for producer_id, held in self.pending.items():
                for one in held:
                    self._held_by.setdefault(one, producer_id)
        return self._held_by.get(key)

    def _batch(self, name: str, row: BatchRow) -> None:
        producer_id = row.header.producer_id
        if row.control is not None:
            self.end(producer_id, row.control.type_name == "COMMIT")
            return
        offsets: dict[OffsetKey, CommittedOffset | None] = {}
        for record in row.records:
            try:
                key = decode_key(record.key or b"")
                if isinstance(key, OffsetKey):
                    offsets[key] = None if record.value is None else decode_offset(record.value)
            except DamagedError as error:
                self.add_damage(f"{name}: offset {record.offset}: {error}")
        self.add(producer_id if row.header.is_transactional else None, offsets)

    def add(self, producer_id: int | None, offsets: dict[OffsetKey, CommittedOffset | None]) -> None:
        """Take in the offset commits of one batch. `producer_id`: None if the batch is not part of a
        transaction."""
        self._held_by = None
        if producer_id is None:
            self._apply(offsets)
        else:
            self.pending.setdefault(producer_id, {}).update(offsets)

    def end(self, producer_id: int, is_commit: bool) -> None:
        """Take in a marker, which commits or discards the producer's pending offsets."""
        self._held_by = None
        ended = self.pending.pop(producer_id, {})
        if is_commit:
            self._apply(ended)

    def _apply(self, offsets: dict[OffsetKey, CommittedOffset | None]) -> None:
        for key, value in offsets.items():
            if value is None:
                self.committed.pop(key, None)
            else:
                self.committed[key] = value

    def add_damage(self, words: str) -> None:
        """Count a damaged place, and keep its sentence unless DAMAGE_MAX are kept."""
        self.damaged += 1
        if len(self.damage) < DAMAGE_MAX:
            self.damage.append(words)
