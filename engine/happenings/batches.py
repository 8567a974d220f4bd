"""Happenings of a producer's batches: a response came, no response will come, or the batch expired."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening


@happening
class CompletedUnacknowledged(Happening):
    """With acks=0 a batch succeeds as soon as its request was sent."""

    client: str
    batch: str
    partition: str
    count: int


@happening
class BatchExpired(Happening):
    """A batch waited too long and failed. ``since``, ``age`` and ``limit``: virtual ms. ``under_way``: the batch was
    sent, so its records may be stored."""

    client: str
    batch: str
    partition: str
    count: int
    since: int
    age: int
    limit: int
    attempts: int
    under_way: bool


@happening
class SequencesUnresolved(Happening):
    """It is unknown whether the sequences of an expired batch were used."""

    client: str
    partition: str
    first_sequence: int
    last_sequence: int


@happening
class BatchAborted(Happening):
    """A batch that was in a queue or in flight is given up, because its transaction is aborted, or its producer
    failed or was closed by force. ``error``: the result of its records."""

    client: str
    batch: str
    partition: str
    count: int
    error: str


@happening
class AnswerForAborted(Happening):
    client: str
    batch: str
    partition: str
    error: Error


@happening
class BatchAcknowledged(Happening):
    """A batch succeeded. ``base_offset`` is −1 if the batch was stored before and the response does not contain its
    offset. ``late``: the batch was already complete when the response came."""

    client: str
    batch: str
    partition: str
    count: int
    base_offset: int
    last_sequence: int
    numbered: bool
    late: bool


@happening
class BatchRequeued(Happening):
    """A batch was put back into its queue until ``until`` (virtual ms). ``in_doubt``: the batch may be
    stored, so a resend may be a duplicate. ``passed``: it was inserted behind batches with lower sequences,
    not at the head."""

    client: str
    batch: str
    partition: str
    error: Error
    attempts: int
    retries: int
    until: int
    in_doubt: bool
    numbered: bool
    passed: bool
    first_sequence: int


@happening
class RequeuedOutOfOrder(Aside):
    """A batch was put at the head of its queue, whatever sequences the queue holds (switch
    ``ordered_reinsertion`` off)."""

    client: str
    batch: str
    partition: str


@happening
class IdentityChanged(Happening):
    """A batch has the sequences of another producer id than the producer's current one, so it fails.
    ``sent_as``: the producer id of the batch. ``producer_id``: the current one."""

    client: str
    batch: str
    partition: str
    sent_as: int
    producer_id: int


@happening
class BatchFailed(Happening):
    """A batch failed and is not resent. ``late``: the batch was already complete when this response came."""

    client: str
    batch: str
    partition: str
    count: int
    error: Error
    attempts: int
    retries: int
    late: bool


class AfterFailure(Enum):
    """The ways in which the sequence numbers are handled after a batch failed."""

    GAP_CLOSED = "gap_closed"
    GAP_CLOSED_IN_DOUBT = "gap_closed_in_doubt"
    BUMP_REQUESTED = "bump_requested"
    BUMP_REQUESTED_UNCERTAIN = "bump_requested_uncertain"
    NUMBERING_FORGOTTEN = "numbering_forgotten"
    IDENTITY_RESET = "identity_reset"


@happening
class SequencesSettled(Aside):
    client: str
    batch: str
    partition: str
    count: int
    error: Error
    done: AfterFailure


@happening
class ProducerFatal(Aside):
    """After a fatal error, the producer cannot send anything."""

    client: str
    error: Error


@happening
class LateFailureThrown(Aside):
    """A batch failed while no transaction was open that could be aborted, so the Sender's thread throws."""

    client: str
    partition: str
    on: str


@happening
class MetadataWanted(Aside):
    client: str
    error: Error


@happening
class OtherBatchUntracked(Aside):
    """After the late response of a complete batch, the client removed ``other`` from the batches in flight.
    It found ``other`` by the complete batch's first sequence number, which ``other`` has now (2.8)."""

    client: str
    partition: str
    batch: str
    other: str
    first_sequence: int


@happening
class RequeueThrown(Happening):
    """A batch is to be resent, but the client tracks no batch of its partition as in flight, so the Sender's
    thread throws."""

    client: str
    partition: str
    batch: str


@happening
class WrapStraddled(Aside):
    """Batches with sequences before and after the wrap to 0 are in flight at the same time."""

    partition: str
    low: int
    high: int


# -- decisions about sequence errors -------------------------------------------------------------------


class Question(Enum):
    """The question that a row of a decision about a sequence error asks about the batch."""

    RESEQUENCED = "client_resequenced"
    EARLIER_MISSING = "client_earlier_missing"
    GAP = "client_gap"
    FOLLOWS_UNRESOLVED = "client_follows_unresolved"
    MAY_RESOLVE = "client_may_resolve"
    LOG_START_UNKNOWN = "client_log_start_unknown"
    HISTORY_DELETED = "client_history_deleted"
    FORGOTTEN = "client_forgotten"
    OTHERWISE = "client_otherwise"


class Because(Enum):
    """The reason for a decision about a sequence error. Each row of the tables has one."""

    RESEQUENCED = "resequenced"
    EARLIER_MISSING = "earlier_missing"
    GAP_BUMPS = "gap_bumps"
    AFTER_UNRESOLVED_BUMPS = "after_unresolved_bumps"
    WAITS_FOR_UNRESOLVED = "waits_for_unresolved"
    GAP_FAILS = "gap_fails"
    LOG_START_UNKNOWN = "log_start_unknown"
    HISTORY_DELETED_BUMPS = "history_deleted_bumps"
    HISTORY_DELETED_RESTARTS = "history_deleted_restarts"
    FORGOTTEN_BUMPS = "forgotten_bumps"
    FORGOTTEN_FAILS = "forgotten_fails"
    OTHER_IDENTITY = "of_other_identity"
    """This reason belongs to no row: the batch has sequences of another producer id."""


@happening
class SequenceErrorDecided(Happening):
    """The reaction to a sequence error was decided. ``table``: the table of the decision. ``because``: the
    reason of the row that decided, or OTHER_IDENTITY. ``denied``: the questions of the rows above it that were
    answered with *no*. ``first_sequence`` and ``last_sequence``: the batch's sequences when its response came."""

    client: str
    batch: str
    partition: str
    table: str
    because: Because
    denied: tuple[Question, ...]
    spec: str
    first_sequence: int
    last_sequence: int
    next_sequence: int
    last_acked_sequence: int
    last_acked_offset: int
    unresolved: int | None
    log_start_offset: int
