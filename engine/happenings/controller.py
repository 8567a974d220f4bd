"""Happenings of the controller, and of ZooKeeper or the metadata log: nodes, sessions, registrations, leadership."""

from __future__ import annotations

from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row


@happening
class NodeRead(Happening):
    client: str
    path: str
    version: int
    data: str | None


@happening
class NodeWritten(Happening):
    """A broker wrote to a node of ZooKeeper. ``expected``: the version in the request. ``before``: the node's
    version before the request. ``written``: whether the node was changed."""

    client: str
    path: str
    version: int
    expected: int | None
    before: int
    data: str
    written: bool


@happening
class TopicWanted(Happening):
    """A broker requested an internal topic. ``known``: the topic exists already, or is being created.
    ``until``: when it exists (virtual ms)."""

    broker: str
    topic: str
    until: int
    known: bool


@happening
class TopicTooWide(Happening):
    """A topic is not created, because the cluster has fewer brokers than the topic's replication factor."""

    broker: str
    topic: str
    replication_factor: int
    broker_count: int


@happening
class TopicCreated(Happening):
    topic: str
    partition_count: int


@happening
class TopicDeleted(Happening):
    topic: str
    partitions: tuple[str, ...]


@happening
class SessionEnded(Happening):
    broker: str


@happening
class LeaderChosen(Happening):
    """A partition got a leader, or lost its leader (``leader`` None). ``scripted``: a fault chose the leader;
    if False, the controller elected it."""

    partition: str
    leader: str | None
    old: str | None
    leader_epoch: int
    isr: tuple[int, ...]
    scripted: bool


@happening
class IsrShrunk(Aside):
    partition: str
    isr: tuple[int, ...]
    min_isr: int
    replica: str


@happening
class IsrExpanded(Happening):
    partition: str
    replica: str
    isr: tuple[int, ...]


@happening
class IsrChangeIgnored(Happening):
    """The controller ignored a leader's change of the in-sync replicas, because the partition has changed
    since the leader's request, or the replica's broker is not live."""

    partition: str
    replica: str


@happening
class FollowerStopped(Happening):
    """The fault *shrink ISR* took effect: a follower stops fetching and leaves the in-sync replicas."""

    partition: str
    replica: str
    isr: tuple[int, ...]
    min_isr: int


@happening
class FollowersResumed(Happening):
    """The fault *restore ISR* took effect. ``replicas``: the stopped followers that may fetch again; may be empty."""

    partition: str
    replicas: tuple[str, ...]
    isr: tuple[int, ...]


@happening
class CompetingWrite(Happening):
    """A fault let another broker claim the block from ``start`` to ``end``. ``before`` and ``version``: the version
    of ZooKeeper's node before and after the claim."""

    broker: str
    start: int
    end: int
    version: int
    before: int


@happening
class EndpointChanged(Happening):
    broker: str
    available: bool


@happening
class FeatureLevelChanged(Happening):
    """The cluster's level of the feature ``transaction.version`` was set; it may be unchanged."""

    before: int
    after: int


@happening
class FeatureLevelRefused(Happening):
    """A change of the level was refused. ``highest``: the highest level that the brokers support."""

    level: int
    highest: int


# -- without ZooKeeper ---------------------------------------------------------------------------------


@happening
class RegistrationMoved(Happening):
    """A broker's registration took a row of its state machine, or a row refused the broker's request.
    ``metadata_offset``: how far the broker has read the metadata log. ``log_end``: the end of that log."""

    broker: str
    broker_epoch: int
    metadata_offset: int
    log_end: int
    session_ms: int
    row: Row


@happening
class BrokerEpochStale(Happening):
    broker: str
    said: int
    current: int


@happening
class HeartbeatsLost(Happening):
    """The fault *lose heartbeats* took effect. ``until``: when the broker is fenced (virtual ms); None: it is fenced
    already."""

    broker: str
    until: int | None


@happening
class HeartbeatsBack(Happening):
    broker: str


@happening
class ControllerFailed(Happening):
    """The active controller failed. ``epoch``: its controller epoch. ``until``: when another controller
    becomes active (virtual ms)."""

    epoch: int
    until: int


@happening
class ControllerElected(Happening):
    epoch: int
    log_end: int


@happening
class BlockAllocated(Happening):
    """The controller allocated a block of producer ids. ``offset``: the offset of its record in the metadata log."""

    broker: str
    start: int
    end: int
    offset: int


@happening
class NoBlockLeft(Happening):
    """The controller allocates no further block, because the next id is above ``start_max``."""

    broker: str
    start: int
    start_max: int


@happening
class IsrAltered(Happening):
    """The controller changed the in-sync replicas at the request of the leader. ``before`` and ``isr``: the
    replicas before and after the change."""

    partition: str
    leader: str
    before: tuple[int, ...]
    isr: tuple[int, ...]
    partition_epoch: int
    min_isr: int


@happening
class FollowerHeld(Happening):
    """The fault *shrink ISR* took effect in a quorum: a follower stops fetching."""

    partition: str
    replica: str
    isr: tuple[int, ...]
