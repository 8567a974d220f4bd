"""The message middleware in a view; docs/frame.md, *Middleware*."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class NodeView(TypedDict):
    """The fields that every node of the middleware has."""

    alive: bool
    paused: bool


class InitiatorView(NodeView):
    """The initiator, which opens transactions."""

    opened: list[int]


class BusinessTransactionView(TypedDict):
    """A transaction at the business system."""

    state: str
    message_id: str | None
    stored: str | None
    undone: bool
    result: str | None
    due: int | None


class BusinessView(NodeView):
    """The business system."""

    transactions: NotRequired[dict[str, BusinessTransactionView]]


class StrategyView(NodeView):
    """The middleware's node, with the settings of its strategy."""

    strategy: str
    direction: str
    back_check: bool
    durable: bool


class AnswerView(TypedDict):
    """A response that the middleware waits for. `tries` 0: no request for it was sent yet."""

    asked: str
    asked_at: int | None
    answer: str | None
    at: int | None
    tries: int


class MiddlewareTimerView(TypedDict):
    """The only timer of a transaction."""

    kind: str
    since: int
    until: int


class WindowView(TypedDict):
    """The time during which participants really differ, or may differ as far as the middleware knows (MW-14),
    in virtual ms. If only `until` is null, this time is not over. If `since` is null too, it never began."""

    since: int | None
    until: int | None


class MiddlewareTransactionView(TypedDict):
    """A transaction at the middleware."""

    state: str
    message_id: str | None
    message: str
    decision: str | None
    votes: NotRequired[dict[str, str]]
    """Dict of participant → the middleware's record of it, made from the answers that arrived."""
    answers: NotRequired[dict[str, AnswerView]]
    checks: int
    tries: int
    named: list[str]
    timer: MiddlewareTimerView | None
    window: WindowView
    """The time during which participants differ as far as the middleware can know: from the first CommitOk
    until the last one, or until everything is undone."""


class ManagedTransactionView(TypedDict):
    """A transaction that the manager undoes."""

    state: str
    answers: NotRequired[dict[str, str | None]]
    due: int | None


class ManagerView(NodeView):
    """The transaction manager."""

    transactions: NotRequired[dict[str, ManagedTransactionView]]


class CompensationView(TypedDict):
    """An entry of the compensation log."""

    tid: int
    participant: str
    operation: int
    before: int
    after: int
    undone: bool


class ParticipantTransactionView(TypedDict):
    """A participant's part of a transaction."""

    state: str
    operation: int
    applied: int


class ParticipantView(NodeView):
    """A participant."""

    value: int
    reserved: int
    can_roll_back: bool
    keeps_log: bool
    transactions: NotRequired[dict[str, ParticipantTransactionView]]
    log: list[CompensationView]


class MiddlewareView(TypedDict):
    """All nodes of the middleware. Nodes that the scenario does not have are absent."""

    initiator: NotRequired[InitiatorView]
    business: NotRequired[BusinessView]
    middleware: NotRequired[StrategyView]
    transactions: NotRequired[dict[str, MiddlewareTransactionView]]
    manager: NotRequired[ManagerView]
    participants: NotRequired[dict[str, ParticipantView]]
    differ: NotRequired[dict[str, WindowView]]
    """Dict of transaction → the time during which its nodes really differ: from the first local commit until
    the last one, or until everything is undone. No node knows this time."""
