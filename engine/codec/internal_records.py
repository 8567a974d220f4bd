"""Describes the records of Kafka's internal topics, in the order of their logs: the metadata of transactional
ids, and the committed offsets of groups.

Owns the part `brokers` of a log case's view; the broker there is the one that wrote the file. A state in the
log has taken effect, so only the offsets of open transactions are pending in this part.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.codec.consumer_offsets_record import (
    CommittedOffset,
    GroupKey,
    GroupMetadata,
    OffsetKey,
    decode_group,
    decode_offset,
)
from engine.codec.consumer_offsets_record import decode_key as decode_offsets_key
from engine.codec.damage import DamagedError
from engine.codec.lane import FILE_REPLICA, exact
from engine.codec.log_sentences import sentence, span
from engine.codec.record import Record
from engine.codec.segment import BatchRow
from engine.codec.transaction_log_record import TransactionLogValue, decode_key, decode_value
from engine.codec.written_by import WrittenBy
from engine.coordinator.transaction_states import (
    DECIDED,
    EMPTY,
    ONGOING,
    PREPARE_ABORT,
    RAISING,
    TRANSACTION_STATES,
)
from engine.machine import Row as TableRow
from engine.topic_partition import topic_partition

IDS_MAX = 500
"""The view keeps at most this many transactional ids, and this many offsets of groups. The step of a further
id says that the id is not kept. A further offset is described, but not kept."""
DESCRIBED_MAX = 10
"""At most this many records of one batch are described; the others are counted."""

Json = dict[str, Any]

_NAME = re.compile(r"(?P<topic>__transaction_state|__consumer_offsets)-(?P<number>\d+)")
_BROKER = ["brokers", str(FILE_REPLICA)]
_ABSENT: Json = {}


def describes(partition: str) -> bool:
    """Whether this module describes the records of the partition."""
    return _NAME.fullmatch(partition) is not None


@dataclass(slots=True)
class Described:
    """The meaning of a batch's records, as sentences of a log case."""

    said: list[Json] = field(default_factory=list)
    """The first sentence is that of the step, the others are notes."""
    changes: list[Json] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    transitions: list[Json] = field(default_factory=list)

    @property
    def content(self) -> Json:
        """The keys and values, as the batch in a lane shows them."""
        return {"keys": self.keys, "values": self.values, "offset_deltas": None}


@dataclass(frozen=True, slots=True)
class Known:
    """The newest record of a transactional id."""

    transactional_id: str
    state: str
    place: str
    step: int


