"""The judges' record of one partition: the copies on every replica, and the results that producers got.

An append updates the counts; a truncation or a change of leader computes all of them again.
"""

from __future__ import annotations

from engine.events import LogAppended

COMMIT_MARKER, ABORT_MARKER = -1, -2
"""The values that stand for a marker in ``Stored``, in place of a serial."""

Stored = tuple[int, int, int]
"""(offset, serial or marker, producer id of the transaction). The producer id is -1 outside transactions."""


class PartitionRecord:
    """The serials of each replica in the order of offsets, and the counts of the leader's log."""

    __slots__ = (
        "aborted",
        "aborted_copies",
        "acknowledged",
        "copies",
        "counting",
        "deleted",
        "duplicated",
        "failed_reports",
        "highest",
        "leader",
        "lost",
        "name",
        "open",
        "producer_of",
        "reordered",
        "replicas",
        "stored",
        "under_way",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.leader: int | None = None
        self.replicas: dict[int, list[Stored]] = {}
        """Dict of replica → its entries, in the order of offsets."""
        self.producer_of: dict[int, str] = {}
        self.acknowledged: set[int] = set()
        self.failed_reports: set[int] = set()
        self.under_way: dict[int, int] = {}
        self.stored = 0
        self.copies: dict[int, int] = {}
        self.counting: dict[int, int] = {}
        """Dict of serial → the number of its copies that count."""
        self.aborted: dict[int, int] = {}
        """Dict of serial → the number of its copies that an ABORT marker has made invisible."""
        self.aborted_copies = 0
        self.open: dict[int, list[int]] = {}
        """Dict of producer id → the serials that it has stored in its open transaction."""
        self.duplicated: set[int] = set()
        self.reordered: set[int] = set()
        self.lost: set[int] = set()
        self.deleted: set[int] = set()
        """The serials that the leader had below its log start when the log start was raised. They were deleted
        intentionally, so they are not lost if a replica that never had them leads later."""
        self.highest: dict[str, int] = {}

    def appended(self, fact: LogAppended) -> None:
        log = self.replicas.setdefault(fact.replica, [])
        leads = fact.replica == self.leader
        owner = fact.producer_id if fact.is_transactional else -1
        if fact.control_type is not None:
            marker = COMMIT_MARKER if fact.control_type == "COMMIT" else ABORT_MARKER
            log.append((fact.base_offset, marker, owner))
            if leads:
                self._count(marker, owner)
        for offset, serial in zip(fact.offsets(), fact.serials, strict=True):
            log.append((offset, serial, owner))
            if leads:
                self._count(serial, owner)

    def truncated(self, replica: int, to: int) -> None:
        log = self.replicas.get(replica, [])
        kept = len(log)
        while kept and log[kept - 1][0] >= to:
            kept -= 1
        if kept == len(log):
            return
        del log[kept:]
        if replica == self.leader:
            self.recount()

    def start_raised(self, replica: int, to: int) -> None:
        if replica == self.leader:
            log = self.replicas.get(replica, ())
            self.deleted.update(serial for offset, serial, _ in log if offset < to and serial >= 0)
            self.lost -= self.deleted

    def led_by(self, replica: int | None) -> None:
        """Take the new leader of the partition. Without a leader, the counts stay those of the last leader's log."""
        if replica is not None and replica != self.leader:
            self.leader = replica
            self.recount()

    def recount(self) -> None:
        self.stored = 0
        self.copies = {}
        self.counting = {}
        self.aborted = {}
        self.aborted_copies = 0
        self.open = {}
        self.duplicated = set()
        self.reordered = set()
        self.highest = {}
        if self.leader is not None:
            for _, serial, owner in self.replicas.get(self.leader, ()):
                self._count(serial, owner)
        self.lost = {serial for serial in self.acknowledged if self._absent(serial)}

    def _count(self, serial: int, owner: int) -> None:
        if serial < 0:
            self._ended(owner, serial == ABORT_MARKER)
            return
        self.stored += 1
        copies = self.copies.get(serial, 0) + 1
        self.copies[serial] = copies
        if owner != -1:
            self.open.setdefault(owner, []).append(serial)
        else:
            self._counts(serial)
        if copies > 1:
            return
        self.lost.discard(serial)
        producer = self.producer_of.get(serial, "")
        highest = self.highest.get(producer, -1)
        if serial < highest:
            self.reordered.add(serial)
        else:
            self.highest[producer] = serial

    def _ended(self, owner: int, aborted: bool) -> None:
        """End the open transaction of a producer id by its marker. Copies in an aborted transaction do not count as
        duplicates."""
        for serial in self.open.pop(owner, ()):
            if aborted:
                self.aborted[serial] = self.aborted.get(serial, 0) + 1
                self.aborted_copies += 1
            else:
                self._counts(serial)

    def _counts(self, serial: int) -> None:
        """Count a copy that is outside transactions, or in a committed one."""
        counting = self.counting.get(serial, 0) + 1
        self.counting[serial] = counting
        if counting > 1:
            self.duplicated.add(serial)

    def reported(self, serials: tuple[int, ...], successful: bool) -> None:
        reported = self.acknowledged if successful else self.failed_reports
        reported.update(serials)
        if successful:
            self.lost.update(serial for serial in serials if self._absent(serial))

    def sent(self, serials: tuple[int, ...]) -> None:
        for serial in serials:
            self.under_way[serial] = self.under_way.get(serial, 0) + 1
            self.lost.discard(serial)

    def settled(self, serials: tuple[int, ...]) -> None:
        for serial in serials:
            left = self.under_way.get(serial, 0) - 1
            if left > 0:
                self.under_way[serial] = left
            else:
                self.under_way.pop(serial, None)
                if serial in self.acknowledged and self._absent(serial):
                    self.lost.add(serial)

    def _absent(self, serial: int) -> bool:
        return not (serial in self.copies or serial in self.under_way or serial in self.deleted)

    @property
    def duplicates(self) -> int:
        """The number of copies beyond the first one of each record, without copies of aborted transactions."""
        return (
            self.stored
            - len(self.copies)
            - sum(min(count, self.copies[serial] - 1) for serial, count in self.aborted.items())
        )

    @property
    def failed(self) -> int:
        return sum(1 for serial in self.failed_reports if serial not in self.copies)
