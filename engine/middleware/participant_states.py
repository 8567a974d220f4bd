"""The state machines of a participant: its own state, and the middleware's record of it (MW-4, MW-9, MW-10).

A participant stores its own state with its data. The middleware's record depends only on the answers that
arrived, so it has one more state: UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.machine import Machine, Row

IDLE, PREPARED, REFUSED = "IDLE", "PREPARED", "REFUSED"
COMMITTED, ROLLED_BACK, UNKNOWN = "COMMITTED", "ROLLED_BACK", "UNKNOWN"

PREPARE, COMMIT, ROLL_BACK = "prepare", "commit", "roll_back"
CAN_RESERVE, CANNOT_RESERVE = "can_reserve", "cannot_reserve"
HANDLES_ONCE, HANDLES_AGAIN = "handles_once", "handles_again"
CAN_UNDO, CANNOT_UNDO = "can_undo", "cannot_undo"

PREPARE_OK, PREPARE_FAIL = "PrepareOk", "PrepareFail"
COMMIT_OK, COMMIT_FAIL = "CommitOk", "CommitFail"
ROLLBACK_OK, ROLLBACK_FAIL = "RollbackOk", "RollbackFail"


class Situation(NamedTuple):
    """The values that the guards read. ``handles_once``: whether the handler records which transactions it
    has handled."""

    handles_once: bool
    can_reserve: bool = False
    can_undo: bool = False


def _can_reserve(situation: Situation) -> bool:
    return situation.can_reserve


def _cannot_reserve(situation: Situation) -> bool:
    return not situation.can_reserve


def _handles_once(situation: Situation) -> bool:
    return situation.handles_once


def _handles_again(situation: Situation) -> bool:
    return not situation.handles_once


def _can_undo(situation: Situation) -> bool:
    return situation.can_undo


def _cannot_undo(situation: Situation) -> bool:
    return not situation.can_undo


GUARDS: dict[str, Callable[[Situation], bool]] = {
    CAN_RESERVE: _can_reserve,
    CANNOT_RESERVE: _cannot_reserve,
    HANDLES_ONCE: _handles_once,
    HANDLES_AGAIN: _handles_again,
    CAN_UNDO: _can_undo,
    CANNOT_UNDO: _cannot_undo,
}


def _row(
    source: str,
    on: str,
    target: str | None,
    reply: str,
    why: str,
    spec: str,
    when: str = "",
    effect: str = "",
) -> Row:
    return Row(
        source=source,
        on=on,
        when=when,
        target=target,
        reply=reply,
        effects=(effect,) if effect else (),
        why=why,
        spec=spec,
    )


PARTICIPANT: Machine[Situation] = Machine(
    "participant",
    IDLE,
    [
        _row(IDLE, PREPARE, PREPARED, PREPARE_OK, "reserves", "MW-4", CAN_RESERVE, "reserve"),
        _row(IDLE, PREPARE, REFUSED, PREPARE_FAIL, "cannot", "MW-4", CANNOT_RESERVE),
        _row(PREPARED, PREPARE, PREPARED, PREPARE_OK, "reserved_already", "MW-10"),
        _row(REFUSED, PREPARE, None, PREPARE_FAIL, "refused_already", "MW-10"),
        _row(COMMITTED, PREPARE, None, PREPARE_FAIL, "prepare_too_late", "MW-10"),
        _row(ROLLED_BACK, PREPARE, None, PREPARE_FAIL, "prepare_too_late", "MW-10"),
        _row(PREPARED, COMMIT, COMMITTED, COMMIT_OK, "commits", "MW-7", "", "apply"),
        _row(COMMITTED, COMMIT, COMMITTED, COMMIT_OK, "committed_already", "MW-10", HANDLES_ONCE),
        _row(COMMITTED, COMMIT, COMMITTED, COMMIT_OK, "commits_again", "MW-10", HANDLES_AGAIN, "apply"),
        _row(IDLE, COMMIT, None, COMMIT_FAIL, "nothing_to_commit", "MW-7"),
        _row(REFUSED, COMMIT, None, COMMIT_FAIL, "nothing_to_commit", "MW-7"),
        _row(ROLLED_BACK, COMMIT, None, COMMIT_FAIL, "nothing_to_commit", "MW-10"),
        _row(PREPARED, ROLL_BACK, ROLLED_BACK, ROLLBACK_OK, "releases", "MW-7", "", "release"),
        _row(COMMITTED, ROLL_BACK, ROLLED_BACK, ROLLBACK_OK, "undoes", "MW-11", CAN_UNDO, "undo"),
        _row(COMMITTED, ROLL_BACK, None, ROLLBACK_FAIL, "cannot_undo", "MW-11", CANNOT_UNDO),
        _row(IDLE, ROLL_BACK, ROLLED_BACK, ROLLBACK_OK, "nothing_reserved", "MW-10"),
        _row(REFUSED, ROLL_BACK, REFUSED, ROLLBACK_OK, "nothing_reserved", "MW-10"),
        _row(ROLLED_BACK, ROLL_BACK, ROLLED_BACK, ROLLBACK_OK, "rolled_back_already", "MW-10", HANDLES_ONCE),
        _row(
            ROLLED_BACK,
            ROLL_BACK,
            ROLLED_BACK,
            ROLLBACK_OK,
            "undoes_again",
            "MW-10",
            HANDLES_AGAIN,
            "undo_again",
        ),
    ],
    guards=GUARDS,
    effects=("reserve", "apply", "release", "undo", "undo_again"),
)
"""The states of one participant in one transaction."""

VOTES_OK, REFUSES, SILENT = "votes_ok", "refuses", "silent"
COMMITS, ROLLS_BACK = "commits", "rolls_back"


def _heard(source: str, on: str, target: str, spec: str) -> Row:
    return Row(source=source, on=on, target=target, why=f"heard_{on}", spec=spec)


RECORD: Machine[None] = Machine(
    "participant_record",
    IDLE,
    [
        _heard(IDLE, VOTES_OK, PREPARED, "MW-4"),
        _heard(IDLE, REFUSES, REFUSED, "MW-5"),
        _heard(IDLE, SILENT, UNKNOWN, "MW-5"),
        _heard(UNKNOWN, VOTES_OK, PREPARED, "MW-9"),
        _heard(UNKNOWN, REFUSES, REFUSED, "MW-9"),
        _heard(PREPARED, SILENT, UNKNOWN, "MW-10"),
        _heard(PREPARED, COMMITS, COMMITTED, "MW-7"),
        _heard(PREPARED, ROLLS_BACK, ROLLED_BACK, "MW-7"),
        _heard(UNKNOWN, COMMITS, COMMITTED, "MW-10"),
        _heard(UNKNOWN, ROLLS_BACK, ROLLED_BACK, "MW-10"),
        _heard(COMMITTED, ROLLS_BACK, ROLLED_BACK, "MW-12"),
    ],
    terminal=(REFUSED, ROLLED_BACK),
)
"""The middleware's record of one participant. Answers without a row change nothing."""
