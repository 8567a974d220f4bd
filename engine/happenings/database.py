"""Happenings of a database beside Kafka, and of the services that write to both."""

from __future__ import annotations

from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row

# -- the database --------------------------------------------------------------------------------------


@happening
class RowsHeld(Happening):
    """A write opened a local transaction. ``rows``: the serials of the rows to insert. ``repeated``: those of them
    that the unique key refused. ``outbox`` and ``removed``: the serials of the entries that are added to the outbox,
    and removed from it. ``offsets``: (topic-partition, offset) at which a consumer continues."""

    database: str
    service: str
    rows: tuple[int, ...]
    repeated: tuple[int, ...]
    outbox: tuple[int, ...]
    removed: tuple[int, ...]
    offsets: tuple[tuple[str, int], ...]
    row: Row


@happening
class RowsStored(Happening):
    """A local transaction was committed. ``rows``: the serials of the rows that it inserted. The other fields are
    those of ``RowsHeld``."""

    database: str
    service: str
    rows: tuple[int, ...]
    outbox: tuple[int, ...]
    removed: tuple[int, ...]
    offsets: tuple[tuple[str, int], ...]
    row: Row


@happening
class RowInserted(Happening):
    """A statement with auto-commit inserted a row. ``repeated``: the unique key refused the row."""

    database: str
    service: str
    serial: int
    repeated: bool
    row: Row


@happening
class RowsUndone(Happening):
    """The database rolled back a local transaction, because the service requested it. ``rows``: the rows that the
    transaction had to insert."""

    database: str
    service: str
    rows: tuple[int, ...]
    row: Row


@happening
class LocalTransactionUndone(Aside):
    """A local transaction ended without a commit, because its connection ended or the database stopped.
    ``rows``: the rows that it had written, or for a relay the outbox entries that it had deleted."""

    database: str
    service: str
    rows: tuple[int, ...]
    row: Row


@happening
class KeptOffsetsReturned(Happening):
    database: str
    service: str
    offsets: tuple[tuple[str, int], ...]


@happening
class OutboxReturned(Happening):
    database: str
    service: str
    entries: tuple[int, ...]


# -- services ------------------------------------------------------------------------------------------


@happening
class ServiceStarted(Happening):
    service: str
    approach: str


@happening
class KeptOffsetsAsked(Happening):
    service: str
    database: str
    consumer: str


@happening
class KeptOffsetsTaken(Happening):
    """A service got the offsets that the database keeps. ``offsets``: (topic-partition, offset) at which the consumer
    continues."""

    service: str
    consumer: str
    offsets: tuple[tuple[str, int], ...]


@happening
class OrderTaken(Happening):
    service: str
    serial: int
    round: int


@happening
class RecordsTaken(Happening):
    """A service took records from its consumer. ``records``: (topic-partition, offset) of each."""

    service: str
    consumer: str
    round: int
    records: tuple[tuple[str, int], ...]


@happening
class OutboxAsked(Happening):
    service: str
    database: str


@happening
class OutboxTaken(Happening):
    """A service got the entries of the outbox; none, if the outbox is empty."""

    service: str
    entries: tuple[int, ...]


@happening
class RowsWritten(Happening):
    """A service sent its statements to the database. The fields are those of ``RowsHeld``."""

    service: str
    database: str
    rows: tuple[int, ...]
    outbox: tuple[int, ...]
    removed: tuple[int, ...]
    offsets: tuple[tuple[str, int], ...]


@happening
class WriteConfirmed(Happening):
    service: str
    database: str
    repeated: tuple[int, ...]


@happening
class CommitAsked(Happening):
    service: str
    database: str


@happening
class CommitConfirmed(Happening):
    service: str
    database: str


@happening
class RollBackAsked(Happening):
    service: str
    database: str


@happening
class RollBackConfirmed(Happening):
    service: str
    database: str


@happening
class RecordsFailed(Happening):
    """``flush()`` has returned, and these records failed: their futures have an error. ``open``: the local
    transaction that wrote their rows is still open."""

    service: str
    producer: str
    serials: tuple[int, ...]
    open: bool


@happening
class OffsetsHanded(Happening):
    """The consumer commits offsets to its group."""

    service: str
    consumer: str
    group: str
    offsets: tuple[tuple[str, int], ...]


@happening
class WorkerBegins(Aside):
    """A worker thread begins with a record, and will work on it for ``ms``."""

    service: str
    partition: str
    offset: int
    ms: int


@happening
class WorkerInserts(Happening):
    """A worker thread has done its work on a record, and inserts the row with auto-commit."""

    service: str
    database: str
    partition: str
    offset: int
    serial: int


@happening
class InsertsInDoubt(Happening):
    """The connection to the database ended before the responses to these inserts. The worker threads will insert
    the rows again. ``timed_out``: the service closed the connection."""

    service: str
    database: str
    serials: tuple[int, ...]
    timed_out: bool


@happening
class WorkerDone(Happening):
    """The row of a record is committed, so a worker thread has finished with the record. ``repeated``: the database
    had the row already."""

    service: str
    database: str
    partition: str
    offset: int
    serial: int
    repeated: bool


@happening
class CommitStays(Aside):
    """A record has finished, but the offset to commit stays at ``offset``, because the record at this offset
    has not."""

    service: str
    partition: str
    offset: int


@happening
class OffsetsHandedAtPoll(Happening):
    """``poll()`` was called, and the consumer commits by itself the offsets of the records that earlier calls
    returned."""

    service: str
    consumer: str
    group: str
    offsets: tuple[tuple[str, int], ...]


@happening
class CommitSkips(Aside):
    """The offsets that are being committed are beyond records that have not finished. ``records``: (topic-partition,
    offset) of these records."""

    service: str
    group: str
    records: tuple[tuple[str, int], ...]


@happening
class RoundOver(Happening):
    """A service has finished a round. ``serials``: the records or orders that it had in memory for the round."""

    service: str
    number: int
    serials: tuple[int, ...]


@happening
class ConnectionLost(Happening):
    """The connection to the database ended while the service waited for a response, or before it committed.
    ``in_doubt``: the service has requested a commit, and the response will not come. ``timed_out``: the
    service closed the connection."""

    service: str
    database: str
    in_doubt: bool
    timed_out: bool


@happening
class ServiceEnded(Aside):
    """The process of a service crashed. ``serials``: the records or orders that it had in memory."""

    service: str
    state: str
    serials: tuple[int, ...]


@happening
class ServiceBack(Aside):
    service: str
