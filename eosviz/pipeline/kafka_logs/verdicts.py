"""Why a partition's readers wait, or that they do not: one verdict for each open transaction, with its evidence.

The partition says that a transaction is open; only the coordinator's log says whether that is as it should be.
Without that log the verdict is `undecided` and names what remains possible.

Source: KIP-664 (hanging transactions), KIP-890, Kafka's `TransactionCoordinator`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from engine.codec.producer_snapshot import ProducerEntry
from eosviz.pipeline.kafka_logs.coordinator import PREPARED, Coordinator, CoordinatorEntry
from eosviz.pipeline.kafka_logs.log_lines import LogLine, left_by, said
from eosviz.pipeline.kafka_logs.partition import Marker, Partition, Transaction
from eosviz.pipeline.kafka_logs.verdict_kinds import NOT_HEALTHY, VerdictKind
from eosviz.pipeline.kafka_logs.words import Words, moment, words

LOG_LINES_MAX = 20
"""Lines of logs, the newest, that are evidence of one verdict; the case lists all."""
_OF_ALL_PARTITIONS = ("marker_tried_again", "marker_given_up")
"""That the marker of a transaction failed elsewhere says something of its partition here too."""
_NAME_DIGITS = 20
"""Of an offset in the name of a file."""

Snapshot = tuple[str, tuple[ProducerEntry, ...]]
"""Name and entries of a partition's newest `.snapshot`."""


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
    says: Words


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
    would_change: tuple[Words, ...] = ()
    notes: tuple[Note, ...] = field(default=())