class InternalRecords:
    """Takes the batches of internal topics in the order of the steps, and describes each."""

    def __init__(self) -> None:
        self.of_producer: dict[int, Known] = {}
        """Dict of producer id → newest record of its transactional id."""
        self.has_coordinator = False
        """Whether a record of the transaction log was read."""
        self.written = WrittenBy()
        self._transactions: dict[str, Json] = {}
        self._groups: dict[str, Json] = {}
        self._offsets = 0
        self._pending: dict[tuple[str, int], list[tuple[str, str, Json]]] = {}
        """Dict of (log, producer id) → the pending offsets that the producer's marker will decide, as (group,
        partition, offset)."""

    def view(self) -> Json:
        """The broker's entry in the view before the first step; it has no transactions and no groups yet."""
        return {
            "alive": True,
            "paused": False,
            "starting": False,
            "producer_id_block": None,
            "denied": [],
            "transactions": {},
            "groups": {},
        }

    def take(self, partition: str, row: BatchRow, origin: int | None, number: int) -> Described | None:
        """The meaning of a batch's records; None for a damaged batch and for other topics. `origin`: step
        time 0 in milliseconds since 1970. `number`: the number of the step."""
        named = _NAME.fullmatch(partition)
        if named is None or row.damage:
            return None
        described = Described()
        is_coordinators = named["topic"] == "__transaction_state"
        self.has_coordinator |= is_coordinators and bool(row.records)
        if row.header.is_control:
            if not is_coordinators and row.control is not None:
                described.changes += self._ended(partition, row)
            return described
        for record in row.records[:DESCRIBED_MAX]:
            try:
                if is_coordinators:
                    self._transaction(described, partition, int(named["number"]), row, record, origin, number)
                else:
                    self._offset(described, partition, int(named["number"]), row, record)
            except DamagedError:
                # The record cannot be decoded, so its batch is described like a batch of any other topic.
                continue
        if described.said and len(row.records) > DESCRIBED_MAX:
            described.said.append(sentence("log.more_records", count=len(row.records) - DESCRIBED_MAX))
        return described

    # -- the coordinator's log ---------------------------------------------------------------------------

    def _transaction(
        self,
        described: Described,
        partition: str,
        number: int,
        row: BatchRow,
        record: Record,
        origin: int | None,
        step: int,
    ) -> None:
        transactional_id = decode_key(record.key or b"")
        value = None if record.value is None else decode_value(record.value)
        described.keys.append(transactional_id)
        before = self._transactions.get(transactional_id)
        of = {"partition": partition, "offsets": span(record.offset, record.offset),
              "transactional_id": transactional_id}  # fmt: skip
        path = [*_BROKER, "transactions", transactional_id]
        if value is None:
            described.values.append(None)
            described.said.append(sentence("log.coordinator.tombstone", "TXC-21", **of))
            if before is not None:
                described.changes.append({"path": path, "before": before})
                del self._transactions[transactional_id]
            return
        self.written.take_value(value, f"{partition}: {record.offset}")
        state = value.status.kafka_name
        entry = _entry(value, number, row, origin)
        described.values.append(_image(value, entry))
        self.of_producer[value.producer_id] = Known(
            transactional_id, state, f"{partition}: {record.offset}", step
        )
        taken = None if before is None else _taken(before, entry)
        described.said += _sentences(value, entry, before, taken, of)
        if taken is not None and before is not None:
            described.transitions.append(
                {
                    "machine": TRANSACTION_STATES.name,
                    "of": transactional_id,
                    "from": before["state"],
                    "to": state,
                    "on": taken.on,
                    "row": taken.number,
                }
            )
        if before is not None or len(self._transactions) < IDS_MAX:
            self._transactions[transactional_id] = entry
            described.changes += _change(path, before, entry)
        else:
            described.said.append(sentence("log.coordinator.not_kept", count=IDS_MAX))

    # -- the groups' log ---------------------------------------------------------------------------------

    def _offset(
        self, described: Described, partition: str, number: int, row: BatchRow, record: Record
    ) -> None:
        key = decode_offsets_key(record.key or b"")
        of = {"partition": partition, "offsets": span(record.offset, record.offset)}
        described.keys.append(
            list(key) if isinstance(key, OffsetKey) else {"group": getattr(key, "group", None)}
        )
        if isinstance(key, OffsetKey):
            value = None if record.value is None else decode_offset(record.value)
            self._committed(described, partition, number, row, record, key, value)
        elif isinstance(key, GroupKey):
            group = None if record.value is None else decode_group(record.value)
            described.values.append(None if group is None else {"generation": group.generation})
            described.said.append(_group_said(key, group, of))
        else:
            described.values.append(None)
            described.said.append(sentence("log.group.other", "OFS-1", version=key.version, **of))

    def _committed(
        self,
        described: Described,
        partition: str,
        number: int,
        row: BatchRow,
        record: Record,
        key: OffsetKey,
        value: CommittedOffset | None,
    ) -> None:
        name, producer_id = f"{key.topic}-{key.partition}", row.header.producer_id
        placed = None if value is None else {"offset": exact(value.offset), "position": record.offset}
        described.values.append(placed)
        of = {"partition": partition, "offsets": span(record.offset, record.offset), "group": key.group,
              "topic_partition": name, "offset": None if value is None else exact(value.offset)}  # fmt: skip
        if row.header.is_transactional:
            described.said.append(
                sentence("log.group.pending", "OFS-2", producer_id=exact(producer_id), **of)
            )
            self._pending.setdefault((partition, producer_id), []).append(
                (key.group, name, placed or _ABSENT)
            )
            return
        described.said.append(
            sentence("log.group.deleted" if value is None else "log.group.committed", "OFS-1", **of)
        )
        described.changes += self._place(key.group, number, name, placed)

    def _ended(self, partition: str, row: BatchRow) -> Iterator[Json]:
        """The changes that a marker in the offsets log makes: it decides the pending offsets of its producer."""
        pending = self._pending.pop((partition, row.header.producer_id), [])
        if row.control is not None and row.control.type_name == "COMMIT":
            number = topic_partition(partition).number
            for group, name, placed in pending:
                yield from self._place(group, number, name, placed or None)

    def _place(self, group: str, number: int, name: str, placed: Json | None) -> Iterator[Json]:
        """The changes when the visible offset of a group is set, or is removed (`placed` None)."""
        path = [*_BROKER, "groups", group]
        known = self._groups.get(group)
        before = None if known is None else known["committed"].get(name)
        if placed is None:
            if known is not None and before is not None:
                del known["committed"][name]
                yield {"path": [*path, "committed", name], "before": before}
            return
        if before is None and self._offsets >= IDS_MAX:
            return
        self._offsets += before is None
        if known is None:
            self._groups[group] = {"log_partition": number, "committed": {name: placed}}
            yield {"path": path, "after": {"log_partition": number, "committed": {name: placed}}}
            return
        known["committed"][name] = placed
        change = {"path": [*path, "committed", name], "after": placed}
        yield change if before is None else change | {"before": before}


