"""The active controller of a quorum, without ZooKeeper (KRaft: KIP-500, KIP-595, KIP-631).

Every decision is a record of the metadata log. Brokers follow that log: they fetch its records and learn of a
decision when they have read it, each at its own time. A broker registers; the offset of the registration's
record is its *broker epoch*. Its heartbeats show that it is alive, and without them the controller fences it.
The controller hands out blocks of producer ids (KIP-730), and changes the in-sync replicas when a leader
requests it (KIP-497).

Not simulated: the votes of the other controllers. A record is committed when it is written; when the active
controller fails, its successor has the whole log and a higher epoch. Heartbeats that change nothing are not
messages: the controller computes when the last one would have come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.broker.configuration import BrokerConfiguration
from engine.broker.controller import Announcement, Controller
from engine.broker.leadership import PartitionState
from engine.broker.metadata_log import MetadataLog, MetadataRecord
from engine.broker.partition_change_rules import ALTER_RULES, Altering, stale_broker_epoch
from engine.broker.registration_states import (
    FENCED,
    HEARTBEAT,
    HELD_ALIVE,
    MACHINE,
    REGISTER,
    SESSION_OVER,
    UNFENCED,
    Situation,
)
from engine.errors import NO_ERROR, EngineError, Error, Refused
from engine.happenings.controller import (
    BlockAllocated,
    BrokerEpochStale,
    ControllerElected,
    ControllerFailed,
    FollowerHeld,
    HeartbeatsBack,
    HeartbeatsLost,
    IsrAltered,
    NoBlockLeft,
    RegistrationMoved,
)
from engine.happenings.requests import RequestRefused
from engine.machine import Row
from engine.messages import (
    LONG_MAX,
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlteredPartition,
    AlterPartitionRequest,
    AlterPartitionResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    CreateTopic,
    Effects,
    Envelope,
    FetchingStopped,
    IdlePartitions,
    LeaderAndIsr,
    PartitionUsed,
    RecordsWritten,
    Send,
    StopReplica,
    UpdateMetadata,
    WantedIsr,
)
from engine.rules import refusal
from engine.shapes.brokers import ActiveControllerView, RegistrationView
from engine.shapes.words import JsonObject
from engine.topic_partition import topic_of
from engine.watching import Part, Path, Watch


class Registration:
    """One broker as the active controller knows it. A part of the view."""

    __slots__ = (
        "beats",
        "broker_id",
        "contact_at",
        "epoch",
        "expires_at",
        "incarnation",
        "may_stop",
        "metadata_offset",
        "path",
        "shutdown_offset",
        "state",
    )

    def __init__(self, broker_id: int) -> None:
        self.path: Path = ("quorum", "brokers", str(broker_id))
        self.broker_id = broker_id
        self.epoch = -1
        self.incarnation: int | None = None
        """The number of the broker's start that is registered (Kafka: incarnation id); None before the first
        registration."""
        self.state = MACHINE.initial
        self.contact_at = 0
        """The time in ms of the newest known heartbeat; after a failover, the time at which the new controller
        became active. Later heartbeats are computed from this time."""
        self.beats = False
        """True while heartbeats come at their interval and change nothing, so that they are not messages."""
        self.expires_at: int | None = None
        self.metadata_offset = 0
        self.may_stop = False
        """Whether the response to the broker's newest heartbeat allows it to stop."""
        self.shutdown_offset = 0
        """The end of the metadata log at the time when the controlled shutdown had moved the broker's leaderships."""

    @property
    def name(self) -> str:
        return f"broker-{self.broker_id}"

    def view(self) -> RegistrationView | None:
        if self.epoch < 0:
            return None
        return {
            "epoch": self.epoch,
            "state": self.state,
            "expires_at": self.expires_at,
            "metadata_offset": self.metadata_offset,
        }


