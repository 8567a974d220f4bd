"""Finds, in the judges' record of each partition, the fate of every record that a producer accepted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from engine.judge.outcome_log import ABORTED, COMMITTED, OPEN, OutcomeLog
from engine.judge.partition_record import PartitionRecord
from engine.topic_partition import topic_partition

STORED, REPEATED, LOST, FAILED, NOWHERE = "stored", "repeated", "lost", "failed", "nowhere"
FATES = (STORED, REPEATED, ABORTED, OPEN, LOST, FAILED, NOWHERE)
"""The fates that a record may have:

- STORED: one copy counts.
- REPEATED: several copies count.
- ABORTED: all its copies are in aborted transactions.
- OPEN: no copy counts, and one is in a transaction without an outcome.
- LOST: success was reported, but there is no copy, neither in the log nor in flight.
- FAILED: a failure was reported, and there is no copy.
- NOWHERE: there is no copy in the log for another reason: no result was reported yet, or success was reported and a
  copy is in flight or was deleted on purpose.
"""


@dataclass(slots=True)
class RecordsFate:
    """Consecutive records of one producer in one partition that have the same fate and the same result.

    ``first``, ``last``: serials. ``reported``: True if the producer reported success to its application,
    False if a failure, None if nothing. ``offsets``: the first and last offset of their copies in the
    leader's log, both inclusive; None without a copy.
    """

    partition: str
    producer: str
    first: int
    last: int
    count: int
    fate: str
    reported: bool | None
    offsets: tuple[int, int] | None

    def continues(self, one: RecordsFate) -> bool:
        """Whether ``one``, the next record of the partition, belongs to these records, because its producer, fate and
        result are the same."""
        return (self.producer, self.fate, self.reported) == (one.producer, one.fate, one.reported)

    def take(self, one: RecordsFate) -> None:
        self.last, self.count = one.last, self.count + one.count
        both = [offset for pair in (self.offsets, one.offsets) if pair is not None for offset in pair]
        self.offsets = (min(both), max(both)) if both else None


def fates(records: Mapping[str, PartitionRecord], logs: Mapping[str, OutcomeLog]) -> list[RecordsFate]:
    """The fates of all records, ordered by partition (t-2 before t-10), then by serial."""
    found: list[RecordsFate] = []
    for name in sorted(records, key=topic_partition):
        record = records[name]
        copies = _copies(record, logs[name])
        rows: list[RecordsFate] = []
        for serial in sorted(record.producer_of):
            one = _fate(record, serial, copies.get(serial, ()))
            if rows and rows[-1].continues(one):
                rows[-1].take(one)
            else:
                rows.append(one)
        found += rows
    return found


def _copies(record: PartitionRecord, log: OutcomeLog) -> dict[int, list[tuple[int, str]]]:
    """Dict of serial → (offset, outcome) of each copy in the leader's log. A copy outside transactions has the
    outcome COMMITTED."""
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for offset, serial, producer_id in (
        record.replicas.get(record.leader, ()) if record.leader is not None else ()
    ):
        if serial >= 0:
            outcome = COMMITTED if producer_id == -1 else log.copies[offset].outcome
            found[serial].append((offset, outcome))
    return found


def _fate(record: PartitionRecord, serial: int, copies: list[tuple[int, str]] | tuple[()]) -> RecordsFate:
    reported = True if serial in record.acknowledged else False if serial in record.failed_reports else None
    outcomes = [outcome for _, outcome in copies]
    if not outcomes:
        fate = LOST if serial in record.lost else FAILED if reported is False else NOWHERE
    elif outcomes.count(COMMITTED):
        fate = STORED if outcomes.count(COMMITTED) == 1 else REPEATED
    else:
        fate = OPEN if OPEN in outcomes else ABORTED
    offsets = [offset for offset, _ in copies]
    return RecordsFate(
        record.name,
        record.producer_of[serial],
        serial,
        serial,
        1,
        fate,
        reported,
        (min(offsets), max(offsets)) if offsets else None,
    )
