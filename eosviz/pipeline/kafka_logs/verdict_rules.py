"""A table that says which evidence leads to which verdict on an open transaction. Each row has one kind of
evidence, and what the copies must prove before the row's verdict holds.

The coordinator's newest record of an id needs no proof; conclusions from the absence of something do.
docs/logs.md has the same table in words. Source: KIP-664 (hanging transactions), KIP-890, Kafka's
`TransactionCoordinator`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from eosviz.pipeline.kafka_logs.coordinator import CoordinatorEntry
from eosviz.pipeline.kafka_logs.copy_proofs import (
    Need,
    Situation,
    coordinator_newer,
    data_newer,
    data_whole,
    id_whole,
    is_marked,
    not_contradicted,
    print_whole,
    same_cluster,
    topic_whole,
)
from eosviz.pipeline.kafka_logs.partition import Partition, Transaction
from eosviz.pipeline.kafka_logs.verdict_kinds import OPEN, VerdictKind
from eosviz.pipeline.kafka_logs.words import Words, moment, moment_by, words

ONGOING = "Ongoing"
"""Kafka's name of the state of a transaction without a decision."""


class Row(NamedTuple):
    """One row of the table: a kind of evidence and its verdict."""

    name: str
    """The row's name in the table of docs/logs.md."""
    kind: VerdictKind
    applies: Callable[[Situation], Words | None]
    """Returns the sentence with the reason, if a situation shows this evidence; otherwise None."""
    needs: tuple[Need, ...] = ()
    would_change: tuple[Words, ...] = ()
    """Sentences that say what would change the verdict. They are shown if the verdict holds."""
    possible: tuple[VerdictKind, ...] = (VerdictKind.HEALTHY, *OPEN)
    """The verdicts that are possible if this one is not proved. `HEALTHY` is among them, because a marker
    that is missing from the copy may have ended the transaction."""


class Found(NamedTuple):
    """The first row that applies to a situation, with its reason."""

    row: Row
    why: Words
    missing: tuple[Words, ...]
    """Sentences that say what the copies do not prove. If there are any, the verdict is `UNDECIDED`."""

    @property
    def kind(self) -> VerdictKind:
        return VerdictKind.UNDECIDED if self.missing else self.row.kind

    @property
    def alternatives(self) -> tuple[VerdictKind, ...]:
        """The verdicts that are possible if this one is undecided; empty if it is decided."""
        return self.row.possible if self.missing else ()


def judged(at: Situation) -> Found:
    """Judges one open transaction."""
    row, why = next((row, why) for row in ROWS if (why := row.applies(at)) is not None)
    # Two needs may return the same sentence.
    needed = [one for need in row.needs for one in need(at)]
    missing = [one for index, one in enumerate(needed) if one not in needed[:index]]
    return Found(row, why, tuple(missing))


def timeout_at(entry: CoordinatorEntry | None) -> int | None:
    """The time at which the coordinator will abort the transaction because of its timeout, in milliseconds
    since 1970; None if it is unknown."""
    if entry is None or entry.value is None:
        return None
    # Older dumps do not contain the start time. The transaction began no later than its last update, so the
    # real timeout is not later than the computed one.
    start = entry.value.start_ms if entry.value.start_ms >= 0 else entry.value.last_update_ms
    return start + entry.value.timeout_ms if start >= 0 else None


def _unknown(at: Situation) -> Words | None:
    return words("rule.unknown") if at.entry is None else None


def _expired(at: Situation) -> Words | None:
    return words("rule.expired") if at.entry is not None and at.entry.value is None else None


def _lists(at: Situation) -> bool:
    return at.entry is not None and at.entry.lists(at.partition.name)


def is_ongoing(partition: Partition, transaction: Transaction, entry: CoordinatorEntry | None) -> bool:
    """Whether the coordinator's newest record says that the transaction is Ongoing and contains this
    partition."""
    value = None if entry is None else entry.value
    if entry is None or value is None or not entry.lists(partition.name):
        return False
    # A marker with a newer epoch of the producer id also ends a transaction that an older epoch left open.
    same = value.producer_id == transaction.producer_id and value.producer_epoch >= transaction.newest_epoch
    return same and value.status.kafka_name == ONGOING


