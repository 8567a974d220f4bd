"""The middleware: it assigns tids, collects votes, stores the prepared message, and carries out the decision
(MW-3 to MW-14).

The state machine is in middleware_states.py; this module has the effects of its rows. compensation.py handles
missing answers. A crash loses no prepared message and no transaction, unless the switch
``durable_prepared_messages`` is off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from engine.client.application import DONE, REFUSED, Call
from engine.events import TransactionEnded, TransactionTakenUp
from engine.happenings.middleware import (
    MiddlewareMoved,
    MiddlewareRefused,
    Numbers,
    OperatorMistaken,
    Sent,
    TidGiven,
    TidUnknown,
    TransactionForgotten,
    TransactionRemembered,
    WindowCloses,
    WindowOpens,
)
from engine.machine import Row
from engine.messages import Effects, Envelope
from engine.middleware import compensation
from engine.middleware import middleware_states as states
from engine.middleware import participant_states as participants
from engine.middleware.configuration import BUSINESS, MIDDLEWARE, MiddlewareConfiguration
from engine.middleware.messages import (
    COMMITTED,
    ROLLED_BACK,
    SUCCESS,
    Cancelled,
    Check,
    CheckReply,
    Commit,
    CommitFail,
    CommitOk,
    Confirm,
    ConfirmAck,
    Prepare,
    PrepareAck,
    PrepareFail,
    PrepareOk,
    Rollback,
    RollbackFail,
    RollbackOk,
    Start,
    Started,
)
from engine.middleware.node import Node
from engine.middleware.strategies import STRATEGIES
from engine.middleware.transaction import COMMIT, ROLLBACK, Transaction
from engine.shapes.middleware import StrategyView
from engine.switches import Switches
from engine.watching import Part, Watch

FORGOTTEN = "FORGOTTEN"
VOTES_MISSING = "votes_missing"
"""The reason of a failure that no participant caused: a vote did not arrive in time."""
_ANY = states.Situation()
_OUTCOMES = {COMMITTED: True, ROLLED_BACK: False}
"""Dict of an answer to a back-check → whether the local transaction committed. ``UNKNOWN`` has no entry."""


class _Message(NamedTuple):
    """The fields of the message that caused a row to be taken."""

    sender: str = ""
    reason: str = ""
    result: str = ""
    left: tuple[str, ...] = ()
    answer: str = ""


class Middleware(Node):
    """The middleware's node. ``transactions``: dict of tid → transaction."""

    role = "middleware"

    def __init__(self, configuration: MiddlewareConfiguration, switches: Switches, watch: Watch) -> None:
        super().__init__(MIDDLEWARE, watch)
        self.configuration = configuration
        self.strategy = STRATEGIES[configuration.strategy]
        self.path = ("middleware", "middleware")
        self.transactions: dict[int, Transaction] = {}
        self.back_check = switches.back_check
        self.durable = switches.durable_prepared_messages
        self._last_tid = 0

    def view(self) -> StrategyView:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "strategy": self.strategy.name,
            "direction": self.strategy.direction,
            "back_check": self.back_check,
            "durable": self.durable,
        }

    def parts(self) -> list[Part]:
        return [self, *self.transactions.values()]

    # -- the kernel's calls ----------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body: Any = envelope.body
        if isinstance(body, Start):
            self._start(envelope.source)
            return self.effects()
        transaction = self.transactions.get(body.tid)
        if transaction is None:
            self._unknown(envelope, body)
            return self.effects()
        hears = _HEARS.get(type(body))  # None: a message that only a fault script sends here.
        if hears is not None:
            hears(self, transaction, envelope.source, body, now)
        return self.effects()

    def call(self, call: Call, now: int) -> Effects:
        """Carry out an operator's call ``roll_back``, which names the nodes to undo. It is refused unless the
        transaction is in MANUAL."""
        transaction = self.transactions.get(call.args["tid"])
        if transaction is None:
            call.state = REFUSED
            self.watch.emit(OperatorMistaken, call.args["tid"])
            return []
        if transaction.state == states.MANUAL:
            transaction.named = tuple(call.args["nodes"])
        row = self._decide(transaction, states.OPERATOR, now, sender="operator")
        call.state = DONE if row.target is not None else REFUSED
        return self.effects()

    def next_timer(self) -> int | None:
        if not self.alive:
            return None
        return min(
            (one.timer[2] for one in self.transactions.values() if one.timer is not None), default=None
        )

    def on_timer(self, now: int) -> Effects:
        """Handle the earliest timer of a transaction, if it is due."""
        waiting = [one for one in self.transactions.values() if one.timer is not None]
        if waiting:
            first = min(waiting, key=lambda one: (one.timer[2] if one.timer else 0, one.tid))
            if first.timer is not None and first.timer[2] <= now:
                event = first.timer[0]
                first.timer = None
                _TIMERS[event](self, first, now)
        return self.effects()

    def crash(self, now: int) -> None:
        """Prepared messages, votes and answers are on disk, so a crash keeps them. Without
        ``durable_prepared_messages`` a crash loses every transaction (MW-14)."""
        if not self.durable:
            for tid, transaction in self.transactions.items():
                transaction.forgotten = True
                self.watch.touch(transaction)
                if transaction.state not in (states.COMMITTED, states.ROLLED_BACK, states.COMPENSATED):
                    self._ended(tid, FORGOTTEN)
                    nodes = tuple(transaction.records)
                    self.watch.emit(TransactionForgotten, tid, transaction.state, nodes)
            self.transactions = {}
        super().crash(now)

    def restart(self, now: int) -> Effects:
        for tid, transaction in self.transactions.items():
            self.watch.emit(TransactionRemembered, tid, transaction.state)
        return super().restart(now)

    # -- hearing ---------------------------------------------------------------------------------------

    def _start(self, source: str) -> None:
        self._last_tid += 1
        tid = self._last_tid
        names = [participant.name for participant in self.configuration.participants]
        transaction = self.transactions[tid] = Transaction(tid, names, source)
        self.send(source, Started(tid=tid), tid)
        self.watch.emit(TidGiven, tid, source)
        self.watch.touch(transaction)

    def _unknown(self, envelope: Envelope, body: Any) -> None:
        """Handle a message whose tid is unknown. A Confirm gets a response."""
        answered = isinstance(body, Confirm)
        self.watch.emit(TidUnknown, body.tid, envelope.source, len(self.transactions), answered)
        if answered:
            self.send(envelope.source, ConfirmAck(tid=body.tid, result=FORGOTTEN), body.tid)

    def _prepare(self, transaction: Transaction, sender: str, body: Prepare, now: int) -> None:
        self._decide(transaction, states.PREPARE, now, sender=sender)

    def _vote(self, transaction: Transaction, sender: str, body: PrepareOk | PrepareFail, now: int) -> None:
        ok = isinstance(body, PrepareOk)
        if states.MIDDLEWARE.candidates(transaction.state, states.VOTE)[0].target is not None:
            transaction.hear(sender, participants.VOTES_OK if ok else participants.REFUSES)
        reason = "" if isinstance(body, PrepareOk) else body.reason
        situation = transaction.situation_of_vote(ok)
        self._decide(transaction, states.VOTE, now, situation, sender=sender, reason=reason)

    def _confirm(self, transaction: Transaction, sender: str, body: Confirm, now: int) -> None:
        situation = states.Situation(succeeded=body.local_result == SUCCESS)
        self._decide(transaction, states.CONFIRM, now, situation, sender=sender, result=body.local_result)

    def _answer(self, transaction: Transaction, sender: str, body: Any, now: int) -> None:
        if states.MIDDLEWARE.candidates(transaction.state, states.ANSWER)[0].target is not None:
            self._hear_answer(transaction, sender, body, now)
        situation = transaction.situation_of_answers()
        self._decide(transaction, states.ANSWER, now, situation, sender=sender, answer=body.api)

    def _hear_answer(self, transaction: Transaction, sender: str, body: Any, now: int) -> None:
        if isinstance(body, CommitOk):
            if transaction.hear(sender, participants.COMMITS):
                self._follow_window(transaction, now)
        elif isinstance(body, RollbackOk):
            transaction.hear(sender, participants.ROLLS_BACK)
        row = transaction.answers.get(sender)
        expected = (
            (CommitOk, CommitFail) if row is not None and row.asked == COMMIT else (RollbackOk, RollbackFail)
        )
        if row is not None and row.answer is None and isinstance(body, expected):
            row.answer = body.api
            row.at = now

    def _follow_window(self, transaction: Transaction, now: int) -> None:
        """Note when the window opens and closes, from the first to the last CommitOk (MW-14)."""
        if transaction.committed_since is None:
            transaction.committed_since = now
            self.watch.emit(WindowOpens, transaction.tid, alone=len(transaction.records) == 1)
        if len(transaction.in_state(participants.COMMITTED)) == len(transaction.records):
            transaction.committed_until = now
            if len(transaction.records) > 1:
                self.watch.emit(
                    WindowCloses, transaction.tid, now - transaction.committed_since, undone=False
                )

    def _close_window_undone(self, transaction: Transaction, now: int) -> None:
        """Note that the window closes because no participant is committed any more (MW-14)."""
        since = transaction.committed_since
        still = transaction.in_state(participants.COMMITTED)
        if since is not None and transaction.committed_until is None and not still:
            transaction.committed_until = now
            self.watch.emit(WindowCloses, transaction.tid, now - since, undone=True)

    def _check_reply(self, transaction: Transaction, sender: str, body: CheckReply, now: int) -> None:
        situation = states.Situation(succeeded=_OUTCOMES.get(body.outcome))
        self._decide(transaction, states.CHECK_REPLY, now, situation, sender=sender, result=body.outcome)

    def _cancelled(self, transaction: Transaction, sender: str, body: Cancelled, now: int) -> None:
        if transaction.state == states.COMPENSATING:
            for name in transaction.records:
                if name not in body.left:
                    transaction.hear(name, participants.ROLLS_BACK)
        situation = states.Situation(undone=not body.left, all_heard=True)
        self._decide(transaction, states.CANCELLED, now, situation, sender=sender, left=body.left)

    # -- timers ----------------------------------------------------------------------------------------

    def _votes_overdue(self, transaction: Transaction, now: int) -> None:
        for name in transaction.in_state(participants.IDLE):
            transaction.hear(name, participants.SILENT)
        self._decide(transaction, states.PREPARE_TIMEOUT, now, transaction.situation_of_vote(ok=False))

    def _answers_overdue(self, transaction: Transaction, now: int) -> None:
        self._decide(transaction, states.ANSWER_TIMEOUT, now)

    def _check(self, transaction: Transaction, now: int) -> None:
        left = transaction.checks < self.configuration.max_checks
        self._decide(transaction, states.CHECK_DUE, now, states.Situation(checks_left=left))

    def _compensate(self, transaction: Transaction, now: int) -> None:
        situation = states.Situation(
            named=bool(transaction.named),
            given_up=compensation.gives_up(self.strategy, self.configuration, transaction.tries),
        )
        self._decide(transaction, states.COMPENSATION_DUE, now, situation)

    # -- deciding --------------------------------------------------------------------------------------

    def _decide(
        self,
        transaction: Transaction,
        on: str,
        now: int,
        situation: states.Situation = _ANY,
        **params: Any,
    ) -> Row:
        """Take the row of this event. A row without a target is a refusal and changes nothing in the
        transaction."""
        before = transaction.state
        row = states.MIDDLEWARE.take(before, on, situation)
        message = _Message(**params)
        if row.target is None:
            if on == states.CONFIRM and before in states.RESTING:
                self.send(
                    str(params["sender"]), ConfirmAck(tid=transaction.tid, result=before), transaction.tid
                )
            self.watch.emit(
                MiddlewareRefused,
                transaction.tid,
                message.sender,
                before,
                message.reason,
                message.result,
                message.left,
                message.answer,
                row,
            )
            return row
        transaction.state = row.target
        if row.target == states.COMPENSATED:
            self._close_window_undone(transaction, now)
        for effect in _EFFECTS[row.number]:
            effect(self, transaction, now, params)
        self.watch.emit(
            MiddlewareMoved,
            transaction.tid,
            message.sender,
            before,
            message.reason,
            message.result,
            message.left,
            message.answer,
            self._numbers(transaction),
            self.back_check,
            params.get("attempt"),
            row,
        )
        if row.target != before:
            self._wait(transaction, now)
            if row.target in states.RESTING:
                self._ended(transaction.tid, row.target)
        elif on == states.CHECK_DUE:
            self._wait(transaction, now)
        self.watch.touch(transaction)
        return row

    def _numbers(self, transaction: Transaction) -> Numbers:
        settings = self.configuration
        return Numbers(
            participants=len(transaction.records),
            ok=len(transaction.in_state(participants.PREPARED)),
            prepared=tuple(transaction.in_state(participants.PREPARED)),
            silent=tuple(transaction.in_state(participants.UNKNOWN)),
            missing=tuple(transaction.unanswered),
            undone=tuple(name for name, row in transaction.answers.items() if not row.done),
            asked=tuple(transaction.answers),
            rolled_back=tuple(transaction.in_state(participants.ROLLED_BACK)),
            message_id=transaction.message_id,
            checks=transaction.checks,
            max_checks=settings.max_checks,
            tries=transaction.tries,
            strategy=self.strategy.name,
            number=self.strategy.number,
            named=transaction.named,
            check_after_ms=settings.check_after_ms,
            prepare_timeout_ms=settings.prepare_timeout_ms,
            answer_timeout_ms=settings.answer_timeout_ms,
        )

    def _wait(self, transaction: Transaction, now: int) -> None:
        """Start the timer of the new state, if it has one. The earlier timer ends."""
        state, settings = transaction.state, self.configuration
        until: int | None = None
        if state == states.PREPARING:
            event, until = states.PREPARE_TIMEOUT, now + settings.prepare_timeout_ms
        elif state in (states.AWAIT_CONFIRM, states.CHECKING):
            event = states.CHECK_DUE
            until = now + settings.check_after_ms if self.back_check else None
        elif state in (states.COMMITTING, states.ROLLING_BACK):
            event, until = states.ANSWER_TIMEOUT, now + settings.answer_timeout_ms
        elif state == states.COMPENSATING:
            event = states.COMPENSATION_DUE
            until = compensation.first_at(self.strategy, settings, transaction, now)
        transaction.timer = None if until is None else (event, now, until)

    def _ended(self, tid: int, state: str) -> None:
        self.watch.emit(TransactionEnded, tid=tid, state=state)

    def ask(self, transaction: Transaction, node: str, what: str, now: int) -> None:
        """Send Commit or Rollback to a node, and wait for its answer."""
        transaction.ask(node, what, now)
        body: Any = Commit(tid=transaction.tid)
        if what == ROLLBACK:
            body = Rollback(tid=transaction.tid, by=transaction.by)
        self.send(node, body, transaction.tid)

    # -- effects ---------------------------------------------------------------------------------------

    def _store_message(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        transaction.message_id = f"m{transaction.tid}"
        transaction.message = "prepared"

    def _ask_participants(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        for participant in self.configuration.participants:
            self.send(
                participant.name,
                Prepare(tid=transaction.tid, operation=participant.operation),
                transaction.tid,
            )

    def _tell_ack(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        transaction.acknowledged_prepare = True
        self.send(
            BUSINESS, PrepareAck(tid=transaction.tid, message_id=str(transaction.message_id)), transaction.tid
        )

    def _tell_fail(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        transaction.message = "withdrawn"
        transaction.decision = ROLLBACK
        reason = params.get("reason") or VOTES_MISSING
        self.send(BUSINESS, PrepareFail(tid=transaction.tid, reason=reason), transaction.tid)

    def _roll_back_voters(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        """Send Rollback to the participants that voted yes, because they hold a reservation (CTR-39)."""
        for name in transaction.in_state(participants.PREPARED):
            self.ask(transaction, name, ROLLBACK, now)

    def _roll_back_silent(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        """Send Rollback to the participants without a vote: a vote may have been lost after a reservation."""
        for name in transaction.in_state(participants.UNKNOWN):
            self.send(name, Rollback(tid=transaction.tid), transaction.tid)

    def _roll_back_late_voter(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        name = str(params["sender"])
        if transaction.state == states.ROLLING_BACK:
            self.ask(transaction, name, ROLLBACK, now)
        else:
            self.send(name, Rollback(tid=transaction.tid), transaction.tid)

    def _send_commits(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        transaction.decision = COMMIT
        transaction.message = "delivered"
        for name in transaction.records:
            self.ask(transaction, name, COMMIT, now)

    def _send_rollbacks(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        transaction.decision = ROLLBACK
        transaction.message = "withdrawn"
        for name in transaction.records:
            self.ask(transaction, name, ROLLBACK, now)

    def _ask_source(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        transaction.checks += 1
        self.send(
            BUSINESS, Check(tid=transaction.tid, message_id=str(transaction.message_id)), transaction.tid
        )

    def _mark_silent(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        for name in transaction.not_done:
            transaction.hear(name, participants.SILENT)

    def _act(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        attempt = compensation.act(self, transaction, now)
        resends = transaction.tries > 1 or attempt.sent == transaction.decision
        params["attempt"] = Sent("resends" if resends else "sends", attempt.sent, attempt.receivers)
        transaction.timer = (states.COMPENSATION_DUE, now, attempt.next_at)

    def _ask_next(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        compensation.ask_next(self, transaction, now)

    def _undo_named(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        self.watch.emit(TransactionTakenUp, tid=transaction.tid)
        compensation.undo_named(self, transaction, now)

    def _acknowledge(self, transaction: Transaction, now: int, params: dict[str, Any]) -> None:
        """Send ConfirmAck, unless PrepareFail has already ended the transaction for the business system."""
        if transaction.acknowledged_prepare:
            self.send(BUSINESS, ConfirmAck(tid=transaction.tid, result=transaction.state), transaction.tid)


_HEARS: dict[type, Callable[[Middleware, Transaction, str, Any, int], None]] = {
    Prepare: Middleware._prepare,
    PrepareOk: Middleware._vote,
    PrepareFail: Middleware._vote,
    Confirm: Middleware._confirm,
    CommitOk: Middleware._answer,
    CommitFail: Middleware._answer,
    RollbackOk: Middleware._answer,
    RollbackFail: Middleware._answer,
    CheckReply: Middleware._check_reply,
    Cancelled: Middleware._cancelled,
}
_TIMERS: dict[str, Callable[[Middleware, Transaction, int], None]] = {
    states.PREPARE_TIMEOUT: Middleware._votes_overdue,
    states.ANSWER_TIMEOUT: Middleware._answers_overdue,
    states.CHECK_DUE: Middleware._check,
    states.COMPENSATION_DUE: Middleware._compensate,
}
_EFFECTS = states.MIDDLEWARE.bind(
    {
        "store_message": Middleware._store_message,
        "ask_participants": Middleware._ask_participants,
        "tell_ack": Middleware._tell_ack,
        "tell_fail": Middleware._tell_fail,
        "roll_back_voters": Middleware._roll_back_voters,
        "roll_back_silent": Middleware._roll_back_silent,
        "roll_back_late_voter": Middleware._roll_back_late_voter,
        "send_commits": Middleware._send_commits,
        "send_rollbacks": Middleware._send_rollbacks,
        "ask_source": Middleware._ask_source,
        "mark_silent": Middleware._mark_silent,
        "act": Middleware._act,
        "ask_next": Middleware._ask_next,
        "undo_named": Middleware._undo_named,
        "acknowledge": Middleware._acknowledge,
    }
)
