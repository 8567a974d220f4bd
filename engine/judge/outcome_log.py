"""What the judges know of transactions in one partition's log: which copies got which marker.

Every replica's transactional batches and markers, in offset order; the outcomes of the leader's. Appends are
counted as they come; only a truncation or a change of leader counts a log anew.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.events import LogAppended

OPEN, COMMITTED, ABORTED = "open", "committed", "aborted"


class Entry(NamedTuple):
    """A transactional batch, or a marker (``control`` COMMIT or ABORT)."""

    base_offset: int
    last_offset: int
    producer_id: int
    serials: tuple[int, ...]
    control: str | None


class OutcomeLog:
    """``outcomes``: serial to what its best copy in the leader's log got. ``open``: producer id to its entries
    without a marker."""

    __slots__ = ("leader", "open", "outcomes", "partition", "replicas")

    def __init__(self, partition: str, leader: int | None) -> None:
        self.partition = partition
        self.leader = leader
        self.replicas: dict[int, list[Entry]] = {}
        self.outcomes: dict[int, str] = {}
        self.open: dict[int, list[Entry]] = {}

    def appended(self, fact: LogAppended) -> None:
        entry = Entry(fact.base_offset, fact.last_offset, fact.producer_id, fact.serials, fact.control_type)
        self.replicas.setdefault(fact.replica, []).append(entry)
        if fact.replica == self.leader:
            self._count(entry)

    def truncated(self, replica: int, to: int) -> None:
        log = self.replicas.get(replica, [])
        kept = [entry for entry in log if entry.last_offset < to]
        if len(kept) < len(log):
            self.replicas[replica] = kept
            if replica == self.leader:
                self.recount()

    def led_by(self, replica: int | None) -> None:
        """While nobody leads, the last leader's log stays the one that counts."""
        if replica is not None and replica != self.leader:
            self.leader = replica
            self.recount()

    def recount(self) -> None:
        self.outcomes = {}
        self.open = {}
        for entry in self.replicas.get(self.leader, ()) if self.leader is not None else ():
            self._count(entry)

    def _count(self, entry: Entry) -> None:
        if entry.control is None:
            self.open.setdefault(entry.producer_id, []).append(entry)
            for serial in entry.serials:
                if self.outcomes.get(serial) != COMMITTED:
                    self.outcomes[serial] = OPEN
            return
        outcome = COMMITTED if entry.control == "COMMIT" else ABORTED
        for ended in self.open.pop(entry.producer_id, ()):
            for serial in ended.serials:
                if self.outcomes.get(serial) != COMMITTED:
                    self.outcomes[serial] = outcome

    def first_open(self, producer_id: int) -> int | None:
        """Where the open part of this producer begins: it holds the last stable offset from there on."""
        entries = self.open.get(producer_id)
        return entries[0].base_offset if entries else None
