"""Carries the controller's decisions to the brokers of a run.

With ZooKeeper, the controller announces a decision, and every live broker that is not paused receives it within
the same step. Without ZooKeeper, it writes records to the metadata log, and each broker learns of a decision when
it has fetched the record. A fetch is one step, at the earliest one link latency after the decision. A paused
broker continues to read when it resumes; until then its state is old. The cluster's version decides which of the two
ways a run has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from engine.broker.broker import Broker
from engine.broker.controller import Controller, Notice
from engine.broker.metadata_log import MetadataRecord
from engine.broker.quorum_controller import QuorumController
from engine.happenings.brokers import MetadataRead
from engine.messages import Effects, FetchingStopped, LeaderAndIsr, PartitionUsed, RecordsWritten
from engine.network.links import Network
from engine.watching import Watch

Done = Iterator[tuple[str, Effects]]
"""For each broker that was informed: its name, and the effects that it returned."""


class Cluster(Protocol):
    """The attributes of a run's world that this module uses."""

    brokers: dict[str, Broker]
    network: Network
    paused: set[str]
    watch: Watch


class Spreading(Protocol):
    """One of the two ways in which the controller's decisions reach brokers. Times are virtual milliseconds."""

    def begin(self) -> None:
        """Called when the initial state is complete, before the first step."""

    def announce(self, now: int) -> Done:
        """Deliver the decisions that brokers receive at once."""
        ...

    def is_back(self, name: str, now: int) -> Done:
        """Called when a broker has started again."""
        ...

    def goes_on(self, name: str, now: int) -> Done:
        """Called when the pause of a broker has ended."""
        ...

    def is_zombie(self, name: str) -> bool:
        """Whether a running broker's session has ended, so that it must register before it receives anything."""
        ...

    def register(self, name: str, now: int) -> Done:
        """Called when a broker learns that its session has ended: the broker registers again (FEN-6)."""
        ...

    def fetches(self, now: int) -> list[tuple[str, int]]:
        """The brokers that begin to fetch unread records now, each with the time at which its fetch ends."""
        ...

    def read(self, name: str, now: int) -> Effects:
        """Called when a fetch of the metadata log ends: the broker applies the records. Returns its effects."""
        ...


class Announced:
    """The way with ZooKeeper: announcements, which brokers receive at once, or when a pause ends (LOG-10)."""

    __slots__ = ("_cluster", "_controller")

    def __init__(self, cluster: Cluster, controller: Controller) -> None:
        self._cluster = cluster
        self._controller = controller

    def begin(self) -> None:
        """Do nothing: the first event delivers the announcements that wait."""

    def announce(self, now: int) -> Done:
        controller, cluster = self._controller, self._cluster
        while controller.announcements:
            for word in controller.take_announcements():
                for name, broker in cluster.brokers.items():
                    if broker.alive and name not in cluster.paused and not self.is_zombie(name):
                        yield name, broker.learn(word, now)

    def _inform(self, name: str, now: int) -> Done:
        """Give the controller's present state to a broker that starts or resumes."""
        for word in self._controller.announcements_for():
            yield name, self._cluster.brokers[name].learn(word, now)

    def is_back(self, name: str, now: int) -> Done:
        self._controller.on_broker_started(self._cluster.brokers[name].broker_id, now)
        yield from self._inform(name, now)
        yield from self.announce(now)

    def goes_on(self, name: str, now: int) -> Done:
        """Give the broker the announcements that it missed. If its session ended meanwhile, it gets them only when
        it registers again (FEN-6)."""
        if not self.is_zombie(name):
            yield from self.register(name, now)

    def is_zombie(self, name: str) -> bool:
        """True for a running broker whose session has ended at the controller."""
        broker = self._cluster.brokers.get(name)
        return broker is not None and broker.alive and not self._controller.is_live(broker.broker_id)

    def register(self, name: str, now: int) -> Done:
        """Register a resumed broker with the controller, and give it the announcements that it missed."""
        self._controller.on_broker_resumed(self._cluster.brokers[name].broker_id, now)
        yield from self._inform(name, now)
        yield from self.announce(now)

    def fetches(self, now: int) -> list[tuple[str, int]]:
        return []

    def read(self, name: str, now: int) -> Effects:
        return []


