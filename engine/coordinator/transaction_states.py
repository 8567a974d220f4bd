"""The states of a transactional id at its coordinator, as rows (TXC-3, TXC-4, TXC-8, TXC-12, TXC-14).

Every response of the coordinator that depends on the state is a row, refusals included. Two guards are
opposites: ``settled`` holds while no change of the id is being written, ``in_transition`` while one is.

A row's target becomes the pending state; the state follows when its image is durable. Kafka has two
exceptions. PrepareEpochFence is only pending and never written, because the coordinator's own abort replaces
it at once (``TransactionCoordinator.endTransaction``). The target of ``all_markers_acknowledged`` is pending
as soon as the transaction is decided (``TransactionMetadata.prepareComplete``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from engine.machine import Machine, Row
from engine.messages import SHORT_MAX

EMPTY, ONGOING = "Empty", "Ongoing"
PREPARE_COMMIT, PREPARE_ABORT = "PrepareCommit", "PrepareAbort"
COMPLETE_COMMIT, COMPLETE_ABORT = "CompleteCommit", "CompleteAbort"
DEAD, PREPARE_EPOCH_FENCE = "Dead", "PrepareEpochFence"

INIT, ADD, COMMIT, ABORT = "init_producer_id", "add_partitions", "end_commit", "end_abort"
COMMIT_RAISING, ABORT_RAISING = "end_commit_raising_epoch", "end_abort_raising_epoch"
"""EndTxn of transaction version 2: the decision raises the epoch (KIP-890)."""
RAISING = frozenset((COMMIT_RAISING, ABORT_RAISING))
MARKED, EXPIRE, TIME_OUT = "all_markers_acknowledged", "id_expires", "times_out"
ABORT_FENCED, ABORT_FENCED_RAISING = "coordinator_aborts", "coordinator_aborts_raising_epoch"

SETTLED, IN_TRANSITION = "settled", "in_transition"
NEW_PARTITIONS, ALL_KNOWN = "settled_with_new_partitions", "settled_all_known"
CLAIM_HOLDS, CLAIM_REPLACED = "settled_and_the_claim_holds", "settled_and_the_claim_is_replaced"
CLAIM_TOO_LATE = "settled_and_the_claim_comes_after_the_last_epoch"
EPOCH_LEFT, NO_EPOCH_LEFT = "settled_with_an_epoch_left", "settled_without_an_epoch_left"
RAISED_BEFORE, NOT_RAISED = "raised_by_a_fence_that_failed", "not_raised_yet"
OF_THIS, NOT_OF_THIS = "settled_and_of_this_transaction", "settled_and_not_of_this_transaction"
REPEATED, NOT_REPEATED = "settled_and_repeated", "settled_and_not_repeated"
OF_ANOTHER = "settled_and_of_another_transaction"
"""The names from ``OF_THIS`` on are guards of an EndTxn of transaction version 2. The epoch in the request shows
whether it is about the present transaction or the last one."""


class Known(Protocol):
    """The fields of an id's metadata that the guards read."""

    pending_state: str | None
    partitions: frozenset[str]
    producer_epoch: int
    failed_epoch_fence: bool

    @property
    def epoch_exhausted(self) -> bool: ...

    def rotates(self, expected: int | None) -> bool: ...

    def is_this(self, producer_id: int, producer_epoch: int) -> bool: ...

    def is_repeated(self, producer_id: int, producer_epoch: int) -> bool: ...

    def next_epoch(self, expected: int | None) -> tuple[int, int] | None: ...


class Asked(Protocol):
    """An event, with the values that the guards compare. ``expected``: the epoch in an InitProducerId.
    ``keeps_epoch``: whether, in this version, a fence does not raise the epoch again if the write of an
    earlier fence failed (TXC-11). ``claimed``: producer id and epoch in the request."""

    @property
    def metadata(self) -> Known: ...

    @property
    def expected(self) -> int | None: ...

    @property
    def partitions(self) -> frozenset[str]: ...

    @property
    def keeps_epoch(self) -> bool: ...

    @property
    def claimed(self) -> tuple[int, int] | None: ...


