"""A database beside Kafka and its services in a view; docs/frame.md, *Database*."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class TableRowView(TypedDict):
    """A committed row, named by the serial of its record. `copies` is more than 1 only without a unique key."""

    copies: int
    stored_at: int


class LocalTransactionView(TypedDict):
    """The statements of a local transaction that is open: they take effect when it commits. The entry is absent once
    the transaction has ended. `rows`, `repeated`, `outbox` and `removed` are serials; `repeated`: the rows that the
    unique key refused."""

    state: str
    rows: list[int]
    repeated: list[int]
    outbox: list[int]
    removed: list[int]
    offsets: dict[str, int]


class DatabaseView(TypedDict):
    """The database: what is committed, and the open local transaction of each service."""

    alive: bool
    paused: bool
    unique_key: bool
    outbox: list[int]
    """Serials of the entries, oldest first."""
    offsets: dict[str, int]
    """Dict of topic-partition → offset at which a consumer continues."""
    open: NotRequired[dict[str, LocalTransactionView]]
    """Dict of service → its local transaction."""
    rows: NotRequired[dict[str, TableRowView]]
    """Dict of serial → row."""


class WorkerView(TypedDict):
    """A record in the memory of a service with worker threads."""

    partition: str
    offset: int
    serial: int
    since: int | None
    """The virtual time in ms at which a worker thread began with the record; null: the record waits for a free
    thread."""
    until: int | None
    """The virtual time in ms at which the thread has done the work."""
    inserts: bool
    """Whether the work is done, and the thread waits for the database."""


class ServiceView(TypedDict):
    """A service, its state in the table `service`, and the work of its round."""

    alive: bool
    paused: bool
    approach: str
    acts: list[str]
    """The acts of a round, in the order in which the service makes them."""
    act: int | None
    """The index of the present act; null between two rounds."""
    state: str
    round: int
    rounds: int
    hand: list[int]
    """Serials of the records or orders that the service works on."""
    producer: str | None
    consumer: str | None
    asked_at: int | None
    """The virtual time in ms at which the service began to wait for a response of the database."""
    timeout_at: int | None
    threads: NotRequired[int]
    """The number of worker threads; absent without them."""
    workers: NotRequired[list[WorkerView]]
    """The records in memory, oldest first; only with worker threads."""
