"""The states of one offset that a transaction wants to commit for a group, as rows (OFS-3, OFS-4).

There is one instance for each (group, producer id, topic-partition). *Absent*: the producer's transaction has
no offset for the partition. *Staged*: the request arrived, and the append of the record has not ended.
*Appended*: the record is in the log, and the transaction's marker decides.

Offsets committed outside transactions have no marker and no machine, because the append decides. The state is
computed from the stored offset (``state_of``), so the effects of a row must lead to its target; a test checks
this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from engine.machine import Machine, Row

ABSENT, STAGED, APPENDED = "Absent", "Staged", "Appended"
REQUESTED, APPEND_OK, APPEND_FAILED = "requested", "append_succeeds", "append_fails"
COMMITTED, ABORTED = "commit_marker", "abort_marker"

SAME_OFFSET, REPLACED = "appended_offset_is_the_staged_one", "a_later_request_replaced_it"
NEWER, NOT_NEWER = "newer_than_the_visible_one", "the_visible_one_is_newer"

STAGE, PLACE, FORGET, SHOW = "stage", "place", "forget", "show"


class Placed(Protocol):
    """A pending offset. ``position``: the base offset of its batch in the log; None: the append has not
    ended."""

    @property
    def position(self) -> int | None: ...


def state_of(known: Placed | None) -> str:
    if known is None:
        return ABSENT
    return STAGED if known.position is None else APPENDED


class Situation(NamedTuple):
    """The values that the guards read. ``same``: whether the event's offset is the pending one. ``newer``:
    whether the pending offset's record comes after the visible one's in the log."""

    same: bool
    newer: bool


def _same_offset(situation: Situation) -> bool:
    return situation.same


def _replaced(situation: Situation) -> bool:
    return not situation.same


def _newer(situation: Situation) -> bool:
    return situation.newer


def _not_newer(situation: Situation) -> bool:
    return not situation.newer


GUARDS: dict[str, Callable[[Situation], bool]] = {
    SAME_OFFSET: _same_offset,
    REPLACED: _replaced,
    NEWER: _newer,
    NOT_NEWER: _not_newer,
}


def _requested() -> list[Row]:
    return [
        Row(
            source=source,
            on=REQUESTED,
            target=STAGED,
            effects=(STAGE,),
            why="offset_staged" if source == ABSENT else "offset_restaged",
            spec="OFS-3",
        )
        for source in (ABSENT, STAGED, APPENDED)
    ]


def _appended() -> list[Row]:
    rows = [
        Row(source=ABSENT, on=APPEND_OK, target=None, why="append_for_nobody", spec="OFS-3"),
    ]
    for source in (STAGED, APPENDED):
        rows += [
            Row(
                source=source,
                on=APPEND_OK,
                when=SAME_OFFSET,
                target=APPENDED,
                effects=(PLACE,),
                why="offset_appended",
                spec="OFS-3",
            ),
            Row(
                source=source,
                on=APPEND_OK,
                when=REPLACED,
                target=source,
                why="append_outdated",
                spec="OFS-3",
            ),
        ]
    return rows


def _failed() -> list[Row]:
    return [
        Row(source=ABSENT, on=APPEND_FAILED, target=None, why="append_for_nobody", spec="OFS-3"),
        *(
            Row(
                source=source,
                on=APPEND_FAILED,
                target=ABSENT,
                effects=(FORGET,),
                why="offset_append_failed",
                spec="OFS-3",
            )
            for source in (STAGED, APPENDED)
        ),
    ]


def _marked() -> list[Row]:
    return [
        Row(
            source=STAGED,
            on=COMMITTED,
            target=ABSENT,
            reply="UNKNOWN_SERVER_ERROR",
            effects=(FORGET,),
            why="commit_before_append",
            spec="OFS-4",
        ),
        Row(
            source=APPENDED,
            on=COMMITTED,
            when=NEWER,
            target=ABSENT,
            effects=(SHOW, FORGET),
            why="offset_becomes_visible",
            spec="OFS-4",
        ),
        Row(
            source=APPENDED,
            on=COMMITTED,
            when=NOT_NEWER,
            target=ABSENT,
            effects=(FORGET,),
            why="newer_offset_stays",
            spec="OFS-4",
        ),
        *(
            Row(
                source=source,
                on=ABORTED,
                target=ABSENT,
                effects=(FORGET,),
                why="offset_dropped",
                spec="OFS-4",
            )
            for source in (STAGED, APPENDED)
        ),
    ]


PENDING_OFFSET: Machine[Situation] = Machine(
    "group_pending_offset",
    ABSENT,
    [*_requested(), *_appended(), *_failed(), *_marked()],
    guards=GUARDS,
    effects=(STAGE, PLACE, FORGET, SHOW),
    terminal=(ABSENT,),
)
