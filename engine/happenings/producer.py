"""What happens between an application and its producer: calls, waits for memory, the life of the client; and what the
answers to its transactional requests do."""

from __future__ import annotations

from enum import Enum
from typing import Any

from engine.errors import Cause, Error
from engine.happenings.base import Aside, Happening, happening
from engine.happenings.codes import Compared
from engine.machine import Row

# -- calls ---------------------------------------------------------------------------------------------


class Refusal(Enum):
    """Why a call throws at once; an edge that the client's state machine does not have is refused by its row."""

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
    """``spec``: the requirement that refuses; ``compared``: the compared values with their labels."""

    client: str
    call: str
    error: str
    why: Refusal | Row
    spec: str
    compared: tuple[tuple[Compared, Any], ...]


@happening
class RecordAppended(Happening):
    """``starts_batch``: it is the first record of a new batch; else it joins the one at the tail."""

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
    """``send()`` throws ``error``: there was no memory for it in time."""

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
class CloseForced(Happening):
    client: str
    count: int


@happening
class TransactionalCall(Happening):
    """A call that the client takes. ``resumed``: it was made before and timed out; now it waits for the same result."""

    client: str
    call: str
    transactional_id: str | None
    unfinished: int
    group: str
    offsets: tuple[tuple[str, int], ...]
    resumed: bool


@happening
class PartitionNew(Aside):
    """The partition has to be registered with the transaction before anything is sent there."""

    client: str
    partition: str


@happening
class PartitionLeftToLeader(Aside):
    """The partition is new in the transaction, and its leader will have the coordinator add it."""

    client: str
    partition: str


@happening
class ProtocolChosen(Aside):
    """The client goes over to another transaction version, as the cluster's ``level`` says. ``raises``: each
    transaction has an epoch of its own from now on; ``initial``: behind initTransactions()."""

    client: str
    raises: bool
    level: int
    initial: bool


@happening
class NextEpochGiven(Aside):
    """The response to EndTxn names the identity of the next transaction."""

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
    """Why a call timed out: the response has not come; the offsets are not registered yet; after a fatal error no
    response can come."""

    LATE = "call_timed_out"
    OFFSETS_LATE = "offsets_timed_out"
    NEVER = "call_never_answered"


@happening
class CallTimedOut(Happening):
    """``error``: the exception of the call."""

    client: str
    call: str
    limit: int
    waited: int
    error: str
    why: Unanswered


# -- answers and connections ---------------------------------------------------------------------------


@happening
class UnexpectedAnswer(Happening):
    """An answer to a request that is no longer in flight."""

    client: str
    broker: str
    correlation_id: int


@happening
class MetadataLearned(Happening):
    """``changed``: a leader or the set of brokers is another one than before."""

    client: str
    changed: bool


@happening
class Disconnected(Happening):
    """``count``: requests that were in flight."""

    client: str
    broker: str
    count: int


@happening
class RequestTimedOut(Happening):
    """``count``: requests that were in flight on the connection, which ends."""

    client: str
    broker: str
    timeout: int
    count: int


@happening
class Restarted(Aside):
    """A new process with nothing of the old one's memory."""

    client: str
    transactional: bool


# -- answers to transactional requests -----------------------------------------------------------------


@happening
class ControlRetried(Happening):
    """``does``: the reaction of the table, to wait or first to look for the coordinator."""

    client: str
    api: str
    error: Error
    kind: str
    backoff: int
    does: str


@happening
class ControlFailed(Happening):
    """``shown``: the error that the application gets; ``fenced``: as a fencing; ``does``: the reaction of the table,
    ``fatal`` also where it means to raise the epoch and cannot."""

    client: str
    api: str
    error: Error
    shown: Error
    state: str
    does: str
    fenced: bool


@happening
class AnswerThrown(Happening):
    """The answer asks for an edge that the client's state machine does not have: the Sender's thread throws."""

    client: str
    api: str
    on: str


@happening
class ProducerPoisoned(Happening):
    """The Sender's thread asks for an edge that the state machine does not have, and loses the producer."""

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
    """``before``: the epoch that the client had."""

    client: str
    producer_id: int
    producer_epoch: int
    before: int
    transactional_id: str | None


@happening
class EpochRaisedByCoordinator(Happening):
    client: str
    producer_id: int
    producer_epoch: int
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
    """The group's coordinator holds them until the transaction ends."""

    client: str
    partitions: tuple[str, ...]


@happening
class TransactionEnded(Happening):
    """``bumps``: it was aborted, and the epoch is raised next."""

    client: str
    committed: bool
    bumps: bool
