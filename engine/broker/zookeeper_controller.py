"""The controller of a cluster with ZooKeeper: sessions, nodes, announcements (LOG-10, PID-2).

One actor with two names, ``controller`` and ``zookeeper``. It informs brokers by *announcements*. The kernel
delivers each of them within the same step to every live broker that is not paused, so an announcement is no
message and cannot be lost. A broker that was down or paused gets ``announcements_for`` when it starts or resumes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.broker.configuration import BrokerConfiguration
from engine.broker.controller import Announcement, Controller
from engine.broker.leadership import PartitionState
from engine.broker.producer_ids import BLOCK_NODE, Block, block_from_json, next_block
from engine.broker.zookeeper import Session, ZooKeeper
from engine.errors import EngineError, Refused
from engine.happenings.controller import (
    CompetingWrite,
    IsrChangeIgnored,
    NodeRead,
    NodeWritten,
    SessionEnded,
)
from engine.messages import (
    CreateTopic,
    Effects,
    Envelope,
    ReturnToIsr,
    Send,
    ZooKeeperRead,
    ZooKeeperWrite,
)
from engine.watching import Part, Watch

COMPETITOR = 99
"""Broker id of the other writer in the fault *competing ZooKeeper write*."""


class ZooKeeperController(Controller):
    """The role ``controller``; also the role ``zookeeper``, for the two operations with which brokers use
    ZooKeeper directly."""

    other_names = ("zookeeper",)

    def __init__(
        self,
        *,
        watch: Watch,
        configuration: BrokerConfiguration | None = None,
        broker_ids: Sequence[int] = (),
        transaction_version: int = 0,
    ) -> None:
        super().__init__(
            watch=watch,
            configuration=configuration,
            broker_ids=broker_ids,
            transaction_version=transaction_version,
        )
        self.zookeeper = ZooKeeper(watch)
        self.zookeeper.create(BLOCK_NODE)
        """Kafka's brokers create this node, empty, when they start (``KafkaZkClient.createTopLevelPaths``)."""
        for broker_id in broker_ids:
            self.zookeeper.sessions[broker_id] = Session(broker_id)

    def parts(self) -> list[Part]:
        return [*super().parts(), *self.zookeeper.parts()]

    def empty_view(self) -> dict[str, Any]:
        return {"zookeeper": {"nodes": {}, "sessions": {}}}

    def _announce(self, word: Announcement) -> None:
        self.announcements.append(word)

    def preset_block(self, broker: int, start: int, end: int) -> None:
        """For the initial state of a run: ZooKeeper's node holds this block of producer ids, both ends
        inclusive (GEN-7)."""
        self.zookeeper.put(BLOCK_NODE, Block(broker, start, end).to_json())

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle reads and writes of ZooKeeper's nodes, a leader's request for a replica's return to the ISR, and
        a request for an internal topic."""
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
        elif isinstance(body, ReturnToIsr):
            self._return_to_isr(body)
            return []
        elif type(body) is CreateTopic:
            self._begin_creation(envelope.source, body.topic, now)
            return []
        else:
            raise EngineError(f"{self.name}: cannot handle {body!r}")
        return [Send(envelope.source, reply, envelope.correlation_id, True)]

    # Sessions -------------------------------------------------------------------------------------

    def _next_end(self) -> int | None:
        times = [
            session.expires_at
            for session in self.zookeeper.sessions.values()
            if session.expires_at is not None and not session.alive and session.broker_id in self.live
        ]
        return min(times, default=None)

    def _end_silent(self, now: int) -> None:
        for session in self.zookeeper.sessions.values():
            if (
                session.broker_id in self.live
                and not session.alive
                and session.expires_at is not None
                and session.expires_at <= now
            ):
                self._end_session(session)

    def on_broker_stopped(self, broker_id: int, now: int, *, clean: bool = False) -> None:
        """A broker stops sending: its session ends ``session_timeout_ms`` later, or at once after a clean stop."""
        session = self.zookeeper.sessions[broker_id]
        session.alive = False
        session.expires_at = now if clean else now + self.configuration.session_timeout_ms
        self.zookeeper.touch(session)
        if clean and broker_id in self.live:
            self._end_session(session)

    def on_broker_paused(self, broker_id: int, now: int) -> None:
        self.on_broker_stopped(broker_id, now)

    def on_broker_started(self, broker_id: int, now: int) -> None:
        """A broker registers again. If its old session still lasts, this session ends first, because Kafka
        deletes the stale node."""
        session = self.zookeeper.sessions.get(broker_id)
        if session is None:
            session = self.zookeeper.sessions[broker_id] = Session(broker_id)
            self.broker_ids.append(broker_id)
        elif broker_id in self.live and not session.alive:
            self._end_session(session)
        self._register(session)

    def on_broker_resumed(self, broker_id: int, now: int) -> None:
        """A paused broker resumes. If its session still lasts, the broker keeps it; otherwise it registers again."""
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
        self._announce_live_brokers()
        self._lead_again(session.broker_id)

    def _end_session(self, session: Session) -> None:
        broker_id = session.broker_id
        self.live.discard(broker_id)
        session.expires_at = None
        self.zookeeper.touch(session)
        self.watch.emit(SessionEnded, f"broker-{broker_id}")
        self._announce_live_brokers()
        self._take_leaderships(broker_id)

    def _silent_outside_isr(self, state: PartitionState) -> None:
        # The leader may have requested the replica's return, and then holds the high watermark back for it.
        # The announcement of the partition's state ends the request.
        self.announcements.append(state.word())

    def _return_to_isr(self, request: ReturnToIsr) -> None:
        """Add a replica to the ISR, unless the partition has changed since the leader's request
        (``CurrentIsrVersion`` in KIP-497, before that the version of ZooKeeper's node)."""
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
        self._grow_isr(state, request.replica)

    def competing_write(self, now: int, broker_id: int = COMPETITOR) -> None:
        """The fault *competing ZooKeeper write*: another broker claims the next block of producer ids at this
        moment (PID-7)."""
        before = self.zookeeper.read(BLOCK_NODE)
        latest = None if before.data is None else block_from_json(before.data)
        block = next_block(broker_id, latest, self.configuration.producer_id_block_size)
        node = self.zookeeper.put(BLOCK_NODE, block.to_json())
        self.watch.emit(
            CompetingWrite, f"broker-{broker_id}", block.start, block.end, node.version, before.version
        )

    def lose_heartbeats(self, broker_id: int, now: int) -> None:
        """Raises Refused: the loss of a broker's heartbeats to ZooKeeper is not simulated."""
        raise Refused("GEN-6", "controller", "no_heartbeats")

    def find_heartbeats(self, broker_id: int, now: int) -> None:
        raise Refused("GEN-6", "controller", "no_heartbeats")
