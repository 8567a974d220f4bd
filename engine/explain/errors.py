"""The error dictionary: for every error its meaning, what was compared, what each side does, since when, how bad.

The sentences stand in ``catalogue/errors.toml``: ``error.NAME.`` and one of :data:`FIELDS`. ``answering`` is the side
that says the error, ``asking`` the one that gets it. What a client does is decided by the tables of its own room;
here it is described.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import Error
from engine.explain.sentences import catalogue

FIELDS = ("meaning", "compared", "answering", "asking")


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """One error: the Kafka release that brought it under this code, and how it ends for the asking side."""

    error: Error
    since: str
    outcome: str

    @property
    def outcome_key(self) -> str:
        return f"error.outcome.{self.outcome}"

    def key(self, field: str) -> str:
        """The catalogue key of one of the fields."""
        return f"error.{self.error.name}.{field}"


_ROWS = (
    (Error.UNKNOWN_SERVER_ERROR, "0.8", "by_case"),
    (Error.OFFSET_OUT_OF_RANGE, "0.8", "retried"),
    (Error.CORRUPT_MESSAGE, "0.8", "retried"),
    (Error.UNKNOWN_TOPIC_OR_PARTITION, "0.8", "by_case"),
    (Error.LEADER_NOT_AVAILABLE, "0.8", "retried"),
    (Error.NOT_LEADER_OR_FOLLOWER, "0.8", "retried"),
    (Error.REQUEST_TIMED_OUT, "0.8", "by_case"),
    (Error.MESSAGE_TOO_LARGE, "0.8", "abortable"),
    (Error.NETWORK_EXCEPTION, "0.8", "retried"),
    (Error.COORDINATOR_LOAD_IN_PROGRESS, "0.8", "by_case"),
    (Error.COORDINATOR_NOT_AVAILABLE, "0.8", "retried"),
    (Error.NOT_COORDINATOR, "0.8", "by_case"),
    (Error.RECORD_LIST_TOO_LARGE, "0.8", "abortable"),
    (Error.NOT_ENOUGH_REPLICAS, "0.8", "retried"),
    (Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND, "0.8", "retried"),
    (Error.INVALID_REQUIRED_ACKS, "0.8", "abortable"),
    (Error.ILLEGAL_GENERATION, "0.9", "by_case"),
    (Error.UNKNOWN_MEMBER_ID, "0.9", "by_case"),
    (Error.TOPIC_AUTHORIZATION_FAILED, "0.9", "abortable"),
    (Error.GROUP_AUTHORIZATION_FAILED, "0.9", "abortable"),
    (Error.CLUSTER_AUTHORIZATION_FAILED, "0.9", "fatal"),
    (Error.UNSUPPORTED_VERSION, "0.10", "fatal"),
    (Error.INVALID_REQUEST, "0.10", "fatal"),
    (Error.UNSUPPORTED_FOR_MESSAGE_FORMAT, "0.10", "abortable"),
    (Error.OUT_OF_ORDER_SEQUENCE_NUMBER, "0.11", "by_case"),
    (Error.DUPLICATE_SEQUENCE_NUMBER, "0.11", "success"),
    (Error.INVALID_PRODUCER_EPOCH, "0.11", "by_case"),
    (Error.INVALID_TXN_STATE, "0.11", "by_case"),
    (Error.INVALID_PRODUCER_ID_MAPPING, "0.11", "by_case"),
    (Error.INVALID_TRANSACTION_TIMEOUT, "0.11", "fatal"),
    (Error.CONCURRENT_TRANSACTIONS, "0.11", "by_case"),
    (Error.TRANSACTION_COORDINATOR_FENCED, "0.11", "inside"),
    (Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "0.11", "fatal"),
    (Error.OPERATION_NOT_ATTEMPTED, "0.11", "abortable"),
    (Error.KAFKA_STORAGE_ERROR, "1.0", "retried"),
    (Error.UNKNOWN_PRODUCER_ID, "1.0", "by_case"),
    (Error.FENCED_INSTANCE_ID, "2.3", "abortable"),
    (Error.INVALID_RECORD, "2.4", "abortable"),
    (Error.UNSTABLE_OFFSET_COMMIT, "2.5", "retried"),
    (Error.PRODUCER_FENCED, "2.7", "fatal"),
    (Error.TRANSACTION_ABORTABLE, "3.8", "abortable"),
)
ERRORS = {error: ErrorEntry(error, since, outcome) for error, since, outcome in _ROWS}
SPECIFICATION = tuple(
    error
    for error in ERRORS
    if error
    not in (
        Error.OFFSET_OUT_OF_RANGE,
        Error.INVALID_RECORD,
        Error.UNSTABLE_OFFSET_COMMIT,
        Error.TRANSACTION_ABORTABLE,
    )
)
"""Appendix A; the four others are answers that only consumers, leaders and recorded cases get."""


def error_lines(error: Error, language: str) -> Iterator[str]:
    """An entry as text."""
    retriable = "retriable" if error.retriable else "not retriable"
    entry = ERRORS.get(error)
    if entry is None:
        yield f"{error.name} ({error.code}): no error"
        return
    known = catalogue()
    yield f"{error.name} ({error.code}), since Kafka {entry.since}, {retriable} for Produce"
    for field in FIELDS:
        yield f"  {field}: {known[entry.key(field)].text(language)}"
    yield f"  outcome: {known[entry.outcome_key].text(language)}"
