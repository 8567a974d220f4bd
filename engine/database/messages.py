"""The requests of a service to its database, and the responses.

The serial of a record also identifies the row and the outbox entry that belong to the record. A service has
one connection, and on it one local transaction at a time, which the first ``WriteRows`` opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

DATABASE = "database"
"""The name of the only database of a scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRows:
    """The statements of one local transaction: serials of rows to insert, and of outbox entries to insert and
    to delete. ``offsets``: (topic-partition, offset at which the consumer continues)."""

    api: ClassVar[str] = "WriteRows"
    rows: tuple[int, ...] = ()
    outbox: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    offsets: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRowsResponse:
    """The database carried out the statements. ``repeated``: the rows that the unique key refused."""

    api: ClassVar[str] = "WriteRows"
    repeated: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertRow:
    """One ``INSERT`` with auto-commit: the statement is a local transaction of its own."""

    api: ClassVar[str] = "InsertRow"
    serial: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertRowResponse:
    """The statement is committed. ``repeated``: the serial, if the unique key refused the row."""

    api: ClassVar[str] = "InsertRow"
    repeated: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRows:
    api: ClassVar[str] = "CommitRows"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRowsResponse:
    api: ClassVar[str] = "CommitRows"


@dataclass(frozen=True, slots=True, kw_only=True)
class RollBackRows:
    api: ClassVar[str] = "RollBackRows"


@dataclass(frozen=True, slots=True, kw_only=True)
class RollBackRowsResponse:
    api: ClassVar[str] = "RollBackRows"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOffsets:
    """A service requests the offsets that the table of offsets holds for these partitions."""

    api: ClassVar[str] = "ReadOffsets"
    partitions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOffsetsResponse:
    """(topic-partition, offset) of each partition that has an entry."""

    api: ClassVar[str] = "ReadOffsets"
    offsets: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutbox:
    """A service requests the oldest committed entries of the outbox, at most ``most``."""

    api: ClassVar[str] = "ReadOutbox"
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutboxResponse:
    api: ClassVar[str] = "ReadOutbox"
    entries: tuple[int, ...]


REQUESTS = (WriteRows, CommitRows, RollBackRows, ReadOffsets, ReadOutbox, InsertRow)
