"""A database with a commit of its own: tables of rows, of offsets and of outbox entries (CPT-4, CPT-5).

A crash does not lose committed data. The writes of a local transaction become visible with its commit. They
are lost if the connection ends, or the database crashes, before the commit. Locks are not modelled: no
transaction waits for another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.database import database_states as states
from engine.database.messages import (
    DATABASE,
    CommitRows,
    CommitRowsResponse,
    InsertRow,
    InsertRowResponse,
    ReadOffsets,
    ReadOffsetsResponse,
    ReadOutbox,
    ReadOutboxResponse,
    RollBackRows,
    RollBackRowsResponse,
    WriteRows,
    WriteRowsResponse,
)
from engine.events import PlaceKept, RowsCommitted
from engine.happenings.database import (
    KeptOffsetsReturned,
    LocalTransactionUndone,
    OutboxReturned,
    RowInserted,
    RowsHeld,
    RowsStored,
    RowsUndone,
)
from engine.happenings.machines import RowTaken
from engine.machine import Row
from engine.messages import FOR_ALL_ELSE, Effects, Envelope, Send
from engine.middleware.node import Node
from engine.shapes.database import DatabaseView, LocalTransactionView, TableRowView
from engine.watching import Part, Watch


class TableRow:
    """A committed row, a part of the view. ``copies``: how often it was inserted. ``stored_at``: the time of
    the first commit, in virtual ms."""

    __slots__ = ("copies", "path", "stored_at")

    def __init__(self, serial: int, now: int) -> None:
        self.path = (DATABASE, "rows", str(serial))
        self.copies = 0
        self.stored_at = now

    def view(self) -> TableRowView:
        return {"copies": self.copies, "stored_at": self.stored_at}


class LocalTransaction:
    """The transaction of one connection; a part of the view while it is open. ``statements``: the writes that
    its commit will store."""

    __slots__ = ("asked", "number", "path", "repeated", "state", "statements")

    def __init__(self, service: str) -> None:
        self.path = (DATABASE, "open", service)
        self.state = states.CLOSED
        self.statements = WriteRows()
        self.repeated: tuple[int, ...] = ()
        self.asked: tuple[WriteRows, tuple[int, ...]] = (self.statements, self.repeated)
        """The statements of the newest ``WriteRows``, and the rows among them that the unique key refused."""
        self.number = 0
        """The number of the connection's newest request."""

    @property
    def inserted(self) -> tuple[int, ...]:
        """The serials of the rows that a commit inserts: those of the statements, without the rows that the
        unique key refused."""
        rows = list(self.statements.rows)
        for serial in self.repeated:
            rows.remove(serial)
        return tuple(rows)

    def view(self) -> LocalTransactionView | None:
        held = self.statements
        if self.state == states.CLOSED:
            return None
        return {
            "state": self.state,
            "rows": list(held.rows),
            "repeated": list(self.repeated),
            "outbox": list(held.outbox),
            "removed": list(held.removed),
            "offsets": dict(held.offsets),
        }


