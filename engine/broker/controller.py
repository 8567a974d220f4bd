"""The controller and the ZooKeeper behind it: who is live, who leads, who is in sync (LOG-10, PID-2).

One actor under two names, ``controller`` and ``zookeeper``. It owns the partitions' leadership, which the
view shows, and informs brokers by *announcements*: the kernel hands each to every live broker within the same
step ("brokers learn it at once"), so an announcement is no message and cannot be lost. A broker that is down
or paused gets ``announcements_for`` when it is back.

Faults that change leadership or the in-sync replicas are methods here; each says its step.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.broker.configuration import BrokerConfiguration
from engine.broker.internal_topics import CREATION_MS, InternalTopics, is_internal
from engine.broker.leadership import PartitionState
from engine.broker.producer_ids import BLOCK_NODE, Block, block_from_json, next_block
from engine.broker.zookeeper import Session, ZooKeeper
from engine.errors import EngineError, Refused
from engine.events import LeaderChanged, PartitionDeleted
from engine.happenings.controller import (
    CompetingWrite,
    EndpointChanged,
    FollowersResumed,
    FollowerStopped,
    IsrChangeIgnored,
    IsrExpanded,
    IsrShrunk,
    LeaderChosen,
    NodeRead,
    NodeWritten,
    SessionEnded,
    TopicCreated,
    TopicDeleted,
    TopicWanted,
)
from engine.messages import (
    AlterIsr,
    CreateTopic,
    Effects,
    Envelope,
    IdlePartitions,
    LeaderAndIsr,
    Send,
    StopReplica,
    UpdateMetadata,
    ZooKeeperRead,
    ZooKeeperWrite,
)
from engine.topic_partition import topic_of
from engine.watching import Part, Watch

Announcement = LeaderAndIsr | UpdateMetadata | StopReplica | IdlePartitions

COMPETITOR = 99
"""Broker id of the other writer in the fault *competing ZooKeeper write*."""


class Controller:
    """The role. ``announcements`` wait for the brokers; the kernel takes them after every event."""

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
        self.zookeeper = ZooKeeper(watch)
        self.partitions: dict[str, PartitionState] = {}
        self.internal = InternalTopics(self.configuration)
        self.transaction_version = transaction_version
        """The level of the cluster's feature of that name."""
        self.features_epoch = 0
        self.live: set[int] = set()
        self.without_endpoint: set[int] = set()
        """Brokers that no client or broker can reach for now (GEN-6)."""
        self.announcements: list[Announcement] = []
        for broker_id in broker_ids:
            self.zookeeper.sessions[broker_id] = Session(broker_id)
            self.live.add(broker_id)

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
        """A partition with its replicas in order of preference; the first one leads, all are in sync."""
        state = PartitionState(name, replicas, min_isr, segment_records, record_version)
        self.partitions[name] = state
        if not self.is_live(replicas[0]):
            state.leader = self._first_live(state)
        self.announcements.append(state.word())

    def preset_block(self, broker: int, start: int, end: int) -> None:
        """Initial state: the block node holds this block at stat version 0 (GEN-7)."""
        self.zookeeper.put(BLOCK_NODE, Block(broker, start, end).to_json())

    def preset_leader(self, partition: str, leader: int | None) -> None:
        """Initial state: this replica leads, or the partition has no leader until ``change_leader`` (GEN-7)."""
        state = self._partition(partition)
        state.without_leader = leader is None
        state.leader = leader
        self.announcements.append(state.word())

    def leaders(self) -> dict[str, int | None]:
        """Partition to its leader, or None; internal topics are left out."""
        return {
            name: state.leader
            for name, state in self.partitions.items()
            if not state.deleted and not is_internal(name)
        }

    def create_internal_topic(self, topic: str) -> None:
        """The topic exists from now on, with idle partitions (FND-4)."""
        self.internal.create(topic, sorted(self.zookeeper.sessions))
        if len(self.live) < len(self.zookeeper.sessions):
            self.internal.follow(self.live)
        self.announcements.append(self.internal.word(topic))

    def use_partition(self, name: str) -> None:
        """The first use of an internal partition: from now on it has replicas and a place in the view."""
        state = self.internal.use(name)
        if state is None:
            return
        self.partitions[name] = state
        self._changed(state)

    def announcements_for(self) -> list[Announcement]:
        """Everything a broker that starts or wakes must know, in a fixed order."""
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

    def _tell_who_lives(self) -> None:
        """Brokers learn who is live, and who leads the idle partitions now."""
        self.announcements.append(self._live_word())
        for topic in self.internal.follow(self.live):
            self.announcements.append(self.internal.word(topic))

    def take_announcements(self) -> list[Announcement]:
        """Remove and return the announcements for brokers."""
        taken, self.announcements = self.announcements, []
        return taken

    # The role's surface ---------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """ZooKeeper's two operations, and a leader's wish to take a replica back."""
        body = envelope.body
        if type(body) is ZooKeeperRead:
            reply = self.zookeeper.read(body.path)
            self.watch.emit(NodeRead, envelope.source, body.path, reply.version, reply.data)
        elif type(body) is ZooKeeperWrite:
            before = self.zookeeper.read(body.path).version
            reply = self.zookeeper.write(body)
            version = before + 1 if reply.written else before
            self.watch.emit(
                NodeWritten,
                envelope.source,
                body.path,
                version,
                body.expected_version,
                before,
                body.data,
                reply.written,
            )
        elif type(body) is AlterIsr:
            self._alter_isr(body)
            return []
        elif type(body) is CreateTopic:
            self._begin_creation(envelope.source, body.topic, now)
            return []
        else:
            raise EngineError(f"{self.name}: cannot handle {body!r}")
        return [Send(envelope.source, reply, envelope.correlation_id, True)]

    def next_timer(self) -> int | None:
        """When the next session of a silent broker ends."""
        times = [
            session.expires_at
            for session in self.zookeeper.sessions.values()
            if session.expires_at is not None and not session.alive and session.broker_id in self.live
        ]
        if self.internal.creating:
            times.extend(self.internal.creating.values())
        return min(times, default=None)

    def _begin_creation(self, asker: str, topic: str, now: int) -> None:
        """Creating a topic takes time; further requests for it change nothing (FND-4)."""
        internal = self.internal
        known = topic in internal.counts or topic in internal.creating
        if not known:
            internal.creating[topic] = now + CREATION_MS
        self.watch.emit(TopicWanted, asker, topic, internal.creating.get(topic, now), known)

    def on_timer(self, now: int) -> Effects:
        """End the sessions whose time is over; their brokers lose their leaderships (LOG-10)."""
        for topic, done_at in list(self.internal.creating.items()):
            if done_at <= now:
                self.create_internal_topic(topic)
                self.watch.emit(TopicCreated, topic, self.internal.counts[topic])
        for session in self.zookeeper.sessions.values():
            if (
                session.broker_id in self.live
                and not session.alive
                and session.expires_at is not None
                and session.expires_at <= now
            ):
                self._end_session(session)
        return []

    def crash(self, now: int) -> None:
        """The controller does not fail in these scenarios."""
        raise Refused("GEN-6", "controller", "controller_stays")

    def restart(self, now: int) -> Effects:
        raise Refused("GEN-6", "controller", "controller_runs")

    def parts(self) -> list[Part]:
        return [*self.partitions.values(), *self.zookeeper.parts()]

    # Brokers come and go --------------------------------------------------------------------------

    def on_broker_stopped(self, broker_id: int, now: int, *, clean: bool = False) -> None:
        """A broker fell silent: its session ends ``session_timeout_ms`` later; after a clean stop at once."""
        session = self.zookeeper.sessions[broker_id]
        session.alive = False
        session.expires_at = now if clean else now + self.configuration.session_timeout_ms
        self.zookeeper.touch(session)
        if clean and broker_id in self.live:
            self._end_session(session)

    on_broker_paused = on_broker_stopped

    def on_broker_started(self, broker_id: int, now: int) -> None:
        """A broker registers anew. What is left of its old session ends first, as the stale node is
        deleted."""
        session = self.zookeeper.sessions.get(broker_id)
        if session is None:
            session = self.zookeeper.sessions[broker_id] = Session(broker_id)
        elif broker_id in self.live and not session.alive:
            self._end_session(session)
        self._register(session)

    def on_broker_resumed(self, broker_id: int, now: int) -> None:
        """A paused broker is back: within its session nothing happened, else it registers anew."""
        session = self.zookeeper.sessions[broker_id]
        if broker_id in self.live:
            session.alive = True
            session.expires_at = None
            self.zookeeper.touch(session)
        else:
            self._register(session)

    def _register(self, session: Session) -> None:
        session.alive = True
        session.expires_at = None
        self.zookeeper.touch(session)
        self.live.add(session.broker_id)
        self._tell_who_lives()
        for state in self.partitions.values():
            if session.broker_id in state.replicas and state.leader is None and not state.deleted:
                self._elect(state)

    def _end_session(self, session: Session) -> None:
        broker_id = session.broker_id
        self.live.discard(broker_id)
        session.expires_at = None
        self.zookeeper.touch(session)
        self.watch.emit(SessionEnded, f"broker-{broker_id}")
        self._tell_who_lives()
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
                # The leader may have asked to add it to the ISR, and holds the high watermark back until it has
                # caught up.
                self.announcements.append(state.word())

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
        """A new leader and leader epoch; the ISR keeps its live members, or stays when none of them lives."""
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
        self.zookeeper.touch(state)
        self.announcements.append(state.word())

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

    def _alter_isr(self, request: AlterIsr) -> None:
        """Take a replica back, if nothing changed since its leader asked: what the leader compared the replica
        with may be over (KIP-497's ``CurrentIsrVersion``; before, the version of ZooKeeper's node)."""
        state = self.partitions.get(request.partition)
        fits = (
            state is not None
            and not state.deleted
            and request.version == state.version
            and self.is_live(request.replica)
        )
        if state is None or not fits:
            self.watch.emit(IsrChangeIgnored, request.partition, f"broker-{request.replica}")
            return
        grown = {*state.isr, request.replica}
        state.isr = tuple(replica for replica in state.replicas if replica in grown)
        self._changed(state)
        self.watch.emit(IsrExpanded, state.name, f"broker-{request.replica}", state.isr)

    # Faults (GEN-6) -------------------------------------------------------------------------------

    def change_leader(self, partition: str, leader: int | None, now: int) -> None:
        """*change leader*: this replica leads from now on; None: the next live one in the ISR.

        The new leader must be live; one outside the ISR would be an unclean election and is refused.
        """
        state = self._partition(partition)
        if leader is None:
            others = [replica for replica in state.replicas if replica != state.leader]
            able = [replica for replica in others if replica in state.isr and self.is_live(replica)]
            if not able:
                raise Refused("LOG-10", partition, "no_other_in_sync", partition=partition)
            leader = able[0]
        if leader not in state.isr or not self.is_live(leader):
            able = sorted(replica for replica in state.isr if self.is_live(replica))
            raise Refused("LOG-10", partition, "not_live_in_sync", broker=leader, known=able)
        self._elect(state, leader)

    def shrink_isr(self, partition: str, replica: int | None, now: int) -> None:
        """*shrink ISR*: a follower (None: the last one in the ISR) stops fetching and leaves the ISR."""
        state = self._partition(partition)
        # The last in-sync replica never leaves the ISR: without it no replica could become leader.
        followers = [] if state.leader is None else [m for m in state.isr if m != state.leader]
        if replica is None and followers:
            replica = followers[-1]
        if replica is None or replica not in followers:
            raise Refused("GEN-6", partition, "not_in_sync_follower", broker=replica, known=followers)
        state.isr = tuple(member for member in state.isr if member != replica)
        state.not_fetching.add(replica)
        self._changed(state)
        self.watch.emit(FollowerStopped, partition, f"broker-{replica}", state.isr, state.min_isr)

    def restore_isr(self, partition: str, replica: int | None, now: int) -> None:
        """*restore ISR*: stopped followers (None: all) fetch again; each is back once it has caught up."""
        state = self._partition(partition)
        back = sorted(state.not_fetching) if replica is None else [replica]
        state.not_fetching.difference_update(back)
        self._changed(state)
        resumed = tuple(f"broker-{member}" for member in back)
        self.watch.emit(FollowersResumed, partition, resumed, state.isr)

    def delete_topic(self, topic: str, now: int) -> None:
        """*delete topic*: its partitions are gone from every broker and from the metadata."""
        names = [
            name for name, state in self.partitions.items() if topic_of(name) == topic and not state.deleted
        ]
        if not names:
            raise Refused("GEN-6", topic, "no_topic", topic=topic)
        for name in names:
            state = self.partitions[name]
            state.deleted = True
            state.leader = None
            self.zookeeper.touch(state)
            self.announcements.append(StopReplica(partition=name))
            self.watch.emit(PartitionDeleted, partition=name)
        self.watch.emit(TopicDeleted, topic, tuple(names))

    def competing_write(self, now: int, broker_id: int = COMPETITOR) -> None:
        """*competing ZooKeeper write*: another broker claims the next block at this moment (PID-7)."""
        before = self.zookeeper.read(BLOCK_NODE)
        latest = None if before.data is None else block_from_json(before.data)
        block = next_block(broker_id, latest, self.configuration.producer_id_block_size)
        node = self.zookeeper.put(BLOCK_NODE, block.to_json())
        self.watch.emit(
            CompetingWrite, f"broker-{broker_id}", block.start, block.end, node.version, before.version
        )

    def make_unavailable(self, broker_id: int, available: bool, now: int) -> None:
        """*make endpoint unavailable*: the broker is live, and no client or broker can reach it (GEN-6)."""
        (self.without_endpoint.discard if available else self.without_endpoint.add)(broker_id)
        self.announcements.append(self._live_word())
        self.watch.emit(EndpointChanged, f"broker-{broker_id}", available)

    def _partition(self, name: str) -> PartitionState:
        self.use_partition(name)
        state = self.partitions.get(name)
        if state is None or state.deleted:
            raise Refused("GEN-6", name, "no_partition", partition=name, known=sorted(self.leaders()))
        return state