def settled(asked: Asked) -> bool:
    return asked.metadata.pending_state is None


def in_transition(asked: Asked) -> bool:
    return asked.metadata.pending_state is not None


def _with_new_partitions(asked: Asked) -> bool:
    return settled(asked) and not asked.partitions <= asked.metadata.partitions


def _all_known(asked: Asked) -> bool:
    return settled(asked) and asked.partitions <= asked.metadata.partitions


def _epoch_left(asked: Asked) -> bool:
    return settled(asked) and asked.metadata.producer_epoch < SHORT_MAX


def _no_epoch_left(asked: Asked) -> bool:
    return settled(asked) and asked.metadata.producer_epoch >= SHORT_MAX


def _has_epoch_for_claim(asked: Asked) -> bool:
    metadata = asked.metadata
    return metadata.rotates(asked.expected) or metadata.next_epoch(asked.expected) is not None


def _claim_holds(asked: Asked) -> bool:
    return settled(asked) and _has_epoch_for_claim(asked)


def _claim_replaced(asked: Asked) -> bool:
    return settled(asked) and not _has_epoch_for_claim(asked) and not asked.metadata.epoch_exhausted


def _claim_too_late(asked: Asked) -> bool:
    return settled(asked) and not _has_epoch_for_claim(asked) and asked.metadata.epoch_exhausted


def _raised_before(asked: Asked) -> bool:
    return asked.keeps_epoch and asked.metadata.failed_epoch_fence


def _not_raised(asked: Asked) -> bool:
    return not _raised_before(asked)


def _this(asked: Asked) -> bool:
    return asked.claimed is not None and asked.metadata.is_this(*asked.claimed)


def _repeated(asked: Asked) -> bool:
    return asked.claimed is not None and asked.metadata.is_repeated(*asked.claimed)


def _of_this(asked: Asked) -> bool:
    return _this(asked) and settled(asked)


def _not_of_this(asked: Asked) -> bool:
    return settled(asked) and not _this(asked)


def _settled_and_repeated(asked: Asked) -> bool:
    return _repeated(asked) and settled(asked)


def _not_repeated(asked: Asked) -> bool:
    return settled(asked) and not _repeated(asked)


def _of_another(asked: Asked) -> bool:
    return settled(asked) and not _this(asked) and not _repeated(asked)


GUARDS: dict[str, Callable[[Asked], bool]] = {
    SETTLED: settled,
    IN_TRANSITION: in_transition,
    NEW_PARTITIONS: _with_new_partitions,
    ALL_KNOWN: _all_known,
    EPOCH_LEFT: _epoch_left,
    NO_EPOCH_LEFT: _no_epoch_left,
    CLAIM_HOLDS: _claim_holds,
    CLAIM_REPLACED: _claim_replaced,
    CLAIM_TOO_LATE: _claim_too_late,
    RAISED_BEFORE: _raised_before,
    NOT_RAISED: _not_raised,
    OF_THIS: _of_this,
    NOT_OF_THIS: _not_of_this,
    REPEATED: _settled_and_repeated,
    NOT_REPEATED: _not_repeated,
    OF_ANOTHER: _of_another,
}

RESTING = (EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT)
"""The states in which no transaction of the id is open."""
_STABLE = (EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT)
_IMPOSSIBLE = (DEAD, PREPARE_EPOCH_FENCE)


def _busy(on: str, spec: str, key: str) -> list[Row]:
    """The rows that refuse a request while a change is being written; the client must repeat it (TXC-6)."""
    return [
        Row(
            source=source,
            on=on,
            when=IN_TRANSITION,
            target=None,
            reply="CONCURRENT_TRANSACTIONS",
            why=key,
            spec=spec,
        )
        for source in _STABLE
    ]


def _internal(on: str, spec: str) -> list[Row]:
    """The rows for Dead and PrepareEpochFence, in which no request finds an id (TXC-8, CTR-22)."""
    return [
        Row(
            source=source,
            on=on,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="impossible_state",
            spec=spec,
        )
        for source in _IMPOSSIBLE
    ]


