"""The states of one marker for one topic-partition, as rows (MRK-1, MRK-2, MRK-8, MRK-9).

There is one instance for each (transaction, topic-partition). A leader's result is an event with the name of
its error. In the state ``Done`` the transaction no longer waits for the partition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.machine import Machine, Row

TO_SEND, QUEUED, PARKED, IN_FLIGHT = "ToSend", "Queued", "Parked", "InFlight"
DONE, CANCELLED = "Done", "Cancelled"

RESOLVED, SENT, DISCONNECTED, AGAIN = "leader_resolved", "sent", "disconnected", "asked_again"
NOT_OWNER, GONE_FROM_ANSWER = "no_longer_coordinator", "missing_in_answer"

REACHABLE, UNREACHABLE, NO_LEADER_KNOWN = "leader_reachable", "leader_unreachable", "partition_unknown"
STORAGE_RETRIES, STORAGE_UNEXPECTED = "storage_error_is_retried", "storage_error_is_unexpected"
RETRIES, NO_RETRIES = "marker_retry", "marker_retry_switched_off"


@dataclass(slots=True)
class Situation:
    """The values that the guards read. ``storage_error_retries``: whether a marker is sent again after
    KAFKA_STORAGE_ERROR in this version. ``retries``: whether the switch for retries is on. ``reachable``:
    whether the partition has a leader that can be reached. ``known``: whether the partition exists."""

    storage_error_retries: bool
    retries: bool
    reachable: bool = False
    known: bool = True


def _reachable(situation: Situation) -> bool:
    return situation.reachable


def _unreachable(situation: Situation) -> bool:
    return situation.known and not situation.reachable


def _no_leader_known(situation: Situation) -> bool:
    return not situation.known and not situation.reachable


def _storage_retries(situation: Situation) -> bool:
    return situation.storage_error_retries


def _storage_unexpected(situation: Situation) -> bool:
    return not situation.storage_error_retries


def _retries(situation: Situation) -> bool:
    return situation.retries


def _no_retries(situation: Situation) -> bool:
    return not situation.retries


GUARDS: dict[str, Callable[[Situation], bool]] = {
    REACHABLE: _reachable,
    UNREACHABLE: _unreachable,
    NO_LEADER_KNOWN: _no_leader_known,
    STORAGE_RETRIES: _storage_retries,
    STORAGE_UNEXPECTED: _storage_unexpected,
    RETRIES: _retries,
    NO_RETRIES: _no_retries,
}

_RETRIED = (
    "UNKNOWN_TOPIC_OR_PARTITION",
    "NOT_LEADER_OR_FOLLOWER",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "REQUEST_TIMED_OUT",
)
_STOPS = ("INVALID_PRODUCER_EPOCH", "TRANSACTION_COORDINATOR_FENCED")
_PASSES = ("UNSUPPORTED_FOR_MESSAGE_FORMAT", "UNSUPPORTED_VERSION")
_RETRIES_STORAGE = "marker_storage_error_retries"
"""The field of the profile that chooses between the two rows for KAFKA_STORAGE_ERROR."""
UNEXPECTED = "any_other_error"
"""The event of all results without a row of their own, such as CORRUPT_MESSAGE; Kafka throws
IllegalStateException at them."""


def _resolved() -> list[Row]:
    rows = []
    for source in (TO_SEND, PARKED):
        rows += [
            Row(
                source=source,
                on=RESOLVED,
                when=REACHABLE,
                target=QUEUED,
                effects=("queue",),
                why="queued",
                spec="MRK-1",
            ),
            Row(
                source=source,
                on=RESOLVED,
                when=UNREACHABLE,
                target=PARKED,
                effects=("park",),
                why="parked",
                spec="MRK-2",
            ),
            Row(
                source=source,
                on=RESOLVED,
                when=NO_LEADER_KNOWN,
                target=DONE,
                effects=("forget",),
                why="partition_gone",
                spec="MRK-2",
            ),
        ]
    return rows


def _again() -> list[Row]:
    """The rows by which a marker with a retriable error or a lost response returns to a queue, unless a
    switch turned retries off."""
    return [
        Row(
            source=TO_SEND,
            on=AGAIN,
            when=RETRIES,
            target=TO_SEND,
            effects=("send_again",),
            why="sent_again",
            spec="MRK-10",
        ),
        Row(
            source=TO_SEND,
            on=AGAIN,
            when=NO_RETRIES,
            target=CANCELLED,
            effects=("give_up",),
            why="given_up",
            spec="MRK-12",
        ),
    ]


def _retried(on: str, why: str, spec: str, when: str = "", only_if: str = "") -> Row:
    return Row(
        source=IN_FLIGHT,
        on=on,
        when=when,
        target=TO_SEND,
        effects=("retry",),
        why=why,
        spec=spec,
        only_if=only_if,
    )


def _answers() -> list[Row]:
    rows = [
        Row(
            source=IN_FLIGHT,
            on="NONE",
            target=DONE,
            effects=("cross_off", "count"),
            why="acknowledged",
            spec="MRK-8",
        )
    ]
    rows += [_retried(error, "refused_for_now", "MRK-8") for error in _RETRIED]
    rows.append(
        _retried("KAFKA_STORAGE_ERROR", "refused_for_now", "MRK-8", STORAGE_RETRIES, _RETRIES_STORAGE)
    )
    rows.append(
        Row(
            source=IN_FLIGHT,
            on="KAFKA_STORAGE_ERROR",
            when=STORAGE_UNEXPECTED,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="unexpected_answer",
            spec="MRK-8",
            unless=_RETRIES_STORAGE,
        )
    )
    rows += [
        Row(
            source=IN_FLIGHT,
            on=error,
            target=CANCELLED,
            effects=("stop",),
            why="refused_for_good",
            spec="MRK-8",
        )
        for error in _STOPS
    ]
    rows += [
        Row(
            source=IN_FLIGHT,
            on=error,
            target=DONE,
            effects=("cross_off",),
            why="cannot_be_held",
            spec="MRK-8",
        )
        for error in _PASSES
    ]
    rows.append(
        Row(
            source=IN_FLIGHT,
            on=UNEXPECTED,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="unexpected_answer",
            spec="MRK-8",
        )
    )
    return rows


def _rest() -> list[Row]:
    rows = [Row(source=QUEUED, on=SENT, target=IN_FLIGHT, why="sent", spec="MRK-3")]
    rows.append(_retried(DISCONNECTED, "disconnected", "MRK-9"))
    rows += _again()
    rows += [
        Row(
            source=source,
            on=NOT_OWNER,
            target=CANCELLED,
            effects=("cancel_transaction",),
            why="cancelled",
            spec="MRK-9",
        )
        for source in (QUEUED, PARKED, IN_FLIGHT)
    ]
    rows.append(
        Row(
            source=IN_FLIGHT,
            on=GONE_FROM_ANSWER,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="unexpected_answer",
            spec="MRK-9",
        )
    )
    return rows


MARKER_STATES: Machine[Situation] = Machine(
    "marker_states",
    TO_SEND,
    [*_resolved(), *_answers(), *_rest()],
    guards=GUARDS,
    effects=(
        *("queue", "park", "forget"),
        *("cross_off", "count", "retry", "stop"),
        *("send_again", "give_up", "cancel_transaction"),
    ),
    terminal=(DONE, CANCELLED),
)
