"""The role *broker*: its parts, when it wants to be called, how it stops and starts.

A broker is put together from parts, each of which owns its state: what the controller announced (``cluster``), the
replicas, the appends that wait for replication, producer ids, denials, the two coordinators, and one handler a kind of
request. A part is given the parts that it needs and knows no broker. What stays here is the broker's own life, the
table of handlers, and what concerns several parts at once: announcements, connections, time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.broker.appending import Appending
from engine.broker.cluster_view import ClusterView
from engine.broker.configuration import BrokerConfiguration
from engine.broker.controller import Announcement
from engine.broker.copying import Copying
from engine.broker.delayed_appends import DelayedAppends
from engine.broker.fetch import FetchHandler
from engine.broker.find_coordinator import FindCoordinatorHandler
from engine.broker.group_host import GroupHost
from engine.broker.group_requests import GroupRequests
from engine.broker.hosting import Hosted
from engine.broker.init_producer_id import InitProducerIdHandler
from engine.broker.internal_topics import is_internal
from engine.broker.marker_requests import WriteMarkersHandler
from engine.broker.metadata import MetadataHandler
from engine.broker.outgoing import Outgoing
from engine.broker.permissions import Permissions
from engine.broker.produce import ProduceHandler
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup, broker_number
from engine.broker.transaction_host import TransactionHost
from engine.broker.transaction_requests import TransactionRequests
from engine.broker.verification import Verification
from engine.errors import EngineError
from engine.happenings.brokers import BecameLeader, RequestWaitsForStart, StartFailed
from engine.happenings.logs import HighWatermarkFollowsIsr
from engine.messages import (
    FOR_ALL_ELSE,
    FOR_MARKERS,
    FOR_VERIFICATION,
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
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
    ProduceRequest,
    StopReplica,
    TxnOffsetCommitRequest,
    UpdateMetadata,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
    ZooKeeperReply,
)
from engine.profile import Profile
from engine.shapes.brokers import BrokerFields
from engine.switches import Switches
from engine.topic_partition import topic_of, topic_partition
from engine.watching import Part, Path, Watch

Handler = Callable[[Envelope, int], Effects]


class Broker:
    """One broker. It is a part of the view; its replicas have parts of their own.

    ``starting`` is True until the first block of producer ids is claimed (PID-6): requests that come before that
    wait. ``handlers`` finds what handles a message by its type.
    """

    __slots__ = (
        "_stopped_cleanly",
        "alive",
        "broker_id",
        "cluster",
        "copying",
        "delayed",
        "groups",
        "handlers",
        "hosts",
        "init_producer_ids",
        "lookups",
        "marker_writes",
        "name",
        "path",
        "paused",
        "permissions",
        "producer_ids",
        "replicas",
        "setup",
        "start_failed",
        "starting",
        "transactions",
        "verification",
        "waiting_for_start",
        "watch",
    )

    def __init__(
        self,
        broker_id: int,
        *,
        profile: Profile,
        switches: Switches,
        watch: Watch,
        configuration: BrokerConfiguration | None = None,
        changed_partitions: set[str] | None = None,
        understand_abortable: frozenset[str] = frozenset(),
    ) -> None:
        setup = self.setup = Setup(
            broker_id=broker_id,
            profile=profile,
            switches=switches,
            configuration=configuration or BrokerConfiguration(),
            watch=watch,
            understand_abortable=understand_abortable,
        )
        self.broker_id = broker_id
        self.name = setup.name
        self.path: Path = setup.path
        self.watch = watch
        self.alive = True
        self.paused = False
        self.starting = False
        self.start_failed = False
        """True after a claim at start failed: that start is over, the broker is down (PID-6)."""
        self._stopped_cleanly = False
        self.waiting_for_start: list[Envelope] = []
        self.cluster = ClusterView()
        self.permissions = Permissions(setup.name, watch, self)
        self.replicas = Replicas(setup, set() if changed_partitions is None else changed_partitions)
        self.delayed = DelayedAppends(setup, self.replicas)
        outgoing = Outgoing()
        self.copying = Copying(setup, self.replicas, self.delayed, outgoing)
        self.producer_ids = ProducerIdManager(
            broker_id,
            block_size=setup.configuration.producer_id_block_size,
            reply_timeout_ms=setup.configuration.zookeeper_reply_timeout_ms,
            check_version=switches.zookeeper_version_check,
            watch=watch,
            part=self,
        )
        appending = Appending(setup, self.replicas, self.delayed, self.cluster, self.permissions)
        self.lookups = FindCoordinatorHandler(setup, self.cluster, self.permissions, outgoing)
        self.verification = (
            Verification(setup, self.cluster, self.replicas, outgoing)
            if profile.verifies_partitions
            else None
        )
        self.transactions: TransactionHost | None = None
        self.groups: GroupHost | None = None
        if profile.idempotence:
            self.transactions = TransactionHost(
                setup, self.cluster, self.replicas, appending, outgoing, self.producer_ids
            )
            self.groups = GroupHost(setup, self.replicas, appending)
        hosts: tuple[Hosted | None, ...] = (self.transactions, self.groups)
        self.hosts: tuple[Hosted, ...] = tuple(host for host in hosts if host is not None)
        self.marker_writes = WriteMarkersHandler(setup, appending, self.groups)
        requests = None
        if self.transactions is not None:
            requests = TransactionRequests(
                setup, self.transactions, self.cluster, self.permissions, self.producer_ids
            )
        self.init_producer_ids = InitProducerIdHandler(
            setup, self.producer_ids, requests, self.cluster, self.permissions
        )
        self.handlers: dict[type, Handler] = self._handlers(appending, requests)

    def _handlers(self, appending: Appending, requests: TransactionRequests | None) -> dict[type, Handler]:
        """The handler of each kind of message; a generation without transactions has fewer."""
        setup, cluster, permissions = self.setup, self.cluster, self.permissions
        produce = ProduceHandler(setup, appending, self.verification)
        handlers: dict[type, Handler] = {
            ProduceRequest: produce.handle,
            FetchRequest: FetchHandler(setup, self.replicas, cluster).handle,
            MetadataRequest: MetadataHandler(setup, cluster).handle,
            FindCoordinatorRequest: self.lookups.handle,
            InitProducerIdRequest: self.init_producer_ids.handle,
            WriteTxnMarkersRequest: self.marker_writes.handle,
        }
        if requests is not None:
            handlers |= {
                AddPartitionsToTxnRequest: requests.handle_add_partitions,
                AddOffsetsToTxnRequest: requests.handle_add_offsets,
                EndTxnRequest: requests.handle_end,
                WriteTxnMarkersResponse: requests.host.handle_marker_response,
                VerifyPartitionsRequest: requests.host.handle_verify,
            }
        if self.groups is not None:
            offsets = GroupRequests(setup, self.groups, cluster, permissions, self.verification)
            handlers |= {
                TxnOffsetCommitRequest: offsets.handle_commit,
                OffsetCommitRequest: offsets.handle_commit,
                OffsetFetchRequest: offsets.handle_fetch,
            }
            if self.verification is not None:
                handlers[VerifyPartitionsResponse] = self.verification.handle_response
                self.verification.goes_on = {
                    ProduceRequest: produce.go_on,
                    TxnOffsetCommitRequest: offsets.go_on,
                }
        return handlers

    # The role's surface ---------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """One message; requests that come while the broker starts wait until it has its block of ids."""
        body = envelope.body
        if type(body) is ZooKeeperReply:
            return self._on_zookeeper_reply(body, envelope.correlation_id, now)
        if self.starting:
            self.waiting_for_start.append(envelope)
            self.watch.emit(RequestWaitsForStart, self.name, envelope.source)
            return []
        handler = self.handlers.get(type(body))
        if handler is None:
            raise EngineError(f"{self.name}: cannot handle {body!r}")
        return handler(envelope, now)

    def next_timer(self) -> int | None:
        """When a waiting Produce times out or ZooKeeper has been silent for too long."""
        deadline = self.producer_ids.deadline
        waiting = self.delayed.by_deadline
        if waiting:
            first = waiting[0].deadline
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
        effects = self.delayed.time_out(now)
        if self.verification is not None:
            effects += self.verification.go_on(self.verification.on_timer(now), now)
        for host in self.hosts:
            effects += host.on_timer(now)
        return effects + self.producer_ids.on_timer(now)

    def next_background_timer(self) -> int | None:
        """The next scan for idle producers or transactional ids that may find one; nothing waits for it (LOG-12)."""
        expiry = None if self.transactions is None else self.transactions.expiry_at
        at = self.replicas.scan_at
        return at if at is not None and (expiry is None or at < expiry) else expiry

    def on_background_timer(self, now: int) -> Effects:
        """Forget what was idle for too long; says nothing when there is none."""
        self.replicas.forget_idle(now)
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
        self.delayed.crash()
        self.init_producer_ids.crash()
        self.waiting_for_start.clear()
        self.cluster.crash()
        self.marker_writes.crash()
        if self.verification is not None:
            self.verification.crash()
        for host in self.hosts:
            host.crash()
        self.replicas.stop(clean=clean)
        self.touch()

    def restart(self, now: int) -> Effects:
        """Come back: load the logs, then claim a block of producer ids. The controller's announcements
        follow."""
        self.alive = True
        self.start_failed = False
        self.replicas.reopen(now, was_clean=self._stopped_cleanly)
        self.touch()
        return self.start(now)

    def start(self, now: int) -> Effects:
        """Start the producer id manager: it claims its first block (PID-6). Nothing to claim without idempotence."""
        if self.transactions is None:
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
        found.extend(self.lookups.lookups.values())
        return found

    def touch(self) -> None:
        if self.watch.recording:
            self.watch.touch(self)

    def view(self) -> BrokerFields:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "starting": self.starting,
            "producer_id_block": self.producer_ids.view(),
            "denied": self.permissions.view(),
        }

    # The controller's word ------------------------------------------------------------------------

    def learn(self, word: Announcement, now: int) -> Effects:
        """Take an announcement of the controller, within its step (LOG-10)."""
        if self.transactions is not None:
            self.transactions.on_news(now)
        if type(word) is LeaderAndIsr:
            return self._learn_leader(word, now)
        if type(word) is UpdateMetadata:
            self.cluster.learn_live(word)
            return []
        if type(word) is IdlePartitions:
            self.cluster.learn_idle(word, now)
            return []
        if type(word) is StopReplica:
            return self._stop_replica(word, now)
        raise EngineError(f"{self.name}: cannot learn {word!r}")

    def _learn_leader(self, word: LeaderAndIsr, now: int) -> Effects:
        """Apply an announcement; a coordinator follows the leadership of its partition (FND-7)."""
        partition = word.partition
        host = self._host_of(partition)
        before = self.cluster.metadata.get(partition)
        since = self.cluster.learn_leader(word, now)
        effects = self._learn_replica(word, now)
        if host is not None:
            replica = self.replicas.get(partition)
            number = topic_partition(partition).number
            if replica is None or not replica.is_leader:
                effects = effects + host.resign(number, now)
            elif before is None or (before.leader, before.leader_epoch) != (word.leader, word.leader_epoch):
                effects = effects + host.lead(number, replica.leader_epoch, since, now)
        return effects

    def _host_of(self, partition: str) -> Hosted | None:
        if not is_internal(partition):
            return None
        topic = topic_of(partition)
        return next((host for host in self.hosts if host.topic == topic), None)

    def _learn_replica(self, word: LeaderAndIsr, now: int) -> Effects:
        partition = word.partition
        if self.broker_id not in word.replicas:
            return []
        replica = self.replicas.get(partition)
        if replica is None:
            replica = self.replicas.create(word)
        led = replica.is_leader
        epoch = replica.leader_epoch
        if not replica.learn(word):
            return []
        self.replicas.changed_partitions.add(partition)
        if replica.is_leader:
            if not led or epoch != replica.leader_epoch:
                self.watch.emit(
                    BecameLeader,
                    self.name,
                    partition,
                    replica.leader_epoch,
                    replica.log.log_end,
                    replica.log.high_watermark,
                    len(replica.log.producers.entries),
                )
            if replica.advance_high_watermark():
                self.watch.emit(
                    HighWatermarkFollowsIsr,
                    self.name,
                    replica.partition,
                    replica.log.high_watermark,
                    len(replica.isr),
                )
        return self.delayed.complete(replica, now)

    def _stop_replica(self, word: StopReplica, now: int) -> Effects:
        self.cluster.forget_partition(word.partition)
        replica = self.replicas.get(word.partition)
        if replica is None:
            return []
        replica.leader = None
        self.replicas.changed_partitions.add(word.partition)
        effects = self.delayed.complete(replica, now)
        self.replicas.drop(word.partition)
        return effects

    # Other brokers --------------------------------------------------------------------------------

    def on_connected(self, peer: str, now: int, purpose: str = FOR_ALL_ELSE) -> Effects:
        """A connection to another broker is open: markers may go (MRK-3), or questions to a coordinator."""
        if self.transactions is None:
            return []
        number = broker_number(peer)
        if purpose == FOR_MARKERS:
            return self.transactions.on_connected(number, now)
        return [] if self.verification is None else self.verification.on_connected(number, now)

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """A connection ended; only those to brokers carry something of ours (MRK-9)."""
        if self.transactions is None or not peer.startswith("broker-"):
            return []
        number = broker_number(peer)
        effects: Effects = []
        if purpose in (None, FOR_MARKERS):
            effects += self.transactions.on_disconnected(number, now)
        if purpose in (None, FOR_VERIFICATION) and self.verification is not None:
            effects += self.verification.go_on(([], self.verification.on_disconnected(number)), now)
        return effects

    def preset_connected(self, brokers: Iterable[int]) -> None:
        """Initial state: connections to these brokers are open."""
        brokers = tuple(brokers)
        if self.transactions is not None:
            self.transactions.connected.update(brokers)
        if self.verification is not None:
            self.verification.connected.update(brokers)

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
                self.watch.emit(StartFailed, self.name)
                self.start_failed = True
                self.crash(now, clean=True)
                return effects
            waiting, self.waiting_for_start = self.waiting_for_start, []
            for envelope in waiting:
                effects.extend(self.handle(envelope, now))
        return effects + self.init_producer_ids.answer_waiting(now)
