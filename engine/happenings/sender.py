"""What happens in the passes of a producer's Sender: batches leave, it waits, it asks for an identity and for
coordinators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from engine.errors import Cause, Error
from engine.happenings.base import Aside, Happening, happening

# -- phases of every pass ------------------------------------------------------------------------------


@happening
class LeadersRead(Happening):
    """A pass goes by newer metadata: topic-partition to the broker that leads it."""

    client: str
    leaders: Mapping[str, int | None]


@happening
class LeadersUnknown(Happening):
    client: str
    topics: Sequence[str]


@happening
class BatchesReady(Happening):
    """``reasons``: (topic-partition, reason) for each node. ``partition`` is the first of them; ``again``: its batch
    was sent before."""

    client: str
    brokers: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]
    partition: str
    linger: int
    backoff: int
    again: bool


class Taken(NamedTuple):
    """A batch that left its queue."""

    id: str
    partition: str
    first_sequence: int
    last_sequence: int
    size: int
    sent_before: bool
    renumbered: bool


class Stop(NamedTuple):
    """A queue whose head may not be taken, and why."""

    node: int
    partition: str
    reason: str


@happening
class BatchesDrained(Happening):
    """``numbered``: they have an identity and sequences. ``oversized``: alone in a request because each is larger
    than
    ``size_max``. ``muted``: their partitions take nothing more before the answer."""

    client: str
    batches: tuple[Taken, ...]
    numbered: bool
    producer_id: int
    producer_epoch: int
    drain_index: int
    oversized: tuple[Taken, ...]
    size_max: int
    stops: tuple[Stop, ...]
    stop_scope: str
    muted: bool


@happening
class BatchesSent(Happening):
    """One Produce request. ``acks``: ``"all"`` or a number."""

    client: str
    broker: str
    count: int
    partitions: tuple[str, ...]
    in_flight: int
    limit: int
    acks: str | int


@happening
class MetadataAsked(Happening):
    client: str
    broker: str
    topics: tuple[str, ...]


@happening
class ConnectionStarted(Happening):
    client: str
    broker: str


@happening
class SenderClosed(Happening):
    """The last batch of a closed producer is over."""

    client: str


@happening
class CloseAborts(Happening):
    """A closed producer aborts the transaction that is open."""

    client: str


@happening
class CloseCannotAbort(Aside):
    """A closed producer may not abort: a call that timed out was not made again. It closes by force."""

    client: str


# -- why nothing is sent -------------------------------------------------------------------------------


@happening
class StopReaches(Aside):
    """How far an early stop of the drain reaches: ``node`` or ``partition``."""

    client: str
    scope: str


class For(Enum):
    """The purpose of a connection."""

    BATCHES = "batches"
    PRODUCER_ID = "producer_id"
    CONTROL = "control"


@happening
class WaitsAtStop(Happening):
    """The head of a queue may not leave."""

    client: str
    reason: str
    partition: str
    broker: str


@happening
class WaitsForConnection(Happening):
    client: str
    broker: str
    limit: int
    wanted: For


@happening
class WaitsForAnswers(Happening):
    """A connection has as many requests in flight as it may."""

    client: str
    broker: str
    limit: int


@happening
class WaitsForLeader(Happening):
    client: str
    topics: Sequence[str]


@happening
class WaitsForTime(Happening):
    """``backoff``: of a batch that was sent before; else linger."""

    client: str
    partition: str
    until: int
    wait: int
    backoff: bool


@happening
class WaitsForMuted(Happening):
    """A batch of each of these partitions is in flight, and order is guaranteed."""

    client: str
    partitions: tuple[str, ...]


@happening
class WaitsForProducerId(Happening):
    """``queued``: its request waits in the queue (k28); else the pass blocks (k20)."""

    client: str
    queued: bool


@happening
class WaitsForControl(Happening):
    """A control request is in flight."""

    client: str
    api: str


@happening
class SenderSleeps(Happening):
    client: str
    backoff: int
    until: int


# -- identity and lost numbers -------------------------------------------------------------------------


class LostNumbers(Enum):
    """The outcome of unresolved sequences of an expired batch: none is missing; the epoch is raised; the
    transaction must be aborted."""

    CLEARED = "cleared"
    BUMP = "bump"
    ABORTABLE = "abortable"


@happening
class NumbersResolved(Happening):
    """``expected``: the sequence behind the last acknowledged one. ``by_bump``: in a client that can raise
    its epoch."""

    client: str
    partition: str
    next_sequence: int
    expected: int
    found: LostNumbers
    by_bump: bool


@happening
class IdentityReset(Happening):
    """Lost numbers cost an idempotent producer its producer id."""

    producer_id: int
    client: str
    partition: str
    next_sequence: int
    expected: int


@happening
class LostNumbersFatal(Happening):
    """A transactional producer that cannot raise its epoch has lost numbers."""

    client: str


@happening
class EpochBumped(Happening):
    """``exhausted``: there is no higher epoch, so a new producer id is asked for. ``renumbered``: the number of
    batches that got new sequences."""

    client: str
    before: int
    after: int
    partitions: tuple[str, ...]
    renumbered: int
    exhausted: bool


@happening
class ProducerIdWanted(Happening):
    client: str


@happening
class StuckWithoutId(Happening):
    """The producer id is negative and counts as none, and the state has no way to ask for another."""

    client: str
    on: str
    producer_id: int


@happening
class IdentityDenied(Happening):
    """The producer may not have an identity: every batch was given up, and it may ask again."""

    client: str
    error: Cause
    transactional: bool


@happening
class ProducerIdReceived(Happening):
    client: str
    producer_id: int
    producer_epoch: int
    queued: bool


@happening
class ProducerIdRetried(Happening):
    client: str
    error: Error
    backoff: int
    queued: bool


@happening
class ProducerIdRefused(Happening):
    client: str
    error: Error


# -- control requests ----------------------------------------------------------------------------------


@happening
class LingerVoid(Happening):
    """Kafka 2.0 begins a flush when a transaction ends, and nothing ends it."""

    client: str


@happening
class ControlNotSent(Happening):
    """``error``: the last error of the producer, because of which nothing more is asked."""

    client: str
    api: str
    state: str
    error: Cause | None


@happening
class EndedWithoutMessage(Happening):
    """The coordinator knows nothing of the transaction, so its end needs no request."""

    client: str


@happening
class CoordinatorMissed(Happening):
    """``broker``: the one that could not be reached; None: no coordinator is known."""

    client: str
    api: str
    kind: str | None
    owner: str
    broker: str | None


@happening
class IdentityAsked(Happening):
    """InitProducerId of a producer without a transactional id left."""

    client: str
    api: str
    broker: str


@happening
class ControlSent(Happening):
    """A request of a transactional producer left. ``waiting``: how many are queued behind it."""

    client: str
    api: str
    broker: str
    waiting: int


@happening
class ControlLost(Happening):
    """The connection ended before the answer."""

    client: str
    api: str