def _cannot_fence(on: str) -> Row:
    """The row that refuses a fence because there is no higher epoch (TXC-11,
    ``prepareFenceProducerEpoch``)."""
    return Row(
        source=ONGOING,
        on=on,
        when=NO_EPOCH_LEFT,
        target=None,
        reply="UNKNOWN_SERVER_ERROR",
        why="no_epoch_left",
        spec="TXC-11",
    )


def _init() -> list[Row]:
    rows = _busy(INIT, "TXC-7", "init_meets_transition")
    rows += [
        Row(
            source=source,
            on=INIT,
            when=CLAIM_HOLDS,
            target=EMPTY,
            effects=("raise_epoch_or_rotate",),
            why="epoch_raised",
            spec="TXC-9",
        )
        for source in RESTING
    ]
    rows += [
        Row(
            source=source,
            on=INIT,
            when=when,
            target=None,
            reply=reply,
            why=why,
            spec="TXC-9",
            only_if="takes_epoch_bumps",
        )
        for source in RESTING
        for when, reply, why in (
            (CLAIM_REPLACED, "PRODUCER_FENCED", "epoch_replaced"),
            (CLAIM_TOO_LATE, "UNKNOWN_SERVER_ERROR", "epochs_used_up"),
        )
    ]
    rows += [
        Row(
            source=ONGOING,
            on=INIT,
            when=EPOCH_LEFT,
            target=PREPARE_EPOCH_FENCE,
            reply="CONCURRENT_TRANSACTIONS",
            effects=("abort_under_raised_epoch",),
            why="fences_open_transaction",
            spec="TXC-10",
        ),
        _cannot_fence(INIT),
    ]
    rows += [
        Row(
            source=source,
            on=INIT,
            when=SETTLED,
            target=None,
            reply="CONCURRENT_TRANSACTIONS",
            why="init_waits_for_markers",
            spec="TXC-8",
        )
        for source in (PREPARE_COMMIT, PREPARE_ABORT)
    ]
    return rows + _internal(INIT, "TXC-8")


def _add() -> list[Row]:
    rows = _busy(ADD, "TXC-12", "add_meets_transition")
    rows += [
        Row(
            source=source,
            on=ADD,
            when=SETTLED,
            target=ONGOING,
            effects=("register_partitions",),
            why="transaction_begins",
            spec="TXC-12",
        )
        for source in RESTING
    ]
    rows += [
        Row(
            source=source,
            on=ADD,
            when=SETTLED,
            target=None,
            reply="CONCURRENT_TRANSACTIONS",
            why="add_waits_for_markers",
            spec="TXC-12",
        )
        for source in (PREPARE_COMMIT, PREPARE_ABORT)
    ]
    rows += [
        Row(
            source=ONGOING,
            on=ADD,
            when=NEW_PARTITIONS,
            target=ONGOING,
            effects=("register_partitions",),
            why="partitions_added",
            spec="TXC-12",
        ),
        Row(
            source=ONGOING,
            on=ADD,
            when=ALL_KNOWN,
            target=ONGOING,
            reply="NONE",
            why="partitions_known",
            spec="TXC-12",
        ),
    ]
    return rows + _internal(ADD, "TXC-8")


_END: dict[str, dict[str, tuple[str | None, str, str]]] = {
    COMMIT: {
        ONGOING: (PREPARE_COMMIT, "", "decides_commit"),
        PREPARE_COMMIT: (None, "CONCURRENT_TRANSACTIONS", "markers_under_way"),
        PREPARE_ABORT: (None, "INVALID_TXN_STATE", "decided_otherwise"),
        COMPLETE_COMMIT: (COMPLETE_COMMIT, "NONE", "done_already"),
        COMPLETE_ABORT: (None, "INVALID_TXN_STATE", "decided_otherwise"),
        EMPTY: (None, "INVALID_TXN_STATE", "nothing_to_end"),
    },
    ABORT: {
        ONGOING: (PREPARE_ABORT, "", "decides_abort"),
        PREPARE_COMMIT: (None, "INVALID_TXN_STATE", "decided_otherwise"),
        PREPARE_ABORT: (None, "CONCURRENT_TRANSACTIONS", "markers_under_way"),
        COMPLETE_COMMIT: (None, "INVALID_TXN_STATE", "decided_otherwise"),
        COMPLETE_ABORT: (COMPLETE_ABORT, "NONE", "done_already"),
        EMPTY: (None, "INVALID_TXN_STATE", "nothing_to_end"),
    },
}


