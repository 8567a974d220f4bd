"""Reactions of a producer to the result of one batch, as rows (SND-9, SND-11, SND-12).

There are three tables: the reaction to each error, and the decisions about the two sequence errors. A row
names a reaction; ``answers`` and the transaction manager carry it out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.client.batch import Batch
from engine.client.partition_sequences import PartitionSequences
from engine.errors import EngineError, Error
from engine.happenings.batches import Because, Question
from engine.profile import Profile

COMPLETE, DUPLICATE, RETRY, FAIL, FATAL = "complete", "duplicate", "retry", "fail", "fatal"
OUT_OF_ORDER, UNKNOWN_PRODUCER, STALE_EPOCH = "out_of_order", "unknown_producer", "stale_epoch"
CONCURRENT, UNKNOWN_MAPPING = "concurrent", "unknown_mapping"
"""Reactions to two errors of a leader that adds the partition to the transaction. CONCURRENT: the batch is
resent if the client counts the error as retriable, and fails otherwise. UNKNOWN_MAPPING: fatal since 4.0."""
BUMP_AND_RETRY, RESTART_AND_RETRY = "bump_and_retry", "restart_and_retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """One row of SND-9. ``refresh``: whether the client also requests new metadata."""

    error: Error | None
    does: str
    refresh: bool = False
    spec: str = "SND-9"


_REFRESH = (
    Error.NOT_LEADER_OR_FOLLOWER,
    Error.LEADER_NOT_AVAILABLE,
    Error.UNKNOWN_TOPIC_OR_PARTITION,
    Error.NETWORK_EXCEPTION,
    Error.KAFKA_STORAGE_ERROR,
)
_RETRY = (
    Error.REQUEST_TIMED_OUT,
    Error.NOT_ENOUGH_REPLICAS,
    Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    Error.CORRUPT_MESSAGE,
    Error.COORDINATOR_LOAD_IN_PROGRESS,
)
_FATAL = (
    Error.CLUSTER_AUTHORIZATION_FAILED,
    Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    Error.PRODUCER_FENCED,
    Error.UNSUPPORTED_VERSION,
)

REACTIONS: tuple[Reaction, ...] = (
    Reaction(error=Error.NONE, does=COMPLETE),
    *(Reaction(error=error, does=RETRY, refresh=True) for error in _REFRESH),
    *(Reaction(error=error, does=RETRY) for error in _RETRY),
    Reaction(
        error=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        does=OUT_OF_ORDER,
        spec="SND-11",
    ),
    Reaction(
        error=Error.UNKNOWN_PRODUCER_ID,
        does=UNKNOWN_PRODUCER,
        spec="SND-12",
    ),
    Reaction(error=Error.DUPLICATE_SEQUENCE_NUMBER, does=DUPLICATE),
    Reaction(error=Error.INVALID_PRODUCER_EPOCH, does=STALE_EPOCH),
    Reaction(error=Error.CONCURRENT_TRANSACTIONS, does=CONCURRENT),
    Reaction(error=Error.INVALID_PRODUCER_ID_MAPPING, does=UNKNOWN_MAPPING),
    *(Reaction(error=error, does=FATAL) for error in _FATAL),
    Reaction(error=None, does=FAIL),
)
OTHER = REACTIONS[-1]
_BY_ERROR = {row.error: row for row in REACTIONS if row.error is not None}


def reaction_to(error: Error) -> Reaction:
    """The row of SND-9 for ``error``; an error without a row of its own gets ``OTHER``."""
    return _BY_ERROR.get(error, OTHER)


def fatal_in(profile: Profile) -> frozenset[str]:
    """The reactions that are fatal for a producer of this version (SND-9)."""
    chosen = {STALE_EPOCH: profile.stale_epoch_is_fatal, UNKNOWN_MAPPING: profile.unknown_mapping_is_fatal}
    return frozenset({FATAL, *(does for does, is_fatal in chosen.items() if is_fatal)})


def retried_in(profile: Profile) -> frozenset[str]:
    """The reactions after which a producer of this version resends a batch."""
    return frozenset({RETRY, CONCURRENT} if profile.retries_retriable_answers else {RETRY})


@dataclass(frozen=True, slots=True)
class Answer:
    """The values that a decision about a sequence error compares."""

    batch: Batch
    entry: PartitionSequences
    log_start_offset: int
    transactional: bool
    raises_epoch: bool
    """How the client recovers: by raising the epoch (True), or by dropping the producer id (False)."""


def _resolved(answer: Answer) -> bool:
    return answer.entry.unresolved is None


def _resequenced(answer: Answer) -> bool:
    return answer.batch.resequenced


def _earlier_missing(answer: Answer) -> bool:
    return not answer.entry.comes_next(answer.batch.base_sequence)


def _bumps_alone(answer: Answer) -> bool:
    return answer.raises_epoch and not answer.transactional


def _follows_unresolved(answer: Answer) -> bool:
    return answer.entry.unresolved == answer.batch.base_sequence


def _log_start_unknown(answer: Answer) -> bool:
    return answer.log_start_offset == -1


def _history_deleted(answer: Answer) -> bool:
    return answer.entry.last_acked_offset < answer.log_start_offset


GUARDS: dict[str, Callable[[Answer], bool]] = {
    "resolved": _resolved,
    "resequenced": _resequenced,
    "earlier_missing": _earlier_missing,
    "bumps_alone": _bumps_alone,
    "follows_unresolved": _follows_unresolved,
    "log_start_unknown": _log_start_unknown,
    "history_deleted": _history_deleted,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One row of a decision. The first row whose guards in ``when`` all hold decides.

    ``asks``: the question that the row asks. ``because``: the reason that is shown if this row decides."""

    when: tuple[str, ...]
    does: str
    asks: Question
    because: Because
    spec: str


