"""The life of a transactional id at its coordinator, as rows (TXC-3, TXC-4, TXC-8, TXC-12, TXC-14).

Every answer of the coordinator that depends on the state is a row, refusals included. ``settled`` and
``in_transition`` are the two sides of one question: is a change of this id being written right now?
"""

from __future__ import annotations

from engine.machine import Machine, Row

EMPTY, ONGOING = "Empty", "Ongoing"
PREPARE_COMMIT, PREPARE_ABORT = "PrepareCommit", "PrepareAbort"
COMPLETE_COMMIT, COMPLETE_ABORT = "CompleteCommit", "CompleteAbort"
DEAD, PREPARE_EPOCH_FENCE = "Dead", "PrepareEpochFence"

INIT, ADD, COMMIT, ABORT = "init_producer_id", "add_partitions", "end_commit", "end_abort"
MARKED, EXPIRE, TIME_OUT = "all_markers_acknowledged", "id_expires", "times_out"

SETTLED, IN_TRANSITION = "settled", "in_transition"
NEW_PARTITIONS, ALL_KNOWN = "settled_with_new_partitions", "settled_all_known"
CLAIM_HOLDS, CLAIM_REPLACED = "settled_and_the_claim_holds", "settled_and_the_claim_is_replaced"
CLAIM_TOO_LATE = "settled_and_the_claim_comes_after_the_last_epoch"
EPOCH_LEFT, NO_EPOCH_LEFT = "settled_with_an_epoch_left", "settled_without_an_epoch_left"

_RESTING = (EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT)
_STABLE = (EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT)
_IMPOSSIBLE = (DEAD, PREPARE_EPOCH_FENCE)


def _busy(on: str, spec: str, key: str) -> list[Row]:
    """While a change is being written, the next request is sent away (TXC-6)."""
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
    """Pending only, never a state that a request should meet (TXC-8, CTR-22)."""
    return [
        Row(
            source=source,
            on=on,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="coordinator.impossible_state",
            spec=spec,
        )
        for source in _IMPOSSIBLE
    ]


def _cannot_fence(on: str) -> Row:
    """No epoch is left to fence with; what is open stays so (TXC-11, ``prepareFenceProducerEpoch``)."""
    return Row(
        source=ONGOING,
        on=on,
        when=NO_EPOCH_LEFT,
        target=None,
        reply="UNKNOWN_SERVER_ERROR",
        why="coordinator.no_epoch_left",
        spec="TXC-11",
    )


def _init() -> list[Row]:
    rows = _busy(INIT, "TXC-7", "coordinator.init_meets_transition")
    rows += [
        Row(
            source=source,
            on=INIT,
            when=CLAIM_HOLDS,
            target=EMPTY,
            effects=("raise_epoch_or_rotate",),
            why="coordinator.epoch_raised",
            spec="TXC-9",
        )
        for source in _RESTING
    ]
    rows += [
        Row(source=source, on=INIT, when=when, target=None, reply=reply, why=why, spec="TXC-9")
        for source in _RESTING
        for when, reply, why in (
            (CLAIM_REPLACED, "PRODUCER_FENCED", "coordinator.epoch_replaced"),
            (CLAIM_TOO_LATE, "UNKNOWN_SERVER_ERROR", "coordinator.epochs_used_up"),
        )
    ]
    rows += [
        Row(
            source=ONGOING,
            on=INIT,
            when=EPOCH_LEFT,
            target=PREPARE_EPOCH_FENCE,
            reply="CONCURRENT_TRANSACTIONS",
            effects=("fence_and_abort",),
            why="coordinator.fences_open_transaction",
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
            why="coordinator.init_waits_for_markers",
            spec="TXC-8",
        )
        for source in (PREPARE_COMMIT, PREPARE_ABORT)
    ]
    return rows + _internal(INIT, "TXC-8")


def _add() -> list[Row]:
    rows = _busy(ADD, "TXC-12", "coordinator.add_meets_transition")
    rows += [
        Row(
            source=source,
            on=ADD,
            when=SETTLED,
            target=ONGOING,
            effects=("register_partitions",),
            why="coordinator.transaction_begins",
            spec="TXC-12",
        )
        for source in _RESTING
    ]
    rows += [
        Row(
            source=source,
            on=ADD,
            when=SETTLED,
            target=None,
            reply="CONCURRENT_TRANSACTIONS",
            why="coordinator.add_waits_for_markers",
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
            why="coordinator.partitions_added",
            spec="TXC-12",
        ),
        Row(
            source=ONGOING,
            on=ADD,
            when=ALL_KNOWN,
            target=ONGOING,
            reply="NONE",
            why="coordinator.partitions_known",
            spec="TXC-12",
        ),
    ]
    return rows + _internal(ADD, "TXC-8")


_END: dict[str, dict[str, tuple[str | None, str, str]]] = {
    COMMIT: {
        ONGOING: (PREPARE_COMMIT, "", "coordinator.decides_commit"),
        PREPARE_COMMIT: (None, "CONCURRENT_TRANSACTIONS", "coordinator.markers_under_way"),
        PREPARE_ABORT: (None, "INVALID_TXN_STATE", "coordinator.decided_otherwise"),
        COMPLETE_COMMIT: (COMPLETE_COMMIT, "NONE", "coordinator.done_already"),
        COMPLETE_ABORT: (None, "INVALID_TXN_STATE", "coordinator.decided_otherwise"),
        EMPTY: (None, "INVALID_TXN_STATE", "coordinator.nothing_to_end"),
    },
    ABORT: {
        ONGOING: (PREPARE_ABORT, "", "coordinator.decides_abort"),
        PREPARE_COMMIT: (None, "INVALID_TXN_STATE", "coordinator.decided_otherwise"),
        PREPARE_ABORT: (None, "CONCURRENT_TRANSACTIONS", "coordinator.markers_under_way"),
        COMPLETE_COMMIT: (None, "INVALID_TXN_STATE", "coordinator.decided_otherwise"),
        COMPLETE_ABORT: (COMPLETE_ABORT, "NONE", "coordinator.done_already"),
        EMPTY: (None, "INVALID_TXN_STATE", "coordinator.nothing_to_end"),
    },
}


def _end(on: str) -> list[Row]:
    rows = _busy(on, "TXC-14", "coordinator.end_meets_transition")
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
            why="coordinator.all_markers_acknowledged",
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
            why="coordinator.id_expires",
            spec="TXC-21",
        )
        for source in _RESTING
    ]
    rows += [
        Row(
            source=ONGOING,
            on=TIME_OUT,
            when=EPOCH_LEFT,
            target=PREPARE_EPOCH_FENCE,
            effects=("fence_and_abort",),
            why="coordinator.transaction_timed_out",
            spec="TXC-20",
        ),
        _cannot_fence(TIME_OUT),
    ]
    return rows


TRANSACTION_STATES = Machine(
    "transaction_states",
    EMPTY,
    [*_init(), *_add(), *_end(COMMIT), *_end(ABORT), *_rest()],
    guards=(
        *(SETTLED, IN_TRANSITION, NEW_PARTITIONS, ALL_KNOWN, EPOCH_LEFT, NO_EPOCH_LEFT),
        *(CLAIM_HOLDS, CLAIM_REPLACED, CLAIM_TOO_LATE),
    ),
    effects=(
        "raise_epoch_or_rotate",
        "fence_and_abort",
        "register_partitions",
        "write_decision",
        "write_completion",
        "write_tombstone",
    ),
    terminal=(DEAD,),
)
