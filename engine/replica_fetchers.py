"""The replica fetchers: which broker copies which partition, and when a fetch would change something (LOG-7).

Owns the fetchers: one for each partition and broker that follows it, as Kafka has its replica fetcher threads.
What a fetch does at either end is ``broker/replication``; this joins the two without a message between them,
because a fetch is one step (GEN-4).
"""

from __future__ import annotations

from typing import Protocol

from engine.broker.broker import Broker
from engine.broker.controller import Controller
from engine.broker.replication import fetch_is_useful, make_fetch
from engine.messages import Effects


class Cluster(Protocol):
    """The part of a run's brokers that fetchers use."""

    broker_of: dict[int, Broker]
    changed_partitions: set[str]
    controller: Controller
    paused: set[str]

    def leader_of(self, partition: str) -> Broker | None:
        """The broker that leads a partition and answers; None while none does."""


class Fetcher:
    """``follower`` fetches ``partition``. ``waiting``: its next fetch stands in the queue."""

    __slots__ = ("follower", "name", "partition", "waiting")

    def __init__(self, partition: str, follower: Broker) -> None:
        self.partition = partition
        self.follower = follower
        self.name = follower.name
        self.waiting = False


class ReplicaFetchers:
    """All fetchers of one run, made when their partition first changes; its replicas never change."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._of: dict[str, tuple[Fetcher, ...]] = {}

    def due(self, partition: str) -> list[Fetcher]:
        """The fetchers whose fetch would change something now and is not queued yet."""
        cluster = self._cluster
        leader = cluster.leader_of(partition)
        if leader is None:
            return []
        fetchers = self._of.get(partition)
        if fetchers is None:
            fetchers = self._of[partition] = self._make(partition)
        leading = leader.replicas[partition]
        paused = cluster.paused
        useful = []
        for fetcher in fetchers:
            follower = fetcher.follower
            if fetcher.waiting or follower is leader or not follower.alive or fetcher.name in paused:
                continue
            replica = follower.replicas.get(partition)
            if replica is not None and fetch_is_useful(leading, replica):
                useful.append(fetcher)
        return useful

    def _make(self, partition: str) -> tuple[Fetcher, ...]:
        cluster = self._cluster
        replicas = cluster.controller.partitions[partition].replicas
        return tuple(Fetcher(partition, cluster.broker_of[replica]) for replica in replicas)

    def exchange(self, fetcher: Fetcher, now: int) -> tuple[str, Effects, bool, bool] | None:
        """One fetch and its answer: the leader, what it wants done, whether something moved there, and whether
        the follower scans for idle producers at another time. None: there is no leader, or the follower does not
        fetch."""
        partition, follower = fetcher.partition, fetcher.follower
        cluster = self._cluster
        leader = cluster.leader_of(partition)
        if leader is None or follower is leader or not follower.alive or fetcher.name in cluster.paused:
            return None
        replica = follower.replicas.get(partition)
        if replica is None or replica.not_fetching:
            return None
        response, effects = leader.copying.on_fetch(make_fetch(replica), now)
        moved = bool(cluster.changed_partitions)
        idle_from = follower.replicas.idle_from
        follower.copying.on_response(response, now)
        return leader.name, effects, moved, follower.replicas.idle_from != idle_from