def _end(on: str) -> list[Row]:
    rows = _busy(on, "TXC-14", "end_meets_transition")
    for source, (target, reply, why) in _END[on].items():
        effects = ("write_decision",) if target in (PREPARE_COMMIT, PREPARE_ABORT) else ()
        rows.append(
            Row(
                source=source,
                on=on,
                when=SETTLED,
                target=target,
                reply=reply,
                effects=effects,
                why=why,
                spec="TXC-14",
            )
        )
    return rows + _internal(on, "TXC-14")


def _rest() -> list[Row]:
    rows = [
        Row(
            source=source,
            on=MARKED,
            target=target,
            effects=("write_completion",),
            why="all_markers_acknowledged",
            spec="TXC-18",
        )
        for source, target in ((PREPARE_COMMIT, COMPLETE_COMMIT), (PREPARE_ABORT, COMPLETE_ABORT))
    ]
    rows += [
        Row(
            source=source,
            on=EXPIRE,
            target=DEAD,
            effects=("write_tombstone",),
            why="id_expires",
            spec="TXC-21",
        )
        for source in RESTING
    ]
    rows += [
        Row(
            source=ONGOING,
            on=TIME_OUT,
            when=EPOCH_LEFT,
            target=PREPARE_EPOCH_FENCE,
            effects=("abort_under_raised_epoch",),
            why="transaction_timed_out",
            spec="TXC-20",
        ),
        _cannot_fence(TIME_OUT),
    ]
    return rows


def _abort_fenced() -> list[Row]:
    """The rows by which the coordinator aborts from PrepareEpochFence (TXC-10, TXC-11)."""
    return [
        Row(
            source=PREPARE_EPOCH_FENCE,
            on=ABORT_FENCED,
            when=NOT_RAISED,
            target=PREPARE_ABORT,
            effects=("raise_epoch", "write_fence"),
            why="fence_raises_epoch",
            spec="TXC-10",
        ),
        Row(
            source=PREPARE_EPOCH_FENCE,
            on=ABORT_FENCED,
            when=RAISED_BEFORE,
            target=PREPARE_ABORT,
            effects=("keep_epoch", "write_fence"),
            why="fence_keeps_epoch",
            spec="TXC-11",
            only_if="failed_fence_keeps_epoch",
        ),
    ]


_BUSY = "CONCURRENT_TRANSACTIONS"
_WRONG = "INVALID_TXN_STATE"
_END_RAISING: dict[str, dict[str, tuple[tuple[str, str | None, str, str], ...]]] = {
    COMMIT_RAISING: {
        EMPTY: ((OF_THIS, None, _WRONG, "nothing_to_end"),),
        ONGOING: ((OF_THIS, PREPARE_COMMIT, "", "decides_commit"),),
        PREPARE_COMMIT: ((REPEATED, None, _BUSY, "markers_under_way"),),
        PREPARE_ABORT: ((REPEATED, None, _WRONG, "decided_otherwise"),),
        COMPLETE_COMMIT: (
            (REPEATED, COMPLETE_COMMIT, "NONE", "done_already_raised"),
            (OF_THIS, None, _WRONG, "nothing_to_end"),
        ),
        COMPLETE_ABORT: (
            (REPEATED, None, _WRONG, "decided_otherwise"),
            (OF_THIS, None, _WRONG, "nothing_to_end"),
        ),
    },
    ABORT_RAISING: {
        EMPTY: ((OF_THIS, PREPARE_ABORT, "", "aborts_nothing"),),
        ONGOING: ((OF_THIS, PREPARE_ABORT, "", "decides_abort"),),
        PREPARE_COMMIT: ((REPEATED, None, _WRONG, "decided_otherwise"),),
        PREPARE_ABORT: ((REPEATED, None, _BUSY, "markers_under_way"),),
        COMPLETE_COMMIT: (
            (REPEATED, None, _WRONG, "decided_otherwise"),
            (OF_THIS, PREPARE_ABORT, "", "aborts_nothing"),
        ),
        COMPLETE_ABORT: (
            (REPEATED, COMPLETE_ABORT, "NONE", "done_already_raised"),
            (OF_THIS, PREPARE_ABORT, "", "aborts_nothing"),
        ),
    },
}
_FENCED_RAISING = {
    **dict.fromkeys((EMPTY, ONGOING), NOT_OF_THIS),
    **dict.fromkeys((PREPARE_COMMIT, PREPARE_ABORT), NOT_REPEATED),
    **dict.fromkeys((COMPLETE_COMMIT, COMPLETE_ABORT), OF_ANOTHER),
}
"""For an EndTxn of transaction version 2: dict of state → guard that holds if the request's epoch belongs to
another transaction. While a change is being written, no epoch is compared (KAFKA-18464)."""