def _prepared(at: Situation) -> Words | None:
    value, mine = at.value, at.transaction
    if value is None or at.entry is None or not at.entry.is_prepared or not _lists(at):
        return None
    if value.producer_id == mine.producer_id and value.producer_epoch < mine.newest_epoch:
        return None
    if at.last_marker is not None and at.last_marker.result == at.entry.decision and is_marked(at):
        # The marker in this partition is the one that the coordinator decided.
        return None
    return words("rule.prepared", state=value.status.kafka_name)


def _ongoing(at: Situation) -> bool:
    return is_ongoing(at.partition, at.transaction, at.entry)


def _overdue(at: Situation) -> Words | None:
    until = timeout_at(at.entry)
    if not _ongoing(at) or until is None or at.now < until:
        return None
    return words("rule.overdue", at=moment(until), now=moment(at.now))


def _alive(at: Situation) -> Words | None:
    if not _ongoing(at):
        return None
    until = timeout_at(at.entry)
    if at.value is not None and at.value.producer_epoch > at.transaction.newest_epoch:
        return words("rule.joined", epoch=at.value.producer_epoch)
    if until is None:
        return words("rule.ongoing")
    return words("rule.ongoing_until", at=moment_by(until), now=moment(at.now))


def _late(at: Situation) -> Words | None:
    marker, value = at.last_marker, at.value
    if value is None or marker is None or marker.offset > at.transaction.first_offset:
        return None
    mine = (at.transaction.producer_id, at.transaction.epoch)
    ended_again = at.entry is not None and at.entry.decision is not None
    same_epoch = ended_again and (value.producer_id, value.producer_epoch) == mine
    if marker.epoch <= at.transaction.epoch and not same_epoch:
        return None
    return words("rule.late", offset=marker.offset)


def _fenced(at: Situation) -> Words | None:
    value, mine = at.value, at.transaction
    if value is None:
        return None
    if value.producer_id == mine.producer_id and value.producer_epoch <= mine.newest_epoch:
        return None
    return words("rule.fenced", producer_id=value.producer_id, epoch=value.producer_epoch)


def _not_listed(at: Situation) -> Words | None:
    return words("rule.not_listed", partition=at.partition.name)


_DECIDED_OVER = (same_cluster, id_whole, coordinator_newer, data_newer, data_whole, print_whole)
"""What the copies must prove if a transaction is open in this partition, and the coordinator's record says
that it has ended or does not contain it."""

_OWED = (VerdictKind.HEALTHY, VerdictKind.COORDINATOR_OWES_MARKER)
"""The possible verdicts if the coordinator knows the transaction. Its marker either has not been written yet,
or is in a part of the log that is missing from the copy."""

ROWS: Sequence[Row] = (
    Row(
        "unknown",
        VerdictKind.ORPHAN,
        _unknown,
        (same_cluster, topic_whole, coordinator_newer, data_newer, data_whole, print_whole, not_contradicted),
        (words("change.other_coordinator"),),
    ),
    Row("expired", VerdictKind.ORPHAN, _expired,
        (same_cluster, id_whole, data_newer, data_whole, print_whole), (words("change.other_coordinator"),)),
    Row("prepared", VerdictKind.COORDINATOR_OWES_MARKER, _prepared, (data_whole,), (words("change.marker"),), _OWED),
    Row("overdue", VerdictKind.COORDINATOR_OWES_MARKER, _overdue, (data_whole,),
        (words("change.prepare_abort"),), _OWED),
    Row("ongoing", VerdictKind.SLOW_BUT_ALIVE, _alive, (), (words("change.later"), words("change.newer_coordinator"))),
    Row("late", VerdictKind.LATE_WRITE, _late, _DECIDED_OVER, (words("change.listed"),)),
    Row("fenced", VerdictKind.FENCED_WRITER, _fenced, _DECIDED_OVER, (words("change.newer_marker"),)),
    Row("not listed", VerdictKind.ORPHAN, _not_listed, _DECIDED_OVER, (words("change.listed"),)),
)  # fmt: skip
"""The rows of the table, in order. The first one that applies decides. The last one always applies."""
