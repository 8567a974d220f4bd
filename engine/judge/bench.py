"""The bench: the object that holds all judges of a run. It checks the guarantees after each step, from the facts of
that step (GEN-8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine import events
from engine.judge.database_record import (
    RECORD_MISSING,
    ROW_MISSING,
    ROW_REPEATED,
    DatabaseRecord,
    DatabaseVerdict,
)
from engine.judge.fates import RecordsFate, fates
from engine.judge.middleware_record import (
    MiddlewareRecord,
    TransactionRecord,
    TransactionVerdict,
    mixed,
    repeated,
)
from engine.judge.outcome_log import OutcomeLog
from engine.judge.partition_record import PartitionRecord
from engine.judge.transaction_record import (
    FACTS,
    OutcomeVerdict,
    Transaction,
    TransactionsRecord,
    accepted_from_fenced,
    hanging,
    take,
    torn,
    visible_early,
)
from engine.shapes.steps import Broken
from engine.shapes.views import GuaranteeView, VerdictView
from engine.topic_partition import topic_partition
from engine.watching import Part


@dataclass(frozen=True, slots=True)
class Verdict:
    """The counts of one partition, in records (judge/README.md)."""

    partition: str
    stored: int
    duplicates: int
    lost: int
    failed: int
    reordered: int

    def line(self) -> str:
        return (
            f"verdict {self.partition} stored={self.stored} duplicates={self.duplicates} lost={self.lost} "
            f"failed={self.failed} reordered={self.reordered}"
        )


def lost(record: PartitionRecord) -> set[int]:
    """The serials whose success was reported, but which are neither in the leader's log nor in flight, and were not
    deleted on purpose."""
    return record.lost


def duplicated(record: PartitionRecord) -> set[int]:
    """The serials with several copies that count. A copy counts if it is outside transactions, or in a
    committed one."""
    return record.duplicated


def reordered(record: PartitionRecord) -> set[int]:
    """The serials that were first stored after a later record of the same producer."""
    return record.reordered


GUARANTEES: dict[str, Callable[[PartitionRecord], set[int]]] = {
    "lost": lost,
    "duplicated": duplicated,
    "reordered": reordered,
}
OF_TRANSACTIONS = ("visible_early", "atomic", "fenced", "hanging")
"""A run without transactions cannot break these guarantees, so its view says that they are not judged."""

IN_PARTITION: dict[str, Callable[[TransactionsRecord, str], set[int]]] = {
    "visible_early": visible_early,
    "fenced": accepted_from_fenced,
}

TRANSACTION_GUARANTEES: dict[str, Callable[[TransactionRecord], list[str]]] = {
    "mixed": mixed,
    "repeated": repeated,
}
"""The guarantees of transactions over middleware; only in runs with a middleware."""

DATABASE_PLACE = "database"
"""The value of ``partition`` when a guarantee of a database is broken."""
DATABASE_GUARANTEES = (ROW_MISSING, RECORD_MISSING, ROW_REPEATED)
"""The guarantees of a database beside Kafka; only in runs with services."""

EVERY_GUARANTEE = (*GUARANTEES, *OF_TRANSACTIONS, *TRANSACTION_GUARANTEES, *DATABASE_GUARANTEES)
"""Every guarantee that a run may break, in display order."""

NEEDS = {
    **dict.fromkeys(GUARANTEES, "partitions"),
    **dict.fromkeys(OF_TRANSACTIONS, "transactions"),
    **dict.fromkeys(TRANSACTION_GUARANTEES, "middleware"),
    **dict.fromkeys(DATABASE_GUARANTEES, "database"),
}
"""Guarantee → what a scenario must have for the guarantee to be judged in its runs."""


class GuaranteePart:
    """The part of the view for one guarantee."""

    __slots__ = ("broken_at", "count", "judged", "partition", "path", "serials")

    def __init__(self, name: str, judged: bool) -> None:
        self.path = ("guarantees", name)
        self.judged = judged
        self.count = 0
        """The number of records, producers or transactions that have broken it so far."""
        self.broken_at: int | None = None
        self.partition: str | None = None
        self.serials: list[int] = []

    def view(self) -> GuaranteeView:
        return {
            "judged": self.judged,
            "count": self.count,
            "broken_at": self.broken_at,
            "partition": self.partition,
            "serials": list(self.serials),
        }

    def breaks(self, step: int, place: str, serials: list[int], count: int) -> None:
        """Count violations of this guarantee. The step, the place and the serials stay those of the first violation."""
        self.count += count
        if self.broken_at is None:
            self.broken_at, self.partition, self.serials = step, place, serials


class VerdictPart:
    """The counts of one partition in the view."""

    __slots__ = ("path", "record")

    def __init__(self, record: PartitionRecord) -> None:
        self.record = record
        self.path = ("verdicts", record.name)

    def view(self) -> VerdictView:
        record = self.record
        return {
            "stored": record.stored,
            "aborted": record.aborted_copies,
            "duplicates": record.duplicates,
            "lost": len(record.lost),
            "failed": record.failed,
            "reordered": len(record.reordered),
        }


class Bench:
    """All judges of a run. They take facts, and return the guarantees that were broken since the last call."""

    def __init__(self) -> None:
        self.records: dict[str, PartitionRecord] = {}
        self.verdict_parts: dict[str, VerdictPart] = {}
        self.guarantees = {name: GuaranteePart(name, True) for name in GUARANTEES}
        self.guarantees.update({name: GuaranteePart(name, False) for name in OF_TRANSACTIONS})
        self.outcomes = TransactionsRecord()
        self._known: dict[tuple[str, str], frozenset[int]] = {}
        self._weigh: set[str] = set()
        self._middleware = MiddlewareRecord([])
        self._weigh_tids: set[int] = set()
        self._database: DatabaseRecord | None = None
        self._weigh_works: set[int] = set()
        self._changed: dict[tuple[str, ...], Part] = {}

    def seat(self, leaders: dict[str, int | None], transactions: bool = False) -> None:
        """Give the judges the partitions and their leaders, before step 1. ``transactions``: whether the guarantees
        of transactions are judged from the beginning."""
        if transactions:
            self._judge_transactions()
        for name in GUARANTEES:
            self.guarantees[name].judged = bool(leaders)  # Without a partition there are no records to lose.
        for name, leader in leaders.items():
            record = self.records.setdefault(name, PartitionRecord(name))
            record.leader = leader
            self.verdict_parts[name] = VerdictPart(record)
            self.outcomes.logs[name] = OutcomeLog(name, leader)

    def _judge_transactions(self) -> None:
        for name in OF_TRANSACTIONS:
            row = self.guarantees[name]
            if not row.judged:
                row.judged = True
                self._changed[row.path] = row

    def seat_nodes(self, nodes: list[str]) -> None:
        """Give the judges the nodes that have a part in each transaction over middleware, before step 1."""
        self._middleware = MiddlewareRecord(nodes)
        if nodes:
            self.guarantees.update({name: GuaranteePart(name, True) for name in TRANSACTION_GUARANTEES})

    def seat_database(self) -> None:
        """Prepare the judges for services that write to a database, before step 1."""
        self._database = DatabaseRecord()
        self.guarantees.update({name: GuaranteePart(name, True) for name in DATABASE_GUARANTEES})

    def named(self) -> dict[str, set[int]]:
        """Dict of guarantee → the serials that were reported as breaking it. For ``mixed`` and ``repeated`` these are
        tids, for ``hanging`` first offsets."""
        found: dict[str, set[int]] = {}
        for (name, _), serials in self._known.items():
            found.setdefault(name, set()).update(serials)
        return found

    def take(self, fact: object) -> None:
        _TAKE[type(fact)](self, fact)

    def broken(self, step: int) -> list[Broken]:
        """The violations that were not reported before. Each has the guarantee, the partition (or the transaction
        over middleware), and the new serials."""
        outcomes = self.outcomes
        of_transactions = bool(outcomes.weigh or outcomes.weigh_partitions)
        if not self._weigh and not self._weigh_tids and not self._weigh_works and not of_transactions:
            return []
        found: list[Broken] = self._broken_transactions(step) if self._weigh_tids else []
        if self._database is not None:
            self._broken_works(step, self._database, found)
        if of_transactions:
            self._broken_outcomes(step, found)
        for partition in sorted(self._weigh):
            record = self.records[partition]
            part = self.verdict_parts[partition]
            self._changed[part.path] = part
            for name, judge in GUARANTEES.items():
                serials = judge(record)
                if not serials:
                    continue
                self._breaks(step, name, partition, serials, found)
        self._weigh.clear()
        return found

    def has_found(self, guarantee: str, serial: int) -> bool:
        """Whether a step of the run broke the guarantee with this record."""
        return any(serial in serials for (name, _), serials in self._known.items() if name == guarantee)

    def _breaks(
        self,
        step: int,
        name: str,
        place: str,
        serials: set[int],
        found: list[Broken],
        transaction: Transaction | None = None,
    ) -> None:
        """Add the serials that were not reported before to ``found``, and count them for the guarantee."""
        known = self._known.get((name, place), frozenset())
        new = serials - known
        if not new:
            return
        self._known[(name, place)] = known | new
        broken: Broken = {"guarantee": name, "partition": place, "serials": sorted(new)}
        if transaction is not None:
            broken["transaction"] = transaction.name
            broken["producer"] = transaction.producer
            intended = transaction.decided if transaction.reported is None else transaction.reported
            marker = self.outcomes.marker_of(place, new)
            if intended is not None and marker is not None:
                broken["marker"] = marker
                broken["reported"] = transaction.reported is not None
        if name == "visible_early" and self.outcomes.marker_of(place, new) == "COMMIT":
            broken["marker"] = "COMMIT"
        found.append(broken)
        row = self.guarantees[name]
        row.breaks(step, place, sorted(new), len(new))
        self._changed[row.path] = row

    def _broken_outcomes(self, step: int, found: list[Broken]) -> None:
        """Judge the changed transactions and partitions, and add new violations to ``found``."""
        outcomes = self.outcomes
        for transaction in outcomes.weigh.values():
            for place, serials in torn(outcomes, transaction).items():
                self._breaks(step, "atomic", place, serials, found, transaction=transaction)
        for partition in sorted(outcomes.weigh_partitions):
            for name, judge in IN_PARTITION.items():
                self._breaks(step, name, partition, judge(outcomes, partition), found)
            for producer_id, first in hanging(outcomes, partition).items():
                self._hangs(step, partition, producer_id, first, found)
        outcomes.weigh.clear()
        outcomes.weigh_partitions.clear()

    def _hangs(self, step: int, partition: str, producer_id: int, first: int, found: list[Broken]) -> None:
        """Report a hanging transaction once for each partition and producer id. Serials would not identify it,
        because hand-made records have none."""
        key = ("hanging", f"{partition} {producer_id}")
        if self._known.get(key):
            return
        self._known[key] = frozenset((first,))
        entries = self.outcomes.logs[partition].open.get(producer_id, ())
        serials = sorted(serial for entry in entries for serial in entry.serials)
        found.append(
            {
                "guarantee": "hanging",
                "partition": partition,
                "serials": serials,
                "producer_id": producer_id,
                "first_offset": first,
            }
        )
        row = self.guarantees["hanging"]
        row.breaks(step, partition, serials, 1)
        self._changed[row.path] = row

    def _broken_transactions(self, step: int) -> list[Broken]:
        found: list[Broken] = []
        for tid in sorted(self._weigh_tids):
            record = self._middleware.transactions[tid]
            for name, judge in TRANSACTION_GUARANTEES.items():
                nodes = judge(record)
                known = self._known.get((name, str(tid)), frozenset())
                if not nodes or tid in known:
                    continue
                self._known[(name, str(tid))] = frozenset((tid,))
                where = f"transaction {tid}"
                found.append({"guarantee": name, "partition": where, "serials": [tid], "nodes": nodes})
                row = self.guarantees[name]
                row.breaks(step, where, [tid], 1)
                self._changed[row.path] = row
        self._weigh_tids.clear()
        return found

    def _broken_works(self, step: int, database: DatabaseRecord, found: list[Broken]) -> None:
        """Judge the records and orders of the services that changed since the last step, and add new violations to
        ``found``."""
        records = list(self.records.values())
        if self._weigh:
            # A truncation may have removed the last copy of any record, so all works are judged again.
            self._weigh_works.update(database.works)
        broken: dict[str, set[int]] = {}
        for serial in sorted(self._weigh_works & database.works.keys()):
            for name in database.broken(serial, records):
                broken.setdefault(name, set()).add(serial)
        for name in DATABASE_GUARANTEES:
            if name in broken:
                self._breaks(step, name, DATABASE_PLACE, broken[name], found)
        self._weigh_works.clear()

    def database_verdict(self) -> DatabaseVerdict | None:
        """The verdict of the database; None in a run without one."""
        return None if self._database is None else self._database.verdict(list(self.records.values()))

    def transaction_verdicts(self) -> list[TransactionVerdict]:
        """The verdicts of transactions over middleware, sorted by tid."""
        return self._middleware.verdicts()

    def outcome_verdict(self) -> OutcomeVerdict | None:
        """The verdict of Kafka's transactions; None if no transaction began, no coordinator assigned an
        identity, and no transaction hangs."""
        return self.outcomes.verdict() if self.outcomes.any else None

    def changed(self) -> list[Part]:
        """The parts of the view whose counts changed since the last call."""
        if not self._changed:
            return []
        parts = list(self._changed.values())
        self._changed.clear()
        return parts

    def parts(self) -> list[Part]:
        return [*self.guarantees.values(), *self.verdict_parts.values(), *self._middleware.windows.values()]

    def verdicts(self) -> list[Verdict]:
        """The verdicts of all partitions, sorted by topic and then number: t-2 before t-10."""
        return [
            Verdict(
                name, record.stored, record.duplicates, len(record.lost), record.failed, len(record.reordered)
            )
            for name, record in sorted(self.records.items(), key=_by_topic_and_number)
        ]

    def fates(self) -> list[RecordsFate]:
        """The fate of every record."""
        return fates(self.records, self.outcomes.logs)

    def _accepted(self, fact: events.RecordAccepted) -> None:
        self.records[fact.partition].producer_of[fact.serial] = fact.producer
        self.outcomes.accepted(fact)

    def _finished(self, fact: events.RecordsFinished) -> None:
        if fact.aborted:
            return
        self.records[fact.partition].reported(fact.serials, fact.error is None)
        self._weigh.add(fact.partition)

    def _appended(self, fact: events.LogAppended) -> None:
        record = self.records.get(fact.partition)
        if record is None:
            return
        record.appended(fact)
        if fact.is_transactional:
            self.outcomes.appended(fact)
        if fact.replica == record.leader:
            self._weigh.add(fact.partition)

    def _truncated(self, fact: events.LogTruncated) -> None:
        record = self.records.get(fact.partition)
        if record is not None:
            record.truncated(fact.replica, fact.to)
            self.outcomes.truncated(fact)
            self._weigh.add(fact.partition)

    def _start_raised(self, fact: events.LogStartRaised) -> None:
        record = self.records.get(fact.partition)
        if record is not None:
            record.start_raised(fact.replica, fact.to)
            self._weigh.add(fact.partition)

    def _led(self, fact: events.LeaderChanged) -> None:
        record = self.records.get(fact.partition)
        if record is not None:
            record.led_by(fact.leader)
            self.outcomes.led(fact)
            self._weigh.add(fact.partition)

    def _of_transactions(self, fact: object) -> None:
        self._judge_transactions()
        take(self.outcomes, fact)

    def _sent(self, fact: events.CopySent) -> None:
        self.records[fact.partition].sent(fact.serials)

    def _settled(self, fact: events.CopySettled) -> None:
        self.records[fact.partition].settled(fact.serials)
        if self._database is not None:
            self._weigh_works.update(fact.serials)
        self._weigh.add(fact.partition)

    def _transaction(self, fact: Any) -> None:
        self._middleware.take(fact)
        self._weigh_tids.add(fact.tid)
        window = self._middleware.windows[fact.tid]
        self._changed[window.path] = window

    def _work(self, fact: Any) -> None:
        if self._database is not None:
            self._weigh_works.update(self._database.take(fact))

    def _delivered(self, fact: events.RecordsDelivered) -> None:
        self.outcomes.delivered(fact)

    def _nothing(self, fact: object) -> None:
        """Ignore the fact, because no guarantee depends on it."""


def _by_topic_and_number(item: tuple[str, PartitionRecord]) -> tuple[str, int]:
    return topic_partition(item[0])


_TAKE: dict[type, Callable[[Bench, Any], None]] = {
    events.RecordAccepted: Bench._accepted,
    events.RecordsFinished: Bench._finished,
    events.NumbersInDoubt: Bench._nothing,
    events.CompletionForgotten: Bench._nothing,
    events.LogAppended: Bench._appended,
    events.LogTruncated: Bench._truncated,
    events.LogStartRaised: Bench._start_raised,
    events.LeaderChanged: Bench._led,
    events.RecordsDelivered: Bench._delivered,
    events.CopySent: Bench._sent,
    events.CopySettled: Bench._settled,
    events.WorkReserved: Bench._transaction,
    events.WorkReleased: Bench._transaction,
    events.WorkApplied: Bench._transaction,
    events.WorkUndone: Bench._transaction,
    events.TransactionEnded: Bench._transaction,
    events.TransactionTakenUp: Bench._transaction,
    events.WorkTaken: Bench._work,
    events.WorkDropped: Bench._work,
    events.RowsCommitted: Bench._work,
    events.PlaceKept: Bench._work,
    **dict.fromkeys(FACTS, Bench._of_transactions),
}
