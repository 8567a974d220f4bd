"""Happenings of a producer and its application: calls, waits for memory, start and crash, and the responses
to transactional requests."""

from __future__ import annotations

from enum import Enum
from typing import Any

from engine.errors import Cause, Error
from engine.happenings.base import Aside, Happening, happening
from engine.happenings.codes import Compared
from engine.machine import Row

# -- calls ---------------------------------------------------------------------------------------------


class Refusal(Enum):
    """The reasons why a call throws at once. If the client's state machine refuses a call, the machine's row is the
    reason instead."""

    CRASHED = "call_to_crashed"
    UNKNOWN_CALL = "call_unknown"
    SEND_AFTER_CLOSE = "send_after_close"
    RECORD_TOO_LARGE = "record_too_large"
    SEND_IN_ERROR = "send_in_error"
    SEND_BEFORE_INIT = "send_before_init"
    SEND_OUTSIDE_TRANSACTION = "send_outside_transaction"
    NEEDS_TRANSACTIONAL_ID = "call_needs_transactional_id"
    CALL_AFTER_CLOSE = "call_after_close"
    CALL_IN_ERROR = "call_in_error"
    OFFSETS_OUTSIDE_TRANSACTION = "offsets_outside_transaction"
    CALL_UNANSWERED = "call_unanswered"


@happening
class CallRefused(Happening):
    """A call throws at once. ``spec``: the violated requirement. ``compared``: the compared values with their
    labels."""

    client: str
    call: str
    error: str
    why: Refusal | Row
    spec: str
    compared: tuple[tuple[Compared, Any], ...]


@happening
class RefusedRecordStays(Happening):
    """``send()`` threw after the record had been appended (``checks_after_append``)."""

    client: str
    serial: int
    partition: str


@happening
class RecordAppended(Happening):
    """A record was appended to the accumulator. ``starts_batch``: the record is the first one of a new batch;
    if False, it was added to the batch at the tail."""

    client: str
    serial: int
    partition: str
    batch: str
    count: int
    bytes: int
    capacity: int
    starts_batch: bool


@happening
class MemoryAwaited(Happening):
    """``send()`` waits for memory."""

    client: str
    serial: int
    size: int
    free: int
    total: int
    until: int


@happening
class MemoryGranted(Aside):
    client: str
    serial: int
    size: int
    waited: int
    free: int
    batch: str


@happening
class MemoryWaitOver(Happening):
    """``send()`` threw ``error``, because it got no memory within ``waited`` ms."""

    client: str
    serial: int
    size: int
    free: int
    waited: int
    error: str


@happening
class FlushCalled(Happening):
    client: str
    count: int


@happening
class FlushDone(Aside):
    client: str


@happening
class CloseCalled(Happening):
    client: str
    count: int


@happening
class ClosedWithoutSender(Happening):
    client: str


@happening
class CloseForced(Happening):
    client: str
    count: int


@happening
class TransactionalCall(Happening):
    """The client accepted a transactional call. ``unfinished``: the number of batches that are not complete.
    ``resumed``: an earlier call of the same kind timed out, and this one waits for its result."""

    client: str
    call: str
    transactional_id: str | None
    unfinished: int
    group: str
    offsets: tuple[tuple[str, int], ...]
    resumed: bool


@happening
class PartitionNew(Aside):
    """A partition is new in the transaction. The client must register it before it sends a batch to it."""

    client: str
    partition: str


@happening
class PartitionLeftToLeader(Aside):
    """A partition is new in the transaction. The client does not register it; its leader will ask the
    coordinator to add it (KIP-890)."""

    client: str
    partition: str


@happening
class ProtocolChosen(Aside):
    """The client changed to another transaction version, because of the cluster's ``level``. ``raises``: from
    now on, each transaction has an epoch of its own. ``initial``: the change comes with initTransactions()."""

    client: str
    raises: bool
    level: int
    initial: bool