class QuorumController(Controller):
    """The role ``controller``: the active controller of the quorum. A part of the view."""

    shows_partition_epochs = True

    def __init__(
        self,
        *,
        watch: Watch,
        configuration: BrokerConfiguration | None = None,
        broker_ids: Sequence[int] = (),
        transaction_version: int = 0,
        changed_partitions: set[str] | None = None,
    ) -> None:
        super().__init__(
            watch=watch,
            configuration=configuration,
            broker_ids=broker_ids,
            transaction_version=transaction_version,
        )
        self.path: Path = ("quorum", "controller")
        self.epoch = 1
        """The controller epoch, which grows with every failover."""
        self.log = MetadataLog()
        self.changed_partitions = set() if changed_partitions is None else changed_partitions
        """The set of changed partitions that all brokers share. The controller adds to it, too, because a
        decision may change what consumers can read."""
        self.next_producer_id = 0
        self.registrations: dict[int, Registration] = {}
        self._topics: set[str] = set()
        self._created: set[str] = set()
        for broker_id in broker_ids:
            self._register_before_the_run(broker_id)

    def parts(self) -> list[Part]:
        return [*super().parts(), self, *self.registrations.values(), *self.log.records]

    def broker_epoch(self, broker_id: int) -> int:
        return self.registrations[broker_id].epoch

    def empty_view(self) -> dict[str, Any]:
        return {"quorum": {"brokers": {}, "log": {}}}

    def view(self) -> ActiveControllerView:
        shown: ActiveControllerView = {
            "epoch": self.epoch,
            "active": self.alive,
            "next_producer_id": self.next_producer_id,
        }
        if self.highest_transaction_version:
            shown["transaction_version"] = self.transaction_version
        return shown

    # The metadata log -----------------------------------------------------------------------------

    def _write(
        self, kind: str, about: str, fields: JsonObject, word: Announcement | None = None, count: int = 1
    ) -> MetadataRecord:
        record = self.log.append(self.epoch, kind, about, fields, word, count)
        self._touch(record)
        self.announcements.append(RecordsWritten(end=self.log.end))
        return record

    def _announce(self, word: Announcement) -> None:
        if type(word) is LeaderAndIsr:
            self._write_partition(word)
        elif type(word) is StopReplica:
            self._write_removal(topic_of(word.partition), word)
        elif type(word) is IdlePartitions:
            self._write_internal(word)
        elif type(word) is UpdateMetadata:
            self._write("RegisterBrokerRecord", "endpoints", _reachable(word), word)

    def _announce_level(self) -> None:
        """Write the level of ``transaction.version`` to the metadata log (``FeatureControlManager``)."""
        self._touch(self)
        level: JsonObject = {"level": self.transaction_version}
        self._write("FeatureLevelRecord", "transaction.version", level, self._live_word())

    def _write_partition(self, word: LeaderAndIsr) -> None:
        name = word.partition
        self.changed_partitions.add(name)
        fields: JsonObject = {
            "leader": word.leader,
            "leader_epoch": word.leader_epoch,
            "isr": list(word.isr),
            "partition_epoch": word.version,
        }
        if name in self._created:
            self._write("PartitionChangeRecord", name, fields, word)
            return
        topic = topic_of(name)
        if topic not in self._topics:
            self._topics.add(topic)
            self._write("TopicRecord", topic, {})
        self._created.add(name)
        self._write("PartitionRecord", name, {**fields, "replicas": list(word.replicas)}, word)

    def _write_internal(self, word: IdlePartitions) -> None:
        """Write one record for all idle partitions of an internal topic. It takes as many offsets as there
        are partitions, because Kafka writes one record for each."""
        kind = "PartitionChangeRecord" if word.topic in self._topics else "PartitionRecord"
        if word.topic not in self._topics:
            self._topics.add(word.topic)
            self._write("TopicRecord", word.topic, {})
        self._created.update(found.partition for found in word.words)
        self._write(kind, word.topic, {}, word, max(1, len(word.words)))

    def _write_removal(self, topic: str, word: StopReplica) -> None:
        """Write one record that removes a topic with all its partitions. Brokers apply the removals one by
        one, so the log also gets an entry for each further partition, which takes no offset."""
        self.changed_partitions.add(word.partition)
        if topic in self._topics:
            self._topics.discard(topic)
            self._write("RemoveTopicRecord", topic, {}, word)
        else:
            self._write("RemoveTopicRecord", word.partition, {}, word, 0)

    def read(self, broker_id: int, offset: int) -> list[MetadataRecord]:
        """Answer a broker's fetch of the metadata log with the records from ``offset`` on, and note how far
        the broker has read."""
        found = self.log.behind(offset)
        registration = self.registrations[broker_id]
        registration.metadata_offset = self.log.end
        self._touch(registration)
        return found

    # Setting up -----------------------------------------------------------------------------------

    def _register_before_the_run(self, broker_id: int) -> None:
        registration = self.registrations[broker_id] = Registration(broker_id)
        registration.incarnation = 0  # The starts within a run are numbered from 1.
        registration.epoch = self.log.end
        registration.state = UNFENCED
        registration.beats = True
        self._write("RegisterBrokerRecord", registration.name, {"broker_epoch": registration.epoch})

    def preset_block(self, broker: int, start: int, end: int) -> None:
        """For the initial state of a run: the newest block of producer ids ends at ``end`` and went to
        ``broker`` (GEN-7)."""
        self._write_ids(broker, end + 1)

    def use_partition(self, name: str) -> None:
        """Give an internal partition a place in the view at its first use. No record is written, because the
        metadata log has had the partition since its topic was created."""
        state = self.internal.use(name)
        if state is None:
            return
        self.partitions[name] = state
        self._touch(state)
        self.announcements.append(PartitionUsed(partition=name))

    # Requests of brokers --------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body = envelope.body
        answer: object
        if type(body) is BrokerHeartbeatRequest:
            answer = self._on_heartbeat(body, now)
        elif type(body) is BrokerRegistrationRequest:
            answer = self._on_registration(body, now)
        elif type(body) is AllocateProducerIdsRequest:
            answer = self._on_allocate(body)
        elif type(body) is AlterPartitionRequest:
            answer = self._on_alter(body)
        elif type(body) is CreateTopic:
            self._begin_creation(envelope.source, body.topic, now)
            return []
        else:
            raise EngineError(f"{self.name}: cannot handle {body!r}")
        return [Send(envelope.source, answer, envelope.correlation_id, True)]

    def _is_stale(self, broker_id: int, broker_epoch: int) -> bool:
        """Whether the request comes from an earlier start of the broker
        (``ClusterControlManager.checkBrokerEpoch``)."""
        registration = self.registrations[broker_id]
        stale = stale_broker_epoch(registration.epoch, broker_epoch)
        if stale:
            self.watch.emit(BrokerEpochStale, registration.name, broker_epoch, registration.epoch)
        return stale

    # Registrations and heartbeats -----------------------------------------------------------------

    def _on_registration(self, request: BrokerRegistrationRequest, now: int) -> BrokerRegistrationResponse:
        """Handle the registration of a broker that started. A repeated request keeps the broker epoch of the
        first one (KAFKA-16952, since 3.9)."""
        registration = self.registrations.setdefault(request.broker, Registration(request.broker))
        same = request.incarnation == registration.incarnation
        row = self._move(registration, REGISTER, Situation(same_incarnation=same), now)
        if row.refused:
            return BrokerRegistrationResponse(error=Error[row.reply])
        registration.incarnation = request.incarnation
        return BrokerRegistrationResponse(error=NO_ERROR, broker_epoch=registration.epoch)

    def _on_heartbeat(self, request: BrokerHeartbeatRequest, now: int) -> BrokerHeartbeatResponse:
        registration = self.registrations[request.broker]
        if self._is_stale(request.broker, request.broker_epoch):
            return BrokerHeartbeatResponse(error=Error.STALE_BROKER_EPOCH)
        registration.metadata_offset = request.metadata_offset
        situation = Situation(
            wants_to_stop=request.want_shut_down,
            caught_up=request.metadata_offset > registration.epoch,
            leads=self._leads(request.broker),
            known=registration.shutdown_offset <= self._least_read(request.broker),
        )
        self._move(registration, HEARTBEAT, situation, now)
        fenced = registration.state == FENCED
        self._hear(registration, now, beats=registration.state == UNFENCED)
        return BrokerHeartbeatResponse(
            error=NO_ERROR, is_fenced=fenced, should_shut_down=registration.may_stop
        )

    def _hear(self, registration: Registration, now: int, *, beats: bool) -> None:
        """Note that a heartbeat arrived. ``beats``: whether further heartbeats change nothing, so that they
        are not simulated as messages."""
        registration.contact_at = now
        registration.beats = beats
        alive = registration.state in HELD_ALIVE and not beats
        registration.expires_at = now + self.configuration.session_timeout_ms if alive else None
        self._touch(registration)

    def _leads(self, broker_id: int) -> bool:
        return any(state.leader == broker_id and not state.deleted for state in self.partitions.values())

    def _least_read(self, but: int) -> int:
        """The offset up to which all live brokers except ``but`` have read the metadata log
        (``lowestActiveOffset``)."""
        others = (one for one in self.registrations.values() if one.broker_id in self.live - {but})
        return min((one.metadata_offset for one in others), default=self.log.end)

    def _move(self, registration: Registration, on: str, situation: Situation, now: int) -> Row:
        """Move a broker's registration by the row of its machine for the event ``on``. Returns the row."""
        before = registration.state
        row = MACHINE.take(before, on, situation)
        registration.state = row.target or before
        registration.may_stop = False
        self.watch.emit(
            RegistrationMoved,
            registration.name,
            registration.epoch,
            registration.metadata_offset,
            self.log.end,
            self.configuration.session_timeout_ms,
            row,
        )
        for effect in _EFFECTS[row.number]:
            effect(self, registration)
        self._touch(registration)
        return row

    def _register(self, registration: Registration) -> None:
        """Write the registration; the offset of its record is the broker epoch."""
        registration.epoch = self.log.end
        registration.beats = False
        registration.expires_at = None
        fields: JsonObject = {"broker_epoch": registration.epoch, "fenced": True}
        self._write("RegisterBrokerRecord", registration.name, fields, self._live_word())

    def _amend(self, registration: Registration) -> None:
        """Write the registration again with the same broker epoch: the same start of the broker registered
        again."""
        fields: JsonObject = {"broker_epoch": registration.epoch, "fenced": True}
        self._write("RegisterBrokerRecord", registration.name, fields, self._live_word())

    def _unfence(self, registration: Registration) -> None:
        """Make the broker live, so that it can lead partitions and be in sync (``handleBrokerUnfenced``)."""
        self.live.add(registration.broker_id)
        self._change_registration(registration, fenced=False)
        self._lead_idle()
        self._lead_again(registration.broker_id)

    def _fence(self, registration: Registration) -> None:
        """Make the broker no longer live, and let other brokers take over its partitions
        (``handleBrokerFenced``)."""
        self.live.discard(registration.broker_id)
        registration.beats = False
        registration.expires_at = None
        self._take_leaderships(registration.broker_id)
        self._lead_idle()
        self._change_registration(registration, fenced=True)

    def _move_leaderships(self, registration: Registration) -> None:
        """Let other brokers take over the partitions of a broker that is about to stop
        (``handleBrokerInControlledShutdown``)."""
        self.live.discard(registration.broker_id)
        self._change_registration(registration, in_controlled_shutdown=True)
        self._take_leaderships(registration.broker_id)
        self._lead_idle()
        registration.shutdown_offset = self.log.end

    def _let_go(self, registration: Registration) -> None:
        """Allow the broker to stop."""
        registration.may_stop = True

    def _change_registration(self, registration: Registration, **changed: bool) -> None:
        fields: JsonObject = {"broker_epoch": registration.epoch, **changed}
        self._write("BrokerRegistrationChangeRecord", registration.name, fields, self._live_word())

    def _lead_idle(self) -> None:
        for topic in self.internal.follow(self.live):
            self._announce(self.internal.word(topic))

    def _live_word(self) -> UpdateMetadata:
        """The announcement of the brokers that are not fenced. ``broker_epochs`` leaves out those that are
        about to stop, because they may not lead."""
        unfenced = [one.broker_id for one in self.registrations.values() if one.state in HELD_ALIVE]
        return UpdateMetadata(
            live_brokers=tuple(sorted(unfenced)),
            without_endpoint=tuple(sorted(self.without_endpoint)),
            transaction_version=self.transaction_version,
            features_epoch=self.features_epoch,
            broker_epochs=tuple((number, self.registrations[number].epoch) for number in sorted(self.live)),
        )

    # Sessions of silent brokers -------------------------------------------------------------------

    def _next_end(self) -> int | None:
        if not self.alive:
            return None
        times = [one.expires_at for one in self.registrations.values() if one.expires_at is not None]
        return min(times, default=None)

    def _end_silent(self, now: int) -> None:
        for registration in self.registrations.values():
            if registration.expires_at is not None and registration.expires_at <= now:
                self._move(registration, SESSION_OVER, Situation(), now)

    def on_broker_stopped(self, broker_id: int, now: int, *, clean: bool = False) -> None:
        """The broker's regular heartbeats end: compute when the last one arrived, and when the session ends."""
        registration = self.registrations[broker_id]
        if not registration.beats:
            return
        registration.beats = False
        interval = self.configuration.heartbeat_interval_ms
        last = now - (now - registration.contact_at) % interval
        registration.contact_at = last
        registration.expires_at = last + self.configuration.session_timeout_ms
        self._touch(registration)

    def on_broker_paused(self, broker_id: int, now: int) -> None:
        self.on_broker_stopped(broker_id, now)

    def on_broker_started(self, broker_id: int, now: int) -> None:
        """Nothing happens yet: the broker will register."""

    def on_broker_resumed(self, broker_id: int, now: int) -> None:
        """Nothing happens yet: the broker will send a heartbeat."""

    def lose_heartbeats(self, broker_id: int, now: int) -> None:
        registration = self.registrations[broker_id]
        if not registration.beats:
            raise Refused("GEN-6", "actor", "no_heartbeats_to_lose", broker=registration.name)
        self.on_broker_stopped(broker_id, now)
        self.watch.emit(HeartbeatsLost, registration.name, registration.expires_at)

    def find_heartbeats(self, broker_id: int, now: int) -> None:
        """End the fault *lose heartbeats*; ``Broker.wake`` then sends the next heartbeat at once."""
        self.watch.emit(HeartbeatsBack, f"broker-{broker_id}")

    # Failover -------------------------------------------------------------------------------------

    def crash(self, now: int) -> None:
        """Let the active controller fail; nothing is decided until another one is active. Raises Refused if
        none is active now."""
        if not self.alive:
            raise Refused("GEN-6", "controller", "controller_fails_already")
        self.alive = False
        self._touch(self)
        self.watch.emit(ControllerFailed, self.epoch, now + self.configuration.controller_failover_ms)

    def restart(self, now: int) -> Effects:
        """Make another controller active. It has the whole log, and gives every broker that is not fenced a
        full session from now on. Raises Refused if a controller is active already."""
        if self.alive:
            raise Refused("GEN-6", "controller", "controller_runs")
        self.alive = True
        self.epoch += 1
        for registration in self.registrations.values():
            if registration.state in HELD_ALIVE:
                registration.contact_at = now
                if not registration.beats:
                    registration.expires_at = now + self.configuration.session_timeout_ms
                self._touch(registration)
        self._touch(self)
        self._write("NoOpRecord", self.name, {})
        self.watch.emit(ControllerElected, self.epoch, self.log.end)
        return []

    # Producer ids ---------------------------------------------------------------------------------

    def _on_allocate(self, request: AllocateProducerIdsRequest) -> AllocateProducerIdsResponse:
        """Allocate the next block (``ProducerIdControlManager.generateNextProducerId``)."""
        if self._is_stale(request.broker, request.broker_epoch):
            return AllocateProducerIdsResponse(error=Error.STALE_BROKER_EPOCH)
        size = self.configuration.producer_id_block_size
        start = self.next_producer_id
        name = f"broker-{request.broker}"
        if start > LONG_MAX - size:
            self.watch.emit(NoBlockLeft, name, start, LONG_MAX - size)
            return AllocateProducerIdsResponse(error=Error.UNKNOWN_SERVER_ERROR)
        self._write_ids(request.broker, start + size)
        self.watch.emit(BlockAllocated, name, start, start + size - 1, self.log.end - 1)
        return AllocateProducerIdsResponse(error=NO_ERROR, producer_id_start=start, producer_id_len=size)

    def _write_ids(self, broker_id: int, next_producer_id: int) -> None:
        self.next_producer_id = next_producer_id
        self._touch(self)
        self._write("ProducerIdsRecord", f"broker-{broker_id}", {"next_producer_id": next_producer_id})

    def competing_write(self, now: int) -> None:
        """Raises Refused: the controller handles the requests for blocks one after the other, so no request of
        another broker can interfere."""
        raise Refused("PID-7", "controller", "no_competing_write")

    # In-sync replicas -----------------------------------------------------------------------------

    def _on_alter(self, request: AlterPartitionRequest) -> AlterPartitionResponse:
        """Handle a leader's request to change the in-sync replicas
        (``ReplicationControlManager.alterPartition``)."""
        if self._is_stale(request.broker, request.broker_epoch):
            return AlterPartitionResponse(error=Error.STALE_BROKER_EPOCH, partitions={})
        answers = {name: self._alter(name, wanted, request) for name, wanted in request.changes.items()}
        return AlterPartitionResponse(error=NO_ERROR, partitions=answers)

    def _alter(self, name: str, wanted: WantedIsr, request: AlterPartitionRequest) -> AlteredPartition:
        state = self.partitions.get(name)
        epochs = {number: self.registrations[number].epoch for number in self.live}
        rule = refusal(ALTER_RULES, Altering(state, wanted, epochs))
        if rule is not None or state is None:
            if rule is None:
                raise EngineError(f"{self.name}: {name} is unknown, and no rule refused it")
            self.watch.emit(RequestRefused, rule, self._alter_facts(name, wanted, request, state))
            return AlteredPartition(error=rule.answer)
        if set(wanted.isr) != set(state.isr):
            before = state.isr
            state.isr = tuple(one for one in state.replicas if one in wanted.isr)
            self._changed(state)
            self.watch.emit(
                IsrAltered, name, f"broker-{request.broker}", before, state.isr, state.version, state.min_isr
            )
        return AlteredPartition(
            error=NO_ERROR,
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            isr=state.isr,
            partition_epoch=state.version,
        )

    def _alter_facts(
        self, name: str, wanted: WantedIsr, request: AlterPartitionRequest, state: PartitionState | None
    ) -> dict[str, object]:
        epochs = zip(wanted.isr, wanted.broker_epochs, strict=True)
        restarted = {one for one, epoch in epochs if self.registrations[one].epoch != epoch}
        return {
            "broker": f"broker-{request.broker}",
            "partition": name,
            "isr": list(wanted.isr),
            "leader_epoch": wanted.leader_epoch,
            "current_leader_epoch": None if state is None else state.leader_epoch,
            "partition_epoch": wanted.partition_epoch,
            "current_partition_epoch": None if state is None else state.version,
            "eligible": sorted(one for one in self.live if one not in restarted),
        }

    def _silent_outside_isr(self, state: PartitionState) -> None:
        """Does nothing: the controller's response ends a request that the leader may have sent for this
        replica."""

    # Faults ---------------------------------------------------------------------------------------

    def shrink_isr(self, partition: str, replica: int | None, now: int) -> None:
        """The fault *shrink ISR*: a follower stops fetching, and its leader requests a smaller ISR (KIP-497).
        ``replica`` None: the last follower in the ISR."""
        state = self._partition(partition)
        replica = self._follower_to_stop(state, replica)
        state.not_fetching.add(replica)
        self._spread_fetching(state)
        self.watch.emit(FollowerHeld, partition, f"broker-{replica}", state.isr)

    def restore_isr(self, partition: str, replica: int | None, now: int) -> None:
        """The fault *restore ISR*: a stopped follower fetches again. ``replica`` None: all stopped followers.
        Raises Refused when ``replica`` is not stopped."""
        state = self._partition(partition)
        back = self._followers_to_resume(state, replica)
        state.not_fetching.difference_update(back)
        self._spread_fetching(state)
        self._emit_resumed(state, back)

    def _spread_fetching(self, state: PartitionState) -> None:
        stopped = tuple(sorted(state.not_fetching))
        self.announcements.append(FetchingStopped(partition=state.name, replicas=stopped))


def _reachable(word: UpdateMetadata) -> JsonObject:
    return {"brokers": list(word.live_brokers), "without_endpoint": list(word.without_endpoint)}


_EFFECTS = MACHINE.bind(
    {
        "register": QuorumController._register,
        "amend": QuorumController._amend,
        "unfence": QuorumController._unfence,
        "fence": QuorumController._fence,
        "move_leaderships": QuorumController._move_leaderships,
        "let_go": QuorumController._let_go,
    }
)
