"""The judges' record of Kafka's transactions: their contents, their decision, the result for the application,
and what consumers got (GEN-8).

A transaction is what an application sent between begin and end. The functions at the end of this module are
the judges: each returns the records or offsets that break a guarantee.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from engine import events
from engine.judge.outcome_log import ABORTED, COMMITTED, Copy, OutcomeLog


@dataclass(slots=True)
class Transaction:
    """One transaction. ``decided``: the coordinator's decision. ``reported``: the outcome that the application
    learned. True means committed, False aborted, None not known yet. ``offsets``: dict of (group, partition) →
    whether the pending offset became visible; None while it is pending."""

    number: int
    producer: str
    producer_id: int
    producer_epoch: int
    partitions: dict[str, None] = field(default_factory=dict)
    """The partitions to which the transaction's records were sent."""
    decided: bool | None = None
    reported: bool | None = None
    offsets: dict[tuple[str, str], bool | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.producer} #{self.number}"


@dataclass(frozen=True, slots=True)
class OutcomeVerdict:
    """The counts of the transactions of a run (judge/README.md)."""

    committed: int
    aborted: int
    open: int
    torn: int
    visible_early: int
    from_fenced: int
    hanging: tuple[str, ...]

    def lines(self) -> list[str]:
        return [
            f"verdict atomicity committed={self.committed} aborted={self.aborted} open={self.open} "
            f"torn={self.torn}",
            f"verdict isolation visible_early={self.visible_early}",
            f"verdict fencing from_fenced={self.from_fenced}",
            f"verdict hanging {', '.join(self.hanging) or 'none'}",
        ]