@happening
class NextEpochGiven(Aside):
    """The response to EndTxn contains the identity of the next transaction: ``next_producer_id`` and ``next_epoch``."""

    client: str
    producer_id: int
    producer_epoch: int
    next_producer_id: int
    next_epoch: int


@happening
class CallReturned(Aside):
    client: str
    call: str


@happening
class CallThrew(Aside):
    client: str
    call: str
    error: Cause


class Unanswered(Enum):
    """The reasons why a call timed out: no response has come yet, the offsets are not registered yet, or no response
    can come after a fatal error."""

    LATE = "call_timed_out"
    OFFSETS_LATE = "offsets_timed_out"
    NEVER = "call_never_answered"


@happening
class CallTimedOut(Happening):
    """A call timed out. ``error``: the exception of the call."""

    client: str
    call: str
    limit: int
    waited: int
    error: str
    why: Unanswered


# -- responses and connections -------------------------------------------------------------------------


@happening
class UnexpectedAnswer(Happening):
    """A response arrived whose request is no longer in flight."""

    client: str
    broker: str
    correlation_id: int


@happening
class MetadataLearned(Happening):
    """The client got new metadata. ``changed``: the leader of a partition or the set of brokers has changed."""

    client: str
    changed: bool


@happening
class Disconnected(Happening):
    """A connection ended, or could not be made. ``count``: the number of requests that were in flight on it."""

    client: str
    broker: str
    count: int
    was_open: bool


@happening
class RequestTimedOut(Happening):
    """A request timed out, so its connection is closed. ``count``: the number of requests in flight on the
    connection."""

    client: str
    broker: str
    timeout: int
    count: int


@happening
class Restarted(Aside):
    """A new process of the client started, with nothing in memory."""

    client: str
    transactional: bool


# -- responses to transactional requests ---------------------------------------------------------------


@happening
class ControlRetried(Happening):
    """A control request will be repeated. ``does``: the reaction in the table: wait, or look up the
    coordinator first. ``backoff``: ms."""

    client: str
    api: str
    error: Error
    kind: str
    backoff: int
    does: str


@happening
class ControlFailed(Happening):
    """A control request failed. ``shown``: the error that the application gets. ``fenced``: the application gets the
    exception of a fenced producer. ``does``: the client's reaction to the error (``CONTROL_REACTIONS``)."""

    client: str
    api: str
    error: Error
    shown: Error
    state: str
    does: str
    fenced: bool


@happening
class AnswerThrown(Happening):
    """A response demands a change of state that the client's state machine does not allow, so the Sender's
    thread throws."""

    client: str
    api: str
    on: str


@happening
class ProducerPoisoned(Happening):
    """The Sender's thread demanded a change of state that the client's state machine does not allow. The
    producer fails."""

    client: str
    on: str
    state: str


@happening
class CoordinatorFound(Happening):
    client: str
    kind: str
    owner: str
    broker: str


@happening
class TransactionalIdReady(Happening):
    """A transactional producer got its identity. ``before``: the client's previous epoch."""

    client: str
    producer_id: int
    producer_epoch: int
    before: int
    transactional_id: str | None


@happening
class EpochRaisedByCoordinator(Happening):
    """A transactional producer got the identity that it requested after an error. ``previous_id``, ``before``: the
    client's previous producer id and epoch."""

    client: str
    producer_id: int
    producer_epoch: int
    previous_id: int
    before: int
    transactional_id: str | None


@happening
class PartitionsAdded(Happening):
    client: str
    partitions: tuple[str, ...]


@happening
class OffsetsRegistered(Happening):
    client: str
    group: str


@happening
class OffsetsSent(Happening):
    """The group's coordinator has stored the offsets as pending until the transaction ends."""

    client: str
    partitions: tuple[str, ...]


@happening
class TransactionEnded(Happening):
    """A transaction ended. ``bumps``: an epoch bump follows."""

    client: str
    transactional_id: str | None
    committed: bool
    bumps: bool
