"""The state machine of the client's transaction manager as rows (TXM-3, TXM-4).

Every (state, event) pair has its row; what is not legal is refused with the reason the caller sees.
"""

from __future__ import annotations

from engine.machine import Machine, Row

UNINITIALIZED = "UNINITIALIZED"
INITIALIZING = "INITIALIZING"
READY = "READY"
IN_TRANSACTION = "IN_TRANSACTION"
COMMITTING_TRANSACTION = "COMMITTING_TRANSACTION"
ABORTING_TRANSACTION = "ABORTING_TRANSACTION"
ABORTABLE_ERROR = "ABORTABLE_ERROR"
FATAL_ERROR = "FATAL_ERROR"
STATES = (
    UNINITIALIZED,
    INITIALIZING,
    READY,
    IN_TRANSACTION,
    COMMITTING_TRANSACTION,
    ABORTING_TRANSACTION,
    ABORTABLE_ERROR,
    FATAL_ERROR,
)

INIT, NEED_ID, GOT_ID = "init_transactions", "need_producer_id", "init_producer_id_none"
BEGIN, COMMIT, ABORT, ENDED = "begin", "commit", "abort", "end_txn_none"
ABORTABLE, FATAL, EXHAUSTED = "abortable_failure", "fatal_failure", "epoch_exhausted"
EVENTS = (INIT, NEED_ID, GOT_ID, BEGIN, COMMIT, ABORT, ENDED, ABORTABLE, FATAL, EXHAUSTED)

_MOVES = (
    Row(source=UNINITIALIZED, on=INIT, target=INITIALIZING, why="state.init", spec="TXM-7"),
    Row(source=UNINITIALIZED, on=NEED_ID, target=INITIALIZING, why="state.need_id", spec="PID-11"),
    Row(source=INITIALIZING, on=GOT_ID, target=READY, why="state.got_id", spec="TXM-7"),
    Row(source=READY, on=BEGIN, target=IN_TRANSACTION, why="state.begin", spec="CTR-1"),
    Row(source=IN_TRANSACTION, on=COMMIT, target=COMMITTING_TRANSACTION, why="state.commit", spec="TXM-10"),
    Row(source=IN_TRANSACTION, on=ABORT, target=ABORTING_TRANSACTION, why="state.abort", spec="TXM-10"),
    Row(source=ABORTABLE_ERROR, on=ABORT, target=ABORTING_TRANSACTION, why="state.abort", spec="TXM-10"),
    Row(source=COMMITTING_TRANSACTION, on=ENDED, target=READY, why="state.ended", spec="TXM-11"),
    Row(
        source=ABORTING_TRANSACTION,
        on=ENDED,
        target=INITIALIZING,
        why="state.ended_with_bump",
        spec="TXM-11",
        when="bump_required",
    ),
    Row(source=ABORTING_TRANSACTION, on=ENDED, target=READY, why="state.ended", spec="TXM-11"),
    Row(source=IN_TRANSACTION, on=ABORTABLE, target=ABORTABLE_ERROR, why="state.abortable", spec="TXM-4"),
    Row(
        source=COMMITTING_TRANSACTION,
        on=ABORTABLE,
        target=ABORTABLE_ERROR,
        why="state.abortable",
        spec="TXM-4",
    ),
    Row(source=ABORTABLE_ERROR, on=ABORTABLE, target=ABORTABLE_ERROR, why="state.abortable", spec="TXM-4"),
    Row(
        source=ABORTING_TRANSACTION,
        on=ABORTABLE,
        target=ABORTING_TRANSACTION,
        why="state.abortable_ignored",
        spec="TXM-4",
    ),
    *(Row(source=s, on=FATAL, target=FATAL_ERROR, why="state.fatal", spec="TXM-4") for s in STATES),
    Row(source=READY, on=EXHAUSTED, target=UNINITIALIZED, why="state.epoch_exhausted", spec="TXM-16"),
)

_REFUSALS = {
    INIT: "refused.init",
    NEED_ID: "refused.need_id",
    GOT_ID: "refused.got_id",
    BEGIN: "refused.begin",
    COMMIT: "refused.commit",
    ABORT: "refused.abort",
    ENDED: "refused.ended",
    ABORTABLE: "refused.abortable",
    FATAL: "refused.fatal",
    EXHAUSTED: "refused.epoch_exhausted",
}


def _refused() -> tuple[Row, ...]:
    """The pairs without an unguarded move: the edge is not legal (``isTransitionValid``)."""
    settled = {(row.source, row.on) for row in _MOVES if not row.when}
    return tuple(
        Row(source=state, on=on, target=None, why=_REFUSALS[on], spec="TXM-4", reply="ILLEGAL_STATE")
        for state in STATES
        for on in EVENTS
        if (state, on) not in settled
    )


MACHINE = Machine(
    "client_transactions",
    UNINITIALIZED,
    (*_MOVES, *_refused()),
    guards=("bump_required",),
    terminal=(FATAL_ERROR,),
)
