"""The middleware's state of one transaction: votes, answers, its only timer, and the window in which
participants differ (MW-5, MW-10, MW-14)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.middleware import middleware_states as states
from engine.middleware import participant_states as participants
from engine.middleware.messages import CommitOk, RollbackOk
from engine.shapes.middleware import AnswerView, MiddlewareTimerView, MiddlewareTransactionView

COMMIT, ROLLBACK = "Commit", "Rollback"


class AwaitedAnswer:
    """One row of the answer table: the last request to a node, and the node's answer."""

    __slots__ = ("answer", "asked", "asked_at", "at", "tries")

    def __init__(self, asked: str, now: int) -> None:
        self.asked = asked
        self.asked_at = now
        self.answer: str | None = None
        self.at: int | None = None
        self.tries = 0

    @property
    def done(self) -> bool:
        return self.answer == (CommitOk.api if self.asked == COMMIT else RollbackOk.api)

    def view(self) -> AnswerView:
        return {
            "asked": self.asked,
            "asked_at": self.asked_at,
            "answer": self.answer,
            "at": self.at,
            "tries": self.tries,
        }


class Transaction:
    """One transaction. ``answers``: dict of node → the last request that it got and its answer. ``records``:
    dict of participant → the middleware's record of it."""

    def __init__(self, tid: int, nodes: Iterable[str], source: str) -> None:
        self.tid = tid
        self.path = ("middleware", "transactions", str(tid))
        self.state = states.STARTED
        self.initiator = source
        self.message_id: str | None = None
        self.message = "none"
        """The state of the transaction's message: ``none``, ``prepared`` (stored, not delivered),
        ``delivered`` or ``withdrawn`` (MW-14)."""
        self.decision: str | None = None
        self.records: dict[str, str] = dict.fromkeys(nodes, participants.IDLE)
        self.answers: dict[str, AwaitedAnswer] = {}
        self.acknowledged_prepare = False
        self.checks = 0
        self.tries = 0
        """How often the compensation strategy has acted."""
        self.by = "decision"
        self.named: tuple[str, ...] = ()
        """The nodes that an operator named in a call ``roll_back``."""
        self.timer: tuple[str, int, int] | None = None
        """The only timer of the current state: (event, start, end), in virtual ms."""
        self.committed_since: int | None = None
        self.committed_until: int | None = None
        """From ``committed_since`` until ``committed_until``, in virtual ms, the middleware knows that
        participants may differ: from the first CommitOk until the last one, or until everything was undone
        (MW-14). None: not yet."""
        self.forgotten = False

    def view(self) -> MiddlewareTransactionView | None:
        if self.forgotten:
            return None
        timer: MiddlewareTimerView | None = None
        if self.timer is not None:
            timer = {"kind": self.timer[0], "since": self.timer[1], "until": self.timer[2]}
        return {
            "state": self.state,
            "message_id": self.message_id,
            "message": self.message,
            "decision": self.decision,
            "votes": dict(self.records),
            "answers": {name: row.view() for name, row in self.answers.items()},
            "checks": self.checks,
            "tries": self.tries,
            "named": list(self.named),
            "timer": timer,
            "window": {"since": self.committed_since, "until": self.committed_until},
        }

    # -- hearing ---------------------------------------------------------------------------------------

    def hear(self, node: str, on: str) -> bool:
        """Record an event of a participant: a vote, an answer, or the end of the time for it. Returns False
        if the record has no row for the event, or the node is no participant."""
        known = self.records.get(node)
        if known is None or not participants.RECORD.candidates(known, on):
            return False
        target = participants.RECORD.take(known, on, None).target
        if target is not None:
            self.records[node] = target
        return True

    def in_state(self, *wanted: str) -> list[str]:
        """The participants whose record is in one of these states."""
        return [name for name, state in self.records.items() if state in wanted]

    def ask(self, node: str, what: str, now: int) -> None:
        """Count a request that is sent to the node now. A repeated request keeps the time of the first one."""
        self.expect(node, what, now).tries += 1

    def expect(self, node: str, what: str, now: int) -> AwaitedAnswer:
        """The node's row of the answer table. A request of another kind (Commit or Rollback) makes a new row."""
        row = self.answers.get(node)
        if row is None or row.asked != what:
            row = self.answers[node] = AwaitedAnswer(what, now)
        return row

    @property
    def unanswered(self) -> list[str]:
        return [name for name, row in self.answers.items() if row.answer is None]

    @property
    def not_done(self) -> list[str]:
        return [name for name, row in self.answers.items() if not row.done]

    # -- the context of the guards ---------------------------------------------------------------------

    def situation_of_vote(self, ok: bool) -> states.Situation:
        """The values for the guards after a vote arrived, or after the time for votes has ended."""
        return states.Situation(
            ok=ok,
            any_prepared=bool(self.in_state(participants.PREPARED)),
            votes_missing=bool(self.in_state(participants.IDLE)),
        )

    def situation_of_answers(self) -> states.Situation:
        """The values for the guards after an answer arrived."""
        asked = {row.asked for row in self.answers.values()}
        done = bool(asked) and not self.not_done
        return states.Situation(
            committed=done and asked == {COMMIT},
            undone=done and asked != {COMMIT},
            all_heard=self.state == states.COMPENSATING and bool(asked) and not self.unanswered,
        )
