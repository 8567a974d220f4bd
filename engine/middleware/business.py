"""The initiator, which opens a transaction, and the business system, which runs its local part (MW-3, MW-6,
MW-13).

The result of the local transaction and its message id are written in one database transaction, so that a
later back-check finds both or neither. A crash loses a running local transaction and the planned Confirm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.client.application import Call
from engine.events import WorkApplied, WorkUndone
from engine.happenings.middleware import (
    BusinessMoved,
    LocalTransactionLost,
    TransactionHandedOver,
    TransactionWanted,
)
from engine.messages import Effects, Envelope
from engine.middleware import business_states as states
from engine.middleware.configuration import BUSINESS, INITIATOR, MIDDLEWARE, MiddlewareConfiguration
from engine.middleware.messages import (
    COMMITTED,
    FAILURE,
    ROLLED_BACK,
    SUCCESS,
    UNKNOWN,
    Begin,
    Check,
    CheckReply,
    Confirm,
    ConfirmAck,
    Prepare,
    PrepareAck,
    PrepareFail,
    Rollback,
    RollbackOk,
    Start,
    Started,
)
from engine.middleware.node import Node
from engine.shapes.middleware import BusinessTransactionView, BusinessView, InitiatorView
from engine.switches import Switches
from engine.watching import Watch

_EVENTS = {
    Begin: states.BEGIN,
    PrepareAck: states.PREPARE_ACK,
    PrepareFail: states.PREPARE_FAIL,
    ConfirmAck: states.CONFIRM_ACK,
    Check: states.CHECK,
    Rollback: states.ROLL_BACK,
}


class LocalTransaction:
    """The business system's part of one transaction."""

    __slots__ = ("due", "message_id", "result", "state", "stored", "undone")

    def __init__(self) -> None:
        self.state = states.IDLE
        self.message_id: str | None = None
        """The message id. It is stored with the result and the local data, for a back-check of the middleware."""
        self.stored: str | None = None
        """SUCCESS or FAILURE, once the local transaction has ended."""
        self.undone = False
        self.result: str | None = None
        """The outcome that the middleware reported."""
        self.due: int | None = None

    def view(self) -> BusinessTransactionView:
        return {
            "state": self.state,
            "message_id": self.message_id,
            "stored": self.stored,
            "undone": self.undone,
            "result": self.result,
            "due": self.due,
        }


class Initiator(Node):
    """Opens transactions for an application and passes them to the business system."""

    role = "initiator"

    def __init__(self, watch: Watch) -> None:
        super().__init__(INITIATOR, watch)
        self.path = ("middleware", "initiator")
        self.opened: list[int] = []

    def view(self) -> InitiatorView:
        return {"alive": self.alive, "paused": self.paused, "opened": list(self.opened)}

    def call(self, call: Call, now: int) -> Effects:
        """Carry out the application's call ``transact``: request a new transaction from the middleware."""
        self.watch.emit(TransactionWanted, self.name)
        self.send(MIDDLEWARE, Start(), 0)
        return self.effects()

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body = envelope.body
        if isinstance(body, Started):
            self.opened.append(body.tid)
            self.watch.emit(TransactionHandedOver, self.name, body.tid, BUSINESS)
            self.send(BUSINESS, Begin(tid=body.tid), body.tid)
            self.watch.touch(self)
        return self.effects()


