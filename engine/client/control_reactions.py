"""The reactions of a producer to the responses to its transactional requests (TXM-13): one row for each
request and error. ``OTHER`` is the row for errors without a row of their own."""

from __future__ import annotations

from dataclasses import dataclass

from engine.client.control_requests import (
    ADD_OFFSETS,
    ADD_PARTITIONS,
    COMMIT_OFFSETS,
    END,
    FIND,
    INIT,
)
from engine.profile import Profile

ACCEPT, RETRY, RETRY_SOON, LOOKUP = "accept", "retry", "retry_soon", "lookup"
ABORTABLE, BUMP, FATAL = "abortable", "abortable_and_bump", "fatal"
OWN, FENCED, UNEXPECTED = "own", "fenced", "unexpected"
"""How the application sees a failure: as the error itself, as a fencing, or as a KafkaException that wraps
the error."""
DISCONNECT, OTHER = "DISCONNECT", "OTHER"
EITHER, WITH_BUMP, WITHOUT_BUMP, RETRIES, MAPPED = "", "k28", "k20", "k39", "k41"
BUILDS_ON: dict[str, tuple[str, ...]] = {
    WITHOUT_BUMP: (EITHER, WITHOUT_BUMP),
    WITH_BUMP: (EITHER, WITH_BUMP),
    RETRIES: (EITHER, WITH_BUMP, RETRIES),
    MAPPED: (EITHER, WITH_BUMP, RETRIES, MAPPED),
}
"""Dict of a client's generation → the generations whose rows it has. For one request and error, the row of a
later generation replaces that of an earlier one."""
RETRIABLE = (
    "CORRUPT_MESSAGE",
    "UNKNOWN_TOPIC_OR_PARTITION",
    "LEADER_NOT_AVAILABLE",
    "NOT_LEADER_OR_FOLLOWER",
    "REQUEST_TIMED_OUT",
    "NETWORK_EXCEPTION",
    "COORDINATOR_LOAD_IN_PROGRESS",
    "COORDINATOR_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "CONCURRENT_TRANSACTIONS",
    "KAFKA_STORAGE_ERROR",
    "UNSTABLE_OFFSET_COMMIT",
)
"""Errors whose exception in Kafka is a ``RetriableException``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlReaction:
    """One cell of the table in TXM-13. ``generation``: the clients that have the cell; empty: all clients."""

    api: str
    answer: str
    does: str
    raises: str = OWN
    generation: str = EITHER
    at_once: bool = False
    """Whether, in a response about several partitions, the first partition with this error decides the
    reaction, so that the results of the others are not read."""
    spec: str = "TXM-13"


def _rows(
    api: str, does: str, *answers: str, raises: str = OWN, generation: str = EITHER
) -> tuple[ControlReaction, ...]:
    return tuple(
        ControlReaction(api=api, answer=answer, does=does, raises=raises, generation=generation)
        for answer in answers
    )


_COORDINATED = (INIT, ADD_PARTITIONS, ADD_OFFSETS, END)
_STALE = ("INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED")
_UNKNOWN = ("UNKNOWN_PRODUCER_ID", "INVALID_PRODUCER_ID_MAPPING")
DENIALS = ("TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED")
"""Errors of InitProducerId after which a client that survives a denial returns to UNINITIALIZED."""
_MOVED = ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", DISCONNECT)

_NAMED: tuple[ControlReaction, ...] = (
    # FindCoordinator goes to any broker, so a lost connection needs no lookup of the coordinator.
    *_rows(FIND, ACCEPT, "NONE"),
    *_rows(FIND, RETRY, "COORDINATOR_NOT_AVAILABLE", DISCONNECT),
    *_rows(FIND, FATAL, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"),
    *_rows(FIND, ABORTABLE, "GROUP_AUTHORIZATION_FAILED"),
    *_rows(FIND, FATAL, OTHER, raises=UNEXPECTED),
    # Requests to the transaction coordinator share the reactions to a coordinator that moved or is loading.
    *(row for api in _COORDINATED for row in _rows(api, ACCEPT, "NONE")),
    *(row for api in _COORDINATED for row in _rows(api, LOOKUP, *_MOVED)),
    *(row for api in _COORDINATED for row in _rows(api, RETRY, "COORDINATOR_LOAD_IN_PROGRESS")),
    *(row for api in _COORDINATED for row in _rows(api, FATAL, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED")),
    *_rows(INIT, RETRY, "CONCURRENT_TRANSACTIONS"),
    *_rows(INIT, FATAL, *_STALE, raises=FENCED, generation=WITH_BUMP),
    *_rows(INIT, FATAL, "CLUSTER_AUTHORIZATION_FAILED", generation=WITH_BUMP),
    *_rows(INIT, FATAL, OTHER, raises=UNEXPECTED),
    *_rows(ADD_PARTITIONS, RETRY_SOON, "CONCURRENT_TRANSACTIONS"),
    *_rows(ADD_PARTITIONS, RETRY, "UNKNOWN_TOPIC_OR_PARTITION"),
    *_rows(ADD_PARTITIONS, FATAL, *_STALE, raises=FENCED),
    *_rows(ADD_PARTITIONS, FATAL, "INVALID_TXN_STATE", raises=UNEXPECTED),
    *_rows(ADD_PARTITIONS, BUMP, *_UNKNOWN, generation=WITH_BUMP),
    *_rows(ADD_PARTITIONS, FATAL, "INVALID_PRODUCER_ID_MAPPING", raises=UNEXPECTED, generation=WITHOUT_BUMP),
    *_rows(ADD_PARTITIONS, ABORTABLE, "TOPIC_AUTHORIZATION_FAILED"),
    *_rows(ADD_PARTITIONS, ABORTABLE, "OPERATION_NOT_ATTEMPTED", OTHER, raises=UNEXPECTED),
    *_rows(ADD_OFFSETS, RETRY, "CONCURRENT_TRANSACTIONS"),
    *_rows(ADD_OFFSETS, FATAL, *_STALE, raises=FENCED),
    *_rows(ADD_OFFSETS, ABORTABLE, "GROUP_AUTHORIZATION_FAILED"),
    *_rows(ADD_OFFSETS, BUMP, *_UNKNOWN, generation=WITH_BUMP),
    *_rows(ADD_OFFSETS, FATAL, OTHER, raises=UNEXPECTED),
    # TxnOffsetCommit goes to the group coordinator.
    *_rows(COMMIT_OFFSETS, ACCEPT, "NONE"),
    *_rows(COMMIT_OFFSETS, LOOKUP, *_MOVED, "REQUEST_TIMED_OUT"),
    *_rows(COMMIT_OFFSETS, RETRY, "COORDINATOR_LOAD_IN_PROGRESS", "UNKNOWN_TOPIC_OR_PARTITION"),
    *_rows(
        COMMIT_OFFSETS,
        FATAL,
        *_STALE,
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "UNSUPPORTED_FOR_MESSAGE_FORMAT",
    ),
    *_rows(COMMIT_OFFSETS, ABORTABLE, "GROUP_AUTHORIZATION_FAILED"),
    *_rows(
        COMMIT_OFFSETS,
        ABORTABLE,
        "FENCED_INSTANCE_ID",
        "UNKNOWN_MEMBER_ID",
        "ILLEGAL_GENERATION",
        generation=WITH_BUMP,
    ),
    *_rows(COMMIT_OFFSETS, FATAL, OTHER, raises=UNEXPECTED),
    *_rows(END, RETRY, "CONCURRENT_TRANSACTIONS"),
    *_rows(END, FATAL, *_STALE, raises=FENCED),
    *_rows(END, FATAL, "INVALID_TXN_STATE"),
    *_rows(END, BUMP, *_UNKNOWN, generation=WITH_BUMP),
    *_rows(END, FATAL, OTHER, raises=UNEXPECTED),
)
_TRIED_AGAIN = {(row.api, row.answer) for row in _NAMED if row.does in (RETRY, RETRY_SOON, LOOKUP)}
_ALL = (FIND, *_COORDINATED, COMMIT_OFFSETS)
REACTIONS = (
    *_NAMED,
    *(
        ControlReaction(
            api=api, answer="TRANSACTION_ABORTABLE", does=ABORTABLE, generation=RETRIES, at_once=True
        )
        for api in _ALL
    ),
    *_rows(INIT, ABORTABLE, *DENIALS, generation=RETRIES),
    *_rows(ADD_PARTITIONS, FATAL, "INVALID_TXN_STATE", generation=RETRIES),
    *_rows(ADD_OFFSETS, FATAL, "INVALID_TXN_STATE", generation=RETRIES),
    *_rows(COMMIT_OFFSETS, FATAL, *_STALE, raises=FENCED, generation=RETRIES),
    *(
        row
        for api in _ALL
        for answer in RETRIABLE
        if (api, answer) not in _TRIED_AGAIN
        for row in _rows(api, RETRY, answer, generation=RETRIES)
    ),
    *(
        row
        for api in (ADD_PARTITIONS, ADD_OFFSETS, END)
        for row in _rows(api, FATAL, "INVALID_PRODUCER_ID_MAPPING", generation=MAPPED)
    ),
)
_CELLS = {
    generation: {
        (row.api, row.answer): row for older in earlier for row in REACTIONS if row.generation == older
    }
    for generation, earlier in BUILDS_ON.items()
}


def reaction_to(api: str, answer: str, generation: str) -> ControlReaction:
    """The row for ``answer`` (an error's name or ``DISCONNECT``) to a request ``api``, for clients of
    ``generation``."""
    cells = _CELLS[generation]
    found = cells.get((api, answer))
    return found if found is not None else cells[(api, OTHER)]


def generation_of(profile: Profile) -> str:
    """The generation of rows that a client of this version has."""
    if profile.unknown_mapping_is_fatal:
        return MAPPED
    if profile.retries_retriable_answers:
        return RETRIES
    return WITH_BUMP if profile.recovers_by_epoch else WITHOUT_BUMP
