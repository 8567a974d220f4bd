"""The state machine of a service (CPT-4, OFS-6): it carries out the acts of its approach, one after the
other.

A crash has no row: ``Service.crash`` empties the memory and sets the state DOWN from any state.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.database.approaches import COMMIT, SEND, STORE, WRITE
from engine.machine import Machine, Row

STARTING, RESTORING, IDLE, READING = "STARTING", "RESTORING", "IDLE", "READING"
WRITING, COMMITTING, ROLLING_BACK = "WRITING", "COMMITTING", "ROLLING_BACK"
SENDING, FLUSHING, STORING, DOWN = "SENDING", "FLUSHING", "STORING", "DOWN"
WORKING = "WORKING"
"""Records are in memory, and worker threads process them; the service may poll more."""
ASKING = (RESTORING, READING, WRITING, COMMITTING, ROLLING_BACK)
"""States in which the service waits for a response of the database. The response or the end of the connection
ends them."""
OF_ACTS = (WRITING, COMMITTING, SENDING, FLUSHING, STORING)
"""States in which an act of the approach is being carried out."""
WITHOUT_WORK = (IDLE, STARTING)
"""States in which the service holds no order and no record."""

STARTED, TOOK, LOOKS, ANSWERED, SENT = "started", "took_work", "looks", "answered", "sent"
ALL_STORED, SOME_FAILED, OFFSETS_STORED = "all_stored", "some_failed", "offsets_stored"
LOST, BACK = "connection_lost", "back"
HANDED_OUT, ALL_FINISHED = "handed_out", "all_finished"


class Situation(NamedTuple):
    """The values that the guards read. ``next``: the next act of the round; empty after the last one.
    ``found``: whether the outbox had entries. ``open``: whether the service has an open local transaction."""

    next: str = ""
    keeps_offsets: bool = False
    found: bool = False
    open: bool = False


def _writes_next(situation: Situation) -> bool:
    return situation.next == WRITE


def _commits_next(situation: Situation) -> bool:
    return situation.next == COMMIT


def _sends_next(situation: Situation) -> bool:
    return situation.next == SEND


def _stores_next(situation: Situation) -> bool:
    return situation.next == STORE


def _keeps_offsets(situation: Situation) -> bool:
    return situation.keeps_offsets


def _found(situation: Situation) -> bool:
    return situation.found


def _open(situation: Situation) -> bool:
    return situation.open


def _row(source: str, on: str, target: str, why: str, spec: str = "CPT-4", when: str = "") -> Row:
    return Row(source=source, on=on, target=target, why=why, spec=spec, when=when)


SERVICE: Machine[Situation] = Machine(
    "service",
    STARTING,
    [
        _row(STARTING, STARTED, RESTORING, "restores", "OFS-6", "keeps_offsets"),
        _row(STARTING, STARTED, IDLE, "started", "CON-9"),
        _row(RESTORING, ANSWERED, IDLE, "restored", "CON-8"),
        _row(IDLE, TOOK, WRITING, "took", when="writes_next"),
        _row(IDLE, TOOK, SENDING, "took", when="sends_next"),
        _row(IDLE, TOOK, STORING, "took"),
        _row(IDLE, LOOKS, READING, "looks"),
        _row(READING, ANSWERED, SENDING, "found", when="found"),
        _row(READING, ANSWERED, IDLE, "found_nothing"),
        _row(WRITING, ANSWERED, SENDING, "wrote", when="sends_next"),
        _row(WRITING, ANSWERED, COMMITTING, "wrote"),
        _row(COMMITTING, ANSWERED, SENDING, "committed", when="sends_next"),
        _row(COMMITTING, ANSWERED, STORING, "committed", when="stores_next"),
        _row(COMMITTING, ANSWERED, IDLE, "committed"),
        _row(SENDING, SENT, FLUSHING, "sent"),
        _row(FLUSHING, ALL_STORED, WRITING, "all_stored", when="writes_next"),
        _row(FLUSHING, ALL_STORED, COMMITTING, "all_stored", when="commits_next"),
        _row(FLUSHING, ALL_STORED, IDLE, "all_stored"),
        _row(FLUSHING, SOME_FAILED, ROLLING_BACK, "some_failed", when="open"),
        _row(FLUSHING, SOME_FAILED, STARTING, "some_failed"),
        _row(ROLLING_BACK, ANSWERED, STARTING, "rolled_back"),
        _row(STORING, OFFSETS_STORED, WRITING, "offsets_stored", "OFS-6", "writes_next"),
        _row(STORING, OFFSETS_STORED, IDLE, "offsets_stored", "OFS-6"),
        *(_row(state, LOST, STARTING, "connection_lost", "GEN-5") for state in ASKING),
        _row(DOWN, BACK, STARTING, "back", "GEN-6"),
        _row(IDLE, HANDED_OUT, WORKING, "handed_out", "CON-8"),
        _row(WORKING, ALL_FINISHED, IDLE, "all_finished"),
    ],
    guards={
        "writes_next": _writes_next,
        "commits_next": _commits_next,
        "sends_next": _sends_next,
        "stores_next": _stores_next,
        "keeps_offsets": _keeps_offsets,
        "found": _found,
        "open": _open,
    },
    entered_from_outside=(DOWN,),
)
"""The states of one service. If an act fails, the service gives up the work in its memory and starts again."""
