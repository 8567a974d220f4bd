"""The state machine of the client's transaction manager (TXM-3, TXM-4).

An illegal event is refused by a row with the reason for the caller. A (state, event) that cannot happen has
no row; taking one is an error of the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.client.recovery import Recovery
from engine.machine import Machine, Row

NAME = "client_transactions"

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
DENIED = "identity_denied"
NO_BUMP = "no_bump_required"
EVENTS = (INIT, NEED_ID, GOT_ID, BEGIN, COMMIT, ABORT, ENDED, ABORTABLE, FATAL, EXHAUSTED, DENIED)


_EPOCHS, _COMMITS, _OUTLIVES = "recovers_by_epoch", "commit_may_raise_epoch", "outlives_denied_identity"
"""Fields of the profile, for ``only_if`` and ``unless``: a row with one of them exists only in some versions."""


def _move(source: str, on: str, target: str, why: str, spec: str, when: str = "", only_if: str = "") -> Row:
    return Row(source=source, on=on, target=target, why=why, spec=spec, when=when, only_if=only_if)


def _refuse(source: str, on: str, why: str, when: str = "", unless: str = "", only_if: str = "") -> Row:
    spec = "TXM-3" if source == FATAL_ERROR else "TXM-4"
    return Row(
        source=source,
        on=on,
        target=None,
        why=why,
        spec=spec,
        when=when,
        reply="ILLEGAL_STATE",
        unless=unless,
        only_if=only_if,
    )


_MOVES = (
    _move(UNINITIALIZED, INIT, INITIALIZING, "init", "TXM-7"),
    _move(
        ABORTING_TRANSACTION, INIT, INITIALIZING, "init_while_aborting", "TXM-5", "recovers_by_epoch", _EPOCHS
    ),
    _move(UNINITIALIZED, NEED_ID, INITIALIZING, "need_id", "PID-11"),
    _move(INITIALIZING, GOT_ID, READY, "got_id", "TXM-7"),
    _move(ABORTING_TRANSACTION, GOT_ID, READY, "got_id_for_end", "TXM-10", only_if=_EPOCHS),
    _move(READY, BEGIN, IN_TRANSACTION, "begin", "CTR-1"),
    _move(IN_TRANSACTION, COMMIT, COMMITTING_TRANSACTION, "commit", "TXM-10"),
    _move(IN_TRANSACTION, ABORT, ABORTING_TRANSACTION, "abort", "TXM-10"),
    _move(ABORTABLE_ERROR, ABORT, ABORTING_TRANSACTION, "abort", "TXM-10"),
    _refuse(
        COMMITTING_TRANSACTION,
        ENDED,
        "refused_ended_with_bump",
        "commit_keeps_epoch",
        unless=_COMMITS,
        only_if=_EPOCHS,
    ),
    _move(COMMITTING_TRANSACTION, ENDED, READY, "ended", "TXM-11", NO_BUMP),
    _move(COMMITTING_TRANSACTION, GOT_ID, READY, "got_id_for_commit", "TXM-11", only_if=_EPOCHS),
    _move(ABORTING_TRANSACTION, ENDED, INITIALIZING, "ended_with_bump", "TXM-11", "bump_required", _EPOCHS),
    _move(ABORTING_TRANSACTION, ENDED, READY, "ended", "TXM-11"),
    _move(INITIALIZING, ENDED, READY, "ended_while_initializing", "TXM-5"),
    _move(IN_TRANSACTION, ABORTABLE, ABORTABLE_ERROR, "abortable", "TXM-4"),
    _move(COMMITTING_TRANSACTION, ABORTABLE, ABORTABLE_ERROR, "abortable", "TXM-4"),
    _move(ABORTABLE_ERROR, ABORTABLE, ABORTABLE_ERROR, "abortable", "TXM-4"),
    _move(ABORTING_TRANSACTION, ABORTABLE, ABORTING_TRANSACTION, "abortable_ignored", "TXM-4"),
    *(_move(state, FATAL, FATAL_ERROR, "fatal", "TXM-4") for state in STATES),
    _move(READY, EXHAUSTED, UNINITIALIZED, "epoch_exhausted", "TXM-16", only_if=_EPOCHS),
)

_REFUSED_CALLS = {
    INIT: "refused_init",
    BEGIN: "refused_begin",
    COMMIT: "refused_commit",
    ABORT: "refused_abort",
}
_REFUSED_ANSWERS = (
    # A second initTransactions() is answered after the abort has ended.
    (READY, GOT_ID, "refused_got_id", ""),
    # FindCoordinator failed: the client has no right to the group.
    (INITIALIZING, ABORTABLE, "refused_abortable", "denial_is_fatal", _OUTLIVES),
    # A batch of an earlier transaction failed after EndTxn was sent.
    (ABORTABLE_ERROR, ENDED, "refused_ended", ""),
    # A batch that was aborted in flight fails after the abort has ended.
    (READY, ABORTABLE, "refused_abortable", ""),
    # InitProducerId was answered with a negative id. It counts as no id, so the client tries to request one
    # again, but READY has no way back to INITIALIZING (CTR-6).
    (READY, NEED_ID, "refused_need_id", ""),
)


_WITHOUT_ID = (_refuse(INITIALIZING, INIT, "refused_init"),)
"""In INITIALIZING, a second initTransactions() usually waits for the response to the first (TXM-5). It is
refused if no request for an id was enqueued. This is so after an abort that ended in INITIALIZING, because an
error after abortTransaction() required a higher epoch."""


def _refused() -> tuple[Row, ...]:
    """The rows that refuse calls and late responses."""
    settled = {(row.source, row.on) for row in (*_MOVES, *_WITHOUT_ID) if not row.when}
    calls = tuple(
        _refuse(state, on, why)
        for state in STATES
        for on, why in _REFUSED_CALLS.items()
        if (state, on) not in settled
    )
    return (*calls, *(_refuse(*row) for row in _REFUSED_ANSWERS))


_OUTLIVED = (
    _move(
        INITIALIZING,
        ABORTABLE,
        ABORTABLE_ERROR,
        "abortable_while_initializing",
        "TXM-4",
        "outlives_denial",
        _OUTLIVES,
    ),
    _move(ABORTABLE_ERROR, DENIED, UNINITIALIZED, "denied", "TXM-4", only_if=_OUTLIVES),
)
"""Since 3.6: a producer whose identity was denied returns to UNINITIALIZED."""
_RAISED = (
    _move(
        COMMITTING_TRANSACTION,
        ENDED,
        INITIALIZING,
        "ended_with_bump_at_commit",
        "TXM-11",
        "commit_raises_epoch",
        _COMMITS,
    ),
)
"""Since 4.0: the epoch is raised after a commit, before the first transaction of version 2."""
_STRAY = (_refuse(UNINITIALIZED, ABORTABLE, "refused_abortable", only_if="checks_after_append"),)
"""Since 3.1.1: the row for a record whose ``send()`` threw before initTransactions(). The record stays in the
accumulator, and is an abortable error when it expires."""
_AFTER_FATAL = (_refuse(FATAL_ERROR, ABORTABLE, "refused_abortable"),)
"""The row for an abortable error in the response to a transactional request, after a batch has failed with a
fatal error."""


class Known(Protocol):
    """The fields of a producer that the guards read."""

    bump_required: bool
    outlives_denial: bool
    raises_at_commit: bool

    @property
    def recovery(self) -> Recovery: ...


def _bump_required(known: Known) -> bool:
    return known.bump_required


def _no_bump_required(known: Known) -> bool:
    return not known.bump_required


def _commit_keeps_epoch(known: Known) -> bool:
    return known.bump_required and not known.raises_at_commit


def _commit_raises_epoch(known: Known) -> bool:
    return known.bump_required and known.raises_at_commit


def _raises_epoch(known: Known) -> bool:
    return known.recovery.raises_epoch


def _outlives_denial(known: Known) -> bool:
    return known.outlives_denial


def _denial_is_fatal(known: Known) -> bool:
    return not known.outlives_denial


GUARDS: dict[str, Callable[[Known], bool]] = {
    "bump_required": _bump_required,
    "commit_keeps_epoch": _commit_keeps_epoch,
    "commit_raises_epoch": _commit_raises_epoch,
    "denial_is_fatal": _denial_is_fatal,
    NO_BUMP: _no_bump_required,
    "outlives_denial": _outlives_denial,
    "recovers_by_epoch": _raises_epoch,
}
MACHINE: Machine[Known] = Machine(
    NAME,
    UNINITIALIZED,
    (*_MOVES, *_refused(), *_OUTLIVED, *_RAISED, *_STRAY, *_AFTER_FATAL, *_WITHOUT_ID),
    guards=GUARDS,
    terminal=(FATAL_ERROR,),
)

LOST = MACHINE.terminal
RECOVERABLE = MACHINE.targets_of(ABORTABLE) - MACHINE.targets_of(ABORT)
IN_ERROR = LOST | RECOVERABLE
ASKING = MACHINE.targets_of(NEED_ID)
SENDING = MACHINE.targets_of(BEGIN)
COMMITTING, ABORTING = MACHINE.targets_of(COMMIT), MACHINE.targets_of(ABORT)
COMPLETING = COMMITTING | ABORTING
OPEN = SENDING | COMPLETING | RECOVERABLE
REPORTS = {
    (row.source, row.on)
    for row in MACHINE.rows
    if row.target is not None
    and ((row.source in COMPLETING and row.on == ENDED) or (row.source in ABORTING and row.on == GOT_ID))
}
RESUMED = {on: MACHINE.targets_of(on) for on in (INIT, COMMIT, ABORT)}
"""Kinds of states, derived from the rows:

