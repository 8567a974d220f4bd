"""Happenings of two-phase commit over middleware: at the initiator and business system, the middleware, and
the participants."""

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
    """The business system took a row of its state machine, or a row refused a message. ``ms``: how long a
    local transaction runs. ``stores_id``: the message id is stored with the data. ``result`` and ``reason``:
    fields of the message; None when the message does not have them."""

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
    """A crash ended a local transaction that was running, or was to begin."""

    tid: int
    business: str
    state: str
    row: Row


# -- the middleware ------------------------------------------------------------------------------------


class Numbers(NamedTuple):
    """The state of a transaction after a row was taken: counts, lists of nodes, and waiting times in ms.
    ``undone``: the nodes that have not done yet what the middleware requested. ``rolled_back``: the participants that
    reported it, also those whose response the middleware does not wait for."""

    participants: int
    ok: int
    prepared: tuple[str, ...]
    silent: tuple[str, ...]
    missing: tuple[str, ...]
    undone: tuple[str, ...]
    asked: tuple[str, ...]
    rolled_back: tuple[str, ...]
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


class Sent(NamedTuple):
    """What an attempt of the compensation strategy sends. ``sends``: ``resends`` if the receivers were sent the message
    before, else ``sends``."""

    sends: str
    sent: str
    receivers: tuple[str, ...]


@happening
class MiddlewareMoved(Happening):
    """A transaction at the middleware took a row of its state machine. ``state``: the state before.
    ``sender``, ``reason``, ``result``, ``left`` and ``answer``: fields of the message that caused it; empty
    when the message does not have them. ``left``: the nodes that could not undo their part."""

    tid: int
    sender: str
    state: str
    reason: str
    result: str
    left: tuple[str, ...]
    answer: str
    numbers: Numbers
    back_check: bool
    attempt: Sent | None
    row: Row


@happening
class MiddlewareRefused(Happening):
    """A transaction has no row for the message that arrived."""

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
    """A message arrived about a transaction that the middleware does not have. ``known``: how many
    transactions the middleware has. ``answered``: the message is a Confirm, which gets a response."""

    tid: int
    sender: str
    known: int
    answered: bool


@happening
class OperatorMistaken(Happening):
    """An operator's call named a tid that no transaction has."""

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
class ReservationKept(Aside):
    """A participant restarts and still holds a reservation, because it is on disk."""

    participant: str
    tid: int


@happening
class WindowOpens(Aside):
    """The first CommitOk arrived: from now on, the middleware knows that participants may differ. ``alone``: there is
    only one participant, so the window closes at once."""

    tid: int
    alone: bool


@happening
class WindowCloses(Aside):
    """The window closed. ``undone``: everything was undone; if False, every participant has committed."""

    tid: int
    ms: int
    undone: bool


# -- participants and the transaction manager ----------------------------------------------------------


@happening
class ParticipantMoved(Happening):
    """A participant took a row of its state machine, or a row refused a message. ``state`` and ``before``: the
    participant's state and value before the row was taken. ``value``: its value afterwards. ``after``: the value that
    the operation would leave. ``by``: the kind of undo in a Rollback."""

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
    """The transaction manager took a row of its state machine, or a row refused a message. ``missing``: the
    nodes without an answer. ``left``: the nodes that have not confirmed their undo."""

    manager: str
    tid: int
    sender: str
    missing: tuple[str, ...]
    state: str
    answer: str | None
    left: tuple[str, ...]
    row: Row