OUT_OF_ORDER_ROWS: tuple[Decision, ...] = (
    Decision(
        when=("resolved", "resequenced"),
        does=RETRY,
        asks=Question.RESEQUENCED,
        because=Because.RESEQUENCED,
        spec="SND-11",
    ),
    Decision(
        when=("resolved", "earlier_missing"),
        does=RETRY,
        asks=Question.EARLIER_MISSING,
        because=Because.EARLIER_MISSING,
        spec="SND-11",
    ),
    Decision(
        when=("bumps_alone", "resolved"),
        does=BUMP_AND_RETRY,
        asks=Question.GAP,
        because=Because.GAP_BUMPS,
        spec="SND-11",
    ),
    Decision(
        when=("bumps_alone", "follows_unresolved"),
        does=BUMP_AND_RETRY,
        asks=Question.FOLLOWS_UNRESOLVED,
        because=Because.AFTER_UNRESOLVED_BUMPS,
        spec="SND-11",
    ),
    Decision(
        when=("bumps_alone",),
        does=RETRY,
        asks=Question.MAY_RESOLVE,
        because=Because.WAITS_FOR_UNRESOLVED,
        spec="SND-11",
    ),
    Decision(when=(), does=FAIL, asks=Question.OTHERWISE, because=Because.GAP_FAILS, spec="SND-11"),
)
UNKNOWN_PRODUCER_ROWS: tuple[Decision, ...] = (
    Decision(
        when=("log_start_unknown",),
        does=RETRY,
        asks=Question.LOG_START_UNKNOWN,
        because=Because.LOG_START_UNKNOWN,
        spec="SND-12",
    ),
    Decision(
        when=("resequenced",),
        does=RETRY,
        asks=Question.RESEQUENCED,
        because=Because.RESEQUENCED,
        spec="SND-12",
    ),
    Decision(
        when=("history_deleted", "bumps_alone"),
        does=BUMP_AND_RETRY,
        asks=Question.HISTORY_DELETED,
        because=Because.HISTORY_DELETED_BUMPS,
        spec="SND-12",
    ),
    Decision(
        when=("history_deleted",),
        does=RESTART_AND_RETRY,
        asks=Question.HISTORY_DELETED,
        because=Because.HISTORY_DELETED_RESTARTS,
        spec="SND-12",
    ),
    Decision(
        when=("bumps_alone",),
        does=BUMP_AND_RETRY,
        asks=Question.FORGOTTEN,
        because=Because.FORGOTTEN_BUMPS,
        spec="SND-12",
    ),
    Decision(
        when=(),
        does=FAIL,
        asks=Question.OTHERWISE,
        because=Because.FORGOTTEN_FAILS,
        spec="SND-12",
    ),
)
_IS_TRUE: dict[Question, Callable[[Answer], bool]] = {
    Question.RESEQUENCED: _resequenced,
    Question.EARLIER_MISSING: _earlier_missing,
    Question.GAP: lambda answer: not _earlier_missing(answer),
    Question.FOLLOWS_UNRESOLVED: _follows_unresolved,
    Question.MAY_RESOLVE: lambda answer: not _resolved(answer),
    Question.LOG_START_UNKNOWN: _log_start_unknown,
    Question.HISTORY_DELETED: _history_deleted,
    Question.FORGOTTEN: _bumps_alone,
    Question.OTHERWISE: lambda _: True,
}
"""Dict of question → function that says whether the answer is *yes*."""
DECISIONS = {OUT_OF_ORDER: OUT_OF_ORDER_ROWS, UNKNOWN_PRODUCER: UNKNOWN_PRODUCER_ROWS}


def decide(table: str, answer: Answer) -> Decision:
    """The first row of ``table`` (``out_of_order`` or ``unknown_producer``) whose guards all hold."""
    for row in DECISIONS[table]:
        if all(GUARDS[name](answer) for name in row.when):
            return row
    raise EngineError(f"{table}: no row decides about {answer.batch.id}")


def denied(table: str, decided: Decision, answer: Answer) -> tuple[Question, ...]:
    """The questions of the rows before ``decided`` that were answered with *no*, in the order of ``table``."""
    above = DECISIONS[table][: DECISIONS[table].index(decided)]
    return tuple(row.asks for row in above if not _IS_TRUE[row.asks](answer))
