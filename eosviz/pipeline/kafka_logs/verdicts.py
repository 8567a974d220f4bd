"""Why a partition's readers wait, or that they do not: one verdict for each open transaction, with its evidence.

The partition says that a transaction is open; only the coordinator's log says whether that is as it should be.
Without that log the verdict is `undecided` and names what remains possible.

Source: KIP-664 (hanging transactions), KIP-890, Kafka's `TransactionCoordinator`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine.codec.producer_snapshot import ProducerEntry
from eosviz.pipeline.kafka_logs.coordinator import PREPARED, Coordinator, CoordinatorEntry
from eosviz.pipeline.kafka_logs.partition import Partition, Transaction

Snapshot = tuple[str, tuple[ProducerEntry, ...]]
"""Name and entries of a partition's newest `.snapshot`."""


class VerdictKind(StrEnum):
    """What a partition's transaction is, or the partition where none is open."""

    HEALTHY = "healthy"
    SLOW_BUT_ALIVE = "slow_but_alive"
    COORDINATOR_OWES_MARKER = "coordinator_owes_marker"
    ORPHAN = "orphan"
    FENCED_WRITER = "fenced_writer"
    LATE_WRITE = "late_write_after_marker"
    EVIDENCE_DELETED = "evidence_deleted"
    UNDECIDED = "undecided"


NOT_HEALTHY = tuple(kind for kind in VerdictKind if kind not in (VerdictKind.HEALTHY, VerdictKind.UNDECIDED))


class NoteKind(StrEnum):
    """What is worth knowing of a transaction that is closed."""

    NEWER_EPOCH = "closed_by_newer_epoch"
    """The producer was fenced, or its timeout passed; with transaction version 2 every marker is so."""
    NO_DECISION = "marker_without_decision"
    """The coordinator had decided nothing when the marker came: an administrator wrote it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact and where it stands."""

    place: str
    """File and byte, or partition and offset."""
    says: str


@dataclass(frozen=True, slots=True)
class Note:
    """A closed transaction that ended otherwise than by its own producer."""

    kind: NoteKind
    producer_id: int
    epoch: int
    first_offset: int
    marker_offset: int
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict on one open transaction, or on a partition without one."""

    kind: VerdictKind
    partition: str
    transaction: Transaction | None = None
    entry: CoordinatorEntry | None = None
    """The coordinator's newest record of the transaction's id."""
    timeout_at: int | None = None
    """When the coordinator aborts by itself, milliseconds since 1970."""
    evidence: tuple[Evidence, ...] = ()
    alternatives: tuple[VerdictKind, ...] = ()
    would_change: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=())


def verdicts_of(
    partition: Partition, coordinator: Coordinator, now: int, snapshot: Snapshot | None = None
) -> tuple[Verdict, ...]:
    """One verdict for each open transaction by first offset, or one for the healthy partition.

    `now`: milliseconds since 1970; for files of the past their newest timestamp by a broker's clock.
    """
    notes = _notes(partition, coordinator)
    verdicts = [_verdict(partition, one, coordinator, now, notes) for one in partition.open_transactions]
    if snapshot is not None:
        verdicts.extend(_deleted(partition, snapshot, notes))
    if verdicts:
        return tuple(verdicts)
    if partition.corrupt:
        unread = f"{partition.corrupt} damaged places: a transaction may have begun or ended there"
        return (
            Verdict(
                kind=VerdictKind.UNDECIDED,
                partition=partition.name,
                evidence=(Evidence(partition.name, unread),),
                alternatives=(VerdictKind.HEALTHY, *NOT_HEALTHY),
                would_change=("a whole copy of this partition, from another broker",),
                notes=notes,
            ),
        )
    return (Verdict(kind=VerdictKind.HEALTHY, partition=partition.name, notes=notes),)


def _deleted(partition: Partition, snapshot: Snapshot, notes: tuple[Note, ...]) -> Iterator[Verdict]:
    """Transactions that the broker's snapshot has open and whose data lies before the start of the log."""
    name, entries = snapshot
    taken_at = base_offset_of_snapshot(name)
    for entry in entries:
        if not 0 <= entry.open_first_offset < partition.log_start:
            continue
        producer = partition.producers.get(entry.producer_id)
        marker = producer.last_marker if producer is not None else None
        ended = marker is not None and marker.offset >= taken_at
        if ended or (producer is not None and producer.open is not None):
            continue
        still_open = f"producer {entry.producer_id} epoch {entry.producer_epoch}: open from offset"
        evidence = (
            Evidence(f"{partition.name}/{name}", f"{still_open} {entry.open_first_offset}"),
            Evidence(partition.name, f"the log starts at offset {partition.log_start}"),
        )
        yield Verdict(
            kind=VerdictKind.EVIDENCE_DELETED,
            partition=partition.name,
            evidence=evidence,
            would_change=("a copy of this partition that still has the deleted offsets",),
            notes=notes,
        )


