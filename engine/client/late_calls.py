"""The calls that an application may make after a call that timed out: two strategies. The version chooses one
(TXM-5).

Until 3.1.0 a repeated call waits for the result of the first call, while the client's state shows that its
operation still runs; other calls are checked as usual. Since 3.1.1 the application may only repeat the call,
until it has returned (KAFKA-13412).
"""

from __future__ import annotations

from typing import Protocol

from engine.client import client_states as states
from engine.client.control_requests import Result
from engine.client.thrown import ILLEGAL_STATE_EXCEPTION, CallThrows
from engine.happenings.codes import Compared
from engine.happenings.producer import Refusal


class Waiting(Protocol):
    """The part of a producer that holds the result of its newest init, commit or abort."""

    state: str
    pending_result: Result | None
    pending_call: str


class LateCalls(Protocol):
    """A strategy for calls after one that timed out. ``init_meets_errors``: whether ``initTransactions()``,
    too, throws in an error state."""

    @property
    def init_meets_errors(self) -> bool: ...

    def check_other(self, waiting: Waiting) -> None:
        """Check whether another call than the one that timed out may be made. Raises CallThrows if not."""
        ...

    def resumed(self, waiting: Waiting, on: str) -> Result | None:
        """The result that a repeated call waits for; None: the call starts a new operation. Raises CallThrows
        if another call has to be repeated first."""
        ...


class ByState:
    """The strategy until 3.1.0: the client's state shows whether the operation of the call that timed out
    still runs."""

    __slots__ = ()
    init_meets_errors = False

    def check_other(self, waiting: Waiting) -> None:
        return

    def resumed(self, waiting: Waiting, on: str) -> Result | None:
        result = waiting.pending_result
        if result is None or waiting.state not in states.RESUMED[on]:
            return None
        if result.completed:
            waiting.pending_result = None
        return result


class UntilReturned:
    """The strategy since 3.1.1: no other call is accepted until the call that timed out was repeated and has
    returned."""

    __slots__ = ()
    init_meets_errors = True

    def check_other(self, waiting: Waiting) -> None:
        if _unanswered(waiting) is None:
            return
        raise CallThrows(
            Refusal.CALL_UNANSWERED,
            "TXM-5",
            "ILLEGAL_STATE",
            ILLEGAL_STATE_EXCEPTION,
            ((Compared.STATE, waiting.state),),
        )

    def resumed(self, waiting: Waiting, on: str) -> Result | None:
        if waiting.pending_call != on:
            self.check_other(waiting)
            return None
        return _unanswered(waiting)


def _unanswered(waiting: Waiting) -> Result | None:
    """The result that has not been returned to the application yet, or None. Drops a result that has been
    returned."""
    result = waiting.pending_result
    if result is not None and result.acknowledged:
        waiting.pending_result = result = None
    return result


BY_STATE, UNTIL_RETURNED = ByState(), UntilReturned()
