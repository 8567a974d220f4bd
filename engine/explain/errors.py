"""The error dictionary. For every error except NONE it has the meaning, the compared values, the reaction of each
side, the first version, and the severity.

The sentences are in ``catalogue/errors.toml``: ``error.NAME.`` and one of :data:`FIELDS`. ``answering`` is
the side that returns the error, ``asking`` the side that gets it. The tables of the client decide its
reactions; this module only describes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import Error
from engine.explain.sentences import catalogue

FIELDS = ("meaning", "compared", "answering", "asking")
_RETRIABLE_ELSEWHERE = frozenset(
    {
        Error.COORDINATOR_NOT_AVAILABLE,
        Error.NOT_COORDINATOR,
        Error.CONCURRENT_TRANSACTIONS,
        Error.FENCED_LEADER_EPOCH,
        Error.UNSTABLE_OFFSET_COMMIT,
        Error.UNKNOWN_TOPIC_ID,
    }
)
"""The errors that Kafka's clients class as retriable, besides those with ``Error.retriable``."""


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """One error: the first Kafka release that has its code, and its effect on the side that gets it."""

    error: Error
    since: str
    outcome: str

    @property
    def retriable(self) -> bool:
        """Whether Kafka's clients class the error as retriable (``RetriableException``, in 3.9)."""
        return self.error.retriable or self.error in _RETRIABLE_ELSEWHERE

    @property
    def outcome_key(self) -> str:
        return f"error.outcome.{self.outcome}"

    def key(self, field: str) -> str:
        """The catalogue key of a field."""
        return f"error.{self.error.name}.{field}"


_ROWS = (
    (Error.UNKNOWN_SERVER_ERROR, "by_case"),
    (Error.OFFSET_OUT_OF_RANGE, "by_case"),
    (Error.CORRUPT_MESSAGE, "by_case"),
    (Error.UNKNOWN_TOPIC_OR_PARTITION, "by_case"),
    (Error.LEADER_NOT_AVAILABLE, "retried"),
    (Error.NOT_LEADER_OR_FOLLOWER, "retried"),
    (Error.REQUEST_TIMED_OUT, "by_case"),
    (Error.MESSAGE_TOO_LARGE, "abortable"),
    (Error.NETWORK_EXCEPTION, "retried"),
    (Error.COORDINATOR_LOAD_IN_PROGRESS, "by_case"),
    (Error.COORDINATOR_NOT_AVAILABLE, "retried"),
    (Error.NOT_COORDINATOR, "by_case"),
    (Error.RECORD_LIST_TOO_LARGE, "abortable"),
    (Error.NOT_ENOUGH_REPLICAS, "retried"),
    (Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND, "retried"),
    (Error.INVALID_REQUIRED_ACKS, "abortable"),
    (Error.ILLEGAL_GENERATION, "by_case"),
    (Error.UNKNOWN_MEMBER_ID, "by_case"),
    (Error.TOPIC_AUTHORIZATION_FAILED, "by_case"),
    (Error.GROUP_AUTHORIZATION_FAILED, "by_case"),
    (Error.CLUSTER_AUTHORIZATION_FAILED, "by_case"),
    (Error.UNSUPPORTED_VERSION, "by_case"),
    (Error.INVALID_REQUEST, "by_case"),
    (Error.UNSUPPORTED_FOR_MESSAGE_FORMAT, "by_case"),
    (Error.OUT_OF_ORDER_SEQUENCE_NUMBER, "by_case"),
    (Error.DUPLICATE_SEQUENCE_NUMBER, "success"),
    (Error.INVALID_PRODUCER_EPOCH, "by_case"),
    (Error.INVALID_TXN_STATE, "by_case"),
    (Error.INVALID_PRODUCER_ID_MAPPING, "by_case"),
    (Error.INVALID_TRANSACTION_TIMEOUT, "fatal"),
    (Error.CONCURRENT_TRANSACTIONS, "by_case"),
    (Error.TRANSACTION_COORDINATOR_FENCED, "inside"),
    (Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "by_case"),
    (Error.OPERATION_NOT_ATTEMPTED, "by_case"),
    (Error.KAFKA_STORAGE_ERROR, "by_case"),
    (Error.UNKNOWN_PRODUCER_ID, "by_case"),
    (Error.FENCED_LEADER_EPOCH, "inside"),
    (Error.STALE_BROKER_EPOCH, "inside"),
    (Error.FENCED_INSTANCE_ID, "by_case"),
    (Error.INVALID_RECORD, "abortable"),
    (Error.UNSTABLE_OFFSET_COMMIT, "retried"),
    (Error.PRODUCER_FENCED, "fatal"),
    (Error.INVALID_UPDATE_VERSION, "inside"),
    (Error.UNKNOWN_TOPIC_ID, "inside"),
    (Error.DUPLICATE_BROKER_REGISTRATION, "inside"),
    (Error.TRANSACTIONAL_ID_NOT_FOUND, "by_case"),
    (Error.INELIGIBLE_REPLICA, "inside"),
    (Error.TRANSACTION_ABORTABLE, "abortable"),
)
WITH_THE_CONTROLLER = (
    Error.FENCED_LEADER_EPOCH,
    Error.STALE_BROKER_EPOCH,
    Error.INVALID_UPDATE_VERSION,
    Error.UNKNOWN_TOPIC_ID,
    Error.DUPLICATE_BROKER_REGISTRATION,
    Error.INELIGIBLE_REPLICA,
)
"""Errors that the active controller returns to brokers. In the runs a client gets them only as injected errors."""
ERRORS = {error: ErrorEntry(error, error.since, outcome) for error, outcome in _ROWS}
SPECIFICATION = tuple(
    error
    for error in ERRORS
    if error
    not in (
        Error.OFFSET_OUT_OF_RANGE,
        Error.INVALID_RECORD,
        Error.UNSTABLE_OFFSET_COMMIT,
        Error.TRANSACTION_ABORTABLE,
        Error.TRANSACTIONAL_ID_NOT_FOUND,
        *WITH_THE_CONTROLLER,
    )
)
"""The errors of the specification's appendix A."""


def error_lines(error: Error, language: str) -> Iterator[str]:
    """The lines of text about an error."""
    entry = ERRORS.get(error)
    if entry is None:
        yield f"{error.name} ({error.code}): no error"
        return
    retriable = "retriable" if entry.retriable else "not retriable"
    known = catalogue()
    yield f"{error.name} ({error.code}), since Kafka {entry.since}, {retriable}"
    for field in FIELDS:
        yield f"  {field}: {known[entry.key(field)].text(language)}"
    yield f"  outcome: {known[entry.outcome_key].text(language)}"