class TransactionsRecord:
    """All transactions of one run."""

    def __init__(self) -> None:
        self.logs: dict[str, OutcomeLog] = {}
        self.transactions: list[Transaction] = []
        self.current: dict[str, Transaction] = {}
        """Dict of producer → the open transaction of its application."""
        self.of_serial: dict[int, Transaction] = {}
        """Dict of serial → the newest transaction that sent the record; a later transaction may send it
        again."""
        self.newest_epoch: dict[int, int] = {}
        """Dict of producer id → the highest epoch that was assigned."""
        self.registered: dict[int, set[str]] = {}
        """Dict of producer id → the partitions to which its coordinator still has to send a marker."""
        self.coordinated: dict[int, int] = {}
        """Dict of producer id → the coordinator epoch with which its partitions were last registered."""
        self.completing: set[int] = set()
        """Producer ids whose newest decision is recorded here and not yet completed."""
        self.early: dict[str, set[int]] = {}
        """Dict of partition → serials that a read_committed consumer got before their transaction was
        committed."""
        self.zombies: dict[str, set[int]] = {}
        """Dict of partition → serials that a leader stored with an epoch that had been replaced."""
        self.abandoned: dict[tuple[str, int], int] = {}
        """Dict of (partition, producer id) → the first offset of a transaction that will get no marker."""
        self.deleted: set[str] = set()
        """Deleted partitions, whose transactions need no marker."""
        self.weigh: dict[int, Transaction] = {}
        """Dict of number → transaction, for those that changed since they were last judged."""
        self.weigh_partitions: set[str] = set()

    @property
    def any(self) -> bool:
        """Whether there is something to judge: a transaction began, a coordinator assigned an identity, or a
        transaction hangs."""
        return bool(self.transactions or self.newest_epoch or self.abandoned)

    # -- facts -----------------------------------------------------------------------------------------

    def begun(self, fact: events.TransactionBegun) -> None:
        made = Transaction(len(self.transactions) + 1, fact.producer, fact.producer_id, fact.producer_epoch)
        self.transactions.append(made)
        self.current[fact.producer] = made

    def accepted(self, fact: events.RecordAccepted) -> None:
        transaction = self.current.get(fact.producer)
        if transaction is not None:
            transaction.partitions[fact.partition] = None
            self.of_serial[fact.serial] = transaction

    def threw(self, fact: events.SendThrew) -> None:
        """Note that ``send()`` threw, so that for its application the record belongs to no transaction."""
        self.of_serial.pop(fact.serial, None)

    def reported(self, fact: events.OutcomeReported) -> None:
        transaction = self.current.pop(fact.producer, None)
        if transaction is not None:
            transaction.reported = fact.committed
            self.weigh[transaction.number] = transaction

    def identity(self, fact: events.IdentityGiven) -> None:
        known = self.newest_epoch.get(fact.producer_id, -1)
        self.newest_epoch[fact.producer_id] = max(known, fact.producer_epoch)

    def registered_at(self, fact: events.PartitionsRegistered) -> None:
        """Add the partitions that a coordinator registered or loaded from its log. A fact of a coordinator that was
        replaced is ignored."""
        if self._replaced(fact):
            return
        self.coordinated[fact.producer_id] = fact.coordinator_epoch
        self.registered.setdefault(fact.producer_id, set()).update(fact.partitions)
        for partition in fact.partitions:
            if self.abandoned.pop((partition, fact.producer_id), None) is not None:
                self.weigh_partitions.add(partition)

    def decided(self, fact: events.OutcomeDecided) -> None:
        """Take a coordinator's decision. It is about the newest undecided transaction of the producer id with the
        epoch of the decision, or else with the highest lower epoch."""
        if fact.found and fact.producer_id in self.completing:
            return
        self.completing.add(fact.producer_id)
        meant: Transaction | None = None
        for transaction in reversed(self.transactions):
            same = transaction.producer_id == fact.producer_id
            if same and transaction.decided is None and transaction.producer_epoch <= fact.producer_epoch:
                if meant is None or transaction.producer_epoch > meant.producer_epoch:
                    meant = transaction
                if meant.producer_epoch == fact.producer_epoch:
                    break
        if meant is None:
            return
        meant.decided = fact.committed
        stored = (entry for log in self.logs.values() for entry in log.open.get(fact.producer_id, ()))
        for number in {entry.number for entry in stored if entry.number is not None}:
            earlier = self.transactions[number - 1]
            if earlier.decided is None and earlier.reported is not None:
                earlier.decided = fact.committed

    def completed(self, fact: events.TransactionCompleted) -> None:
        """Take the completion of a transaction. If the producer id still has a transaction open in one of the
        registered partitions, this transaction will get no marker there."""
        if self._replaced(fact):
            return
        self.completing.discard(fact.producer_id)
        for partition in sorted(self.registered.pop(fact.producer_id, ())):
            self._abandon(partition, fact.producer_id)

    def given_up(self, fact: events.MarkersGivenUp) -> None:
        """Take the partitions whose markers a coordinator dropped. If a newer coordinator has taken over the
        transaction, nothing changes."""
        if self._replaced(fact):
            return
        for partition in fact.partitions:
            self._abandon(partition, fact.producer_id)

    def _replaced(
        self, fact: events.PartitionsRegistered | events.TransactionCompleted | events.MarkersGivenUp
    ) -> bool:
        """Whether a newer coordinator has registered partitions of this producer id."""
        return fact.coordinator_epoch < self.coordinated.get(fact.producer_id, -1)

    def _abandon(self, partition: str, producer_id: int) -> None:
        log = self.logs.get(partition)
        first = None if log is None else log.first_open(producer_id)
        if first is not None and partition not in self.deleted:
            self.abandoned[(partition, producer_id)] = first
            self.weigh_partitions.add(partition)

    def gone(self, fact: events.PartitionDeleted) -> None:
        self.deleted.add(fact.partition)
        for key in [key for key in self.abandoned if key[0] == fact.partition]:
            del self.abandoned[key]

    def appended(self, fact: events.LogAppended) -> None:
        log = self.logs[fact.partition]
        leads = fact.replica == log.leader
        if leads and fact.control_type is not None:
            self._weigh_numbers(entry.number for entry in log.open.get(fact.producer_id, ()))
        # A batch may begin with records whose send() threw. The other records determine its transaction.
        senders = [self.of_serial[serial].number for serial in fact.serials if serial in self.of_serial]
        log.appended(fact, max(senders, default=None))
        if not leads:
            return
        if fact.control_type is not None:
            self.abandoned.pop((fact.partition, fact.producer_id), None)
            return
        if fact.producer_epoch < self.newest_epoch.get(fact.producer_id, -1):
            self.zombies.setdefault(fact.partition, set()).update(fact.serials)
            self.weigh_partitions.add(fact.partition)
        if fact.partition not in self.registered.get(fact.producer_id, ()):
            self._abandon(fact.partition, fact.producer_id)

    def offsets_pending(self, fact: events.OffsetsPending) -> None:
        for transaction in reversed(self.transactions):
            if (transaction.producer_id, transaction.producer_epoch) == (
                fact.producer_id,
                fact.producer_epoch,
            ):
                transaction.offsets[(fact.group, fact.partition)] = None
                return

    def offsets_ended(self, fact: events.OffsetsEnded) -> None:
        """Take the outcome of a pending offset. It is about the newest transaction in which the offset is pending;
        without one, nothing changes."""
        key = (fact.group, fact.partition)
        for transaction in reversed(self.transactions):
            same = transaction.producer_id == fact.producer_id and key in transaction.offsets
            if same and transaction.offsets[key] is None:
                transaction.offsets[key] = fact.visible
                self.weigh[transaction.number] = transaction
                return

    def delivered(self, fact: events.RecordsDelivered) -> None:
        """If the consumer is read_committed, note the records whose transaction was not committed, or has no marker
        in this partition yet."""
        log = self.logs.get(fact.partition)
        if fact.isolation != "read_committed" or log is None:
            return
        for offset in fact.offsets:
            copy = log.copies.get(offset)
            if copy is None:
                continue
            transaction = None if copy.number is None else self.transactions[copy.number - 1]
            decided = transaction is None or transaction.decided is True
            if not decided or copy.outcome != COMMITTED:
                self.early.setdefault(fact.partition, set()).add(copy.serial)
                self.weigh_partitions.add(fact.partition)

    def marker_of(self, partition: str, serials: set[int]) -> str | None:
        """The result of the markers that end the transactions of these records in the partition: COMMIT or ABORT;
        None if results differ or a record has no marker."""
        log = self.logs.get(partition)
        copies = () if log is None else log.copies.values()
        found = {copy.outcome for copy in copies if copy.serial in serials}
        return {COMMITTED: "COMMIT", ABORTED: "ABORT"}.get(found.pop()) if len(found) == 1 else None

    def truncated(self, fact: events.LogTruncated) -> None:
        self.logs[fact.partition].truncated(fact.replica, fact.to)
        self._weigh_numbers(self.logs[fact.partition].offsets_of)

    def led(self, fact: events.LeaderChanged) -> None:
        self.logs[fact.partition].led_by(fact.leader)
        self._weigh_numbers(self.logs[fact.partition].offsets_of)

    def _weigh_numbers(self, numbers: Iterable[int | None]) -> None:
        for number in numbers:
            if number is not None:
                self.weigh[number] = self.transactions[number - 1]

    # -- results ---------------------------------------------------------------------------------------

    def copies(self, transaction: Transaction) -> list[tuple[str, Copy]]:
        """The stored copies of a transaction's records, with their partitions."""
        return [
            (partition, copy)
            for partition in transaction.partitions
            if partition in self.logs
            for copy in self.logs[partition].copies_of(transaction.number)
        ]

    def _ended(self, transaction: Transaction) -> bool | None:
        """Whether the transaction was committed; None while it is undecided. A transaction without stored records and
        offsets ends in its producer alone (TXM-9), so the result that its application learned counts."""
        if transaction.decided is None and not self.copies(transaction) and not transaction.offsets:
            return transaction.reported
        return transaction.decided

    def verdict(self) -> OutcomeVerdict:
        ended = [self._ended(transaction) for transaction in self.transactions]
        return OutcomeVerdict(
            committed=ended.count(True),
            aborted=ended.count(False),
            open=ended.count(None),
            torn=sum(1 for transaction in self.transactions if torn(self, transaction)),
            visible_early=sum(len(serials) for serials in self.early.values()),
            from_fenced=sum(len(serials) for serials in self.zombies.values()),
            hanging=tuple(
                f"{partition} by PID {producer_id} from {first}"
                for (partition, producer_id), first in sorted(self.abandoned.items())
            ),
        )


