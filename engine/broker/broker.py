"""The role *broker*: its parts, its timers, and how it starts and stops.

Each part of a broker owns its state: what the controller announced (``cluster``), the replicas, the appends
that wait for replication, producer ids, denials, the two coordinators, and one handler for each kind of
request. A part gets the parts that it needs. It gets the broker only as the part of the view that shows it.
This class owns the broker's lifecycle, the table of handlers, and what concerns several parts at once:
announcements, connections, time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.broker.allocated_ids import AllocatedIds
from engine.broker.appending import Appending
from engine.broker.cluster_view import ClusterView
from engine.broker.configuration import BrokerConfiguration
from engine.broker.controller import Notice
from engine.broker.controller_link import ControllerLink, QuorumLink, ZooKeeperLink
from engine.broker.copying import Copying
from engine.broker.delayed_appends import DelayedAppends
from engine.broker.describing import DescribingHandler
from engine.broker.fetch import FetchHandler
from engine.broker.find_coordinator import FindCoordinatorHandler
from engine.broker.group_host import GroupHost
from engine.broker.group_requests import GroupRequests
from engine.broker.hosting import Hosted
from engine.broker.init_producer_id import handler_of
from engine.broker.list_offsets import EndHandler
from engine.broker.marker_requests import WriteMarkersHandler
from engine.broker.metadata import MetadataHandler
from engine.broker.outgoing import Outgoing
from engine.broker.permissions import Permissions
from engine.broker.produce import ProduceHandler
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
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
    FetchingStopped,
    FetchRequest,
    FindCoordinatorRequest,
    IdlePartitions,
    InitProducerIdRequest,
    LeaderAndIsr,
    LeaveGroupRequest,
    ListOffsetsRequest,
    MetadataRequest,
    OffsetCommitRequest,
    OffsetFetchRequest,
    PartitionUsed,
    ProduceRequest,
    StopReplica,
    TxnOffsetCommitRequest,
    UpdateMetadata,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
    broker_number,
)
from engine.profile import Profile
from engine.shapes.brokers import BrokerFields
from engine.switches import Switches
from engine.topic_partition import is_internal, topic_of, topic_partition
from engine.watching import Part, Path, Watch

Handler = Callable[[Envelope, int], Effects]


class Broker:
    """One broker. ``starting``: True while the broker is alive but does not serve yet, so that requests wait
    (PID-6). ``handlers``: dict of message type → handler."""

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
        "link",
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
        """True after the start failed, because no block could be claimed: the broker is down (PID-6)."""
        self._stopped_cleanly = False
        self.waiting_for_start: list[Envelope] = []
        self.cluster = ClusterView()
        self.permissions = Permissions(setup.name, watch, self)
        self.replicas = Replicas(setup, set() if changed_partitions is None else changed_partitions)
        self.delayed = DelayedAppends(setup, self.replicas)
        outgoing = Outgoing()
        kind = QuorumLink if profile.quorum_controller else ZooKeeperLink
        link = kind(setup, self.cluster, self.replicas, self.delayed, outgoing, self)
        self.link: ControllerLink = link
        self.producer_ids: AllocatedIds | ProducerIdManager = link.producer_ids
        self.copying = Copying(setup, self.replicas, self.delayed, link.isr_changes)
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
        self.init_producer_ids = handler_of(self.producer_ids)(
            setup, self.producer_ids, requests, self.cluster, self.permissions
        )
        self.handlers: dict[type, Handler] = self._handlers(appending, requests)
        if profile.describes_producers and self.transactions is not None:
            self.handlers |= DescribingHandler(
                setup, self.cluster, self.permissions, self.replicas, self.transactions
            ).handlers

    def _handlers(
        self,
        appending: Appending,
        requests: TransactionRequests | None,
    ) -> dict[type, Handler]:
        setup, cluster, permissions = self.setup, self.cluster, self.permissions
        produce = ProduceHandler(setup, appending, self.verification)
        handlers: dict[type, Handler] = {
            ProduceRequest: produce.handle,
            FetchRequest: FetchHandler(setup, self.replicas, cluster).handle,
            ListOffsetsRequest: EndHandler(setup, self.replicas, cluster).handle,
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
                LeaveGroupRequest: offsets.handle_leave,
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
        """Handle one message; requests that arrive while the broker starts wait until the start is over."""
        body = envelope.body
        answered = self.link.answers.get(type(body))
        if answered is not None:
            return self._after_answer(answered(envelope, now), now)
        if self.starting:
            self.waiting_for_start.append(envelope)
            self.watch.emit(RequestWaitsForStart, self.name, envelope.source)
            return []
        handler = self.handlers.get(type(body))
        if handler is None:
            raise EngineError(f"{self.name}: cannot handle {body!r}")
        return handler(envelope, now)

    def next_timer(self) -> int | None:
        """The earliest time at which a part of the broker has to act (virtual ms), or None."""
        deadline = self.link.next_timer()
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
        return effects + self.link.on_timer(now)

    def next_background_timer(self) -> int | None:
        """When the next scan may find an idle producer or transactional id (virtual ms), or None. No request
        waits for a scan (LOG-12)."""
        expiry = None if self.transactions is None else self.transactions.expiry_at
        at = self.replicas.scan_at
        return at if at is not None and (expiry is None or at < expiry) else expiry

    def on_background_timer(self, now: int) -> Effects:
        """Forget the producers that were idle for too long, and write a tombstone for each transactional id
        that was idle for too long. If there is no such producer or id, the run gets no step."""
        self.replicas.forget_idle(now)
        return [] if self.transactions is None else self.transactions.on_background_timer(now)

    def crash(self, now: int, *, clean: bool = False) -> None:
        """Stop. Everything in memory is lost; the logs stay. ``clean``: whether the stop is orderly, so that
        producer snapshots are written."""
        self.alive = False
        self.paused = False
        self.starting = False
        self._stopped_cleanly = clean
        self.link.crash(now)
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
        """Start again: load the logs, then claim a block of producer ids or, with KRaft, register."""
        self.alive = True
        self.start_failed = False
        self.replicas.reopen(now, was_clean=self._stopped_cleanly)
        self.touch()
        return self.start(now)

    def start(self, now: int) -> Effects:
        """Claim the first block of producer ids (PID-6) or, with KRaft, register. Nothing happens in a version
        without idempotence."""
        if self.transactions is None:
            return []
        effects = self.link.start(now)
        self.starting = bool(effects)
        self.touch()
        return effects

    def be_registered(self, broker_epoch: int) -> None:
        """For the initial state of a run: the broker is registered already, with this broker epoch."""
        self.link.be_registered(broker_epoch)

    def start_before_the_run(self, now: int) -> Effects:
        """For the initial state of a run: the broker runs already. Returns its request for a first block of
        producer ids (PID-6), if it sends one."""
        if self.transactions is None:
            return []
        effects = self.link.start_before_the_run(now)
        self.starting = not self.link.follows_log
        self.touch()
        return effects

    @property
    def writes_snapshots(self) -> bool:
        """Whether a clean stop writes the state of producers to snapshots."""
        return self.transactions is not None

    @property
    def listens(self) -> bool:
        """Whether clients and brokers can connect to this broker."""
        return self.alive and self.link.listens

    def wake(self, now: int) -> Effects:
        """Called when a pause is over, or when heartbeats get through again. With KRaft, an unfenced broker
        then sends a heartbeat at once."""
        return self.link.wake(now)

    @property
    def may_ask_to_stop(self) -> bool:
        """Whether the broker asks the controller before an orderly stop; if not, it stops at once."""
        return not self.starting and self.link.may_ask_to_stop

    def ask_to_stop(self, now: int) -> Effects:
        """Begin an orderly stop: ask the controller."""
        effects = self.link.ask_to_stop(now)
        self.touch()
        return effects

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
        return self.link.show(
            {
                "alive": self.alive,
                "paused": self.paused,
                "starting": self.starting,
                "producer_id_block": self.producer_ids.view(),
                "denied": self.permissions.view(),
            }
        )

    # Decisions of the controller -------------------------------------------------------------------

    def learn(self, word: Notice, now: int) -> Effects:
        """Apply a decision of the controller (LOG-10): an announcement, or with KRaft a record of the
        metadata log that this broker has read."""
        if self.transactions is not None:
            self.transactions.on_announcement(now)
        if type(word) is LeaderAndIsr:
            return self._learn_leader(word, now)
        if type(word) is UpdateMetadata:
            self.cluster.learn_live(word)
            if self.link.follows_log:
                self._look_for_returned()
            return []
        if type(word) is IdlePartitions:
            self.cluster.learn_idle(word, now)
            return []
        if type(word) is StopReplica:
            return self._stop_replica(word, now)
        if type(word) is PartitionUsed:
            known = self.cluster.idle.get(word.partition)
            return [] if known is None else self._learn_leader(known[0], now)
        if type(word) is FetchingStopped:
            return self._learn_stopped(word, now)
        raise EngineError(f"{self.name}: cannot learn {word!r}")

    def _look_for_returned(self) -> None:
        """Mark as changed each partition that this broker leads and whose ISR is incomplete: a follower may
        now return to it."""
        for name, replica in self.replicas.items():
            if replica.is_leader and len(replica.isr) < len(replica.replicas):
                self.replicas.changed_partitions.add(name)

    def _learn_stopped(self, word: FetchingStopped, now: int) -> Effects:
        replica = self.replicas.get(word.partition)
        if replica is None:
            return []
        replica.stop_fetching(word.replicas)
        self.replicas.changed_partitions.add(word.partition)
        return self.link.after_leadership(replica, now)

    def _learn_leader(self, word: LeaderAndIsr, now: int) -> Effects:
        """Apply the announcement of a partition's leader and ISR. If the partition belongs to a coordinator's
        internal topic, this broker's coordinator takes the partition over or resigns from it (FND-7)."""
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
            replica.stop_fetching(word.not_fetching)
            replica.cluster = self.cluster if self.link.follows_log else None
        elif self.link.knows(replica, word):
            return []
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
                    replica.log.producer_count,
                )
            if replica.advance_high_watermark():
                self.watch.emit(
                    HighWatermarkFollowsIsr,
                    self.name,
                    replica.partition,
                    replica.log.high_watermark,
                    len(replica.isr),
                )
        return self.delayed.complete(replica, now) + self.link.after_leadership(replica, now)

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
        """A connection to another broker is open: send the markers (MRK-3) or the verification requests that
        wait for it."""
        if self.transactions is None:
            return []
        number = broker_number(peer)
        if purpose == FOR_MARKERS:
            return self.transactions.on_connected(number, now)
        return [] if self.verification is None else self.verification.on_connected(number, now)

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """A connection to ``peer`` ended: the requests in flight on it have failed (MRK-9). ``purpose`` None:
        all connections to ``peer`` ended."""
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
        """For the initial state of a run: the connections to these brokers are open already."""
        brokers = tuple(brokers)
        if self.transactions is not None:
            self.transactions.connected.update(brokers)
        if self.verification is not None:
            self.verification.connected.update(brokers)

    # Producer ids ---------------------------------------------------------------------------------

    def _after_answer(self, effects: Effects, now: int) -> Effects:
        """Called after a response of ZooKeeper or the controller was handled. If the start of the broker is
        over, handle the requests that waited for it; if the start has failed, stop the broker (PID-6).
        Returns ``effects`` and those that follow."""
        self.touch()
        if self.link.started is None:
            return effects
        if self.starting:
            self.starting = False
            if not self.link.started:
                self.watch.emit(StartFailed, self.name)
                self.start_failed = True
                self.crash(now, clean=True)
                return effects
            if self.link.follows_log:
                # The broker has read the metadata log, which may have made it the leader of any of its
                # partitions.
                self.replicas.changed_partitions.update(self.replicas)
            waiting, self.waiting_for_start = self.waiting_for_start, []
            for envelope in waiting:
                effects.extend(self.handle(envelope, now))
        return effects + self.init_producer_ids.answer_waiting(now)