def base_offset_of_snapshot(name: str) -> int:
    """The offset at which a `.snapshot` was taken, from the file's name; 0 when it says none."""
    digits = name.partition(".")[0]
    return int(digits) if digits.isdigit() else 0


def _verdict(
    partition: Partition,
    transaction: Transaction,
    coordinator: Coordinator,
    now: int,
    notes: tuple[Note, ...],
) -> Verdict:
    entry = coordinator.latest_of(transaction.producer_id)
    listed = coordinator.listed.get(transaction.producer_id)
    written = Evidence(transaction.place, _wrote(transaction))
    if entry is None and (listed is not None or not coordinator.sources):
        evidence = [written]
        would_change = "the partitions of __transaction_state decide between these"
        if listed is not None:
            evidence.append(Evidence(listed.place, f"{listed.transactional_id}: {listed.state}"))
            would_change = (
                f"kafka-transactions.sh describe --transactional-id {listed.transactional_id} decides"
            )
        return Verdict(
            kind=VerdictKind.UNDECIDED,
            partition=partition.name,
            transaction=transaction,
            evidence=tuple(evidence),
            alternatives=NOT_HEALTHY,
            would_change=(would_change,),
            notes=notes,
        )
    kind, why, would_change = next(
        found for rule in _RULES if (found := rule(partition, transaction, entry, now)) is not None
    )
    evidence = [written]
    if entry is None:
        sources = ", ".join(coordinator.sources)
        count = coordinator.records + len(coordinator.listed)
        evidence.append(Evidence(sources, f"{count} records, none of this producer id"))
    else:
        evidence.append(Evidence(entry.place, _says(entry)))
    marker = partition.producers[transaction.producer_id].last_marker
    if marker is not None:
        ended = f"marker of epoch {marker.epoch}, coordinator epoch {marker.coordinator_epoch}"
        evidence.append(Evidence(marker.place, f"{ended}, offset {marker.offset}: {marker.result}"))
    evidence.append(Evidence("rule", why))
    return Verdict(
        kind=kind,
        partition=partition.name,
        transaction=transaction,
        entry=entry,
        timeout_at=_timeout_at(entry),
        evidence=tuple(evidence),
        would_change=would_change,
        notes=notes,
    )


def _wrote(transaction: Transaction) -> str:
    producer = f"producer {transaction.producer_id} epoch {transaction.epoch}"
    if transaction.last_offset < transaction.first_offset:
        return f"{producer} has a transaction open from offset {transaction.first_offset}"
    offsets = f"{transaction.first_offset} to {transaction.last_offset}"
    return f"{producer} wrote offsets {offsets}, and no marker follows"


def _says(entry: CoordinatorEntry) -> str:
    value = entry.value
    if value is None:
        return f"{entry.transactional_id}: tombstone, the id expired"
    listed = ", ".join(f"{topic}-{number}" for topic, number in value.partitions) or "none"
    return (
        f"{entry.transactional_id}: {value.status.kafka_name}, producer {value.producer_id} epoch"
        f" {value.producer_epoch}, partitions {listed}, started {value.start_ms}, timeout {value.timeout_ms} ms"
    )


def _timeout_at(entry: CoordinatorEntry | None) -> int | None:
    if entry is None or entry.value is None:
        return None
    # Older dumps leave the start out. Nothing is earlier than it, so the timeout comes no later than this.
    start = entry.value.start_ms if entry.value.start_ms >= 0 else entry.value.last_update_ms
    return start + entry.value.timeout_ms if start >= 0 else None


Found = tuple[VerdictKind, str, tuple[str, ...]]
"""The verdict, why, and what would change it."""
Rule = Callable[[Partition, Transaction, CoordinatorEntry | None, int], Found | None]


def _unknown(_: Partition, __: Transaction, entry: CoordinatorEntry | None, ___: int) -> Found | None:
    if entry is not None and entry.value is not None:
        return None
    why = "the coordinator does not know the producer id and will never write its marker"
    return VerdictKind.ORPHAN, why, ("a partition of __transaction_state that was not given and knows it",)