def verdicts_of(
    partition: Partition,
    coordinator: Coordinator,
    now: int,
    snapshot: Snapshot | None = None,
    log_lines: Sequence[LogLine] = (),
) -> tuple[Verdict, ...]:
    """One verdict for each open transaction by first offset, or one for the healthy partition.

    `now`: milliseconds since 1970; for files of the past their newest timestamp by a broker's clock. `log_lines`:
    what brokers and clients logged, of any partition.
    """
    notes = _notes(partition, coordinator)
    verdicts = [_verdict(partition, one, coordinator, now, notes) for one in partition.open_transactions]
    if snapshot is not None:
        verdicts.extend(_deleted(partition, snapshot, notes))
    if verdicts:
        return tuple(_with_log_lines(one, log_lines) for one in verdicts)
    if not partition.batches and (told := [one for one in log_lines if one.partition == partition.name]):
        return (_only_logged(partition, told),)
    if partition.corrupt:
        unread = words("evidence.damaged", count=partition.corrupt)
        return (
            Verdict(
                kind=VerdictKind.UNDECIDED,
                partition=partition.name,
                evidence=(Evidence(partition.name, unread),),
                alternatives=(VerdictKind.HEALTHY, *NOT_HEALTHY),
                would_change=(words("change.whole_copy"),),
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
        who = {"producer_id": entry.producer_id, "epoch": entry.producer_epoch}
        evidence = (
            Evidence(
                f"{partition.name}/{name}",
                words("evidence.open", first_offset=entry.open_first_offset, **who),
            ),
            Evidence(partition.name, words("evidence.log_start", offset=partition.log_start)),
        )
        yield Verdict(
            kind=VerdictKind.EVIDENCE_DELETED,
            partition=partition.name,
            evidence=evidence,
            would_change=(words("change.older_copy"),),
            notes=notes,
        )


def _with_log_lines(verdict: Verdict, log_lines: Sequence[LogLine]) -> Verdict:
    """The verdict with what was logged of its producer as further evidence; it decides nothing."""
    if verdict.transaction is None:
        return verdict
    producer_id = verdict.transaction.producer_id
    entry = verdict.entry
    about = [
        one
        for one in log_lines
        if (one.partition in (None, verdict.partition) or one.kind in _OF_ALL_PARTITIONS)
        and (
            one.producer_id == producer_id
            or (entry is not None and one.transactional_id == entry.transactional_id)
            or (one.partition is not None and one.producer_id is None and one.transactional_id is None)
        )
    ]
    more = tuple(_logged(one) for one in about[-LOG_LINES_MAX:])
    return replace(verdict, evidence=verdict.evidence + more) if more else verdict


def _only_logged(partition: Partition, told: Sequence[LogLine]) -> Verdict:
    """Where nothing else is known, the newest line that leaves something says what is still possible."""
    left = next(
        (left for one in reversed(told) if (left := left_by(one))), (VerdictKind.HEALTHY, *NOT_HEALTHY)
    )
    return Verdict(
        kind=VerdictKind.UNDECIDED,
        partition=partition.name,
        evidence=tuple(_logged(one) for one in told[-LOG_LINES_MAX:]),
        alternatives=left,
        would_change=(words("change.dump", partition=partition.name), words("change.coordinator")),
    )


def _logged(line: LogLine) -> Evidence:
    return Evidence(line.place, said(line))


def base_offset_of_snapshot(name: str) -> int:
    """The offset at which a `.snapshot` was taken, from the file's name; 0 when it says none."""
    digits = name.partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _NAME_DIGITS else 0


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
        would_change = words("change.coordinator")
        if listed is not None:
            named = {"transactional_id": listed.transactional_id}
            evidence.append(Evidence(listed.place, words("evidence.listed", state=listed.state, **named)))
            would_change = words("change.describe", **named)
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
        evidence.append(Evidence(sources, words("evidence.not_among", count=count)))
    else:
        evidence.append(Evidence(entry.place, _says(entry)))
    marker = partition.producers[transaction.producer_id].last_marker
    if marker is not None:
        evidence.append(Evidence(marker.place, _marked(marker)))
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


def _wrote(transaction: Transaction) -> Words:
    who = {"producer_id": transaction.producer_id, "epoch": transaction.epoch}
    if transaction.last_offset < transaction.first_offset:
        return words("evidence.open", first_offset=transaction.first_offset, **who)
    offsets = {"first_offset": transaction.first_offset, "last_offset": transaction.last_offset}
    return words("evidence.wrote", **offsets, **who)


def _marked(marker: Marker) -> Words:
    epochs = {"epoch": marker.epoch, "coordinator_epoch": marker.coordinator_epoch}
    return words("evidence.marker", type=marker.type, offset=marker.offset, **epochs)


def _says(entry: CoordinatorEntry) -> Words:
    value = entry.value
    if value is None:
        return words("evidence.tombstone", transactional_id=entry.transactional_id)
    return words(
        "evidence.coordinator",
        transactional_id=entry.transactional_id,
        state=value.status.kafka_name,
        producer_id=value.producer_id,
        epoch=value.producer_epoch,
        partitions=", ".join(f"{topic}-{number}" for topic, number in value.partitions) or "–",
        start=moment(value.start_ms),
        timeout=value.timeout_ms,
    )


def _timeout_at(entry: CoordinatorEntry | None) -> int | None:
    if entry is None or entry.value is None:
        return None
    # Older dumps leave the start out. Nothing is earlier than it, so the timeout comes no later than this.
    start = entry.value.start_ms if entry.value.start_ms >= 0 else entry.value.last_update_ms
    return start + entry.value.timeout_ms if start >= 0 else None


Found = tuple[VerdictKind, Words, tuple[Words, ...]]
"""The verdict, why, and what would change it."""
Rule = Callable[[Partition, Transaction, CoordinatorEntry | None, int], Found | None]


def _unknown(_: Partition, __: Transaction, entry: CoordinatorEntry | None, ___: int) -> Found | None:
    if entry is not None and entry.value is not None:
        return None
    return VerdictKind.ORPHAN, words("rule.unknown"), (words("change.other_coordinator"),)


def _prepared(
    partition: Partition, transaction: Transaction, entry: CoordinatorEntry | None, _: int
) -> Found | None:
    value = entry.value if entry is not None else None
    if value is None or value.status not in PREPARED or not _lists(entry, partition):
        return None
    if value.producer_id == transaction.producer_id and value.producer_epoch < transaction.epoch:
        return None
    why = words("rule.prepared", state=value.status.kafka_name)
    return VerdictKind.COORDINATOR_OWES_MARKER, why, (words("change.marker"),)


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
        why = (
            words("rule.ongoing")
            if timeout_at is None
            else words("rule.ongoing_until", at=moment(timeout_at), now=moment(now))
        )
        return VerdictKind.SLOW_BUT_ALIVE, why, (words("change.later"), words("change.newer_coordinator"))
    why = words("rule.overdue", at=moment(timeout_at), now=moment(now))
    return VerdictKind.COORDINATOR_OWES_MARKER, why, (words("change.prepare_abort"),)


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
    return VerdictKind.LATE_WRITE, words("rule.late", offset=marker.offset), (words("change.listed"),)


def _fenced(_: Partition, transaction: Transaction, entry: CoordinatorEntry | None, __: int) -> Found | None:
    value = entry.value if entry is not None else None
    if value is None:
        return None
    moved = value.producer_id != transaction.producer_id
    if not moved and value.producer_epoch <= transaction.epoch:
        return None
    why = words("rule.fenced", producer_id=value.producer_id, epoch=value.producer_epoch)
    return VerdictKind.FENCED_WRITER, why, (words("change.newer_marker"),)


def _not_listed(
    partition: Partition, _: Transaction, entry: CoordinatorEntry | None, __: int
) -> Found | None:
    return VerdictKind.ORPHAN, words("rule.not_listed", partition=partition.name), (words("change.listed"),)


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
        evidence = [Evidence(transaction.place, words("evidence.first_batch"))]
        evidence.append(Evidence(marker.place, _marked(marker)))
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