def torn(record: TransactionsRecord, transaction: Transaction) -> dict[str, set[int]]:
    """The places where the parts of a transaction have different outcomes: dict of partition → the serials of the
    copies without the intended outcome; if only offsets differ, dict of ``offsets of GROUP`` → the serials of all
    copies. Empty if no outcomes differ. Parts that are still open do not count (CON-6)."""
    copies = record.copies(transaction)
    outcomes = {copy.outcome for _, copy in copies}
    offsets = set(transaction.offsets.values())
    committed = transaction.reported is True or True in offsets or COMMITTED in outcomes
    aborted = transaction.reported is False or False in offsets or ABORTED in outcomes
    if not (committed and aborted):
        return {}
    intended = transaction.reported if transaction.reported is not None else transaction.decided
    wrong = COMMITTED if intended is False else ABORTED
    found: dict[str, set[int]] = {}
    for partition, copy in copies:
        if copy.outcome == wrong:
            found.setdefault(partition, set()).add(copy.serial)
    if not found:
        # The records have one outcome, and the offsets the other.
        for (group, _), visible in transaction.offsets.items():
            if visible is not None and visible is not intended:
                found.setdefault(f"offsets of {group}", set()).update(copy.serial for _, copy in copies)
    return found


def visible_early(record: TransactionsRecord, partition: str) -> set[int]:
    """Serials that a read_committed consumer got before their transaction was committed in that partition."""
    return record.early.get(partition, set())


def accepted_from_fenced(record: TransactionsRecord, partition: str) -> set[int]:
    """Serials that a leader stored although their producer had been replaced."""
    return record.zombies.get(partition, set())


def hanging(record: TransactionsRecord, partition: str) -> dict[int, int]:
    """Dict of producer id → the first offset of its hanging transaction, at which the last stable offset
    stays."""
    return {
        producer_id: first for (name, producer_id), first in record.abandoned.items() if name == partition
    }


def take(record: TransactionsRecord, fact: Any) -> None:
    """Take a fact that only the judges of transactions need."""
    _TAKE[type(fact)](record, fact)


_TAKE: dict[type, Any] = {
    events.TransactionBegun: TransactionsRecord.begun,
    events.SendThrew: TransactionsRecord.threw,
    events.OutcomeReported: TransactionsRecord.reported,
    events.IdentityGiven: TransactionsRecord.identity,
    events.PartitionsRegistered: TransactionsRecord.registered_at,
    events.OutcomeDecided: TransactionsRecord.decided,
    events.TransactionCompleted: TransactionsRecord.completed,
    events.MarkersGivenUp: TransactionsRecord.given_up,
    events.PartitionDeleted: TransactionsRecord.gone,
    events.OffsetsPending: TransactionsRecord.offsets_pending,
    events.OffsetsEnded: TransactionsRecord.offsets_ended,
}
FACTS = tuple(_TAKE)