def _group_said(key: GroupKey, group: GroupMetadata | None, of: Mapping[str, Any]) -> Json:
    if group is None:
        return sentence("log.group.forgotten", "OFS-1", group=key.group, **of)
    return sentence(
        "log.group.metadata", "OFS-1", group=key.group, generation=group.generation,
        members=len(group.members), **of,
    )  # fmt: skip


def _entry(value: TransactionLogValue, number: int, row: BatchRow, origin: int | None) -> Json:
    """The view's entry for one transactional id, in the shape of docs/frame.md; times in ms since step time
    0."""
    started = _since(value.start_ms, origin)
    state = value.status.kafka_name
    return {
        "state": state,
        "pending_state": None,
        "producer_id": exact(value.producer_id),
        "last_producer_id": None,
        "producer_epoch": value.producer_epoch,
        "last_producer_epoch": None,
        "timeout_ms": value.timeout_ms,
        "partitions": [f"{topic}-{place}" for topic, place in value.partitions],
        "started_at": started,
        "times_out_at": None if started is None or state != ONGOING else started + value.timeout_ms,
        "last_update": _since(value.last_update_ms, origin) or 0,
        "failed_epoch_fence": False,
        "coordinator_epoch": row.header.partition_leader_epoch,
        "log_partition": number,
    }


def _sentences(
    value: TransactionLogValue,
    entry: Json,
    before: Json | None,
    taken: TableRow | None,
    of: Mapping[str, Any],
) -> list[Json]:
    """The sentence about the logged state, and another one if InitProducerId raised the epoch."""
    said = [
        sentence(
            f"log.coordinator.{entry['state'].lower()}",
            "TXC-3" if taken is None else taken.spec,
            state=entry["state"],
            producer_id=exact(value.producer_id),
            producer_epoch=value.producer_epoch,
            partitions=entry["partitions"] or None,
            timeout_ms=value.timeout_ms,
            start=value.start_ms if value.start_ms >= 0 else None,
            **of,
        )
    ]
    if before is not None and _is_fenced(before, entry):
        said.append(
            sentence(
                "log.coordinator.epoch_raised",
                "TXC-9",
                transactional_id=of["transactional_id"],
                before=before["producer_epoch"],
                producer_epoch=value.producer_epoch,
            )
        )
    return said


def _image(value: TransactionLogValue, entry: Json) -> Json:
    return {
        "state": entry["state"],
        "producer_id": entry["producer_id"],
        "producer_epoch": entry["producer_epoch"],
        "timeout_ms": entry["timeout_ms"],
        "partitions": entry["partitions"],
        "last_update_ms": entry["last_update"],
        "start_ms": -1 if entry["started_at"] is None else entry["started_at"],
    }


def _since(milliseconds: int, origin: int | None) -> int | None:
    return None if milliseconds < 0 or origin is None else milliseconds - origin


def _change(path: list[str], before: Json | None, entry: Json) -> list[Json]:
    if before is None:
        return [{"path": path, "after": entry}]
    return [
        {"path": [*path, name], "before": before[name], "after": value}
        for name, value in entry.items()
        if before[name] != value
    ]


def _rows() -> Mapping[tuple[str, str], tuple[TableRow, ...]]:
    """Dict of (source, target) → the rows of the coordinator's table that lead from the one state to the
    other."""
    found: dict[tuple[str, str], tuple[TableRow, ...]] = {}
    for row in TRANSACTION_STATES.rows:
        if row.target is not None:
            found[row.source, row.target] = (*found.get((row.source, row.target), ()), row)
    return found


_ROWS = _rows()


def _is_fenced(before: Json, entry: Json) -> bool:
    """Whether InitProducerId raised the epoch. A decision may raise it, too (KIP-890)."""
    is_raised: bool = before["producer_epoch"] < entry["producer_epoch"]
    return is_raised and entry["state"] == EMPTY and before["producer_id"] == entry["producer_id"]


def _taken(before: Json, entry: Json) -> TableRow | None:
    """The row that leads from a logged state to the next; None if it is not certain."""
    source, target = before["state"], entry["state"]
    rows = _ROWS.get((source, target), ())
    if (source, target) == (ONGOING, ONGOING):
        has_new = set(entry["partitions"]) > set(before["partitions"])
        rows = rows[:1] if has_new else rows[1:]
    is_raised = before["producer_epoch"] != entry["producer_epoch"]
    if (source, target) == (ONGOING, PREPARE_ABORT) and is_raised:
        # A fence because of a timeout or of a restarted producer, or a client of transaction version 2: the
        # log does not distinguish them.
        return None
    if target in DECIDED:
        rows = tuple(row for row in rows if (row.on in RAISING) == is_raised)
    return rows[0] if len(rows) == 1 else None
