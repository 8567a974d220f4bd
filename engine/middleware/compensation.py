"""The effects of the seven strategies for a missing answer (MW-11, MW-12); their table is in strategies.py.

Forward strategies send the decision again to the participants that have not answered. Backward strategies
undo a decided commit at **all** participants and at the business system, because an undo at only some leaves
a mixed state (CTR-40). After a decided rollback, they send Rollback again to the nodes that have not answered
(strategy 4: to every node that was asked). Strategy 1 (``manual``) leaves all this to an operator.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from engine.middleware.configuration import BUSINESS, MANAGER, MiddlewareConfiguration
from engine.middleware.messages import Cancel
from engine.middleware.strategies import AT_ONCE, FORWARD, SCAN, Strategy
from engine.middleware.transaction import COMMIT, ROLLBACK, Transaction

LOG, CANCEL = "log_rollback", "transaction_manager"
_BY = {"local_rollback": "local", LOG: "log", CANCEL: "cancel"}
"""Dict of strategy → the value ``by`` of its Rollback, which determines whether a node that has committed can
undo."""


class Attempt(NamedTuple):
    """One attempt of a strategy. ``sent``: the name of the message that the middleware sends to ``receivers``.
    ``next_at``: the time of the next attempt (virtual ms)."""

    sent: str
    receivers: tuple[str, ...]
    next_at: int


class Asker(Protocol):
    """The methods of the middleware that strategies use."""

    strategy: Strategy
    configuration: MiddlewareConfiguration

    def ask(self, transaction: Transaction, node: str, what: str, now: int) -> None:
        """Send a decision to a node and expect its answer."""

    def send(self, destination: str, body: Any, tid: int) -> None:
        """Send a message of this transaction."""


def gives_up(strategy: Strategy, settings: MiddlewareConfiguration, tries: int) -> bool:
    """Whether the strategy has no attempt left after ``tries`` attempts, so that only an operator can
    continue."""
    if strategy.by_hand or (strategy.name == CANCEL and not settings.manager):
        return True
    return strategy.limit is not None and tries >= int(getattr(settings, strategy.limit))


def first_at(
    strategy: Strategy, settings: MiddlewareConfiguration, transaction: Transaction, now: int
) -> int:
    """When the strategy acts for the first time (virtual ms). If an operator has named nodes: when the
    Rollbacks to them are sent again."""
    if transaction.named:
        return now + settings.resend_ms
    return _moment(strategy.first, settings, now)


def _moment(when: str, settings: MiddlewareConfiguration, now: int) -> int:
    if when == AT_ONCE:
        return now
    if when == SCAN:
        return (now // settings.scan_ms + 1) * settings.scan_ms
    return now + int(getattr(settings, when))


def act(middleware: Asker, transaction: Transaction, now: int) -> Attempt:
    """Make one attempt."""
    strategy, settings = middleware.strategy, middleware.configuration
    transaction.tries += 1
    if transaction.named:
        next_at, what = now + settings.resend_ms, ROLLBACK
    else:
        next_at, what = _moment(strategy.again, settings, now), transaction.decision or ROLLBACK
    if strategy.direction == FORWARD or transaction.named:
        receivers = tuple(transaction.unanswered)
        for name in receivers:
            middleware.ask(transaction, name, what, now)
        return Attempt(what, receivers, next_at)
    sent, receivers = _undo(middleware, transaction, now)
    return Attempt(sent, receivers, next_at)


def _undo(middleware: Asker, transaction: Transaction, now: int) -> tuple[str, tuple[str, ...]]:
    """Send what undoes the transaction; returns the name of the message and its receivers."""
    strategy = middleware.strategy
    if transaction.by == "decision":
        transaction.by = _BY[strategy.name]
        if transaction.decision == COMMIT:
            transaction.answers.clear()
            if strategy.name != CANCEL:
                for name in _nodes(transaction):
                    transaction.expect(name, ROLLBACK, now)
    if strategy.name == CANCEL:
        nodes = tuple(_nodes(transaction))
        middleware.send(MANAGER, Cancel(tid=transaction.tid, nodes=nodes), transaction.tid)
        return Cancel.api, (MANAGER,)
    if strategy.name == LOG:
        return ROLLBACK, _one_by_one(middleware, transaction, now)
    receivers = tuple(name for name in _nodes(transaction) if transaction.answers[name].answer is None)
    for name in receivers:
        middleware.ask(transaction, name, ROLLBACK, now)
    return ROLLBACK, receivers


def _nodes(transaction: Transaction) -> list[str]:
    """The nodes that must undo their work."""
    if transaction.decision == COMMIT:
        return [*transaction.records, BUSINESS]
    return list(transaction.answers)


def ask_next(middleware: Asker, transaction: Transaction, now: int) -> None:
    """Handle an answer. If the strategy ``log_rollback`` is undoing, send the Rollback to its next node;
    otherwise do nothing."""
    if middleware.strategy.name == LOG and transaction.by == "log" and not transaction.named:
        _one_by_one(middleware, transaction, now)


def _one_by_one(middleware: Asker, transaction: Transaction, now: int) -> tuple[str, ...]:
    """Send a Rollback to the next node without an answer: nodes whose state is unknown come first, and the
    business system last. Returns this node; empty if all have answered."""
    # The business system comes first here, and ``reversed`` below makes it the last one.
    order = sorted(_nodes(transaction), key=lambda name: name != BUSINESS)
    silent = [name for name in order if transaction.records.get(name) == "UNKNOWN"]
    rest = [name for name in order if name not in silent]
    for name in [*reversed(silent), *reversed(rest)]:
        if transaction.answers[name].answer is None:
            middleware.ask(transaction, name, ROLLBACK, now)
            return (name,)
    return ()


def undo_named(middleware: Asker, transaction: Transaction, now: int) -> None:
    """Carry out an operator's call: undo at the named nodes, whatever the strategy and the nodes' settings
    are."""
    transaction.by = "operator"
    transaction.answers.clear()
    for name in transaction.named:
        middleware.ask(transaction, name, ROLLBACK, now)