class Business(Node):
    """The business system. With ``one_node`` it is also the initiator (CTR-38)."""

    role = "business"

    def __init__(self, configuration: MiddlewareConfiguration, switches: Switches, watch: Watch) -> None:
        super().__init__(BUSINESS, watch)
        self.configuration = configuration
        self.path = ("middleware", "business")
        self.transactions: dict[int, LocalTransaction] = {}
        self._stores_id = switches.stored_message_id

    def view(self) -> BusinessView:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "transactions": {str(tid): local.view() for tid, local in self.transactions.items()},
        }

    def call(self, call: Call, now: int) -> Effects:
        """Carry out the application's call ``transact``, if this node is both initiator and business system
        (CTR-38): request a new transaction from the middleware."""
        self.watch.emit(TransactionWanted, self.name)
        self.send(MIDDLEWARE, Start(), 0)
        return self.effects()

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body: Any = envelope.body
        if isinstance(body, Started):
            body = Begin(tid=body.tid)
        on = _EVENTS.get(type(body))
        if on is not None:
            self._decide(body.tid, on, now, body, envelope.source)
        return self.effects()

    def next_timer(self) -> int | None:
        if not self.alive:
            return None
        return min((local.due for local in self.transactions.values() if local.due is not None), default=None)

    def on_timer(self, now: int) -> Effects:
        """End the earliest wait that is over: finish a running local transaction, or send a stored result
        that is due."""
        tid, local = min(
            ((tid, local) for tid, local in self.transactions.items() if local.due is not None),
            key=lambda item: (item[1].due or 0, item[0]),
            default=(0, None),
        )
        if local is not None and local.due is not None and local.due <= now:
            local.due = None
            self._decide(
                tid, states.LOCAL_ENDS if local.state == states.LOCAL_RUN else states.CONFIRM_DUE, now, None
            )
        return self.effects()

    def crash(self, now: int) -> None:
        """Running local transactions and planned Confirms are lost; the data in the local database stays."""
        for tid, local in self.transactions.items():
            local.due = None
            if states.BUSINESS.candidates(local.state, states.CRASH):
                row = states.BUSINESS.take(local.state, states.CRASH, self._situation(local, None))
                self.watch.emit(LocalTransactionLost, tid, self.name, local.state, row)
                local.state = row.target or local.state
        super().crash(now)

    def _decide(self, tid: int, on: str, now: int, body: Any, sender: str = MIDDLEWARE) -> None:
        local = self.transactions.setdefault(tid, LocalTransaction())
        before = local.state
        row = states.BUSINESS.take(before, on, self._situation(local, body))
        found = ""
        for effect in _EFFECTS[row.number]:
            found = effect(self, tid, local, now, body) or found
        if on == states.ROLL_BACK:
            self.send(sender, RollbackOk(tid=tid), tid)
        local.state = row.target or before
        self.watch.emit(
            BusinessMoved,
            self.name,
            tid,
            before,
            self.configuration.local_run_ms,
            local.message_id,
            "UNDONE" if local.undone else local.stored,
            found,
            getattr(body, "result", None),
            getattr(body, "reason", None),
            self._stores_id,
            row,
        )
        self.watch.touch(self)

    def _situation(self, local: LocalTransaction, body: Any) -> states.Situation:
        alike = isinstance(body, ConfirmAck) and (
            (body.result == COMMITTED) == (local.stored == SUCCESS and not local.undone)
        )
        return states.Situation(self.configuration.local_succeeds, self._stores_id, alike)

    # -- effects ---------------------------------------------------------------------------------------

    def _run_local(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        local.message_id = body.message_id if self._stores_id else None
        local.due = now + self.configuration.local_run_ms

    def _await_confirm(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        local.due = now + self.configuration.confirm_after_ms

    def _send_prepare(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        self.send(MIDDLEWARE, Prepare(tid=tid, local_data=f"order {tid}"), tid)

    def _commit_local(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        local.stored = SUCCESS
        self.watch.emit(WorkApplied, tid=tid, node=self.name, at=now)

    def _fail_local(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        local.stored = FAILURE

    def _send_confirm(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        self.send(MIDDLEWARE, Confirm(tid=tid, local_result=local.stored or FAILURE), tid)

    def _end(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        local.result = body.result
        local.due = None

    def _look_up(self, tid: int, local: LocalTransaction, now: int, body: Check) -> str:
        """Answer a back-check with the outcome of the local transaction that was stored with this message id
        (UNKNOWN: there is none), and return the outcome (MW-13)."""
        outcome = UNKNOWN
        if local.message_id == body.message_id and local.stored is not None:
            committed = local.stored == SUCCESS and not local.undone
            outcome = COMMITTED if committed else ROLLED_BACK
        self.send(MIDDLEWARE, CheckReply(tid=tid, message_id=body.message_id, outcome=outcome), tid)
        return outcome

    def _undo_local(self, tid: int, local: LocalTransaction, now: int, body: Any) -> None:
        if local.stored == SUCCESS and not local.undone:
            local.undone = True
            self.watch.emit(WorkUndone, tid=tid, node=self.name, at=now)


Effect = Callable[[Business, int, LocalTransaction, int, Any], str | None]
_BY_NAME: dict[str, Effect] = {
    "send_prepare": Business._send_prepare,
    "run_local": Business._run_local,
    "commit_local": Business._commit_local,
    "fail_local": Business._fail_local,
    "await_confirm": Business._await_confirm,
    "send_confirm": Business._send_confirm,
    "end": Business._end,
    "look_up": Business._look_up,
    "undo_local": Business._undo_local,
}
_EFFECTS = states.BUSINESS.bind(_BY_NAME)