class Database(Node):
    """The database. ``unique_key``: whether the table has at most one row for each serial, so that a repeated
    insert changes nothing (``INSERT … ON CONFLICT DO NOTHING``)."""

    role = "database"

    def __init__(self, unique_key: bool, watch: Watch) -> None:
        super().__init__(DATABASE, watch)
        self.path = (DATABASE,)
        self.unique_key = unique_key
        self.rows: dict[int, TableRow] = {}
        self.outbox: list[int] = []
        self.offsets: dict[str, int] = {}
        self.connections: dict[str, LocalTransaction] = {}

    def view(self) -> DatabaseView:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "unique_key": self.unique_key,
            "outbox": list(self.outbox),
            "offsets": dict(self.offsets),
        }

    def parts(self) -> list[Part]:
        return [self, *self.connections.values(), *self.rows.values()]

    # -- requests --------------------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle a request of a service. If a fault delivers a request a second time, the second one is
        ignored, as with TCP."""
        service = envelope.source
        local = self.connections.setdefault(service, LocalTransaction(service))
        if envelope.correlation_id <= local.number:
            return []
        local.number = envelope.correlation_id
        body: Any = envelope.body
        response = _HANDLERS[type(body)](self, service, local, body, now)
        return [Send(service, response, envelope.correlation_id, is_response=True)]

    def _write(self, service: str, local: LocalTransaction, body: WriteRows, now: int) -> object:
        repeated = self._repeated(body.rows) if self.unique_key else ()
        local.asked = body, repeated
        row = self._take(local, service, states.WRITE, now)
        self.watch.emit(
            RowsHeld, self.name, service, body.rows, repeated, body.outbox, body.removed, body.offsets, row
        )
        return WriteRowsResponse(repeated=repeated)

    def _repeated(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        found: list[int] = []
        seen = set(self.rows)
        for serial in rows:
            if serial in seen:
                found.append(serial)
            seen.add(serial)
        return tuple(found)

    def _commit(self, service: str, local: LocalTransaction, body: CommitRows, now: int) -> object:
        held, rows = local.statements, local.inserted
        row = self._take(local, service, states.COMMIT, now)
        self.watch.emit(RowsStored, self.name, service, rows, held.outbox, held.removed, held.offsets, row)
        return CommitRowsResponse()

    def _insert(self, service: str, local: LocalTransaction, body: InsertRow, now: int) -> object:
        """Carry out an INSERT with auto-commit."""
        repeated = self._repeated((body.serial,)) if self.unique_key else ()
        local.asked = WriteRows(rows=(body.serial,)), repeated
        row = self._take(local, service, states.INSERT, now)
        self.watch.emit(RowInserted, self.name, service, body.serial, bool(repeated), row)
        return InsertRowResponse(repeated=repeated)

    def _roll_back(self, service: str, local: LocalTransaction, body: RollBackRows, now: int) -> object:
        held = local.statements
        row = self._take(local, service, states.ROLL_BACK, now)
        self.watch.emit(RowsUndone, self.name, service, held.rows, row)
        return RollBackRowsResponse()

    def _tell_offsets(self, service: str, local: LocalTransaction, body: ReadOffsets, now: int) -> object:
        found = tuple((name, self.offsets[name]) for name in body.partitions if name in self.offsets)
        self.watch.emit(KeptOffsetsReturned, self.name, service, found)
        return ReadOffsetsResponse(offsets=found)

    def _tell_outbox(self, service: str, local: LocalTransaction, body: ReadOutbox, now: int) -> object:
        found = tuple(self.outbox[: body.most])
        self.watch.emit(OutboxReturned, self.name, service, found)
        return ReadOutboxResponse(entries=found)

    # -- the end of a transaction ----------------------------------------------------------------------

    def on_connected(self, peer: str, now: int, purpose: str = FOR_ALL_ELSE) -> Effects:
        return []

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """Undo the open transaction of a service whose connection has ended."""
        self._undo_open(peer, states.LOST, now)
        return []

    def crash(self, now: int) -> None:
        for service in self.connections:
            self._undo_open(service, states.CRASH, now)
        super().crash(now)

    def _undo_open(self, service: str, on: str, now: int) -> None:
        local = self.connections.get(service)
        if local is not None and states.LOCAL_TRANSACTION.candidates(local.state, on):
            held = local.statements
            row = self._take(local, service, on, now)
            self.watch.emit(LocalTransactionUndone, self.name, service, held.rows or held.removed, row)

    def _take(self, local: LocalTransaction, service: str, on: str, now: int) -> Row:
        row = states.LOCAL_TRANSACTION.take(local.state, on, None)
        for effect in _EFFECTS[row.number]:
            effect(self, local, now)
        local.state = row.target or local.state
        self.watch.emit(RowTaken, f"{self.name} {service}", row)
        self.watch.touch(local)
        return row

    # -- effects ---------------------------------------------------------------------------------------

    def _hold(self, local: LocalTransaction, now: int) -> None:
        local.statements, local.repeated = local.asked

    def _store(self, local: LocalTransaction, now: int) -> None:
        held, rows = local.statements, local.inserted
        for serial in rows:
            row = self.rows.setdefault(serial, TableRow(serial, now))
            row.copies += 1
            self.watch.touch(row)
        self.outbox = [serial for serial in self.outbox if serial not in held.removed] + list(held.outbox)
        self.offsets.update(held.offsets)
        self.watch.emit(RowsCommitted, rows=rows, outbox=held.outbox, removed=held.removed)
        for partition, offset in held.offsets:
            self.watch.emit(PlaceKept, keeper=self.name, partition=partition, offset=offset)
        self._undo(local, now)
        self.watch.touch(self)

    def _undo(self, local: LocalTransaction, now: int) -> None:
        local.statements, local.repeated = WriteRows(), ()


_HANDLERS: dict[type, Callable[[Database, str, LocalTransaction, Any, int], object]] = {
    WriteRows: Database._write,
    InsertRow: Database._insert,
    CommitRows: Database._commit,
    RollBackRows: Database._roll_back,
    ReadOffsets: Database._tell_offsets,
    ReadOutbox: Database._tell_outbox,
}
_EFFECTS = states.LOCAL_TRANSACTION.bind(
    {"hold": Database._hold, "store": Database._store, "undo": Database._undo}
)
