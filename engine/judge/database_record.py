"""The judges' record of a database beside Kafka: for each record or order, its row in the table and its record in
Kafka (CPT-8).

A row and a record that belong together are *apart* when only one of them exists and nothing is left that
would write the other: no service holds the work, no entry of the outbox names it, no copy is in flight, and
no consumer will read it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from engine import events
from engine.judge.partition_record import PartitionRecord

ROW_MISSING, RECORD_MISSING, ROW_REPEATED = "row_missing", "record_missing", "row_repeated"


@dataclass(slots=True)
class Work:
    """One record or order of a service. ``rows``: the number of its committed rows. ``holders``: the services that
    have it in memory. ``places``: dict of keeper of offsets (``group NAME`` or ``database``) → the partition and
    offset at which the keeper's consumer read it."""

    rows: int = 0
    in_outbox: bool = False
    holders: set[str] = field(default_factory=set)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DatabaseVerdict:
    """The counts of the database at the end of a run, in rows and records (judge/README.md)."""

    rows: int
    row_missing: int
    record_missing: int
    row_repeated: int

    def line(self) -> str:
        return (
            f"verdict database rows={self.rows} row_missing={self.row_missing} "
            f"record_missing={self.record_missing} row_repeated={self.row_repeated}"
        )


class DatabaseRecord:
    """All work of all services of one run."""

    def __init__(self) -> None:
        self.works: dict[int, Work] = {}
        self.places: dict[tuple[str, str], int] = {}
        """Dict of (keeper, partition) → the offset at which the keeper's consumer continues after a start."""

    def take(self, fact: Any) -> Iterable[int]:
        """Take a fact. Returns the serials that have to be judged again."""
        if isinstance(fact, events.PlaceKept):
            self.places[(fact.keeper, fact.partition)] = fact.offset
            return list(self.works)
        if isinstance(fact, events.WorkTaken):
            work = self._work(fact.serial)
            work.holders.add(fact.service)
            if fact.keeper is not None and fact.partition is not None and fact.offset is not None:
                work.places[fact.keeper] = (fact.partition, fact.offset)
            return (fact.serial,)
        if isinstance(fact, events.WorkDropped):
            for serial in fact.serials:
                self._work(serial).holders.discard(fact.service)
            return fact.serials
        for serial in fact.rows:
            self._work(serial).rows += 1
        for serial in fact.outbox:
            self._work(serial).in_outbox = True
        for serial in fact.removed:
            self._work(serial).in_outbox = False
        return (*fact.rows, *fact.outbox, *fact.removed)

    def _work(self, serial: int) -> Work:
        return self.works.setdefault(serial, Work())

    def broken(self, serial: int, records: Iterable[PartitionRecord]) -> Iterable[str]:
        """The guarantees that this record or order breaks now. ``records``: the judges' records of all partitions."""
        work = self.works[serial]
        if work.rows > 1:
            yield ROW_REPEATED
        if not self._is_over(work, serial, records):
            return
        stored = any(record.copies.get(serial) for record in records)
        if stored and not work.rows:
            yield ROW_MISSING
        if work.rows and not stored:
            yield RECORD_MISSING

    def _is_over(self, work: Work, serial: int, records: Iterable[PartitionRecord]) -> bool:
        """Whether nothing is left that would still write the row or the record."""
        if work.holders or work.in_outbox or any(record.under_way.get(serial) for record in records):
            return False
        return all(
            self.places.get((keeper, partition), 0) > offset
            for keeper, (partition, offset) in work.places.items()
        )

    def verdict(self, records: Iterable[PartitionRecord]) -> DatabaseVerdict:
        found = [name for serial in self.works for name in self.broken(serial, records)]
        return DatabaseVerdict(
            sum(work.rows for work in self.works.values()),
            *(found.count(name) for name in (ROW_MISSING, RECORD_MISSING, ROW_REPEATED)),
        )
