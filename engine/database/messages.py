"""The messages between a service and its database: four statements and a question, each with its response.

A row is named by the serial of the record that belongs to it. A service has one connection, and on it one local
transaction at a time, which the first ``WriteRows`` opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

DATABASE = "database"
"""The name of the one database of a scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRows:
    """Statements of one local transaction: rows to insert, entries of the outbox to insert and to delete, and
    the offsets at which a consumer continues."""

    api: ClassVar[str] = "WriteRows"
    rows: tuple[int, ...] = ()
    outbox: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    offsets: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRowsResponse:
    """``repeated``: the rows that the unique key kept out, because they are in the table already."""

    api: ClassVar[str] = "WriteRows"
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
    """Which offsets does the table of offsets hold for these partitions?"""

    api: ClassVar[str] = "ReadOffsets"
    partitions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOffsetsResponse:
    """(topic-partition, offset) of each; a partition without an entry is absent."""

    api: ClassVar[str] = "ReadOffsets"
    offsets: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutbox:
    """The oldest committed entries of the outbox, at most ``most``."""

    api: ClassVar[str] = "ReadOutbox"
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutboxResponse:
    api: ClassVar[str] = "ReadOutbox"
    entries: tuple[int, ...]


REQUESTS = (WriteRows, CommitRows, RollBackRows, ReadOffsets, ReadOutbox)
