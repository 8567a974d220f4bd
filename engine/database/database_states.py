"""The state machine of the local transaction on one connection. The database commits it or undoes it as a
whole."""

from __future__ import annotations

from engine.machine import Machine, Row

CLOSED, OPEN = "CLOSED", "OPEN"
WRITE, COMMIT, ROLL_BACK, INSERT = "write", "commit", "roll_back", "insert"
LOST, CRASH = "connection_lost", "crash"


def _row(source: str, on: str, target: str, why: str, spec: str, *effects: str) -> Row:
    return Row(source=source, on=on, target=target, why=why, spec=spec, effects=effects)


LOCAL_TRANSACTION: Machine[None] = Machine(
    "local_transaction",
    CLOSED,
    [
        _row(CLOSED, WRITE, OPEN, "opens", "CPT-4", "hold"),
        _row(OPEN, COMMIT, CLOSED, "commits", "CPT-4", "store"),
        _row(OPEN, ROLL_BACK, CLOSED, "rolls_back", "CPT-4", "undo"),
        _row(OPEN, LOST, CLOSED, "undone_with_connection", "GEN-5", "undo"),
        _row(OPEN, CRASH, CLOSED, "undone_by_crash", "GEN-6", "undo"),
        _row(CLOSED, INSERT, CLOSED, "inserts", "CPT-4", "hold", "store"),
    ],
    effects=("hold", "store", "undo"),
)
"""The states of the local transaction on one connection. Before the commit, no reader sees the rows that an
open transaction has written."""
