"""The replica fetchers. They find the fetches that would change something, and carry them out (LOG-7).

There is one fetcher for each partition and follower, comparable to Kafka's replica fetcher threads.
``broker/replication`` holds the rules for both ends of a fetch. No message connects the two ends here,
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
    """The fields and methods of a run's world that the fetchers use. ``broker_of``: broker id to broker.
    ``paused``: names of paused actors."""

    broker_of: dict[int, Broker]
    changed_partitions: set[str]
    controller: Controller
    paused: set[str]


Exchanged = tuple[Broker, Effects, bool, bool, bool]
"""The result of a fetch: the leader; the leader's effects; whether its log or high watermark changed; whether the
follower's next fetch would change something, too; whether the time of the follower's next scan for idle producers
changed."""


class Fetcher:
    """The fetcher with which ``follower`` fetches ``partition`` from the leader in ``leadership``.
    ``waiting``: the fetcher's next fetch is queued. ``what``: the text of this fetch in the view."""

    __slots__ = ("follower", "leadership", "name", "partition", "waiting", "what")

    def __init__(self, partition: str, leadership: PartitionState, follower: Broker) -> None:
        self.partition = partition
        self.leadership = leadership
        self.follower = follower
        self.name = follower.name
        self.what = f"fetch {partition}"
        self.waiting = False


class ReplicaFetchers:
    """All fetchers of one run. The fetchers of a partition are made when the partition first changes."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._of: dict[str, tuple[Fetcher, ...]] = {}

    def due(self, partition: str, leader: Broker) -> list[Fetcher]:
        """The fetchers whose fetch from this leader would change something now and is not queued yet."""
        fetchers = self._of.get(partition)
        if fetchers is None:
            fetchers = self._of[partition] = self._make(partition)
        leading = leader.replicas[partition]
        paused = self._cluster.paused
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
        """Carry out one fetch and its response; None if the follower cannot fetch now."""
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
            # Nothing is copied or truncated: the request only carries the log end, and the response the high
            # watermark.
            effects = leader.copying.note_log_end(leading, replica.broker_id, replica.log.log_end, now)
            moved = bool(cluster.changed_partitions)
            follower.copying.take_high_watermark(replica, leading.log.high_watermark)
            return leader, effects, moved, False, False
        response, effects = leader.copying.on_fetch(make_fetch(replica), now)
        moved = bool(cluster.changed_partitions)
        idle_from = replicas.idle_from
        follower.copying.on_response(response, now)
        return leader, effects, moved, fetch_is_useful(leading, replica), replicas.idle_from != idle_from
