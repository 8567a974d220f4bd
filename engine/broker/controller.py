"""The controller, with ZooKeeper or without: it decides which broker leads each partition and which replicas
are in sync (LOG-10).

It owns the leadership of the partitions, which the view shows, and every change of it. Four things differ
between the subclasses ``ZooKeeperController`` and ``QuorumController``: how a broker proves that it is alive,
where decisions are stored, which component hands out producer ids, and how brokers learn of a decision. Each
version of Kafka has one of the two. In a run, only the modules that build it and spread decisions know the
subclasses.

Faults that change leadership or the in-sync replicas are methods here; each emits its step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from engine.broker.configuration import BrokerConfiguration
from engine.broker.internal_topics import CREATION_MS, InternalTopics
from engine.broker.leadership import PartitionState
from engine.errors import Refused
from engine.events import LeaderChanged, PartitionDeleted
from engine.happenings.controller import (
    EndpointChanged,
    FeatureLevelChanged,
    FeatureLevelRefused,
    FollowersResumed,
    FollowerStopped,
    IsrExpanded,
    IsrShrunk,
    LeaderChosen,
    TopicCreated,
    TopicDeleted,
    TopicTooWide,
    TopicWanted,
)
from engine.messages import (
    Effects,
    Envelope,
    FetchingStopped,
    IdlePartitions,
    LeaderAndIsr,
    PartitionUsed,
    RecordsWritten,
    StopReplica,
    UpdateMetadata,
)
from engine.topic_partition import is_internal, topic_of
from engine.watching import Part, Watch

Announcement = LeaderAndIsr | UpdateMetadata | StopReplica | IdlePartitions
"""A decision of the controller that brokers apply."""
Notice = Announcement | PartitionUsed | FetchingStopped | RecordsWritten
"""Everything that the controller passes to ``spreading``."""


class Controller(ABC):
    """The role of the controller. ``announcements`` holds the newest notices; the module ``spreading`` takes
    them after every event, and passes them to the brokers."""

    other_names: tuple[str, ...] = ()
    """Further names by which messages can be addressed to the controller."""
    shows_partition_epochs: bool = False
    """Whether the view shows the partition epoch, which requests contain (KIP-497 without ZooKeeper)."""

    def __init__(
        self,
        *,
        watch: Watch,
        configuration: BrokerConfiguration | None = None,
        broker_ids: Sequence[int] = (),
        transaction_version: int = 0,
    ) -> None:
        self.name = "controller"
        self.alive = True
        self.watch = watch
        self.configuration = configuration or BrokerConfiguration()
        self.partitions: dict[str, PartitionState] = {}
        self.internal = InternalTopics(self.configuration, shows_epochs=self.shows_partition_epochs)
        self.transaction_version = transaction_version
        """The cluster's level of the feature ``transaction.version``."""
        self.highest_transaction_version = transaction_version
        """The highest level of ``transaction.version`` that the brokers support."""
        self.features_epoch = 0
        self.live: set[int] = set()
        self.without_endpoint: set[int] = set()
        """Brokers that no client or broker can reach for now (GEN-6)."""
        self.announcements: list[Notice] = []
        self.broker_ids = list(broker_ids)
        self.live.update(broker_ids)

    # Implemented with ZooKeeper and without -------------------------------------------------------

    @abstractmethod
    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle a request of a broker."""

    @abstractmethod
    def preset_block(self, broker: int, start: int, end: int) -> None:
        """For the initial state of a run: ``broker`` got the newest block of producer ids, ``start`` to
        ``end`` inclusive (GEN-7)."""

    @abstractmethod
    def _announce(self, word: Announcement) -> None:
        """Store a decision that the brokers are to apply."""

    @abstractmethod
    def _next_end(self) -> int | None:
        """When the next session of a silent broker ends (virtual ms); None: no session can end."""

    @abstractmethod
    def _end_silent(self, now: int) -> None:
        """End the sessions whose time is over."""

    @abstractmethod
    def on_broker_stopped(self, broker_id: int, now: int, *, clean: bool = False) -> None:
        """Called when a broker stops, so that it sends nothing any more. ``clean``: True after a controlled
        shutdown."""

    @abstractmethod
    def on_broker_paused(self, broker_id: int, now: int) -> None:
        """Called when a broker is paused, so that it sends nothing until it resumes."""

    @abstractmethod
    def on_broker_started(self, broker_id: int, now: int) -> None:
        """Called when a broker starts."""

    @abstractmethod
    def on_broker_resumed(self, broker_id: int, now: int) -> None:
        """Called when a paused broker resumes."""

    @abstractmethod
    def competing_write(self, now: int) -> None:
        """The fault *competing write*: another broker takes the next block of producer ids at this moment
        (PID-7)."""

    @abstractmethod
    def _silent_outside_isr(self, state: PartitionState) -> None:
        """Called when a broker's session ends that has a replica of this partition, but does not lead the
        partition and is not removed from its ISR."""

    def broker_epoch(self, broker_id: int) -> int:
        """The epoch of a broker's registration; -1 in clusters without broker epochs."""
        return -1

    @abstractmethod
    def empty_view(self) -> dict[str, Any]:
        """The fields of the controller that every view has, with their first values."""

    @abstractmethod
    def lose_heartbeats(self, broker_id: int, now: int) -> None:
        """The fault *lose heartbeats*: a broker runs, but none of its heartbeats arrives from now on."""

    @abstractmethod
    def find_heartbeats(self, broker_id: int, now: int) -> None:
        """End the fault *lose heartbeats*: the broker's heartbeats arrive again."""

    # Setting up -----------------------------------------------------------------------------------

    def create_partition(
        self,
        name: str,
        replicas: Sequence[int],
        *,
        min_isr: int = 1,
        segment_records: int | None = None,
        record_version: int = 2,
    ) -> None:
        """Create a partition. ``replicas``: broker ids in order of preference. The first live replica leads,
        and all are in sync."""
        state = PartitionState(
            name,
            replicas,
            min_isr,
            segment_records,
            record_version,
            shows_epoch=self.shows_partition_epochs,
        )
        self.partitions[name] = state
        if not self.is_live(replicas[0]):
            state.leader = self._first_live(state)
        self._announce(state.word())

    def preset_leader(self, partition: str, leader: int | None) -> None:
        """For the initial state of a run: the replica on broker ``leader`` leads. None: the partition has no
        leader until ``change_leader`` is called (GEN-7)."""
        state = self._partition(partition)
        state.without_leader = leader is None
        state.leader = leader
        self._announce(state.word())

    def leaders(self) -> dict[str, int | None]:
        """Dict of partition → broker id of its leader, or None. Deleted and internal topics are left out."""
        return {
            name: state.leader
            for name, state in self.partitions.items()
            if not state.deleted and not is_internal(name)
        }

    def create_internal_topic(self, topic: str) -> None:
        """Create the topic. Its partitions have leaders, and get replicas at their first use (FND-4)."""
        self.internal.create(topic, sorted(self.broker_ids))
        if len(self.live) < len(self.broker_ids):
            self.internal.follow(self.live)
        self._announce(self.internal.word(topic))

    def use_partition(self, name: str) -> None:
        """Give an internal partition replicas and a place in the view at its first use. Nothing happens at a
        later use."""
        state = self.internal.use(name)
        if state is None:
            return
        self.partitions[name] = state
        self._changed(state)

    def announcements_for(self) -> list[Announcement]:
        """All decisions in force, as announcements in a fixed order: for a broker that starts or resumes."""
        return [
            self._live_word(),
            *(self.internal.word(topic) for topic in self.internal.counts),
            *(
                StopReplica(partition=name) if state.deleted else state.word()
                for name, state in self.partitions.items()
            ),
        ]

    def _live_word(self) -> UpdateMetadata:
        return UpdateMetadata(
            live_brokers=tuple(sorted(self.live)),
            without_endpoint=tuple(sorted(self.without_endpoint)),
            transaction_version=self.transaction_version,
            features_epoch=self.features_epoch,
        )

    def _announce_live_brokers(self) -> None:
        self._announce(self._live_word())
        for topic in self.internal.follow(self.live):
            self._announce(self.internal.word(topic))

    def take_announcements(self) -> list[Notice]:
        """Remove and return the announcements for brokers."""
        taken, self.announcements = self.announcements, []
        return taken

    # The role's surface ---------------------------------------------------------------------------

    def next_timer(self) -> int | None:
        """The time in ms at which the first session of a silent broker, or the first creation of a topic,
        ends; None: neither is going on."""
        at = self._next_end()
        if self.internal.creating and self.alive:
            done_at = min(self.internal.creating.values())
            return done_at if at is None else min(at, done_at)
        return at

    def _begin_creation(self, asker: str, topic: str, now: int) -> None:
        """Begin to create a topic (FND-4), unless there are too few brokers (INVALID_REPLICATION_FACTOR)."""
        internal = self.internal
        known = topic in internal.counts or topic in internal.creating
        wanted = internal.configuration.internal_replication_factor
        if not known and wanted > len(self.broker_ids):
            self.watch.emit(TopicTooWide, asker, topic, wanted, len(self.broker_ids))
            return
        if not known:
            internal.creating[topic] = now + CREATION_MS
        self.watch.emit(TopicWanted, asker, topic, internal.creating.get(topic, now), known)

    def on_timer(self, now: int) -> Effects:
        """Create the topics that are due, and end the sessions whose time is over. The brokers of these sessions
        lose their leaderships (LOG-10)."""
        for topic, done_at in list(self.internal.creating.items()):
            if done_at <= now:
                self.create_internal_topic(topic)
                self.watch.emit(TopicCreated, topic, self.internal.counts[topic])
        self._end_silent(now)
        return []

    def crash(self, now: int) -> None:
        """Raises Refused: the failure of a controller with ZooKeeper is not simulated."""
        raise Refused("GEN-6", "controller", "controller_stays")

    def restart(self, now: int) -> Effects:
        raise Refused("GEN-6", "controller", "controller_runs")

    def parts(self) -> list[Part]:
        return list(self.partitions.values())

    def _touch(self, part: Part) -> None:
        if self.watch.recording:
            self.watch.touch(part)

    # Brokers come and go --------------------------------------------------------------------------

    def _lead_again(self, broker_id: int) -> None:
        """A broker is live again: elect leaders for its partitions that have none."""
        for state in self.partitions.values():
            if broker_id in state.replicas and state.leader is None and not state.deleted:
                self._elect(state)

    def _take_leaderships(self, broker_id: int) -> None:
        """A broker is no longer live: elect other leaders, and remove it from each ISR in which it is not the
        last member."""
        for state in self.partitions.values():
            if state.deleted:
                continue
            if state.leader == broker_id:
                self._elect(state)
            elif broker_id in state.isr and len(state.isr) > 1:
                state.isr = tuple(replica for replica in state.isr if replica != broker_id)
                self._changed(state)
                self.watch.emit(IsrShrunk, state.name, state.isr, state.min_isr, f"broker-{broker_id}")
            elif broker_id in state.replicas:
                self._silent_outside_isr(state)

    # Leadership -----------------------------------------------------------------------------------

    def is_live(self, broker_id: int) -> bool:
        return broker_id in self.live

    def _first_live(self, state: PartitionState) -> int | None:
        """The first live in-sync replica in replica order (``OfflinePartitionLeaderElection``)."""
        for replica in state.replicas:
            if replica in state.isr and self.is_live(replica):
                return replica
        return None

    def _elect(self, state: PartitionState, leader: int | None = None) -> None:
        """Choose ``leader`` (None: the first live in-sync replica) under a new leader epoch."""
        old = state.leader
        if state.without_leader and leader is None:
            return
        state.without_leader = False
        state.leader = self._first_live(state) if leader is None else leader
        state.leader_epoch += 1
        live = tuple(replica for replica in state.isr if self.is_live(replica))
        if live:
            state.isr = live
        self._changed(state)
        self._emit_leader(state, old, scripted=leader is not None)

    def _changed(self, state: PartitionState) -> None:
        state.version += 1
        self._touch(state)
        self._announce(state.word())

    def _emit_leader(self, state: PartitionState, old: int | None, *, scripted: bool) -> None:
        leader, epoch = state.leader, state.leader_epoch
        self.watch.emit(LeaderChanged, partition=state.name, leader=leader, leader_epoch=epoch)
        self.watch.emit(
            LeaderChosen,
            state.name,
            None if leader is None else f"broker-{leader}",
            None if old is None else f"broker-{old}",
            epoch,
            state.isr,
            scripted,
        )

    def _grow_isr(self, state: PartitionState, replica: int) -> None:
        grown = {*state.isr, replica}
        state.isr = tuple(one for one in state.replicas if one in grown)
        self._changed(state)
        self.watch.emit(IsrExpanded, state.name, f"broker-{replica}", state.isr)

    # Faults (GEN-6) -------------------------------------------------------------------------------

    def change_leader(self, partition: str, leader: int | None, now: int) -> None:
        """The fault *change leader*: the replica on broker ``leader`` leads from now on; None: another live
        replica in the ISR. Raises Refused unless the new leader is live and in the ISR."""
        state = self._partition(partition)
        if leader is None:
            others = [replica for replica in state.replicas if replica != state.leader]
            able = [replica for replica in others if replica in state.isr and self.is_live(replica)]
            if not able:
                raise Refused("LOG-10", partition, "no_other_in_sync", partition=partition)
            leader = able[0]
        if leader not in state.isr or not self.is_live(leader):
            able = sorted(replica for replica in state.isr if self.is_live(replica))
            if not able:
                raise Refused("LOG-10", partition, "no_other_in_sync", partition=partition)
            raise Refused("LOG-10", partition, "not_live_in_sync", broker=leader, known=able)
        self._elect(state, leader)

    def shrink_isr(self, partition: str, replica: int | None, now: int) -> None:
        """The fault *shrink ISR*: a follower stops fetching and leaves the ISR. ``replica`` None: the last
        follower in the ISR."""
        state = self._partition(partition)
        replica = self._follower_to_stop(state, replica)
        state.isr = tuple(member for member in state.isr if member != replica)
        state.not_fetching.add(replica)
        self._changed(state)
        self.watch.emit(FollowerStopped, partition, f"broker-{replica}", state.isr, state.min_isr)

    def restore_isr(self, partition: str, replica: int | None, now: int) -> None:
        """The fault *restore ISR*: a stopped follower fetches again. ``replica`` None: all stopped followers.
        Raises Refused if ``replica`` is not stopped."""
        state = self._partition(partition)
        back = self._followers_to_resume(state, replica)
        state.not_fetching.difference_update(back)
        self._changed(state)
        self._emit_resumed(state, back)

    def _follower_to_stop(self, state: PartitionState, replica: int | None) -> int:
        """The in-sync follower that a fault stops; ``replica`` None: the last one. Raises Refused if there is
        no such follower."""
        # Without a leader no follower is chosen: the last in-sync replica must stay in the ISR, because no
        # other replica could become leader.
        followers = [] if state.leader is None else [m for m in state.isr if m != state.leader]
        if not followers:
            raise Refused("GEN-6", state.name, "no_follower_in_sync", partition=state.name)
        replica = followers[-1] if replica is None else replica
        if replica not in followers:
            raise Refused("GEN-6", state.name, "not_in_sync_follower", broker=replica, known=followers)
        return replica

    def _followers_to_resume(self, state: PartitionState, replica: int | None) -> list[int]:
        stopped = sorted(state.not_fetching)
        if replica is None:
            return stopped
        if replica not in stopped:
            none = "not_among" if stopped else "no_follower_stopped"
            raise Refused("GEN-6", state.name, none, partition=state.name, broker=replica, known=stopped)
        return [replica]

    def _emit_resumed(self, state: PartitionState, back: list[int]) -> None:
        resumed = tuple(f"broker-{member}" for member in back)
        self.watch.emit(FollowersResumed, state.name, resumed, state.isr)

    def delete_topic(self, topic: str, now: int) -> None:
        """The fault *delete topic*: remove the topic's partitions from every broker and from the metadata.
        Raises Refused when the topic has no partition."""
        names = [
            name for name, state in self.partitions.items() if topic_of(name) == topic and not state.deleted
        ]
        if not names:
            raise Refused("GEN-6", topic, "no_topic", topic=topic)
        for name in names:
            state = self.partitions[name]
            state.deleted = True
            state.leader = None
            self._touch(state)
            self._announce(StopReplica(partition=name))
            self.watch.emit(PartitionDeleted, partition=name)
        self.watch.emit(TopicDeleted, topic, tuple(names))

    def make_unavailable(self, broker_id: int, available: bool, now: int) -> None:
        """The fault *make endpoint unavailable* (GEN-6): the broker stays live, but the other brokers no
        longer know its address. ``available`` True ends the fault."""
        (self.without_endpoint.discard if available else self.without_endpoint.add)(broker_id)
        self._announce(self._live_word())
        self.watch.emit(EndpointChanged, f"broker-{broker_id}", available)

    def update_features(self, level: int) -> None:
        """Carry out UpdateFeatures: set the level of ``transaction.version``. A level above the highest that
        the brokers support is refused (KIP-584)."""
        if level > self.highest_transaction_version:
            self.watch.emit(FeatureLevelRefused, level, self.highest_transaction_version)
            return
        before, self.transaction_version = self.transaction_version, level
        if before != level:
            self.features_epoch += 1
        self._announce_level()
        self.watch.emit(FeatureLevelChanged, before, level)

    def _announce_level(self) -> None:
        self._announce(self._live_word())

    def _partition(self, name: str) -> PartitionState:
        self.use_partition(name)
        state = self.partitions.get(name)
        if state is None or state.deleted:
            raise Refused("GEN-6", name, "no_partition", partition=name, known=sorted(self.leaders()))
        return state