def _prepared(
    partition: Partition, transaction: Transaction, entry: CoordinatorEntry | None, _: int
) -> Found | None:
    value = entry.value if entry is not None else None
    if value is None or value.status not in PREPARED or not _lists(entry, partition):
        return None
    if value.producer_id == transaction.producer_id and value.producer_epoch < transaction.epoch:
        return None
    why = f"{value.status.kafka_name} is decided, and the marker for this partition is not written yet"
    return VerdictKind.COORDINATOR_OWES_MARKER, why, ("the marker in a newer copy of this partition",)


def _ongoing(
    partition: Partition, transaction: Transaction, entry: CoordinatorEntry | None, now: int
) -> Found | None:
    value = entry.value if entry is not None else None
    if value is None or not _is_ongoing(entry) or not _lists(entry, partition):
        return None
    if (value.producer_id, value.producer_epoch) != (transaction.producer_id, transaction.epoch):
        return None
    timeout_at = _timeout_at(entry)
    if timeout_at is None or now < timeout_at:
        why = f"the coordinator counts the transaction as ongoing; it aborts it at {timeout_at} if nothing ends it"
        return (
            VerdictKind.SLOW_BUT_ALIVE,
            why,
            ("a later time: the timeout", "a newer copy of the coordinator's log"),
        )
    why = f"the timeout passed at {timeout_at}, and the coordinator has not aborted the transaction yet"
    return (
        VerdictKind.COORDINATOR_OWES_MARKER,
        why,
        ("a newer copy of the coordinator's log with PrepareAbort",),
    )


def _late(
    partition: Partition, transaction: Transaction, entry: CoordinatorEntry | None, _: int
) -> Found | None:
    marker = partition.producers[transaction.producer_id].last_marker
    if marker is None or marker.offset > transaction.first_offset:
        return None
    ended_again = entry is not None and entry.value is not None and entry.decision is not None
    same_epoch = (
        ended_again
        and entry is not None
        and entry.value is not None
        and (
            entry.value.producer_id == transaction.producer_id
            and entry.value.producer_epoch == transaction.epoch
        )
    )
    if marker.epoch <= transaction.epoch and not same_epoch:
        return None
    why = f"the data came after the marker at offset {marker.offset}, which had ended its transaction"
    return VerdictKind.LATE_WRITE, why, ("a newer record of the coordinator with this partition in it",)


def _fenced(_: Partition, transaction: Transaction, entry: CoordinatorEntry | None, __: int) -> Found | None:
    value = entry.value if entry is not None else None
    if value is None:
        return None
    moved = value.producer_id != transaction.producer_id
    if not moved and value.producer_epoch <= transaction.epoch:
        return None
    now_at = f"producer {value.producer_id} epoch {value.producer_epoch}"
    why = f"the coordinator has gone on to {now_at}: the writer is fenced and nobody ends what it wrote"
    return VerdictKind.FENCED_WRITER, why, ("a marker of a newer epoch in a newer copy of this partition",)


def _not_listed(
    partition: Partition, _: Transaction, entry: CoordinatorEntry | None, __: int
) -> Found | None:
    why = f"the coordinator knows the producer, and {partition.name} is in no transaction of it"
    return VerdictKind.ORPHAN, why, ("a newer record of the coordinator with this partition in it",)


_RULES: Sequence[Rule] = (_unknown, _prepared, _ongoing, _late, _fenced, _not_listed)
"""The first that finds something decides; the last one always does."""


def _is_ongoing(entry: CoordinatorEntry | None) -> bool:
    return entry is not None and entry.value is not None and entry.value.status.kafka_name == "Ongoing"


def _lists(entry: CoordinatorEntry | None, partition: Partition) -> bool:
    if entry is None or entry.value is None:
        return False
    return partition.name in {f"{topic}-{number}" for topic, number in entry.value.partitions}


def _notes(partition: Partition, coordinator: Coordinator) -> tuple[Note, ...]:
    notes: list[Note] = []
    for transaction in partition.transactions:
        marker = transaction.marker
        if marker is None:
            continue
        evidence = [Evidence(transaction.place, "its first batch")]
        evidence.append(Evidence(marker.place, f"marker of epoch {marker.epoch}: {marker.result}"))
        found: list[NoteKind] = []
        if marker.epoch > transaction.epoch:
            found.append(NoteKind.NEWER_EPOCH)
        entry = coordinator.undecided_at(transaction.producer_id, marker.result, marker.timestamp)
        if entry is not None and marker.result != "ended":
            found.append(NoteKind.NO_DECISION)
            evidence.append(Evidence(entry.place, _says(entry)))
        places = (transaction.producer_id, transaction.epoch, transaction.first_offset, marker.offset)
        notes.extend(Note(kind, *places, tuple(evidence)) for kind in found)
    return tuple(notes)
