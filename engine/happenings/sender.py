"""Happenings of a Sender's passes: it sends batches, waits, requests an identity, and looks up coordinators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from engine.errors import Cause, Error
from engine.happenings.base import Aside, Happening, happening

# -- phases of every pass ------------------------------------------------------------------------------


@happening
class LeadersRead(Happening):
    """A pass uses newer metadata than the pass before. ``leaders``: dict of topic-partition → the id of its leader."""

    client: str
    leaders: Mapping[str, int | None]


@happening
class LeadersUnknown(Happening):
    client: str
    topics: Sequence[str]


@happening
class BatchesReady(Happening):
    """The accumulator has batches that can be sent. ``reasons``: (topic-partition, reason) pairs for the
    first partition with such a batch at each broker. ``partition``: the first of these partitions. ``again``:
    the batch of ``partition`` is a resend."""

    client: str
    brokers: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]
    partition: str
    linger: int
    backoff: int
    again: bool


class Taken(NamedTuple):
    """A batch that was drained from its queue."""

    id: str
    partition: str
    first_sequence: int
    last_sequence: int
    size: int
    sent_before: bool
    renumbered: bool


class Stop(NamedTuple):
    """A queue whose head may not be drained, and the reason."""

    node: int
    partition: str
    reason: str


@happening
class BatchesDrained(Happening):
    """A pass drained batches. ``numbered``: the batches have an identity and sequences. ``oversized``: the batches
    that are larger than ``size_max`` bytes, each of which is alone in its request. ``muted``: the partitions of the
    batches are not drained again until the response comes."""

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
    """One Produce request was sent. ``acks``: ``"all"`` or a number."""

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
class Rebootstrapped(Happening):
    """The client can reach none of the brokers that it knew; now it knows the bootstrap brokers alone."""

    client: str


@happening
class ConnectionStarted(Happening):
    client: str
    broker: str


@happening
class SenderClosed(Happening):
    """The Sender of a closed producer ends, because nothing is left to send."""

    client: str


@happening
class CloseAborts(Happening):
    """A closed producer aborts its open transaction."""

    client: str


@happening
class CloseCannotAbort(Aside):
    """A closed producer may not abort its transaction, because a call that timed out was not repeated. So the
    close is forced."""

    client: str


# -- why nothing is sent -------------------------------------------------------------------------------


@happening
class StopReaches(Aside):
    """A drain stopped early. ``scope``: ``node`` if it leaves out the broker's other partitions, too, or
    ``partition`` if it leaves out only this partition."""

    client: str
    scope: str


class For(Enum):
    """The purpose of a connection."""

    BATCHES = "batches"
    PRODUCER_ID = "producer_id"
    CONTROL = "control"


@happening
class WaitsAtStop(Happening):
    """Nothing is sent, because the head of a queue may not be drained."""

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
    """Nothing is sent, because the connection has the maximum number of requests in flight."""

    client: str
    broker: str
    limit: int


@happening
class WaitsForLeader(Happening):
    client: str
    topics: Sequence[str]


@happening
class WaitsForTime(Happening):
    """Nothing is sent before ``until`` (virtual ms). ``backoff``: the batch waits for a resend; if False, it
    lingers. ``again``: the batch was sent before."""

    client: str
    partition: str
    until: int
    wait: int
    backoff: bool
    again: bool


@happening
class WaitsForMuted(Happening):
    """Nothing is sent, because each of these partitions is muted: order is guaranteed, and one of its batches
    is in flight."""

    client: str
    partitions: tuple[str, ...]


@happening
class WaitsForProducerId(Happening):
    """Nothing is sent without a producer id. ``queued``: the request for an id is queued as a control request
    (since 2.5); if False, the pass blocks (2.0)."""

    client: str
    queued: bool


@happening
class WaitsForControl(Happening):
    """Nothing is sent, because a control request is in flight."""

    client: str
    api: str


@happening
class SenderSleeps(Happening):
    client: str
    backoff: int
    until: int


# -- identity and lost numbers -------------------------------------------------------------------------


class LostNumbers(Enum):
    """The consequences of the unresolved sequences of an expired batch: none is missing, the epoch is raised, the
    transaction must be aborted, or the producer cannot continue."""

    CLEARED = "cleared"
    BUMP = "bump"
    ABORTABLE = "abortable"
    FATAL = "fatal"


@happening
class NumbersResolved(Happening):
    """The client learned what became of a partition's unresolved sequences. ``expected``: the sequence after the last
    acknowledged one. ``by_bump``: the client can raise its epoch by itself."""

    client: str
    partition: str
    next_sequence: int
    expected: int
    found: LostNumbers
    by_bump: bool


@happening
class IdentityReset(Happening):
    """An idempotent producer drops its producer id, because sequence numbers are lost."""

    producer_id: int
    client: str
    partition: str
    next_sequence: int
    expected: int


@happening
class LostNumbersFatal(Happening):
    """A transactional producer that cannot raise its epoch has lost sequence numbers."""

    client: str


@happening
class EpochBumped(Happening):
    """The client raised its epoch. ``exhausted``: no higher epoch exists, so the client requests a new
    producer id. ``renumbered``: the number of batches that got new sequences."""

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
    """The producer id is negative, so the client treats it as missing, but in its state it cannot request
    another."""

    client: str
    on: str
    producer_id: int


@happening
class IdentityDenied(Happening):
    """The producer was denied an identity, so every batch failed. The producer may request one again."""

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
    """From now on linger has no effect, because a flush of this version does not end (Kafka 2.0)."""

    client: str


@happening
class ControlNotSent(Happening):
    """A control request was not sent. ``error``: the producer's last error, because of which no more requests
    are sent."""

    client: str
    api: str
    state: str
    error: Cause | None


@happening
class EndedWithoutMessage(Happening):
    """The coordinator has nothing registered for the transaction, so no request is needed to end it."""

    client: str


@happening
class AbortNotSent(Happening):
    """A defective client (switch ``abort_sent`` off) ends a transaction without a request, although the coordinator
    has registered it."""

    client: str


@happening
class CoordinatorMissed(Happening):
    """The client cannot send a request to its coordinator. ``broker``: the coordinator that cannot be
    reached; None: no coordinator is known."""

    client: str
    api: str
    kind: str | None
    owner: str
    broker: str | None


@happening
class IdentityAsked(Happening):
    """A producer without a transactional id sent its InitProducerId."""

    client: str
    api: str
    broker: str


@happening
class ControlSent(Happening):
    """A transactional producer sent a request. ``waiting``: the number of requests that are still queued."""

    client: str
    api: str
    broker: str
    waiting: int


@happening
class ControlLost(Happening):
    """The connection ended before the response to a control request came."""

    client: str
    api: str
