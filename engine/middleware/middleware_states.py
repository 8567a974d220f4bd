"""The state machine of a transaction at the middleware (MW-3 to MW-13).

An event is a timer or a kind of message (``vote``, ``answer``). A message that a state does not expect is
refused, because delayed and repeated messages may come at any time. A timer has rows only in the states in
which it can run. AWAIT_CONFIRM and CHECKING both wait for the business system's result; only CHECKING also
expects the reply to a back-check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.machine import Machine, Row

STARTED, PREPARING, AWAIT_CONFIRM, CHECKING = "STARTED", "PREPARING", "AWAIT_CONFIRM", "CHECKING"
COMMITTING, ROLLING_BACK, COMPENSATING = "COMMITTING", "ROLLING_BACK", "COMPENSATING"
COMMITTED, ROLLED_BACK = "COMMITTED", "ROLLED_BACK"
COMPENSATED, MANUAL = "COMPENSATED", "MANUAL"
RESTING = (COMMITTED, ROLLED_BACK, COMPENSATED, MANUAL)

PREPARE, VOTE, CONFIRM, ANSWER = "prepare", "vote", "confirm", "answer"
CHECK_REPLY, CANCELLED, OPERATOR = "check_reply", "cancelled", "operator"
PREPARE_TIMEOUT, ANSWER_TIMEOUT = "prepare_timeout", "answer_timeout"
CHECK_DUE, COMPENSATION_DUE = "check_due", "compensation_due"

ALL_OK, SOME_MISSING, OK_AFTER_END = "all_voted_ok", "votes_missing", "voted_ok"
REFUSED_SOME_OK, REFUSED_NO_OK = "refused_some_voted_ok", "refused_nobody_voted_ok"
SOME_OK, NO_OK = "some_voted_ok", "nobody_voted_ok"
REFUSED_LATE = "refused"
SUCCEEDED, FAILED, UNKNOWN = "succeeded", "failed", "unknown"
ALL_COMMITTED, ALL_UNDONE = "all_committed", "all_undone"
HEARD_SOME_LEFT, ANSWERS_MISSING = "all_heard_some_left", "answers_missing"
CHECKS_LEFT, CHECKS_USED_UP = "checks_left", "checks_used_up"
GOES_ON, GIVEN_UP, NAMED = "goes_on", "given_up", "operator_has_named"


class Situation(NamedTuple):
    """The values that the guards read. An event sets the fields that its guards read."""

    ok: bool = False
    """Whether the vote is ok."""
    any_prepared: bool = False
    votes_missing: bool = False
    succeeded: bool | None = None
    """Whether the local transaction succeeded; None: the business system does not know."""
    committed: bool = False
    """Whether Commit was sent and every node has answered CommitOk."""
    undone: bool = False
    """Whether Rollback was sent and every node has answered RollbackOk."""
    all_heard: bool = False
    """Whether every node has answered the compensation; a refusal is an answer, too."""
    checks_left: bool = False
    named: bool = False
    given_up: bool = False


Guard = Callable[[Situation], bool]


def _all_ok(situation: Situation) -> bool:
    return situation.ok and not situation.votes_missing


def _some_missing(situation: Situation) -> bool:
    return situation.ok and situation.votes_missing


def _ok(situation: Situation) -> bool:
    return situation.ok


def _refused_late(situation: Situation) -> bool:
    return not situation.ok


def _refused_some_ok(situation: Situation) -> bool:
    return not situation.ok and situation.any_prepared


def _refused_no_ok(situation: Situation) -> bool:
    return not situation.ok and not situation.any_prepared


def _some_ok(situation: Situation) -> bool:
    return situation.any_prepared


def _no_ok(situation: Situation) -> bool:
    return not situation.any_prepared


def _succeeded(situation: Situation) -> bool:
    return situation.succeeded is True


def _failed(situation: Situation) -> bool:
    return situation.succeeded is False


def _unknown(situation: Situation) -> bool:
    return situation.succeeded is None


def _all_committed(situation: Situation) -> bool:
    return situation.committed


def _all_undone(situation: Situation) -> bool:
    return situation.undone and not situation.committed


def _not_done(situation: Situation) -> bool:
    return not (situation.committed or situation.undone)


def _heard_some_left(situation: Situation) -> bool:
    return _not_done(situation) and situation.all_heard


def _answers_missing(situation: Situation) -> bool:
    return _not_done(situation) and not situation.all_heard


def _checks_left(situation: Situation) -> bool:
    return situation.checks_left


def _checks_used_up(situation: Situation) -> bool:
    return not situation.checks_left


def _named(situation: Situation) -> bool:
    return situation.named


def _goes_on(situation: Situation) -> bool:
    return not situation.named and not situation.given_up


def _given_up(situation: Situation) -> bool:
    return not situation.named and situation.given_up


GUARDS: dict[str, Guard] = {
    ALL_OK: _all_ok,
    SOME_MISSING: _some_missing,
    OK_AFTER_END: _ok,
    REFUSED_LATE: _refused_late,
    REFUSED_SOME_OK: _refused_some_ok,
    REFUSED_NO_OK: _refused_no_ok,
    SOME_OK: _some_ok,
    NO_OK: _no_ok,
    SUCCEEDED: _succeeded,
    FAILED: _failed,
    UNKNOWN: _unknown,
    ALL_COMMITTED: _all_committed,
    ALL_UNDONE: _all_undone,
    HEARD_SOME_LEFT: _heard_some_left,
    ANSWERS_MISSING: _answers_missing,
    CHECKS_LEFT: _checks_left,
    CHECKS_USED_UP: _checks_used_up,
    GOES_ON: _goes_on,
    GIVEN_UP: _given_up,
    NAMED: _named,
}


def _move(source: str, on: str, target: str, why: str, spec: str, when: str = "", *effects: str) -> Row:
    return Row(
        source=source,
        on=on,
        when=when,
        target=target,
        why=why,
        spec=spec,
        effects=effects,
    )


_PREPARE = (
    _move(STARTED, PREPARE, PREPARING, "asks_participants", "MW-4", "", "store_message", "ask_participants"),
    _move(PREPARING, VOTE, PREPARING, "vote_counted", "MW-4", SOME_MISSING),
    _move(PREPARING, VOTE, AWAIT_CONFIRM, "all_voted_ok", "MW-5", ALL_OK, "tell_ack"),
    _move(PREPARING, VOTE, ROLLING_BACK, "refused", "MW-5", REFUSED_SOME_OK, "tell_fail", "roll_back_voters"),
    _move(PREPARING, VOTE, ROLLED_BACK, "refused_by_all", "MW-5", REFUSED_NO_OK, "tell_fail"),
    _move(
        PREPARING,
        PREPARE_TIMEOUT,
        ROLLING_BACK,
        "votes_missing",
        "MW-5",
        SOME_OK,
        "tell_fail",
        "roll_back_voters",
        "roll_back_silent",
    ),
    _move(
        PREPARING,
        PREPARE_TIMEOUT,
        ROLLED_BACK,
        "no_votes",
        "MW-5",
        NO_OK,
        "tell_fail",
        "roll_back_silent",
    ),
    _move(ROLLING_BACK, VOTE, ROLLING_BACK, "late_vote", "CTR-39", OK_AFTER_END, "roll_back_late_voter"),
    _move(ROLLED_BACK, VOTE, ROLLED_BACK, "late_vote", "CTR-39", OK_AFTER_END, "roll_back_late_voter"),
    _move(ROLLING_BACK, VOTE, ROLLING_BACK, "late_refusal", "MW-5", REFUSED_LATE),
    _move(ROLLED_BACK, VOTE, ROLLED_BACK, "late_refusal", "MW-5", REFUSED_LATE),
)


def _decisions() -> list[Row]:
    rows = []
    for source in (AWAIT_CONFIRM, CHECKING):
        rows += [
            _move(source, CONFIRM, COMMITTING, "decides_commit", "MW-7", SUCCEEDED, "send_commits"),
            _move(source, CONFIRM, ROLLING_BACK, "decides_rollback", "MW-7", FAILED, "send_rollbacks"),
            _move(source, CHECK_DUE, CHECKING, "asks_source", "MW-13", CHECKS_LEFT, "ask_source"),
            _move(
                source, CHECK_DUE, ROLLING_BACK, "checks_used_up", "MW-13", CHECKS_USED_UP, "send_rollbacks"
            ),
        ]
    rows += [
        _move(CHECKING, CHECK_REPLY, COMMITTING, "source_committed", "MW-13", SUCCEEDED, "send_commits"),
        _move(CHECKING, CHECK_REPLY, ROLLING_BACK, "source_rolled_back", "MW-13", FAILED, "send_rollbacks"),
        _move(CHECKING, CHECK_REPLY, AWAIT_CONFIRM, "source_unknown", "MW-13", UNKNOWN),
    ]
    return rows


_ENDS = (
    _move(COMMITTING, ANSWER, COMMITTED, "all_committed", "MW-8", ALL_COMMITTED, "acknowledge"),
    _move(COMMITTING, ANSWER, COMMITTING, "answer_counted", "MW-7", ANSWERS_MISSING),
    _move(ROLLING_BACK, ANSWER, ROLLED_BACK, "all_rolled_back", "MW-8", ALL_UNDONE, "acknowledge"),
    _move(ROLLING_BACK, ANSWER, ROLLING_BACK, "answer_counted", "MW-7", ANSWERS_MISSING),
    _move(COMMITTING, ANSWER_TIMEOUT, COMPENSATING, "answers_missing", "MW-10", "", "mark_silent"),
    _move(ROLLING_BACK, ANSWER_TIMEOUT, COMPENSATING, "answers_missing", "MW-10", "", "mark_silent"),
    _move(COMPENSATING, COMPENSATION_DUE, COMPENSATING, "compensation_acts", "MW-11", GOES_ON, "act"),
    _move(COMPENSATING, COMPENSATION_DUE, MANUAL, "needs_a_person", "MW-11", GIVEN_UP),
    _move(COMPENSATING, COMPENSATION_DUE, COMPENSATING, "asks_named_again", "MW-11", NAMED, "act"),
    _move(COMPENSATING, ANSWER, COMMITTED, "finished_forward", "MW-12", ALL_COMMITTED, "acknowledge"),
    _move(COMPENSATING, ANSWER, COMPENSATED, "everything_undone", "MW-12", ALL_UNDONE, "acknowledge"),
    _move(COMPENSATING, ANSWER, MANUAL, "cannot_all_be_undone", "MW-12", HEARD_SOME_LEFT),
    _move(COMPENSATING, ANSWER, COMPENSATING, "answer_counted", "MW-12", ANSWERS_MISSING, "ask_next"),
    _move(COMPENSATING, CANCELLED, COMPENSATED, "manager_cancelled", "MW-11", ALL_UNDONE, "acknowledge"),
    _move(COMPENSATING, CANCELLED, MANUAL, "cannot_all_be_undone", "MW-11", HEARD_SOME_LEFT),
    _move(MANUAL, OPERATOR, COMPENSATING, "operator_names", "MW-11", "", "undo_named"),
)
_STATES = (
    STARTED,
    PREPARING,
    AWAIT_CONFIRM,
    CHECKING,
    COMMITTING,
    ROLLING_BACK,
    COMPENSATING,
    *RESTING,
)
_REFUSALS = {
    PREPARE: ("prepare_repeated", "MW-4"),
    VOTE: ("vote_not_expected", "MW-4"),
    CONFIRM: ("confirm_not_expected", "MW-7"),
    ANSWER: ("answer_not_expected", "MW-10"),
    CHECK_REPLY: ("check_reply_not_expected", "MW-13"),
    CANCELLED: ("cancelled_not_expected", "MW-11"),
    OPERATOR: ("operator_not_needed", "MW-11"),
}


def _refused(moves: tuple[Row, ...]) -> list[Row]:
    settled = {(row.source, row.on) for row in moves}
    return [
        Row(
            source=state,
            on=on,
            target=None,
            reply="NOT_EXPECTED",
            why=why,
            spec=spec,
        )
        for on, (why, spec) in _REFUSALS.items()
        for state in _STATES
        if (state, on) not in settled
    ]


_MOVES = (*_PREPARE, *_decisions(), *_ENDS)

MIDDLEWARE: Machine[Situation] = Machine(
    "middleware_transaction",
    STARTED,
    (*_MOVES, *_refused(_MOVES)),
    guards=GUARDS,
    effects=(
        *("store_message", "ask_participants", "tell_ack", "tell_fail"),
        *("roll_back_voters", "roll_back_silent", "roll_back_late_voter"),
        *("send_commits", "send_rollbacks", "ask_source"),
        *("mark_silent", "act", "ask_next", "undo_named", "acknowledge"),
    ),
    terminal=(COMMITTED, ROLLED_BACK, COMPENSATED),
)
