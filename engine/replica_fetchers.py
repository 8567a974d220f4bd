"""The replica fetchers: which broker copies which partition, and when a fetch would change something (LOG-7).

Owns the fetchers: one for each partition and broker that follows it, as Kafka has its replica fetcher threads.
What a fetch does at either end is ``broker/replication``; this joins the two without a message between them,
because a fetch is one step (GEN-4).
"""

from __future__ import annotations

from typing import Protocol

from engine.broker.broker import Broker
from engine.broker.controller import Controller
from engine.broker.leadership import PartitionState
from engine.broker.replication import fetch_is_useful, is_caught_up, make_fetch
from engine.messages import Effects


class Cluster(Protocol):
    """The part of a run's brokers that fetchers use."""

    broker_of: dict[int, Broker]
    changed_partitions: set[str]
    controller: Controller
    paused: set[str]

    def leader_of(self, partition: str) -> Broker | None:
        """The broker that leads a partition and answers; None while none does."""


Exchanged = tuple[Broker, Effects, bool, bool, bool]
"""The leader; what it wants done; whether something moved there; whether the follower's next fetch would change
something, too; whether the follower scans for idle producers at another time."""


class Fetcher:
    """``follower`` fetches ``partition`` from the leader that ``leadership`` names. ``waiting``: its next fetch is
    queued, and the view shows it as ``what``."""

    __slots__ = ("follower", "leadership", "name", "partition", "waiting", "what")

    def __init__(self, partition: str, leadership: PartitionState, follower: Broker) -> None:
        self.partition = partition
        self.leadership = leadership
        self.follower = follower
        self.name = follower.name
        self.what = f"fetch {partition}"
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
            if follower is leader or fetcher.waiting or not follower.alive or fetcher.name in paused:
                continue
            replica = follower.replicas.get(partition)
            if replica is not None and fetch_is_useful(leading, replica):
                useful.append(fetcher)
        return useful

    def _make(self, partition: str) -> tuple[Fetcher, ...]:
        cluster = self._cluster
        leadership = cluster.controller.partitions[partition]
        return tuple(
            Fetcher(partition, leadership, cluster.broker_of[replica]) for replica in leadership.replicas
        )

    def exchange(self, fetcher: Fetcher, now: int) -> Exchanged | None:
        """One fetch and its answer. None: there is no leader, or the follower does not fetch."""
        partition, follower = fetcher.partition, fetcher.follower
        cluster = self._cluster
        leadership, paused = fetcher.leadership, cluster.paused
        if leadership.leader is None or leadership.deleted:
            return None
        leader = cluster.broker_of[leadership.leader]
        if leader is follower or not leader.alive or not follower.alive:
            return None
        if paused and (leader.name in paused or follower.name in paused):
            return None
        replicas = follower.replicas
        leading, replica = leader.replicas.get(partition), replicas.get(partition)
        if leading is None or replica is None or replica.not_fetching:
            return None
        if is_caught_up(leading, replica):
            # Nothing is copied or cut: the request brings the log end, the answer the high watermark.
            effects = leader.copying.note_log_end(leading, replica.broker_id, replica.log.log_end, now)
            moved = bool(cluster.changed_partitions)
            follower.copying.take_high_watermark(replica, leading.log.high_watermark)
            return leader, effects, moved, False, False
        response, effects = leader.copying.on_fetch(make_fetch(replica), now)
        moved = bool(cluster.changed_partitions)
        idle_from = replicas.idle_from
        follower.copying.on_response(response, now)
        return leader, effects, moved, fetch_is_useful(leading, replica), replicas.idle_from != idle_from
