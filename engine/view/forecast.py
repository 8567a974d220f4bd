"""Says in one sentence what comes of the loss of a message: which time limit of the run ends the wait for it, and what
the waiting component does then.

The middleware's messages have one entry each (``_LIMITS``). Their sentences follow from the settings, and from the
middleware's transactions as the steps show them. They are true only if nothing else disturbs the run, so a run with
faults other than losses and crashes of single nodes has no such sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.middleware import compensation
from engine.middleware import middleware_states as states
from engine.middleware.business_states import WAIT_CONFIRM_ACK
from engine.middleware.configuration import BUSINESS, MANAGER, MIDDLEWARE, MiddlewareConfiguration
from engine.middleware.messages import (
    BY_API,
    Cancel,
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
)
from engine.middleware.participant_states import UNKNOWN
from engine.middleware.strategies import BACKWARD, STRATEGIES
from engine.middleware.transaction import COMMIT, ROLLBACK
from engine.shapes.plans import Words
from engine.view.although import words
from engine.view.openers import DROPPED

_ANSWERS = (states.ANSWER_TIMEOUT, states.COMPENSATION_DUE)
_ENDED_BY: tuple[tuple[tuple[type, ...], tuple[str, ...]], ...] = (
    ((Prepare, PrepareOk, PrepareFail), (states.PREPARE_TIMEOUT,)),
    ((PrepareAck, Confirm, Check, CheckReply), (states.CHECK_DUE,)),
    ((Commit, CommitOk, CommitFail, Rollback, RollbackOk, RollbackFail), _ANSWERS),
    ((Cancel, Cancelled), _ANSWERS),
)
_LIMITS = {kind: timers for kinds, timers in _ENDED_BY for kind in kinds}
"""Dict of message → the middleware's timers that end the wait for it. Without such a timer, nothing ends the wait."""
_ASKED_BY: dict[type, str] = {
    Commit: COMMIT,
    CommitOk: COMMIT,
    CommitFail: COMMIT,
    Rollback: ROLLBACK,
    RollbackOk: ROLLBACK,
    RollbackFail: ROLLBACK,
}
"""Dict of message → the request that it belongs to."""
_REQUESTS = (Commit, Rollback)
_OF_A_NODE = ("fault.crashed", "fault.restarted")


class Forecasts:
    """Follows the middleware's transactions: pass its first view, then the changes of the run's steps, as JSON.
    ``settings``: the settings of the middleware, or None if they are not known; then there are no sentences about its
    messages."""

    def __init__(self, view: Mapping[str, Any], settings: MiddlewareConfiguration | None) -> None:
        self._settings = settings
        self._said: dict[int, Words] = {}
        self._is_disturbed = False
        self._shown: dict[str, Any] = {}
        for name, part in (view.get("middleware") or {}).items():
            self._put([name], part)

    def take(self, step: Mapping[str, Any]) -> None:
        if step["kind"] == "fault" and step["key"] not in DROPPED:
            self._is_disturbed |= step["key"] not in _OF_A_NODE or step["actor"] == MIDDLEWARE
        for change in step["changes"]:
            if change["path"][0] == "middleware":
                self._put(change["path"][1:], change.get("after"))

    def _put(self, path: list[str], value: Any) -> None:
        """Note the value at a path. The tables on the path are copied, because they belong to the run's view."""
        place = self._shown
        for name in path[:-1]:
            place[name] = dict(place.get(name) or {})
            place = place[name]
        place[path[-1]] = value

    def note(self, message: Mapping[str, Any]) -> None:
        """Keep the sentence about the loss of a message that the newest step sends, if there is such a sentence."""
        if (said := self._sentence(message)) is not None:
            self._said[message["id"]] = said

    def of(self, message: int, api: str) -> Words | None:
        """The sentence about the loss of a message; ask for it at the end of the run. None if it is not known, if the
        message no longer had an effect when it was sent, or if it is one of the middleware's and another fault
        disturbed the run."""
        return None if self._is_disturbed and api in BY_API else self._said.get(message)

    def _sentence(self, message: Mapping[str, Any]) -> Words | None:
        kind = BY_API.get(message["api"])
        if kind is None:
            if message["is_response"]:
                return words("loss.response", to=message["to"])
            return words("loss.request", source=message["from"], to=message["to"])
        if self._settings is None:
            return None
        return self._of_middleware(kind, message, self._settings)

    def _of_middleware(
        self, kind: type, message: Mapping[str, Any], settings: MiddlewareConfiguration
    ) -> Words | None:
        tid = str((message.get("fields") or {}).get("tid"))
        if MANAGER in (message["from"], message["to"]) and kind in _ASKED_BY:
            due = self._transactions(MANAGER).get(tid, {}).get("due")
            return None if due is None else words("loss.manager_again", until=due)
        if kind is Cancel and tid in self._transactions(MANAGER):
            return None  # The manager already works on the transaction.
        if kind is ConfirmAck and self._transactions(BUSINESS).get(tid, {}).get("state") != WAIT_CONFIRM_ACK:
            return None  # The business system is done, or gets another ConfirmAck after its Confirm.
        transaction = self._shown.get("transactions", {}).get(tid) or {}
        timer = transaction.get("timer")
        if kind in _ASKED_BY:
            node = message["to"] if message["from"] == MIDDLEWARE else message["from"]
            row = (transaction.get("answers") or {}).get(node)
            is_awaited = row is not None and row["asked"] == _ASKED_BY[kind] and row["answer"] is None
            if not is_awaited:
                # If the node's vote still comes, a further Rollback answers it.
                may_vote = (transaction.get("votes") or {}).get(node) == UNKNOWN
                return words("loss.not_repeated") if kind in _REQUESTS and not may_vote else None
        if timer is None or timer["kind"] not in _LIMITS.get(kind, ()):
            return words("loss.not_repeated")
        until = timer["until"]
        if timer["kind"] == states.PREPARE_TIMEOUT:
            return words("loss.votes", until=until)
        if timer["kind"] == states.CHECK_DUE:
            return self._without_result(kind, tid, transaction, until, settings)
        return _without_answer(kind, transaction, until, settings)

    def _without_result(
        self,
        kind: type,
        tid: str,
        transaction: Mapping[str, Any],
        until: int,
        settings: MiddlewareConfiguration,
    ) -> Words:
        left = settings.max_checks - transaction["checks"]
        if left <= 0:
            return words("loss.checks_used_up", until=until)
        if kind is PrepareAck:
            return words("loss.asks_in_vain", until=until, business=BUSINESS, checks=left)
        again = "_again" if kind in (Check, CheckReply) else ""
        return words(f"loss.asks{again}", until=until, business=BUSINESS)

    def _transactions(self, role: str) -> Mapping[str, Any]:
        return (self._shown.get(role) or {}).get("transactions") or {}


def _without_answer(
    kind: type, transaction: Mapping[str, Any], until: int, settings: MiddlewareConfiguration
) -> Words:
    strategy = STRATEGIES[settings.strategy]
    if not transaction["named"] and compensation.gives_up(strategy, settings, transaction["tries"]):
        return words("loss.operator", until=until)
    is_first = transaction["state"] != states.COMPENSATING
    asked = _ASKED_BY.get(kind, Cancel.api)
    if (
        is_first
        and strategy.direction == BACKWARD
        and (asked == COMMIT or strategy.name == compensation.CANCEL)
    ):
        return words("loss.undone", until=until)
    return words("loss.sent_again", until=until, api=asked)
