"""What happens in two-phase commit over middleware: at the source of a transaction, in the middle, at participants."""

from __future__ import annotations

from typing import NamedTuple

from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row

# -- initiator and business system ---------------------------------------------------------------------


@happening
class TransactionWanted(Happening):
    initiator: str


@happening
class TransactionHandedOver(Happening):
    initiator: str
    tid: int
    business: str


@happening
class BusinessMoved(Happening):
    """A row of the business system's machine was taken, or refused what came. ``stores_id``: it keeps the message id
    with its data. ``reason``: a word of the row that said no."""

    business: str
    tid: int
    state: str
    ms: int
    message_id: str | None
    stored: str | None
    found: str
    result: str | None
    reason: str | None
    stores_id: bool
    row: Row


@happening
class LocalTransactionLost(Aside):
    """A crash ended the running operation."""

    tid: int
    business: str
    state: str
    row: Row


# -- the middleware ------------------------------------------------------------------------------------


class Numbers(NamedTuple):
    """The state of a transaction after a row."""

    participants: int
    ok: int
    prepared: tuple[str, ...]
    silent: tuple[str, ...]
    missing: tuple[str, ...]
    undone: tuple[str, ...]
    asked: tuple[str, ...]
    message_id: str | None
    checks: int
    max_checks: int
    tries: int
    strategy: str
    number: int
    named: tuple[str, ...]
    check_after_ms: int
    prepare_timeout_ms: int
    answer_timeout_ms: int


@happening
class MiddlewareMoved(Happening):
    """A row of the machine of a transaction was taken; ``state`` is the one before. ``sender``, ``reason``, ``result``,
    ``left`` and ``answer`` are of the message that led here, empty where it has none. ``left``: nodes that could not
    undo."""

    tid: int
    sender: str
    state: str
    reason: str
    result: str
    left: tuple[str, ...]
    answer: str
    numbers: Numbers
    back_check: bool
    row: Row


@happening
class MiddlewareRefused(Happening):
    """The machine of a transaction has no row for the message that arrived."""

    tid: int
    sender: str
    state: str
    reason: str
    result: str
    left: tuple[str, ...]
    answer: str
    row: Row


@happening
class TidGiven(Happening):
    tid: int
    sender: str


@happening
class TidUnknown(Happening):
    """A message about a transaction that a restart lost. ``known``: how many are known."""

    tid: int
    sender: str
    known: int


@happening
class OperatorMistaken(Happening):
    """An operator named a transaction that does not exist."""

    tid: int


@happening
class TransactionForgotten(Aside):
    tid: int
    state: str
    nodes: tuple[str, ...]


@happening
class TransactionRemembered(Aside):
    tid: int
    state: str


@happening
class WindowOpens(Aside):
    """A reader finds participants that differ, from the first Commit-ok on."""

    tid: int


@happening
class WindowCloses(Aside):
    """``undone``: because everything was undone; else every participant has committed."""

    tid: int
    ms: int
    undone: bool


# -- participants and the transaction manager ----------------------------------------------------------


@happening
class ParticipantMoved(Happening):
    """A row of a participant's machine was taken, or refused what came; ``state`` and ``before`` are of the time
    before. ``after``: what would be left after the operation. ``by``: in which way a Rollback undoes."""

    participant: str
    tid: int
    sender: str
    state: str
    operation: int
    before: int
    value: int
    by: str
    after: int
    row: Row


@happening
class ManagerMoved(Happening):
    """A row of the transaction manager's machine was taken, or refused what came. ``missing``: nodes without an answer;
    ``left``: nodes that did not undo."""

    manager: str
    tid: int
    sender: str
    missing: tuple[str, ...]
    state: str
    answer: str | None
    left: tuple[str, ...]
    row: Row
