"""The bench: every guarantee, judged after each step from the facts of that step (GEN-8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine import events
from engine.judge.middleware_record import (
    MiddlewareRecord,
    TransactionRecord,
    TransactionVerdict,
    mixed,
    repeated,
)
from engine.judge.partition_record import PartitionRecord
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
    """Acknowledged, yet in no log and not under way."""
    return record.lost


def duplicated(record: PartitionRecord) -> set[int]:
    """Stored more than once."""
    return record.duplicated


def reordered(record: PartitionRecord) -> set[int]:
    """First stored after a later record of the same producer."""
    return record.reordered


GUARANTEES: dict[str, Callable[[PartitionRecord], set[int]]] = {
    "lost": lost,
    "duplicated": duplicated,
    "reordered": reordered,
}
NOT_JUDGED = ("visible_early", "atomic", "fenced")
"""Guarantees of transactions: a run without any cannot test them, and the strip says so."""


TRANSACTION_GUARANTEES: dict[str, Callable[[TransactionRecord], list[str]]] = {
    "mixed": mixed,
    "repeated": repeated,
}
"""Of transactions over middleware; only where there is one."""


class GuaranteePart:
    """One row of the guarantee strip."""

    __slots__ = ("broken_at", "judged", "partition", "path", "serials")

    def __init__(self, name: str, judged: bool) -> None:
        self.path = ("guarantees", name)
        self.judged = judged
        self.broken_at: int | None = None
        self.partition: str | None = None
        self.serials: list[int] = []

    def view(self) -> dict[str, Any]:
        return {
            "judged": self.judged,
            "broken_at": self.broken_at,
            "partition": self.partition,
            "serials": list(self.serials),
        }


class VerdictPart:
    """The counts of one partition in the view."""

    __slots__ = ("path", "record")

    def __init__(self, record: PartitionRecord) -> None:
        self.record = record
        self.path = ("verdicts", record.name)

    def view(self) -> dict[str, Any]:
        record = self.record
        return {
            "stored": record.stored,
            "duplicates": record.duplicates,
            "lost": len(record.lost),
            "failed": record.failed,
            "reordered": len(record.reordered),
        }


class Bench:
    """All judges over all partitions. Takes facts; says what broke since it was last asked."""

    def __init__(self) -> None:
        self.records: dict[str, PartitionRecord] = {}
        self.verdict_parts: dict[str, VerdictPart] = {}
        self.guarantees = {name: GuaranteePart(name, True) for name in GUARANTEES}
        self.guarantees.update({name: GuaranteePart(name, False) for name in NOT_JUDGED})
        self._known: dict[tuple[str, str], frozenset[int]] = {}
        self._weigh: set[str] = set()
        self._middleware = MiddlewareRecord([])
        self._weigh_tids: set[int] = set()
        self._changed: dict[tuple[str, ...], Part] = {}

    def seat(self, leaders: dict[str, int | None]) -> None:
        """Before step 1: the partitions to judge and who leads them."""
        for name, leader in leaders.items():
            record = self.records.setdefault(name, PartitionRecord(name))
            record.leader = leader
            self.verdict_parts[name] = VerdictPart(record)

    def seat_nodes(self, nodes: list[str]) -> None:
        """Before step 1: the nodes that have a part in each transaction over middleware."""
        self._middleware = MiddlewareRecord(nodes)
        if nodes:
            self.guarantees.update({name: GuaranteePart(name, True) for name in TRANSACTION_GUARANTEES})

    def take(self, fact: object) -> None:
        _TAKE[type(fact)](self, fact)

    def broken(self, step: int) -> list[dict[str, Any]]:
        """Guarantees broken by serials not named before, with the partition and the serials that prove it."""
        if not self._weigh and not self._weigh_tids:
            return []
        found: list[dict[str, Any]] = self._broken_transactions(step) if self._weigh_tids else []
        for partition in sorted(self._weigh):
            record = self.records[partition]
            part = self.verdict_parts[partition]
            self._changed[part.path] = part
            for name, judge in GUARANTEES.items():
                serials = judge(record)
                if not serials:
                    continue
                known = self._known.get((name, partition), frozenset())
                new = serials - known
                if not new:
                    continue
                self._known[(name, partition)] = known | new
                found.append({"guarantee": name, "partition": partition, "serials": sorted(new)})
                row = self.guarantees[name]
                if row.broken_at is None:
                    row.broken_at = step
                    row.partition = partition
                    row.serials = sorted(new)
                    self._changed[row.path] = row
        self._weigh.clear()
        return found

    def _broken_transactions(self, step: int) -> list[dict[str, Any]]:
        found = []
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
                if row.broken_at is None:
                    row.broken_at, row.partition, row.serials = step, where, [tid]
                    self._changed[row.path] = row
        self._weigh_tids.clear()
        return found

    def transaction_verdicts(self) -> list[TransactionVerdict]:
        """Sorted by tid."""
        return self._middleware.verdicts()

    def changed(self) -> list[Part]:
        """The parts of the view whose numbers moved since last asked."""
        parts = list(self._changed.values())
        self._changed.clear()
        return parts

    def parts(self) -> list[Part]:
        return [*self.guarantees.values(), *self.verdict_parts.values()]

    def verdicts(self) -> list[Verdict]:
        """Sorted by partition, number last: t-2 before t-10."""
        return [
            Verdict(
                name, record.stored, record.duplicates, len(record.lost), record.failed, len(record.reordered)
            )
            for name, record in sorted(self.records.items(), key=_by_topic_and_number)
        ]

    def _accepted(self, fact: events.RecordAccepted) -> None:
        self.records[fact.partition].producer_of[fact.serial] = fact.producer

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
        if fact.replica == record.leader:
            self._weigh.add(fact.partition)

    def _truncated(self, fact: events.LogTruncated) -> None:
        self.records[fact.partition].truncated(fact.replica, fact.to)
        self._weigh.add(fact.partition)

    def _led(self, fact: events.LeaderChanged) -> None:
        self.records[fact.partition].led_by(fact.leader)
        self._weigh.add(fact.partition)

    def _sent(self, fact: events.CopySent) -> None:
        self.records[fact.partition].sent(fact.serials)

    def _settled(self, fact: events.CopySettled) -> None:
        self.records[fact.partition].settled(fact.serials)
        self._weigh.add(fact.partition)

    def _transaction(self, fact: Any) -> None:
        self._middleware.take(fact)
        self._weigh_tids.add(fact.tid)

    def _nothing(self, fact: object) -> None:
        """Facts that no guarantee of this bench weighs yet."""


def _by_topic_and_number(item: tuple[str, PartitionRecord]) -> tuple[str, int]:
    topic, _, number = item[0].rpartition("-")
    return topic, int(number)


_TAKE: dict[type, Callable[[Bench, Any], None]] = {
    events.RecordAccepted: Bench._accepted,
    events.RecordsFinished: Bench._finished,
    events.LogAppended: Bench._appended,
    events.LogTruncated: Bench._truncated,
    events.LogStartRaised: Bench._nothing,
    events.LeaderChanged: Bench._led,
    events.RecordsDelivered: Bench._nothing,
    events.CopySent: Bench._sent,
    events.CopySettled: Bench._settled,
    events.WorkReserved: Bench._transaction,
    events.WorkReleased: Bench._transaction,
    events.WorkApplied: Bench._transaction,
    events.WorkUndone: Bench._transaction,
    events.TransactionEnded: Bench._transaction,
    events.TransactionTakenUp: Bench._transaction,
}
