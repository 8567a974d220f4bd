"""The transaction manager of strategy 4, which calls cancel at the nodes that have to undo a transaction (MW-11).

The manager keeps its transactions when it crashes. It sends Rollback again to the nodes that have not
answered.
"""

from __future__ import annotations

from engine.happenings.middleware import ManagerMoved
from engine.messages import Effects, Envelope
from engine.middleware import business_states as states
from engine.middleware.configuration import MANAGER, MIDDLEWARE, MiddlewareConfiguration
from engine.middleware.messages import Cancel, Cancelled, Rollback, RollbackFail, RollbackOk
from engine.middleware.node import Node
from engine.shapes.middleware import ManagedTransactionView, ManagerView
from engine.watching import Watch


class Cancellation:
    """One transaction to cancel. ``answers``: dict of node → name of its answer (``RollbackOk`` or
    ``RollbackFail``), or None. ``due``: when Rollback is sent again (virtual ms), or None."""

    __slots__ = ("answers", "due", "state")

    def __init__(self) -> None:
        self.state = states.IDLE
        self.answers: dict[str, str | None] = {}
        self.due: int | None = None

    def view(self) -> ManagedTransactionView:
        return {"state": self.state, "answers": dict(self.answers), "due": self.due}


class TransactionManager(Node):
    role = "manager"

    def __init__(self, configuration: MiddlewareConfiguration, watch: Watch) -> None:
        super().__init__(MANAGER, watch)
        self.configuration = configuration
        self.path = ("middleware", "manager")
        self.transactions: dict[int, Cancellation] = {}

    def view(self) -> ManagerView:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "transactions": {str(tid): one.view() for tid, one in self.transactions.items()},
        }

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body = envelope.body
        if isinstance(body, Cancel):
            one = self.transactions.setdefault(body.tid, Cancellation())
            if one.state == states.IDLE:
                one.answers = dict.fromkeys(body.nodes)
            self._decide(body.tid, one, states.CANCEL, now, envelope.source)
        elif isinstance(body, RollbackOk | RollbackFail):
            known = self.transactions.get(body.tid)
            if known is not None:
                if known.state == states.CANCELLING:
                    known.answers[envelope.source] = body.api
                self._decide(body.tid, known, states.NODE_ANSWERS, now, envelope.source)
        return self.effects()

    def next_timer(self) -> int | None:
        if not self.alive:
            return None
        return min((one.due for one in self.transactions.values() if one.due is not None), default=None)

    def on_timer(self, now: int) -> Effects:
        for tid, one in self.transactions.items():
            if one.due is not None and one.due <= now:
                self._decide(tid, one, states.RESEND, now, self.name)
                break
        return self.effects()

    def _decide(self, tid: int, one: Cancellation, on: str, now: int, sender: str) -> None:
        missing = [node for node, answer in one.answers.items() if answer is None]
        row = states.MANAGER.take(one.state, on, states.Cancelling(bool(missing)))
        left = tuple(node for node, answer in one.answers.items() if answer != RollbackOk.api)
        for effect in _EFFECTS[row.number]:
            effect(self, tid, one, now, missing)
        self.watch.emit(
            ManagerMoved,
            self.name,
            tid,
            sender,
            tuple(missing),
            one.state,
            one.answers.get(sender),
            left,
            row,
        )
        one.state = row.target or one.state
        self.watch.touch(self)

    # -- effects ---------------------------------------------------------------------------------------

    def _ask_nodes(self, tid: int, one: Cancellation, now: int, missing: list[str]) -> None:
        for node in missing:
            self.send(node, Rollback(tid=tid, by="cancel"), tid)
        one.due = now + self.configuration.resend_ms

    def _report(self, tid: int, one: Cancellation, now: int, missing: list[str]) -> None:
        left = tuple(node for node, answer in one.answers.items() if answer != RollbackOk.api)
        self.send(MIDDLEWARE, Cancelled(tid=tid, left=left), tid)
        one.due = None


_EFFECTS = states.MANAGER.bind(
    {"ask_nodes": TransactionManager._ask_nodes, "report": TransactionManager._report}
)
