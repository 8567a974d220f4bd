"""The judges' record of transactions in one partition's log: the outcome of every copy of a record.

It holds the transactional batches and markers of every replica, ordered by offset, and the outcomes in the
leader's log. An append updates the outcomes; a truncation or a change of leader computes all of them again.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.events import LogAppended

OPEN, COMMITTED, ABORTED = "open", "committed", "aborted"


class Entry(NamedTuple):
    """A transactional batch, or a marker (``control`` COMMIT or ABORT). ``number``: the transaction of the
    batch, or None."""

    base_offset: int
    last_offset: int
    producer_id: int
    serials: tuple[int, ...]
    control: str | None
    number: int | None
    offsets: tuple[int, ...]
    """The offset of each serial, in the order of ``serials``."""


class Copy:
    """One stored copy of a record, and the outcome that its marker decided."""

    __slots__ = ("number", "outcome", "serial")

    def __init__(self, serial: int, number: int | None) -> None:
        self.serial = serial
        self.number = number
        self.outcome = OPEN


class OutcomeLog:
    """The transactions in one partition.

    - ``copies``: dict of offset → the copy at this offset.
    - ``offsets_of``: dict of transaction number → the offsets of its copies.
    - ``open``: dict of producer id → its entries without a marker.

    These three dicts describe the leader's log.
    """

    __slots__ = ("_owners", "copies", "leader", "offsets_of", "open", "partition", "replicas")

    def __init__(self, partition: str, leader: int | None) -> None:
        self.partition = partition
        self.leader = leader
        self.replicas: dict[int, list[Entry]] = {}
        self.copies: dict[int, Copy] = {}
        self.offsets_of: dict[int, list[int]] = {}
        self.open: dict[int, list[Entry]] = {}
        self._owners: dict[tuple[int, int, int, int], int | None] = {}
        """Dict of a batch's (base offset, producer id, epoch, first sequence) → the number of its transaction. The
        first replica that stores the batch sets the number for all replicas."""

    def appended(self, fact: LogAppended, number: int | None) -> None:
        """Take the batch that a replica stored. ``number``: the transaction of the batch; only the value of the
        first replica that stores it is used."""
        key = (fact.base_offset, fact.producer_id, fact.producer_epoch, fact.base_sequence)
        owner = self._owners.setdefault(key, number)
        entry = Entry(
            fact.base_offset,
            fact.last_offset,
            fact.producer_id,
            fact.serials,
            fact.control_type,
            owner,
            tuple(fact.offsets()),
        )
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
        """Take the new leader of the partition. Without a leader, the outcomes stay those of the last leader's log."""
        if replica is not None and replica != self.leader:
            self.leader = replica
            self.recount()

    def recount(self) -> None:
        self.copies = {}
        self.offsets_of = {}
        self.open = {}
        for entry in self.replicas.get(self.leader, ()) if self.leader is not None else ():
            self._count(entry)

    def _count(self, entry: Entry) -> None:
        if entry.control is None:
            self.open.setdefault(entry.producer_id, []).append(entry)
            for offset, serial in zip(entry.offsets, entry.serials, strict=True):
                self.copies[offset] = Copy(serial, entry.number)
                if entry.number is not None:
                    self.offsets_of.setdefault(entry.number, []).append(offset)
            return
        outcome = COMMITTED if entry.control == "COMMIT" else ABORTED
        for ended in self.open.pop(entry.producer_id, ()):
            for offset in ended.offsets:
                self.copies[offset].outcome = outcome

    def copies_of(self, number: int) -> list[Copy]:
        """The stored copies of one transaction's records."""
        return [self.copies[offset] for offset in self.offsets_of.get(number, ())]

    def first_open(self, producer_id: int) -> int | None:
        """The first offset of this producer's open transaction, which holds back the last stable offset;
        None: no transaction of it is open."""
        entries = self.open.get(producer_id)
        return entries[0].base_offset if entries else None
