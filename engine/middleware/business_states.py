"""The state machines of the business system and of the transaction manager in one transaction (MW-6, MW-9,
MW-11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.machine import Machine, Row

IDLE, WAIT_ACK, LOCAL_RUN = "IDLE", "WAIT_ACK", "LOCAL_RUN"
LOCAL_OK, LOCAL_FAILED = "LOCAL_OK", "LOCAL_FAILED"
WAIT_CONFIRM_ACK, DONE = "WAIT_CONFIRM_ACK", "DONE"
_STATES = (IDLE, WAIT_ACK, LOCAL_RUN, LOCAL_OK, LOCAL_FAILED, WAIT_CONFIRM_ACK, DONE)

BEGIN, PREPARE_ACK, PREPARE_FAIL = "begin", "prepare_ack", "prepare_fail"
LOCAL_ENDS, CONFIRM_DUE, CONFIRM_ACK = "local_transaction_ends", "confirm_due", "confirm_ack"
CHECK, ROLL_BACK, CRASH = "check", "roll_back", "crash"
SUCCEEDS, UNTRACEABLE, FAILS = "succeeds", "succeeds_without_message_id", "fails"
ENDS_ALIKE, ENDS_OTHERWISE = "ends_alike", "ends_otherwise"


class Situation(NamedTuple):
    """The values that the guards read: whether the local transaction can succeed, whether its message id is
    stored with it, and whether the whole transaction ends with the outcome of the local one
    (``ends_alike``)."""

    succeeds: bool
    stores_id: bool
    ends_alike: bool = False


def _succeeds(situation: Situation) -> bool:
    return situation.succeeds and situation.stores_id


def _untraceable(situation: Situation) -> bool:
    return situation.succeeds and not situation.stores_id


def _fails(situation: Situation) -> bool:
    return not situation.succeeds


def _ends_alike(situation: Situation) -> bool:
    return situation.ends_alike


def _ends_otherwise(situation: Situation) -> bool:
    return not situation.ends_alike


GUARDS: dict[str, Callable[[Situation], bool]] = {
    SUCCEEDS: _succeeds,
    UNTRACEABLE: _untraceable,
    FAILS: _fails,
    ENDS_ALIKE: _ends_alike,
    ENDS_OTHERWISE: _ends_otherwise,
}


def _move(
    source: str, on: str, target: str, why: str, spec: str, when: str = "", *effects: str, reply: str = ""
) -> Row:
    return Row(
        source=source,
        on=on,
        when=when,
        target=target,
        reply=reply,
        why=why,
        spec=spec,
        effects=effects,
    )


def _moves() -> list[Row]:
    rows = [
        _move(IDLE, BEGIN, WAIT_ACK, "asks_to_prepare", "MW-4", "", "send_prepare"),
        _move(WAIT_ACK, PREPARE_ACK, LOCAL_RUN, "runs_local", "MW-6", "", "run_local"),
        _move(WAIT_ACK, PREPARE_FAIL, DONE, "gives_up", "MW-5"),
        _move(
            LOCAL_RUN,
            LOCAL_ENDS,
            LOCAL_OK,
            "local_committed",
            "MW-6",
            SUCCEEDS,
            "commit_local",
            "await_confirm",
        ),
        _move(
            LOCAL_RUN,
            LOCAL_ENDS,
            LOCAL_OK,
            "local_committed_untraceably",
            "MW-13",
            UNTRACEABLE,
            "commit_local",
            "await_confirm",
        ),
        _move(
            LOCAL_RUN, LOCAL_ENDS, LOCAL_FAILED, "local_failed", "MW-6", FAILS, "fail_local", "await_confirm"
        ),
        _move(LOCAL_OK, CONFIRM_DUE, WAIT_CONFIRM_ACK, "confirms", "MW-6", "", "send_confirm"),
        _move(LOCAL_FAILED, CONFIRM_DUE, WAIT_CONFIRM_ACK, "confirms", "MW-6", "", "send_confirm"),
        _move(WAIT_ACK, CRASH, IDLE, "forgets", "MW-16"),
        _move(LOCAL_RUN, CRASH, IDLE, "forgets", "MW-16"),
    ]
    rows += [
        _move(source, CONFIRM_ACK, DONE, "ends_before_its_result", "MW-13", "", "end")
        for source in (IDLE, WAIT_ACK, LOCAL_RUN)
    ]
    for source in (LOCAL_OK, LOCAL_FAILED, WAIT_CONFIRM_ACK):
        rows += [
            _move(source, CONFIRM_ACK, DONE, "ends_alike", "MW-8", ENDS_ALIKE, "end"),
            _move(source, CONFIRM_ACK, DONE, "ends_otherwise", "MW-13", ENDS_OTHERWISE, "end"),
        ]
    rows += [
        _move(state, CHECK, state, "looks_up", "MW-13", "", "look_up", reply="CheckReply")
        for state in _STATES
    ]
    rows += [
        _move(state, ROLL_BACK, state, "undoes_local", "MW-12", "", "undo_local", reply="RollbackOk")
        for state in (LOCAL_OK, LOCAL_FAILED, WAIT_CONFIRM_ACK, DONE)
    ]
    return rows


_REFUSALS = {
    BEGIN: ("begun_already", "MW-4"),
    PREPARE_ACK: ("ack_not_expected", "MW-6"),
    PREPARE_FAIL: ("fail_not_expected", "MW-5"),
    CONFIRM_ACK: ("confirm_ack_repeated", "MW-8"),
    ROLL_BACK: ("no_local_result", "MW-12"),
}


def _with_refusals(moves: list[Row]) -> list[Row]:
    settled = {(row.source, row.on) for row in moves}
    return moves + [
        Row(source=state, on=on, target=None, reply="NOT_EXPECTED", why=why, spec=spec)
        for on, (why, spec) in _REFUSALS.items()
        for state in _STATES
        if (state, on) not in settled
    ]


BUSINESS: Machine[Situation] = Machine(
    "business_transaction",
    IDLE,
    _with_refusals(_moves()),
    guards=GUARDS,
    effects=(
        *("send_prepare", "run_local", "commit_local", "fail_local", "await_confirm"),
        *("send_confirm", "end", "look_up", "undo_local"),
    ),
    terminal=(DONE,),
)

CANCELLING, CANCELLED = "CANCELLING", "CANCELLED"
CANCEL, NODE_ANSWERS, RESEND = "cancel", "node_answers", "resend_due"
LAST_ONE, MORE_MISSING = "last_one", "more_missing"


class Cancelling(NamedTuple):
    """The values that the guards of a cancellation read."""

    answers_missing: bool


def _last_one(cancelling: Cancelling) -> bool:
    return not cancelling.answers_missing


def _more_missing(cancelling: Cancelling) -> bool:
    return cancelling.answers_missing


def _manages(source: str, on: str, target: str | None, why: str, when: str = "", *effects: str) -> Row:
    return Row(
        source=source,
        on=on,
        when=when,
        target=target,
        reply="" if target else "NOT_EXPECTED",
        why=why,
        spec="MW-11",
        effects=effects,
    )


MANAGER: Machine[Cancelling] = Machine(
    "transaction_manager",
    IDLE,
    [
        _manages(IDLE, CANCEL, CANCELLING, "cancels", "", "ask_nodes"),
        _manages(CANCELLING, CANCEL, None, "cancels_already"),
        _manages(CANCELLED, CANCEL, CANCELLED, "cancelled_already", "", "report"),
        _manages(CANCELLING, NODE_ANSWERS, CANCELLING, "answer_counted", MORE_MISSING),
        _manages(CANCELLING, NODE_ANSWERS, CANCELLED, "all_answered", LAST_ONE, "report"),
        _manages(CANCELLED, NODE_ANSWERS, None, "answer_not_expected"),
        _manages(CANCELLING, RESEND, CANCELLING, "asks_again", "", "ask_nodes"),
    ],
    guards={LAST_ONE: _last_one, MORE_MISSING: _more_missing},
    effects=("ask_nodes", "report"),
    terminal=(CANCELLED,),
)
"""Strategy 4: one manager calls cancel at every node of a transaction. These are the manager's states in one
transaction."""