class Fetched:
    """The way without ZooKeeper: brokers fetch the metadata log. Owns the names of the brokers with a fetch
    in flight."""

    __slots__ = ("_cluster", "_controller", "_under_way")

    def __init__(self, cluster: Cluster, controller: QuorumController) -> None:
        self._cluster = cluster
        self._controller = controller
        self._under_way: set[str] = set()

    def begin(self) -> None:
        """Treat every broker as having read the metadata log to its end."""
        for broker in self._cluster.brokers.values():
            self._controller.read(broker.broker_id, self._controller.log.end)
            broker.cluster.metadata_offset = self._controller.log.end
        self._controller.announcements.clear()

    def announce(self, now: int) -> Done:
        """Deliver the two announcements that are not records: the first use of a partition, and the followers
        that a fault stopped."""
        written = None
        for word in self._controller.take_announcements():
            if type(word) is RecordsWritten:
                written = word
                continue
            for name, broker in self._cluster.brokers.items():
                if broker.alive and name not in self._cluster.paused:
                    yield name, broker.learn(word, now)
        if written is not None:
            self._controller.announcements.append(written)

    def is_back(self, name: str, now: int) -> Done:
        """Deliver the announcements that wait. The broker itself reads the metadata log once it has
        registered."""
        return self.announce(now)

    def goes_on(self, name: str, now: int) -> Done:
        broker = self._cluster.brokers[name]
        yield name, self._used_meanwhile(broker, now)
        for partition, state in self._controller.partitions.items():
            if state.not_fetching or partition in broker.replicas:
                stopped = tuple(sorted(state.not_fetching))
                yield name, broker.learn(FetchingStopped(partition=partition, replicas=stopped), now)
        yield name, broker.wake(now)
        self._controller.announcements.append(RecordsWritten(end=self._controller.log.end))

    def is_zombie(self, name: str) -> bool:
        """Always False, because a fenced broker acts as before until its next fetch of the metadata log
        brings the record of its fencing."""
        return False

    def register(self, name: str, now: int) -> Done:
        return iter(())

    def fetches(self, now: int) -> list[tuple[str, int]]:
        cluster, controller = self._cluster, self._controller
        controller.announcements.clear()
        if not controller.alive:
            return []
        due = []
        for name, broker in cluster.brokers.items():
            if name in self._under_way or name in cluster.paused or not self._reads(broker):
                continue
            self._under_way.add(name)
            due.append((name, now + cluster.network.latency(controller.name, name)))
        return due

    def _reads(self, broker: Broker) -> bool:
        return (
            broker.alive
            and broker.link.registered
            and broker.cluster.metadata_offset < self._controller.log.end
        )

    def read(self, name: str, now: int) -> Effects:
        """End a broker's fetch of the metadata log: the broker applies the records that it has not read, or none if
        it cannot read now. Returns the broker's effects."""
        self._under_way.discard(name)
        broker = self._cluster.brokers[name]
        if name in self._cluster.paused or not self._reads(broker) or not self._controller.alive:
            return []
        start = broker.cluster.metadata_offset
        records = self._controller.read(broker.broker_id, start)
        broker.cluster.metadata_offset = self._controller.log.end
        self._cluster.watch.emit(
            MetadataRead,
            name,
            start,
            self._controller.log.end,
            tuple((record.kind, record.about) for record in records if record.count)[-RECORDS_NAMED:],
        )
        effects: Effects = []
        if start == 0:
            for word in self._controller.announcements_for():
                effects += broker.learn(word, now)
        else:
            for change in _as_one(records):
                effects += broker.learn(change, now)
        effects += self._used_meanwhile(broker, now)
        broker.touch()
        return effects

    def _used_meanwhile(self, broker: Broker, now: int) -> Effects:
        """Let the broker learn which internal partitions other brokers have begun to use. Returns its effects."""
        idle = [partition for partition in self._controller.partitions if partition in broker.cluster.idle]
        return [effect for name in idle for effect in broker.learn(PartitionUsed(partition=name), now)]


def _as_one(records: Sequence[MetadataRecord]) -> Iterator[Notice]:
    """The changes in the records of one fetch. If several records are about a partition, only the newest counts
    (``MetadataDelta``)."""
    words = [record.word for record in records if record.word is not None]
    newest = {word.partition: word for word in words if type(word) is LeaderAndIsr}
    for word in words:
        if type(word) is not LeaderAndIsr or word is newest[word.partition]:
            yield word


RECORDS_NAMED = 12
"""A step names at most this many records, the newest ones, because a broker that starts reads the whole log."""