def _end_raising(on: str) -> list[Row]:
    """The rows for an EndTxn of transaction version 2, whose epoch identifies the transaction."""
    rows = []
    for source, ends in _END_RAISING[on].items():
        refusals = (
            (_FENCED_RAISING[source], "PRODUCER_FENCED", "epoch_of_another_transaction"),
            (IN_TRANSITION, _BUSY, "end_meets_transition"),
        )
        rows += [
            Row(source=source, on=on, when=when, target=None, reply=reply, why=why, spec="TXC-14")
            for when, reply, why in refusals
        ]
        for when, target, reply, why in ends:
            effects = ("write_raised_decision",) if target in (PREPARE_COMMIT, PREPARE_ABORT) else ()
            rows.append(
                Row(
                    source=source,
                    on=on,
                    when=when,
                    target=target,
                    reply=reply,
                    effects=effects,
                    why=why,
                    spec="TXC-14",
                )
            )
    return rows + _internal(on, "TXC-14")


def _abort_fenced_raising() -> list[Row]:
    """The row by which the coordinator aborts under transaction version 2: the decision itself raises the
    epoch (KAFKA-19367)."""
    return [
        Row(
            source=PREPARE_EPOCH_FENCE,
            on=ABORT_FENCED_RAISING,
            target=PREPARE_ABORT,
            effects=("write_raised_fence",),
            why="fence_raises_with_decision",
            spec="TXC-10",
        )
    ]


TRANSACTION_STATES: Machine[Asked] = Machine(
    "transaction_states",
    EMPTY,
    [
        *_init(),
        *_add(),
        *_end(COMMIT),
        *_end(ABORT),
        *_rest(),
        *_abort_fenced(),
        *(
            replace(row, only_if="epoch_for_each_transaction")
            for row in (
                *_end_raising(COMMIT_RAISING),
                *_end_raising(ABORT_RAISING),
                *_abort_fenced_raising(),
            )
        ),
    ],
    guards=GUARDS,
    effects=(
        "raise_epoch_or_rotate",
        "abort_under_raised_epoch",
        "register_partitions",
        "write_decision",
        "write_completion",
        "write_tombstone",
        "raise_epoch",
        "keep_epoch",
        "write_fence",
        "write_raised_decision",
        "write_raised_fence",
    ),
    terminal=(DEAD,),
)

OPEN = TRANSACTION_STATES.sources(TIME_OUT)
DECIDED = TRANSACTION_STATES.sources(MARKED)
COMPLETED = TRANSACTION_STATES.targets_of(MARKED)
COMMITS = TRANSACTION_STATES.targets_of(COMMIT)
EXPIRING = TRANSACTION_STATES.sources(EXPIRE)
"""Kinds of states, derived from the rows. OPEN: the transaction is open. DECIDED: it is decided, but not
completed. COMPLETED: it is completed. COMMITS: the decision is COMMIT. EXPIRING: the id may expire."""
