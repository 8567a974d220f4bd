"""Facts of a run, past tense, for the judges outside the roles (engine/judge, sweeps, audits).

A fact says what happened to stored data or which result an application got; it never says
whether that was right. Built only for a run that is judged (``if watch.judging``).
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.happenings.base import Fact
from engine.value import value


@value
class RecordAccepted(Fact):
    """``send()`` took a record into the accumulator."""

    producer: str
    partition: str
    serial: int


@value
class RecordsFinished(Fact):
    """A batch's futures completed. ``error`` None: reported successful; ``aborted``: given up on purpose."""

    producer: str
    partition: str
    serials: tuple[int, ...]
    error: str | None
    base_offset: int
    aborted: bool = False


@value
class NumbersInDoubt(Fact):
    """A transactional producer met the failure of a batch that may be stored all the same: it took the numbers
    back, or (``thrown``) its transaction was over and the rest of the response was not handled."""

    producer: str
    partition: str
    thrown: bool


@value
class LogAppended(Fact):
    """A replica stored a batch (leader or follower)."""

    partition: str
    replica: int
    base_offset: int
    last_offset: int
    serials: tuple[int, ...]
    producer_id: int
    producer_epoch: int
    base_sequence: int
    is_transactional: bool
    control_type: str | None
    offset_deltas: tuple[int, ...] | None = None
    """Offsets of the serials above ``base_offset`` in a batch that compaction thinned; None: consecutive."""

    def offsets(self) -> Iterable[int]:
        """The offset of each serial."""
        if self.offset_deltas is None:
            return range(self.base_offset, self.base_offset + len(self.serials))
        return [self.base_offset + delta for delta in self.offset_deltas]


@value
class LogTruncated(Fact):
    """A replica cut its log: offsets at and above ``to`` are gone."""

    partition: str
    replica: int
    to: int


@value
class LogStartRaised(Fact):
    """Records below ``to`` were deleted on purpose (retention, DeleteRecords)."""

    partition: str
    replica: int
    to: int


@value
class LeaderChanged(Fact):
    partition: str
    leader: int | None
    leader_epoch: int


@value
class RecordsDelivered(Fact):
    """A consumer handed records to its application."""

    consumer: str
    partition: str
    isolation: str
    serials: tuple[int, ...]
    offsets: tuple[int, ...]


@value
class CopySent(Fact):
    """The network took a Produce request: a copy of these records is under way."""

    partition: str
    serials: tuple[int, ...]


@value
class CopySettled(Fact):
    """A copy's fate is settled: handled by its receiver, dropped or lost with its connection."""

    partition: str
    serials: tuple[int, ...]


@value
class WorkReserved(Fact):
    """A node of a middleware transaction promised its part."""

    tid: int
    node: str


@value
class WorkReleased(Fact):
    """The node released its reservation."""

    tid: int
    node: str


@value
class WorkApplied(Fact):
    """A participant carried out its part, possibly for the second time."""

    tid: int
    node: str
    at: int


@value
class WorkUndone(Fact):
    """The node undid one execution of its part."""

    tid: int
    node: str
    at: int


@value
class TransactionEnded(Fact):
    """The middleware will do nothing more about a transaction by itself. ``state``: COMMITTED, ROLLED_BACK,
    COMPENSATED, MANUAL (a person has to), or FORGOTTEN (a restart lost it)."""

    tid: int
    state: str


@value
class TransactionTakenUp(Fact):
    """An operator's call has restarted an ended transaction."""

    tid: int


@value
class TransactionBegun(Fact):
    """A producer's application began a transaction; records it sends from now on belong to it."""

    producer: str
    producer_id: int
    producer_epoch: int


@value
class OutcomeTold(Fact):
    """The producer learned how its transaction ends, and went on."""

    producer: str
    committed: bool


@value
class IdentityGiven(Fact):
    """A coordinator gave out this epoch: every producer with a lower one under this producer id was replaced."""

    transactional_id: str
    producer_id: int
    producer_epoch: int


@value
class PartitionsRegistered(Fact):
    """The coordinator's log holds that the open transaction of this producer id covers these partitions."""

    producer_id: int
    partitions: tuple[str, ...]
    coordinator_epoch: int


@value
class OutcomeDecided(Fact):
    """The coordinator's log holds the outcome of the open transaction of this producer id. ``found``: a new
    coordinator read it there; the one that wrote it may have said so before, or died first."""

    producer_id: int
    producer_epoch: int
    committed: bool
    found: bool = False


@value
class TransactionCompleted(Fact):
    """The coordinator will send no more markers: all are acknowledged, or their partitions were given up."""

    producer_id: int
    coordinator_epoch: int


@value
class PartitionDeleted(Fact):
    """The topic was deleted: nothing in it can be read or marked any more."""

    partition: str


@value
class MarkersGivenUp(Fact):
    """Markers were not acknowledged and will not be sent again by the coordinator of this epoch."""

    producer_id: int
    partitions: tuple[str, ...]
    coordinator_epoch: int


@value
class CompletionForgotten(Fact):
    """The markers of this producer id are still sent, but no coordinator waits for them before the next election."""

    producer_id: int


@value
class OffsetsPending(Fact):
    """A group's coordinator holds an offset that this producer's transaction wants to commit."""

    group: str
    partition: str
    producer_id: int
    producer_epoch: int
    offset: int


@value
class OffsetsEnded(Fact):
    """A marker decided about a pending offset: the group's coordinator shows it or drops it."""

    group: str
    partition: str
    producer_id: int
    offset: int
    visible: bool
