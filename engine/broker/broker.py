"""The role *broker*: what it answers, when it wants to be called, how it stops and starts.

Owns the replicas on this broker, its producer ids, its view of the metadata and what was forbidden to
clients. Each request is handled by one function; the table :data:`HANDLERS` finds it by the message's type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from engine.broker import replication
from engine.broker.append_rules import Rules
from engine.broker.configuration import BrokerConfiguration
from engine.broker.controller import Announcement
from engine.broker.delayed_appends import complete_waiting, time_out_waiting
from engine.broker.fault_surface import FaultSurface
from engine.broker.fetch import handle_fetch
from engine.broker.find_coordinator import Lookup, handle_find_coordinator
from engine.broker.group_host import (
    GroupHost,
    commit_verified,
    handle_offset_commit,
    handle_offset_fetch,
)
from engine.broker.hosting import Hosted
from engine.broker.init_producer_id import answer_waiting, handle_init_producer_id
from engine.broker.internal_topics import is_internal
from engine.broker.marker_requests import MarkersBeingWritten, handle_write_markers, markers_appended
from engine.broker.metadata import handle_metadata
from engine.broker.partition_log import PartitionLog
from engine.broker.produce import handle_produce, produce_verified
from engine.broker.produce_rules import PARTITION_RULES, REQUEST_RULES
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.replica import DelayedProduce, Replica
from engine.broker.replication_sentences import (
    note_high_watermark,
    say_forgotten,
    say_high_watermark,
    say_taken,
)
from engine.broker.transaction_host import TransactionHost
from engine.broker.transaction_requests import (
    handle_add_offsets,
    handle_add_partitions,
    handle_end_transaction,
)
from engine.broker.verification import Verification, Verified, verify
from engine.errors import NO_ERROR, EngineError
from engine.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    AlterIsr,
    Effects,
    EndTxnRequest,
    Envelope,
    FetchRequest,
    FindCoordinatorRequest,
    IdlePartitions,
    InitProducerIdRequest,
    LeaderAndIsr,
    MetadataRequest,
    OffsetCommitRequest,
    OffsetFetchRequest,
    PartitionProduceResponse,
    ProduceRequest,
    ReplicaFetchRequest,
    ReplicaFetchResponse,
    Send,
    StopReplica,
    TxnOffsetCommitRequest,
    UpdateMetadata,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
    ZooKeeperReply,
)
from engine.profiles import Profile
from engine.rules import rules_of
from engine.shapes.brokers import BrokerFields
from engine.switches import Switches
from engine.watching import Part, Path, Watch


class Broker(FaultSurface):
    """One broker. It is a part of the view; its replicas have parts of their own.

    ``changed_partitions`` names the partitions whose log end, high watermark or leader changed here; the
    kernel empties it after each event. ``starting`` is True until the first block of producer ids is claimed
    (PID-6): requests that come before that wait.
    """

    __slots__ = (
        "_next_correlation",
        "_stopped_cleanly",
        "alive",
        "broker_id",
        "configuration",
        "delayed",
        "groups",
        "hosts",
        "idle",
        "internal_topics",
        "live_brokers",
        "lookups",
        "marker_writes",
        "markers_being_written",
        "metadata",
        "partition_rules",
        "paused",
        "profile",
        "request_rules",
        "rules",
        "start_failed",
        "starting",
        "switches",
        "transactions",
        "verification",
        "waiting_for_ids",
        "waiting_for_start",
        "without_endpoint",
    )

    def __init__(
        self,
        broker_id: int,
        *,
        profile: Profile,
        switches: Switches,
        watch: Watch,
        configuration: BrokerConfiguration | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.name = f"broker-{broker_id}"
        self.path: Path = ("brokers", str(broker_id))
        self.profile = profile
        self.switches = switches
        self.watch = watch
        self.configuration = configuration or BrokerConfiguration()
        self.alive = True
        self.paused = False
        self.starting = False
        self.start_failed = False
        """True after a claim at start failed: that start is over, the broker is down (PID-6)."""
        self.rules = Rules(profile, switches)
        self.request_rules = rules_of(REQUEST_RULES, profile)
        self.partition_rules = rules_of(PARTITION_RULES, profile)
        self.replicas: dict[str, Replica] = {}
        self.metadata: dict[str, LeaderAndIsr] = {}
        self.live_brokers: tuple[int, ...] = ()
        self.without_endpoint: tuple[int, ...] = ()
        self.internal_topics: dict[str, int] = {}
        """Internal topics that exist, with their partition counts."""
        self.idle: dict[str, tuple[LeaderAndIsr, int]] = {}
        """Internal partitions that nobody used yet, with the time at which their leader was elected."""
        self.lookups: dict[Path, Lookup] = {}
        self.denied: set[tuple[str, str]] = set()
        self.delayed: list[DelayedProduce] = []
        """Produce requests that wait for replication, by deadline."""
        self.waiting_for_ids: list[Envelope] = []
        self.waiting_for_start: list[Envelope] = []
        self.changed_partitions: set[str] = set()
        self.producer_ids = ProducerIdManager(
            broker_id,
            block_size=self.configuration.producer_id_block_size,
            reply_timeout_ms=self.configuration.zookeeper_reply_timeout_ms,
            check_version=switches.zookeeper_version_check,
            watch=watch,
        )
        self.marker_writes: dict[int, MarkersBeingWritten] = {}
        self.markers_being_written = 0
        """Number of the newest WriteTxnMarkers request."""
        self.transactions = TransactionHost(self) if profile.idempotence else None
        self.groups = GroupHost(self) if profile.idempotence else None
        self.verification = (
            Verification(
                self,
                partition_count=self.configuration.transaction_state_partitions,
                timeout_ms=self.configuration.marker_request_timeout_ms,
            )
            if profile.verifies_partitions
            else None
        )
        self._stopped_cleanly = False
        self._next_correlation = 0
        hosts: tuple[Hosted | None, ...] = (self.transactions, self.groups)
        self.hosts: tuple[Hosted, ...] = tuple(host for host in hosts if host is not None)
        self.idle_from: int | None = None
        """No producer's newest timestamp is older than this; None when no producer is known."""

    # The role's surface ---------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """One message; requests that come while the broker starts wait until it has its block of ids."""
        body = envelope.body
        if type(body) is ZooKeeperReply:
            return self._on_zookeeper_reply(body, envelope.correlation_id, now)
        if self.starting:
            self.waiting_for_start.append(envelope)
            self.watch.say(
                "broker.request_waits_for_start", ("PID-6",), broker=self.name, client=envelope.source
            )
            return []
        handler = HANDLERS.get(type(body))
        if handler is None:
            raise EngineError(f"{self.name}: cannot handle {body!r}")
        return handler(self, envelope, now)

    def next_timer(self) -> int | None:
        """When a waiting Produce times out or ZooKeeper has been silent for too long."""
        deadline = self.producer_ids.deadline
        if self.delayed:
            first = self.delayed[0].deadline
            if deadline is None or first < deadline:
                deadline = first
        for host in self.hosts:
            due = host.next_timer()
            if due is not None and (deadline is None or due < deadline):
                deadline = due
        if self.verification is not None:
            due = self.verification.next_timer()
            if due is not None and (deadline is None or due < deadline):
                deadline = due
        return deadline

    def on_timer(self, now: int) -> Effects:
        effects = time_out_waiting(self, now)
        if self.verification is not None:
            effects += self.go_on(self.verification.on_timer(now), now)
        for host in self.hosts:
            effects += host.on_timer(now)
        return effects + self.producer_ids.on_timer(now)

    def next_background_timer(self) -> int | None:
        """The next scan for idle producers that may find one; nothing waits for it (LOG-12)."""
        expiry = None if self.transactions is None else self.transactions.expiry_at
        if self.idle_from is None:
            return expiry
        interval = self.configuration.producer_state_scan_interval_ms
        at = self.idle_from + self.configuration.producer_state_expiration_ms
        at = -(-at // interval) * interval
        return at if expiry is None or at < expiry else expiry

    def on_background_timer(self, now: int) -> Effects:
        """Forget producers that were idle for too long; says nothing when there are none."""
        for replica in self.replicas.values():
            gone = replica.log.expire_producers(now)
            if gone:
                say_forgotten(self.watch, self.name, "broker.producers_expired", replica, gone, ("LOG-12",))
        self._recompute_idle()
        return [] if self.transactions is None else self.transactions.on_background_timer(now)

    def crash(self, now: int, *, clean: bool = False) -> None:
        """Stop. Memory goes: waiting requests, the block of ids, what the controller said; logs stay.

        ``clean``: an orderly stop, which writes a snapshot of the producers first (LOG-10).
        """
        self.alive = False
        self.paused = False
        self.starting = False
        self._stopped_cleanly = clean
        self.producer_ids.crash()
        self.delayed.clear()
        self.waiting_for_ids.clear()
        self.waiting_for_start.clear()
        self.metadata.clear()
        self.internal_topics.clear()
        self.idle.clear()
        self.marker_writes.clear()
        if self.verification is not None:
            self.verification.crash()
        for host in self.hosts:
            host.crash()
        self.idle_from = None
        for replica in self.replicas.values():
            replica.forget_leadership()
            replica.log.close(clean=clean)
            replica.touch()
            self.changed_partitions.add(replica.partition)
        self.touch()

    def restart(self, now: int) -> Effects:
        """Come back: load the logs, then claim a block of producer ids. The controller's announcements
        follow."""
        self.alive = True
        self.start_failed = False
        for replica in self.replicas.values():
            log = replica.log
            checkpoint = log.high_watermark
            log.reopen(now)
            # Kafka keeps the high watermark in a checkpoint file and takes it up again when the replica
            # starts.
            log.set_high_watermark(checkpoint)
            if self.watch.recording:
                self.watch.note(
                    "broker.log_loaded_from_snapshot" if self._stopped_cleanly else "broker.log_replayed",
                    ("LOG-10",),
                    broker=self.name,
                    partition=replica.partition,
                    log_end=log.log_end,
                    producer_count=len(log.producers.entries),
                )
        self._recompute_idle()
        self.touch()
        return self.start(now)

    def start(self, now: int) -> Effects:
        """Start the producer id manager: it claims its first block (PID-6). Nothing to claim in 0.10."""
        if not self.profile.idempotence:
            return []
        self.starting = True
        self.touch()
        return self.producer_ids.claim(now)

    def pause(self, now: int) -> None:
        """Show the pause; the kernel holds back timers and deliveries."""
        self.paused = True
        self.touch()

    def resume(self, now: int) -> None:
        self.paused = False
        self.touch()

    def parts(self) -> list[Part]:
        found: list[Part] = [self]
        for replica in self.replicas.values():
            found.extend(replica.parts())
        for host in self.hosts:
            found.extend(host.parts())
        found.extend(self.lookups.values())
        return found

    def view(self) -> BrokerFields:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "starting": self.starting,
            "producer_id_block": self.producer_ids.view(),
            "denied": [f"{operation} {resource}" for operation, resource in sorted(self.denied)],
        }

    # The controller's word ------------------------------------------------------------------------

    def learn(self, word: Announcement, now: int) -> Effects:
        """Take an announcement of the controller, within its step (LOG-10)."""
        if self.transactions is not None:
            self.transactions.on_news(now)
        if type(word) is LeaderAndIsr:
            return self._learn_leader(word, now)
        if type(word) is UpdateMetadata:
            self.live_brokers = word.live_brokers
            self.without_endpoint = word.without_endpoint
            return []
        if type(word) is IdlePartitions:
            self._learn_idle(word, now)
            return []
        if type(word) is StopReplica:
            return self._stop_replica(word, now)
        raise EngineError(f"{self.name}: cannot learn {word!r}")

    def _learn_idle(self, word: IdlePartitions, now: int) -> None:
        self.internal_topics[word.topic] = word.partition_count
        for found in word.words:
            known = self.idle.get(found.partition)
            since = now
            if known is not None and known[0].leader_epoch == found.leader_epoch:
                since = known[1]
            self.idle[found.partition] = (found, since)

    def leader_of(self, partition: str) -> int | None:
        """The leader as this broker knows it; None when there is none or the partition is unknown."""
        word = self.metadata.get(partition)
        if word is None and partition in self.idle:
            word = self.idle[partition][0]
        return None if word is None else word.leader

    def is_reachable(self, broker_id: int) -> bool:
        """Live, and somebody knows how to reach it."""
        return broker_id in self.live_brokers and broker_id not in self.without_endpoint

    def _learn_leader(self, word: LeaderAndIsr, now: int) -> Effects:
        """Take the word; a coordinator follows the leadership of its partition (FND-7)."""
        partition = word.partition
        _, since = self.idle.pop(partition, (None, now))
        host = self._host_of(partition)
        before = self.metadata.get(partition)
        effects = self._learn_replica(word, now)
        if host is not None:
            replica = self.replicas.get(partition)
            number = int(partition.rpartition("-")[2])
            if replica is None or not replica.is_leader:
                effects = effects + host.resign(number, now)
            elif before is None or (before.leader, before.leader_epoch) != (word.leader, word.leader_epoch):
                effects = effects + host.lead(number, replica.leader_epoch, since, now)
        return effects

    def _host_of(self, partition: str) -> Hosted | None:
        if not is_internal(partition):
            return None
        topic = partition.rpartition("-")[0]
        return next((host for host in self.hosts if host.topic == topic), None)

    def _learn_replica(self, word: LeaderAndIsr, now: int) -> Effects:
        partition = word.partition
        self.metadata[partition] = word
        if self.broker_id not in word.replicas:
            return []
        replica = self.replicas.get(partition)
        if replica is None:
            replica = self._create_replica(word)
        led = replica.is_leader
        epoch = replica.leader_epoch
        if not replica.learn(word):
            return []
        self.changed_partitions.add(partition)
        if replica.is_leader:
            if self.watch.recording and (not led or epoch != replica.leader_epoch):
                self.watch.note(
                    "broker.became_leader",
                    ("LOG-10",),
                    broker=self.name,
                    partition=partition,
                    leader_epoch=replica.leader_epoch,
                    log_end=replica.log.log_end,
                    high_watermark=replica.log.high_watermark,
                    producer_count=len(replica.log.producers.entries),
                )
            if replica.advance_high_watermark():
                note_high_watermark(self.watch, self.name, replica)
        return complete_waiting(self, replica, now)

    def _create_replica(self, word: LeaderAndIsr) -> Replica:
        log = PartitionLog(
            word.partition,
            self.broker_id,
            profile=self.profile,
            switches=self.switches,
            configuration=self.configuration,
            watch=self.watch,
            rules=self.rules,
        )
        if word.segment_records is not None:
            log.segment_records = word.segment_records
        replica = self.replicas[word.partition] = Replica(self.broker_id, log, self.watch)
        replica.touch()
        return replica

    def _stop_replica(self, word: StopReplica, now: int) -> Effects:
        self.metadata.pop(word.partition, None)
        self.idle.pop(word.partition, None)
        replica = self.replicas.get(word.partition)
        if replica is None:
            return []
        replica.leader = None
        self.changed_partitions.add(word.partition)
        effects = complete_waiting(self, replica, now)
        del self.replicas[word.partition]
        replica.remove()
        return effects

    # Replication ----------------------------------------------------------------------------------

    def replica_fetch(self, partition: str, now: int) -> ReplicaFetchRequest:
        """What this broker, a follower of ``partition``, asks its leader."""
        return replication.make_fetch(self.replicas.get(partition) or self._replica(partition))

    def on_replica_fetch(
        self, request: ReplicaFetchRequest, now: int
    ) -> tuple[ReplicaFetchResponse, Effects]:
        """Answer a follower as the leader; what it tells may raise the high watermark (LOG-7)."""
        replica = self.replicas.get(request.partition) or self._replica(request.partition)
        effects: Effects = []
        parted = None
        if replica.leader == self.broker_id and request.leader_epoch == replica.leader_epoch:
            follower = request.replica
            parted = replication.parted_at(replica, request.fetch_offset, request.last_fetched_epoch)
            if parted is None:
                replica.follower_ends[follower] = request.fetch_offset
            if replica.advance_high_watermark():
                self.changed_partitions.add(replica.partition)
                say_high_watermark(self.watch, self.name, replica, follower)
                effects = complete_waiting(self, replica, now)
            if follower not in replica.isr and replica.wants_back(follower):
                effects.append(self._ask_back(replica, follower))
        batches_max = self.configuration.replica_fetch_batches_max
        return replication.answer_fetch(replica, request, parted, batches_max), effects

    def on_replica_response(self, response: ReplicaFetchResponse, now: int) -> Effects:
        """Copy what the leader answered, or cut the log back to where it parted (LOG-7, LOG-10)."""
        if response.error is not NO_ERROR:
            return []
        replica = self.replicas.get(response.partition) or self._replica(response.partition)
        log_end = replica.log.log_end
        taken = replication.take_answer(replica, response, now)
        if taken is replication.NOTHING_TAKEN:
            return []
        self.changed_partitions.add(replica.partition)
        if taken.copied:
            for batch in response.batches:
                self.note_activity(batch.max_timestamp)
        say_taken(self.watch, self.name, replica, taken, log_end)
        return []

    def _ask_back(self, replica: Replica, follower: int) -> Send:
        replica.isr_asked = follower
        self.watch.say(
            "broker.asks_isr_back",
            ("LOG-7",),
            broker=self.name,
            partition=replica.partition,
            replica=f"broker-{follower}",
            high_watermark=replica.log.high_watermark,
        )
        word = AlterIsr(partition=replica.partition, replica=follower, version=replica.version)
        return self.to_controller(word)

    def to_controller(self, word: object) -> Send:
        return Send("controller", word, self.next_correlation())

    def next_correlation(self) -> int:
        self._next_correlation += 1
        return self._next_correlation

    # Other brokers --------------------------------------------------------------------------------

    def on_connected(self, peer: str, now: int) -> Effects:
        """A connection to another broker is open: markers may go (MRK-3), and questions to coordinators."""
        if self.transactions is None:
            return []
        effects = self.transactions.on_connected(_number(peer), now)
        if self.verification is not None:
            effects = effects + self.verification.on_connected(_number(peer), now)
        return effects

    def on_disconnected(self, peer: str, now: int) -> Effects:
        """A connection ended; only those to brokers carry something of ours (MRK-9)."""
        if self.transactions is None or not peer.startswith("broker-"):
            return []
        effects = self.transactions.on_disconnected(_number(peer), now)
        if self.verification is not None:
            effects = effects + self.go_on(([], self.verification.on_disconnected(_number(peer))), now)
        return effects

    def preset_connected(self, brokers: Iterable[int]) -> None:
        """Initial state: connections to these brokers are open."""
        brokers = tuple(brokers)
        if self.transactions is not None:
            self.transactions.connected.update(brokers)
        if self.verification is not None:
            self.verification.connected.update(brokers)

    def append_ended(
        self, done: tuple[str, object], answers: dict[str, PartitionProduceResponse], now: int
    ) -> Effects:
        """An append of this broker's own is replicated or refused; the table says who waited for it."""
        return APPEND_ENDED[done[0]](self, done[1], answers, now)

    def _on_marker_response(self, envelope: Envelope, now: int) -> Effects:
        if self.transactions is None:
            return []
        source = _number(envelope.source)
        return self.transactions.on_marker_response(source, envelope.correlation_id, envelope.body, now)

    def go_on(self, verified: tuple[Effects, list[Verified]], now: int) -> Effects:
        """What verification wants sent, and the requests that it no longer holds back."""
        effects, ended = verified
        for one in ended:
            effects = effects + VERIFIED[type(one.envelope.body)](self, one, now)
        return effects

    def _on_verify_request(self, envelope: Envelope, now: int) -> Effects:
        request = envelope.body
        if type(request) is not VerifyPartitionsRequest or self.transactions is None:
            raise EngineError(f"{self.name}: cannot verify {request!r}")
        coordinator = self.transactions.coordinator
        errors = {asked.transactional_id: verify(coordinator, asked) for asked in request.entries}
        answer = VerifyPartitionsResponse(errors=errors)
        return [Send(envelope.source, answer, envelope.correlation_id, True)]

    def _on_verify_response(self, envelope: Envelope, now: int) -> Effects:
        response = envelope.body
        if type(response) is not VerifyPartitionsResponse or self.verification is None:
            return []
        coordinator, asked = _number(envelope.source), envelope.correlation_id
        return self.go_on(self.verification.on_response(coordinator, asked, response, now), now)

    # Producer ids ---------------------------------------------------------------------------------

    def _on_zookeeper_reply(self, reply: ZooKeeperReply, correlation_id: int, now: int) -> Effects:
        manager = self.producer_ids
        effects = manager.on_reply(reply, correlation_id, now)
        self.touch()
        if manager.claimed is None:
            return effects
        if self.starting:
            self.starting = False
            if not manager.claimed:
                self.watch.say("broker.start_failed", ("PID-6",), broker=self.name)
                self.start_failed = True
                self.crash(now, clean=True)
                return effects
            waiting, self.waiting_for_start = self.waiting_for_start, []
            for envelope in waiting:
                effects.extend(self.handle(envelope, now))
        return effects + answer_waiting(self, now)

    # Authorization --------------------------------------------------------------------------------

    def is_denied(self, operation: str, resource: str) -> bool:
        """``operation`` (``Write``, ``IdempotentWrite``) on ``resource`` (``cluster``, ``topic:t``,
        ``transactional_id:x``)."""
        return (operation, resource) in self.denied


