"""The messages of two-phase commit over message middleware, with the fields of MW-2.

All are one-way messages between named nodes. An answer is a separate message with its own name
(``CommitOk``), as in the descriptions of the scheme. ``tid`` is the transaction's id, which the middleware
assigns.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

SUCCESS, FAILURE = "SUCCESS", "FAILURE"
"""The outcome of the local transaction."""
COMMITTED, ROLLED_BACK, UNKNOWN = "COMMITTED", "ROLLED_BACK", "UNKNOWN"
"""The business system's answers to a back-check (MW-13)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Initiator → middleware: open a transaction (MW-3)."""

    api: ClassVar[str] = "Start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Middleware → initiator: the id of the new transaction."""

    api: ClassVar[str] = "Started"
    tid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Initiator → business system, if they are two nodes (CTR-38): run this transaction."""

    api: ClassVar[str] = "Begin"
    tid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """Business system → middleware: the local data. Middleware → participant: the operation of this
    participant."""

    api: ClassVar[str] = "Prepare"
    tid: int
    local_data: str | None = None
    operation: int | None = None
    """The amount that is added to the participant's value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareOk:
    """Participant → middleware: the operation is reserved, so this node can commit (MW-4)."""

    api: ClassVar[str] = "PrepareOk"
    tid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareFail:
    """Participant → middleware: this node cannot commit. Middleware → business: not all nodes can commit (MW-5)."""

    api: ClassVar[str] = "PrepareFail"
    tid: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareAck:
    """Middleware → business: all nodes can commit, and the message with this id waits for the result (MW-5, MW-6)."""

    api: ClassVar[str] = "PrepareAck"
    tid: int
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """Business → middleware: the outcome of the local transaction (MW-6)."""

    api: ClassVar[str] = "Confirm"
    tid: int
    local_result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """Middleware → participant: carry the operation out (MW-7)."""

    api: ClassVar[str] = "Commit"
    tid: int
    local_result: str = SUCCESS


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollback:
    """Middleware or transaction manager → participant or business system: undo the operation, or release the
    reservation (MW-7, MW-12).

    ``by``: ``decision``, ``local`` (the node's own undo), ``log`` (its compensation log), ``cancel`` (TCC) or
    ``operator`` (an operator named the node).
    """

    api: ClassVar[str] = "Rollback"
    tid: int
    by: str = "decision"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitOk:
    api: ClassVar[str] = "CommitOk"
    tid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackOk:
    api: ClassVar[str] = "RollbackOk"
    tid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFail:
    """Participant → middleware: there is no reservation to commit."""

    api: ClassVar[str] = "CommitFail"
    tid: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackFail:
    """Participant → sender of the Rollback: the commit cannot be undone in this way, so it stays (MW-11)."""

    api: ClassVar[str] = "RollbackFail"
    tid: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmAck:
    """Middleware → business: the outcome of the transaction (MW-8, MW-10). ``result``: the state in which the
    middleware ended it, or ``FORGOTTEN`` if a crash lost it."""

    api: ClassVar[str] = "ConfirmAck"
    tid: int
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Middleware → business: what is the outcome of the message with this id? (MW-13)"""

    api: ClassVar[str] = "Check"
    tid: int
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReply:
    api: ClassVar[str] = "CheckReply"
    tid: int
    message_id: str
    outcome: str
    """``COMMITTED``, ``ROLLED_BACK`` or ``UNKNOWN``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Middleware → transaction manager: undo this transaction at these nodes (strategy 4)."""

    api: ClassVar[str] = "Cancel"
    tid: int
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """Transaction manager → middleware: every node has answered; the nodes in ``left`` could not cancel."""

    api: ClassVar[str] = "Cancelled"
    tid: int
    left: tuple[str, ...] = ()


REQUESTS = (Start, Begin, Prepare, Confirm, Commit, Rollback, Check, Cancel)
ANSWERS = (
    Started,
    PrepareOk,
    PrepareFail,
    PrepareAck,
    CommitOk,
    CommitFail,
    RollbackOk,
    RollbackFail,
    ConfirmAck,
    CheckReply,
    Cancelled,
)

_WRITTEN_AS: dict[str, tuple[type, Any]] = {"int": (int, 1), "str": (str, ""), "tuple": (list, ())}


def _craftable(message: type) -> dict[str, tuple[type, Any]]:
    """Dict of field → (its type in a fault script, its default)."""
    found: dict[str, tuple[type, Any]] = {}
    for field in fields(message):
        written, plain = _WRITTEN_AS[str(field.type).partition(" ")[0].partition("[")[0]]
        found[field.name] = (written, plain if field.default is MISSING else field.default)
    return found


BY_API: dict[str, Any] = {message.api: message for message in REQUESTS + ANSWERS}
CRAFTABLE = {api: _craftable(message) for api, message in BY_API.items()}
"""Dict of API → field → (type, default), for each message that a fault script may send
(engine/crafted_requests.py)."""


def craft(api: str, values: dict[str, Any]) -> object:
    """Make a message of this API from checked values; lists become tuples."""
    made = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    message: object = BY_API[api](**made)
    return message
