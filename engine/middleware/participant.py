"""A participant: for each tid it reserves, commits, releases and undoes an operation in its own database
(MW-4, MW-7, MW-10).

A crash does not lose its data. So an operation that was committed stays committed, even if the answer was
lost.
"""

from __future__ import annotations

from typing import Any

from engine.events import WorkApplied, WorkReleased, WorkReserved, WorkUndone
from engine.happenings.middleware import ParticipantMoved, ReservationKept
from engine.messages import Effects, Envelope
from engine.middleware import participant_states as states
from engine.middleware.configuration import ParticipantConfiguration
from engine.middleware.messages import (
    Commit,
    CommitFail,
    CommitOk,
    Prepare,
    PrepareFail,
    PrepareOk,
    Rollback,
    RollbackFail,
    RollbackOk,
)
from engine.middleware.node import Node
from engine.shapes.middleware import CompensationView, ParticipantTransactionView, ParticipantView
from engine.switches import Switches
from engine.watching import Watch


class Branch:
    """One transaction at this participant. ``applied``: how often the operation was executed minus how often
    it was undone; below 0 if an undo was executed again."""

    __slots__ = ("applied", "operation", "state")

    def __init__(self) -> None:
        self.state = states.IDLE
        self.operation = 0
        self.applied = 0

    def view(self) -> ParticipantTransactionView:
        return {"state": self.state, "operation": self.operation, "applied": self.applied}


class Participant(Node):
    """One participant. ``value``: the stored number. A new reservation is checked against ``value`` minus all
    reservations that will lower it."""

    def __init__(self, configuration: ParticipantConfiguration, switches: Switches, watch: Watch) -> None:
        super().__init__(configuration.name, watch)
        self.configuration = configuration
        self.value = configuration.value
        self.branches: dict[int, Branch] = {}
        self.log: list[CompensationView] = []
        """Records from which committed operations can be undone, oldest first (strategy ``log_rollback``)."""
        self.path = ("middleware", "participants", configuration.name)
        self._handles_once = switches.idempotent_handlers

    def view(self) -> ParticipantView:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "value": self.value,
            "reserved": self.reserved,
            "can_roll_back": self.configuration.can_roll_back,
            "keeps_log": self.configuration.keeps_log,
            "transactions": {str(tid): branch.view() for tid, branch in self.branches.items()},
            "log": [record.copy() for record in self.log],
        }

    @property
    def reserved(self) -> int:
        """The sum of the amounts that prepared transactions will add."""
        return sum(branch.operation for branch in self.branches.values() if branch.state == states.PREPARED)

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body = envelope.body
        if isinstance(body, Prepare):
            self._prepare(envelope, body, now)
        elif isinstance(body, Commit):
            self._decide(envelope, body.tid, states.COMMIT, states.Situation(self._handles_once), now)
        elif isinstance(body, Rollback):
            self._roll_back(envelope, body, now)
        return self.effects()

    def restart(self, now: int) -> Effects:
        for tid, branch in self.branches.items():
            if branch.state == states.PREPARED:
                self.watch.emit(ReservationKept, self.name, tid)
        return super().restart(now)

    def _prepare(self, envelope: Envelope, request: Prepare, now: int) -> None:
        operation = request.operation or 0
        after = (
            self.value
            + operation
            + sum(
                branch.operation
                for branch in self.branches.values()
                if branch.state == states.PREPARED and branch.operation < 0
            )
        )
        branch = self.branches.setdefault(request.tid, Branch())
        if branch.state == states.IDLE:
            branch.operation = operation
        situation = states.Situation(self._handles_once, can_reserve=after >= 0)
        self._decide(envelope, request.tid, states.PREPARE, situation, now, after=after)

    def _roll_back(self, envelope: Envelope, request: Rollback, now: int) -> None:
        situation = states.Situation(self._handles_once, can_undo=self._can_undo(request))
        self._decide(envelope, request.tid, states.ROLL_BACK, situation, now, by=request.by)

    def _can_undo(self, request: Rollback) -> bool:
        if request.by == "log":
            return self._record(request.tid) is not None
        return self.configuration.can_roll_back or request.by == "operator"

    def _record(self, tid: int) -> CompensationView | None:
        """The newest compensation record of this transaction that was not undone, or None."""
        open_records = [record for record in self.log if record["tid"] == tid and not record["undone"]]
        return open_records[-1] if open_records else None

    def _decide(
        self,
        envelope: Envelope,
        tid: int,
        on: str,
        situation: states.Situation,
        now: int,
        *,
        by: str = "",
        after: int | None = None,
    ) -> None:
        branch = self.branches.setdefault(tid, Branch())
        row = states.PARTICIPANT.take(branch.state, on, situation)
        before = self.value
        for effect in _EFFECTS[row.number]:
            effect(self, tid, branch, now)
        answer = _ANSWERS[row.reply]
        if row.reply in _WITH_REASON:
            self.send(envelope.source, answer(tid=tid, reason=row.why), tid)
        else:
            self.send(envelope.source, answer(tid=tid), tid)
        self.watch.emit(
            ParticipantMoved,
            self.name,
            tid,
            envelope.source,
            branch.state,
            branch.operation,
            before,
            self.value,
            by,
            self.value if after is None else after,
            row,
        )
        branch.state = row.target or branch.state
        self.watch.touch(self)

    # -- effects ---------------------------------------------------------------------------------------

    def _reserve(self, tid: int, branch: Branch, now: int) -> None:
        self.watch.emit(WorkReserved, tid=tid, node=self.name)

    def _release(self, tid: int, branch: Branch, now: int) -> None:
        self.watch.emit(WorkReleased, tid=tid, node=self.name)

    def _apply(self, tid: int, branch: Branch, now: int) -> None:
        before = self.value
        self.value += branch.operation
        branch.applied += 1
        if self.configuration.keeps_log:
            self.log.append(
                {
                    "tid": tid,
                    "participant": self.name,
                    "operation": branch.operation,
                    "before": before,
                    "after": self.value,
                    "undone": False,
                }
            )
        self.watch.emit(WorkApplied, tid=tid, node=self.name, at=now)

    def _undo(self, tid: int, branch: Branch, now: int) -> None:
        for _ in range(branch.applied):
            self.value -= branch.operation
            record = self._record(tid)
            if record is not None:
                record["undone"] = True
            self.watch.emit(WorkUndone, tid=tid, node=self.name, at=now)
        branch.applied = 0

    def _undo_again(self, tid: int, branch: Branch, now: int) -> None:
        """Undo a second time, although nothing is left to undo, if there is a compensation record of this tid: the
        handler does not record which tids it has handled."""
        if any(record["tid"] == tid for record in self.log):
            self.value -= branch.operation
            branch.applied -= 1
            self.watch.emit(WorkUndone, tid=tid, node=self.name, at=now)


_ANSWERS: dict[str, Any] = {
    states.PREPARE_OK: PrepareOk,
    states.PREPARE_FAIL: PrepareFail,
    states.COMMIT_OK: CommitOk,
    states.COMMIT_FAIL: CommitFail,
    states.ROLLBACK_OK: RollbackOk,
    states.ROLLBACK_FAIL: RollbackFail,
}
_WITH_REASON = (states.PREPARE_FAIL, states.COMMIT_FAIL, states.ROLLBACK_FAIL)
_EFFECTS = states.PARTICIPANT.bind(
    {
        "reserve": Participant._reserve,
        "apply": Participant._apply,
        "release": Participant._release,
        "undo": Participant._undo,
        "undo_again": Participant._undo_again,
    }
)
