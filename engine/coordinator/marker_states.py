"""The way of one marker to one topic-partition, as rows (MRK-1, MRK-2, MRK-8, MRK-9).

One instance per (transaction, topic-partition). The answers of the leader are events under their error's name.
``done`` means: this partition holds the transaction up no longer.
"""

from __future__ import annotations

from engine.machine import Machine, Row

TO_SEND, QUEUED, PARKED, IN_FLIGHT = "ToSend", "Queued", "Parked", "InFlight"
DONE, CANCELLED = "Done", "Cancelled"

RESOLVED, SENT, DISCONNECTED = "leader_resolved", "sent", "disconnected"
NOT_OWNER, GONE_FROM_ANSWER = "no_longer_coordinator", "missing_in_answer"

REACHABLE, UNREACHABLE, NO_LEADER_KNOWN = "leader_reachable", "leader_unreachable", "partition_unknown"
STORAGE_RETRIES, STORAGE_UNEXPECTED = "storage_error_is_retried", "storage_error_is_unexpected"
RETRIES, NO_RETRIES = "marker_retry", "marker_retry_switched_off"

_RETRIED = (
    "UNKNOWN_TOPIC_OR_PARTITION",
    "NOT_LEADER_OR_FOLLOWER",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "REQUEST_TIMED_OUT",
)
_STOPS = ("INVALID_PRODUCER_EPOCH", "TRANSACTION_COORDINATOR_FENCED")
_PASSES = ("UNSUPPORTED_FOR_MESSAGE_FORMAT", "UNSUPPORTED_VERSION")
UNEXPECTED = (
    "CORRUPT_MESSAGE",
    "MESSAGE_TOO_LARGE",
    "RECORD_LIST_TOO_LARGE",
    "INVALID_REQUIRED_ACKS",
    "CLUSTER_AUTHORIZATION_FAILED",
    "UNKNOWN_SERVER_ERROR",
)
"""Answers that Kafka calls an illegal state; any error without rows of its own counts as the last one."""


def _resolved() -> list[Row]:
    rows = []
    for source in (TO_SEND, PARKED):
        rows += [
            Row(
                source=source,
                on=RESOLVED,
                when=REACHABLE,
                target=QUEUED,
                why="markers.queued",
                spec="MRK-1",
            ),
            Row(
                source=source,
                on=RESOLVED,
                when=UNREACHABLE,
                target=PARKED,
                why="markers.parked",
                spec="MRK-2",
            ),
            Row(
                source=source,
                on=RESOLVED,
                when=NO_LEADER_KNOWN,
                target=DONE,
                why="markers.partition_gone",
                spec="MRK-2",
            ),
        ]
    return rows


def _again(on: str, why: str, spec: str, guard: str = "") -> list[Row]:
    """Back into the queues, unless the laboratory switched retries off."""
    return [
        Row(
            source=IN_FLIGHT,
            on=on,
            when=guard or RETRIES,
            target=TO_SEND,
            effects=("retry",),
            why=why,
            spec=spec,
        ),
        Row(
            source=IN_FLIGHT,
            on=on,
            when=NO_RETRIES,
            target=CANCELLED,
            effects=("give_up",),
            why="markers.given_up",
            spec="MRK-12",
        ),
    ]


def _answers() -> list[Row]:
    rows = [Row(source=IN_FLIGHT, on="NONE", target=DONE, why="markers.acknowledged", spec="MRK-8")]
    for error in _RETRIED:
        rows += _again(error, "markers.refused_for_now", "MRK-8")
    rows += _again("KAFKA_STORAGE_ERROR", "markers.refused_for_now", "MRK-8", STORAGE_RETRIES)
    rows.append(
        Row(
            source=IN_FLIGHT,
            on="KAFKA_STORAGE_ERROR",
            when=STORAGE_UNEXPECTED,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="markers.unexpected_answer",
            spec="MRK-8",
        )
    )
    rows += [
        Row(
            source=IN_FLIGHT,
            on=error,
            target=CANCELLED,
            effects=("cancel_transaction",),
            why="markers.refused_for_good",
            spec="MRK-8",
        )
        for error in _STOPS
    ]
    rows += [
        Row(source=IN_FLIGHT, on=error, target=DONE, why="markers.cannot_be_held", spec="MRK-8")
        for error in _PASSES
    ]
    rows += [
        Row(
            source=IN_FLIGHT,
            on=error,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="markers.unexpected_answer",
            spec="MRK-8",
        )
        for error in UNEXPECTED
    ]
    return rows


def _rest() -> list[Row]:
    rows = [Row(source=QUEUED, on=SENT, target=IN_FLIGHT, why="markers.sent", spec="MRK-3")]
    rows += _again(DISCONNECTED, "markers.disconnected", "MRK-9")
    rows += [
        Row(
            source=source,
            on=NOT_OWNER,
            target=CANCELLED,
            effects=("cancel_transaction",),
            why="markers.cancelled",
            spec="MRK-9",
        )
        for source in (TO_SEND, QUEUED, PARKED, IN_FLIGHT)
    ]
    rows.append(
        Row(
            source=IN_FLIGHT,
            on=GONE_FROM_ANSWER,
            target=None,
            reply="UNKNOWN_SERVER_ERROR",
            why="markers.unexpected_answer",
            spec="MRK-9",
        )
    )
    return rows


MARKER_STATES = Machine(
    "marker_states",
    TO_SEND,
    [*_resolved(), *_answers(), *_rest()],
    guards=(
        REACHABLE,
        UNREACHABLE,
        NO_LEADER_KNOWN,
        STORAGE_RETRIES,
        STORAGE_UNEXPECTED,
        RETRIES,
        NO_RETRIES,
    ),
    effects=("retry", "give_up", "cancel_transaction"),
    terminal=(DONE, CANCELLED),
)