HANDLERS: dict[type, Callable[[Broker, Envelope, int], Effects]] = {
    ProduceRequest: handle_produce,
    FetchRequest: handle_fetch,
    MetadataRequest: handle_metadata,
    InitProducerIdRequest: handle_init_producer_id,
    FindCoordinatorRequest: handle_find_coordinator,
    AddPartitionsToTxnRequest: handle_add_partitions,
    AddOffsetsToTxnRequest: handle_add_offsets,
    EndTxnRequest: handle_end_transaction,
    WriteTxnMarkersRequest: handle_write_markers,
    WriteTxnMarkersResponse: Broker._on_marker_response,
    TxnOffsetCommitRequest: handle_offset_commit,
    OffsetCommitRequest: handle_offset_commit,
    OffsetFetchRequest: handle_offset_fetch,
    VerifyPartitionsRequest: Broker._on_verify_request,
    VerifyPartitionsResponse: Broker._on_verify_response,
}
VERIFIED: dict[type, Callable[[Broker, Verified, int], Effects]] = {
    ProduceRequest: produce_verified,
    TxnOffsetCommitRequest: commit_verified,
}
"""Where a request goes on that waited for its partitions to be verified."""


@cache
def _number(peer: str) -> int:
    return int(peer.rpartition("-")[2])


def _image_appended(
    broker: Broker, argument: Any, answers: dict[str, PartitionProduceResponse], now: int
) -> Effects:
    host = broker.transactions
    return [] if host is None else host.appended(argument, answers, now)


def _offsets_appended(
    broker: Broker, argument: Any, answers: dict[str, PartitionProduceResponse], now: int
) -> Effects:
    return [] if broker.groups is None else broker.groups.appended(argument, answers, now)


AppendEnded = Callable[[Broker, Any, dict[str, PartitionProduceResponse], int], Effects]
APPEND_ENDED: dict[str, AppendEnded] = {
    "image": _image_appended,
    "markers": markers_appended,
    "offsets": _offsets_appended,
}
"""Who is told when an append of the broker's own ended, by the first word of its ``done``."""
