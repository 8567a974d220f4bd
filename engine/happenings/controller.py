"""What happens at ZooKeeper and at the controller: nodes, sessions, leadership, topics."""

from __future__ import annotations

from engine.happenings.base import Aside, Happening, happening


@happening
class NodeRead(Happening):
    client: str
    path: str
    version: int
    data: str | None


@happening
class NodeWritten(Happening):
    """``expected``: the version that the request names; ``before``: the node's version; ``written``: both were
    equal."""

    client: str
    path: str
    version: int
    expected: int | None
    before: int
    data: str
    written: bool


@happening
class TopicWanted(Happening):
    """``known``: it exists, or is being created until then."""

    broker: str
    topic: str
    until: int
    known: bool


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
    """``scripted``: by a fault; else the controller elected it."""

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
    """Something changed since the leader asked."""

    partition: str
    replica: str


@happening
class FollowerStopped(Happening):
    """The fault: a follower stops fetching and leaves the in-sync replicas."""

    partition: str
    replica: str
    isr: tuple[int, ...]
    min_isr: int


@happening
class FollowersResumed(Happening):
    """The end of it; ``replicas`` may be none."""

    partition: str
    replicas: tuple[str, ...]
    isr: tuple[int, ...]


@happening
class CompetingWrite(Happening):
    """Another broker claimed the block from ``start`` to ``end``; ``before``: the version of the node until then."""

    broker: str
    start: int
    end: int
    version: int
    before: int


@happening
class EndpointChanged(Happening):
    broker: str
    available: bool
