"""Facts of a run for the judges, which are outside the roles (engine/judge, sweeps, audits). Their names are
in the past tense.

A fact says what happened to stored data, or which result an application got; it contains no verdict. Facts
are built only for a judged run (``if watch.judging``).
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.happenings.base import Fact
from engine.value import value


@value
class RecordAccepted(Fact):
    """``send()`` appended a record to the accumulator."""

    producer: str
    partition: str
    serial: int


@value
class SendThrew(Fact):
    """``send()`` threw after it had appended the record. The application counts the record as not sent, but
    the producer may send it in a later transaction (TXM-8)."""

    producer: str
    serial: int


@value
class RecordsFinished(Fact):
    """A batch's futures completed. ``error`` None: they succeeded. ``aborted``: the batch was never sent, and
    its transaction is or has to be aborted."""

    producer: str
    partition: str
    serials: tuple[int, ...]
    error: str | None
    base_offset: int
    aborted: bool = False


@value
class NumbersInDoubt(Fact):
    """A producer's sequence numbers may no longer fit the log. ``thrown`` True: a late response was handled only in
    part, or for another batch than its own. False: the producer uses the numbers of a failed batch again, although
    that batch may be stored."""

    producer: str
    partition: str
    thrown: bool


@value
class LogAppended(Fact):
    """A replica stored a batch, as leader or as follower."""

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
    """After compaction removed records: the offset of each serial, relative to ``base_offset``. None: the
    offsets are consecutive."""

    def offsets(self) -> Iterable[int]:
        """The offset of each serial, in the order of ``serials``."""
        if self.offset_deltas is None:
            return range(self.base_offset, self.base_offset + len(self.serials))
        return [self.base_offset + delta for delta in self.offset_deltas]


@value
class LogTruncated(Fact):
    """A replica truncated its log: the offsets from ``to`` on are gone."""

    partition: str
    replica: int
    to: int


@value
class LogStartRaised(Fact):
    """Records below ``to`` were deleted intentionally (retention, DeleteRecords)."""

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
    """The network took a Produce request: a copy of these records is in flight."""

    partition: str
    serials: tuple[int, ...]


@value
class CopySettled(Fact):
    """A copy is no longer in flight: its receiver handled it, it was dropped, or it was lost with its connection."""

    partition: str
    serials: tuple[int, ...]


@value
class WorkReserved(Fact):
    """A node of a middleware transaction promised to carry out its part."""

    tid: int
    node: str


@value
class WorkReleased(Fact):
    """A node released its reservation for a middleware transaction."""

    tid: int
    node: str


@value
class WorkApplied(Fact):
    """A node carried out its part of a middleware transaction, possibly for the second time."""

    tid: int
    node: str
    at: int


@value
class WorkUndone(Fact):
    """A node undid one execution of its part of a middleware transaction, possibly one that was undone
    before."""

    tid: int
    node: str
    at: int


@value
class TransactionEnded(Fact):
    """The middleware has finished with a transaction. ``state``: COMMITTED, ROLLED_BACK, COMPENSATED, MANUAL
    (an operator has to resolve it) or FORGOTTEN (a crash lost it)."""

    tid: int
    state: str


@value
class TransactionTakenUp(Fact):
    """An operator's call has restarted an ended transaction."""

    tid: int


@value
class TransactionBegun(Fact):
    """A producer's application began a transaction; the records that it sends from now on belong to it."""

    producer: str
    producer_id: int
    producer_epoch: int


@value
class OutcomeReported(Fact):
    """The transaction has ended for its producer: it received the outcome, or had nothing to end."""

    producer: str
    committed: bool


@value
class IdentityGiven(Fact):
    """A coordinator assigned this producer id and epoch to a transactional id. They replace every producer with the
    same producer id and a lower epoch."""

    transactional_id: str
    producer_id: int
    producer_epoch: int


@value
class PartitionsRegistered(Fact):
    """The coordinator's log now holds these partitions as part of the open transaction of this producer id."""

    producer_id: int
    partitions: tuple[str, ...]
    coordinator_epoch: int


@value
class OutcomeDecided(Fact):
    """The coordinator's log holds the outcome of the open transaction of this producer id. ``found``: a new
    coordinator read the outcome from the log."""

    producer_id: int
    producer_epoch: int
    committed: bool
    found: bool = False


@value
class TransactionCompleted(Fact):
    """The coordinator will send no more markers of this transaction: each was acknowledged, or was dropped
    with its partition."""

    producer_id: int
    coordinator_epoch: int


@value
class PartitionDeleted(Fact):
    """The topic was deleted: its records can no longer be read, and its transactions get no marker."""

    partition: str


@value
class MarkersGivenUp(Fact):
    """Markers were not acknowledged, and the coordinator of this epoch will not send them again."""

    producer_id: int
    partitions: tuple[str, ...]
    coordinator_epoch: int


@value
class CompletionForgotten(Fact):
    """The markers of this producer id are still sent, but until the next election no coordinator waits for them."""

    producer_id: int


@value
class OffsetsPending(Fact):
    """A group coordinator holds a pending offset of this producer's transaction."""

    group: str
    partition: str
    producer_id: int
    producer_epoch: int
    offset: int


@value
class OffsetsEnded(Fact):
    """A marker decided a pending offset: the group coordinator makes it visible, or drops it."""

    group: str
    partition: str
    producer_id: int
    offset: int
    visible: bool


@value
class WorkTaken(Fact):
    """A service has taken this record or order into its memory. ``partition`` and ``offset``: where a
    consumer read the record. ``keeper``: what stores the offset (a value of ``PlaceKept.keeper``). All three
    are None for work that no consumer read."""

    service: str
    serial: int
    partition: str | None
    offset: int | None
    keeper: str | None


@value
class WorkDropped(Fact):
    """A service no longer has any of these records or orders in its memory: it has finished with them, or it
    crashed."""

    service: str
    serials: tuple[int, ...]


@value
class RowsCommitted(Fact):
    """A database committed changes to its rows and its outbox, each named by a serial. ``rows``: each serial
    got one more row, even if it already had one. ``outbox``: entries that were added. ``removed``: entries
    that were removed."""

    rows: tuple[int, ...]
    outbox: tuple[int, ...]
    removed: tuple[int, ...]


@value
class PlaceKept(Fact):
    """A consumer will continue at this offset after its next start, because ``keeper`` stored the offset. ``keeper``:
    ``group <name>`` for a group coordinator, or ``database``."""

    keeper: str
    partition: str
    offset: int