- LOST: no event leads to another state.
- RECOVERABLE: an abort ends the error.
- IN_ERROR: LOST or RECOVERABLE.
- ASKING: an identity was requested.
- SENDING: records may be sent.
- COMPLETING: a transaction is ending.
- OPEN: a transaction is open, in error or ending.
- REPORTS: (state, event) by which an application learns the end of its transaction: the response to EndTxn, or a new
  identity, if the abort needed no EndTxn.
- RESUMED: for each call, the states in which a repeated call waits for the response to the first one.
"""
_IGNORED = "abortable_ignored"


def edge_is_legal(
    source: str,
    target: str,
    raises_epoch: bool,
    outlives_denial: bool = False,
    raises_at_commit: bool = False,
) -> bool:
    """Whether the client's own check allows this change of state (``State.isTransitionValid``, TXM-4).
    ``raises_epoch``: whether the client recovers lost sequence numbers by a higher epoch.
    ``outlives_denial``: whether the client has the rows that exist since 3.6. ``raises_at_commit``: whether
    it has the row that exists since 4.0."""
    if target == UNINITIALIZED and not raises_epoch:
        return True
    return any(
        row.source == source
        and row.target == target
        and row.why != _IGNORED
        and (raises_epoch or row.when in ("", NO_BUMP))
        and (outlives_denial or row not in _OUTLIVED)
        and (raises_at_commit or row not in _RAISED)
        for row in MACHINE.rows
    )
