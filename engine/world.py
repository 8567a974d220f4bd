"""The actors of one run. ``building.py`` makes them from a scenario, and the kernel looks them up here.

Owns the list of actors and the set of paused ones, and the few connections between roles that are not
messages, such as the controller's announcements and the wake-up of the consumers of a changed partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.broker.broker import Broker
from engine.broker.compaction import compact_replica
from engine.broker.controller import Controller
from engine.broker.internal_topics import OFFSETS_TOPIC, TRANSACTION_TOPIC
from engine.broker.partition_log import PartitionLog
from engine.client.application import Call
from engine.client.consumer import Consumer
from engine.client.ledger import Ledger
from engine.client.producer_client import ProducerClient
from engine.database.messages import DATABASE
from engine.database.service import Service
from engine.errors import Refused
from engine.events import CopySent, CopySettled
from engine.java_hash import partition_for
from engine.messages import ProduceRequest
from engine.middleware.business import Business
from engine.middleware.node import Node
from engine.middleware.participant import Participant
from engine.network.links import Network
from engine.profile import Profile
from engine.reader_lanes import ReaderLane
from engine.replica_fetchers import ReplicaFetchers
from engine.role import Actor, Callable, Connecting, Role
from engine.scenario.application import Application, ScriptedCall
from engine.scenario.loop import Loop
from engine.spreading import Done, Spreading
from engine.switches import Switches
from engine.tool.command import TOOL
from engine.tool.transactions_tool import TransactionsTool
from engine.topic_partition import partition_name
from engine.watching import Part, Watch


class World:
    """All actors of a run. ``roles``: dict of name → role, in a fixed order."""

    __slots__ = (
        "_crafted",
        "_lanes_at",
        "applications",
        "applications_of",
        "beside",
        "broker_of",
        "brokers",
        "called",
        "changed_partitions",
        "clients",
        "connecting",
        "consumers",
        "controller",
        "dark",
        "fetchers",
        "lanes",
        "ledger",
        "loops",
        "loops_of",
        "made",
        "network",
        "nodes",
        "paused",
        "profile",
        "readers",
        "replica_fetch_ms",
        "roles",
        "scripted",
        "services",
        "spreading",
        "starting",
        "stoppable",
        "switches",
        "tool",
        "watch",
    )

    def __init__(self, watch: Watch, profile: Profile, switches: Switches, network: Network) -> None:
        self.watch = watch
        self.profile = profile
        self.switches = switches
        self.network = network
        self.ledger = Ledger(watch)
        self.clients: dict[str, ProducerClient] = {}
        self.consumers: dict[str, Consumer] = {}
        self.brokers: dict[str, Broker] = {}
        self.dark = False
        """True when no broker runs."""
        self.broker_of: dict[int, Broker] = {}
        """Dict of broker id → broker."""
        self.changed_partitions: set[str] = set()
        """The partitions whose log or leadership may have changed (``broker/replicas.py``)."""
        self.nodes: dict[str, Node] = {}
        """Dict of name → node of two-phase commit over middleware, in the order in which nodes are drawn."""
        self.beside: dict[str, Node] = {}
        """Dict of name → the database beside Kafka or one of its services, in the order in which they are drawn."""
        self.services: dict[str, Service] = {}
        self.controller: Controller
        self.spreading: Spreading
        self.applications: dict[str, Application] = {}
        self.applications_of: dict[str, list[Application]] = {}
        self.loops: dict[str, Loop] = {}
        self.loops_of: dict[str, list[Loop | Service]] = {}
        """Dict of producer, consumer or service → the loops and services that use it."""
        self.scripted = 0
        """The number of records that the scripts send; their serials are 1, 2, and so on."""
        self.made: set[int] = set()
        """The serials of the records that loops and services have made."""
        self.roles: dict[str, Role] = {}
        self.stoppable: dict[str, Actor] = {}
        """Roles that can be stopped and paused: clients, consumers, brokers, nodes, services, the database."""
        self.connecting: dict[str, Connecting] = {}
        """Roles that are notified when a connection ends: clients, consumers, brokers, services, the
        database, and ``kafka-transactions.sh``."""
        self.called: dict[str, Callable] = {}
        """Roles that applications call: producer clients, the initiator, the business system and the
        middleware."""
        self.paused: set[str] = set()
        self.starting: list[str] = []
        self.replica_fetch_ms = 5
        self.fetchers = ReplicaFetchers(self)
        self.readers: dict[str, list[Consumer]] = {}
        """Dict of topic-partition → the consumers subscribed to it."""
        self._lanes_at: dict[str, tuple[int, ...] | None] = {}
        """Dict of topic-partition → the offsets of its leader's log when its lanes last changed; None: there was no
        leader."""
        self.lanes: dict[str, list[ReaderLane]] = {}
        """Dict of topic-partition → the lane part of each consumer."""
        self._crafted = 0
        self.tool: TransactionsTool | None = None
        """``kafka-transactions.sh``; None in a world without brokers."""

    # -- announcements, leaders and readers ------------------------------------------------------------

    def pass_on_features(self, name: str, peer: str) -> None:
        """Pass the cluster's feature levels, as the broker ``peer`` knows them, to a producer, because its connection
        to this broker is open."""
        client, broker = self.clients.get(name), self.brokers.get(peer)
        if client is not None and broker is not None:
            client.learn_features(broker.cluster.features_epoch, broker.cluster.transaction_version)

    def announce(self, now: int) -> Done:
        """Deliver the controller's decisions that live brokers receive at once."""
        return self.spreading.announce(now)

    def leader_of(self, partition: str) -> Broker | None:
        """The broker that leads the partition and responds; None when there is none."""
        state = self.controller.partitions[partition]
        leader = state.leader
        if leader is None or state.deleted:
            return None
        broker = self.broker_of[leader]
        if not broker.listens or partition not in broker.replicas or broker.name in self.paused:
            return None
        return broker

    def leader_log(self, partition: str) -> PartitionLog | None:
        """The log from which a partition's consumers read, even while its broker is paused; None while no
        leader runs."""
        state = self.controller.partitions.get(partition)
        if state is None or state.leader is None or state.deleted:
            return None
        broker = self.broker_of[state.leader]
        replica = broker.replicas.get(partition) if broker.listens else None
        return None if replica is None else replica.log

    def new_serial(self, source: int) -> int:
        """The hidden serial of a record that a loop makes from the record ``source``, or a service in its round
        ``source`` (GEN-8). It does not depend on the order in which records are made: with *n* scripted records, it
        is ``source`` + *n*. If that record exists and all its copies were aborted, it is ``source`` + 2 *n*, and so
        on."""
        step = max(1, self.scripted)
        serial = source + self.scripted
        while serial in self.made:
            serial += step
        self.made.add(serial)
        return serial

    def counts(self, partition: str, serial: int) -> bool:
        """Whether the log from which consumers read has a copy of this record that is in no aborted transaction. Also
        True while there is no such log."""
        log = self.leader_log(partition)
        if log is None:
            return True
        return any(
            serial in batch.serials
            and not any(
                line.producer_id == batch.producer_id
                and line.first_offset <= batch.base_offset <= line.last_offset
                for line in log.aborted.lines
                if batch.is_transactional
            )
            for batch in log.batches
        )

    def lanes_changed(self, partition: str) -> None:
        """Mark the lanes of a partition for the next comparison of views, if an offset that they show has changed in
        the leader's log."""
        lanes = self.lanes.get(partition)
        if not lanes:
            return
        log = self.leader_log(partition)
        now = (
            None if log is None else (log.log_start, log.last_stable_offset, log.high_watermark, log.log_end)
        )
        if now != self._lanes_at.get(partition, ()):
            self._lanes_at[partition] = now
            for lane in lanes:
                self.watch.touch(lane)

    def wake_readers(self, partition: str, leader: Broker, now: int) -> list[str]:
        """Wake the consumers for which a fetch of this partition from its leader would bring something new
        (CON-1); returns their names."""
        log = leader.replicas[partition].log
        woken = []
        for consumer in self.readers[partition]:
            committed = consumer.isolation == "read_committed"
            if consumer.lacks(partition, log.last_stable_offset if committed else log.high_watermark):
                consumer.wake(partition, now)
                woken.append(consumer.name)
        return woken

    # -- starting, stopping ----------------------------------------------------------------------------

    def start(self, now: int) -> Done:
        """Start the Senders, the consumers, and the brokers whose start is a part of the run (PID-6)."""
        for client in self.clients.values():
            client.start(now)
        for consumer in self.consumers.values():
            consumer.start(now)
        for name in self.starting:
            yield name, self.brokers[name].start(now)

    def peers_of(self, name: str) -> list[str]:
        """The names of the actors that may have a connection to this one."""
        if name in self.beside:
            return [other for other in self.beside if DATABASE in (name, other) and other != name]
        if name in self.nodes:
            return [node for node in self.nodes if node != name]
        if name in self.brokers:
            return [*self.clients, *self.consumers, *self.brokers, "controller", "crafter", TOOL]
        return list(self.brokers)

    def broker_is_back(self, name: str, now: int) -> Done:
        return self.spreading.is_back(name, now)

    def pause(self, name: str, now: int) -> None:
        self.paused.add(name)
        self.stoppable[name].pause(now)
        if name in self.brokers:
            self.controller.on_broker_paused(self.brokers[name].broker_id, now)

    def resume(self, name: str, now: int) -> Done:
        """Resume a paused actor."""
        self.paused.discard(name)
        self.stoppable[name].resume(now)
        if name in self.brokers:
            yield from self.spreading.goes_on(name, now)

    def acts(self, name: str) -> bool:
        """Whether the actor is running and not paused."""
        return name not in self.paused and bool(self.roles[name].alive)

    def waits_in_vain(self, name: str) -> bool:
        """Whether a client does nothing but try to connect: every record has its outcome, and no call waits."""
        for application in self.applications_of.get(name, ()):
            if application.blocked_by not in (None, "client_down"):
                return False
        client = self.clients.get(name)
        return name in self.consumers if client is None else not client.owes

    def is_zombie(self, name: str) -> bool:
        """Whether a running broker's session has ended, so that it must register before it receives anything."""
        return self.spreading.is_zombie(name)

    def register(self, name: str, now: int) -> Done:
        """Register a broker again that learns that its session has ended (FEN-6)."""
        return self.spreading.register(name, now)

    def listens(self, name: str) -> bool:
        """Whether others can connect to the actor: it runs, and is not a broker that is still starting."""
        broker = self.brokers.get(name)
        return self.roles[name].alive if broker is None else broker.listens

    def cluster_fault(self, entry: dict[str, Any], now: int) -> Done:
        """Carry out a fault of brokers or of the controller. A table maps the fault to a method."""
        _CLUSTER_FAULTS[entry["action"]](self, entry, now)
        yield from self.announce(now)

    # -- judging, showing ------------------------------------------------------------------------------

    def copies(self, request: ProduceRequest, sent: bool) -> None:
        """Report to the judges that copies of the request's records are in flight, or no longer are."""
        fact = CopySent if sent else CopySettled
        for partition, batch in request.batches.items():
            if batch.serials:
                self.watch.emit(fact, partition=partition, serials=batch.serials)

    def coordinator_for(self, request: object) -> str:
        """The broker that coordinates the id or group in a request. Without such a coordinator: the first broker."""
        for name, topic in (("transactional_id", TRANSACTION_TOPIC), ("group_id", OFFSETS_TOPIC)):
            key, count = getattr(request, name, None), self.controller.internal.counts.get(topic)
            if key and count:
                partition = partition_name(topic, partition_for(key, count))
                self.controller.use_partition(partition)
                leader = self.controller.partitions[partition].leader
                if leader is not None:
                    return f"broker-{leader}"
        return next(iter(self.brokers))

    def next_crafted(self) -> int:
        self._crafted += 1
        return self._crafted

    def make_call(self, call: ScriptedCall, serial: int | None) -> Call:
        if call.do == "send":
            args = {"partition": call.partition, "serial": serial, "size": call.size}
            return Call("send", args if call.key is None else {**args, "key": call.key})
        if call.do == "send_offsets":
            offsets = dict(call.offsets)
            return Call("send_offsets", {"group": call.group, "offsets": offsets, "member": call.member})
        if call.do == "roll_back":
            return Call("roll_back", {"tid": call.tid, "nodes": call.nodes})
        return Call(call.do)

    def parts(self) -> Iterator[Part]:
        yield from self.applications.values()
        yield from self.loops.values()
        yield from self.ledger.parts()
        for name, role in self.roles.items():
            if name == role.name:
                yield from role.parts()
        for lanes in self.lanes.values():
            yield from lanes
        yield from self.network.parts.values()

    def working_nodes(self) -> list[str]:
        """The nodes that carry out a part of a middleware transaction."""
        return [name for name, node in self.nodes.items() if isinstance(node, Business | Participant)]

    def actors(self) -> list[tuple[str, str]]:
        """(name, role) of every actor that is drawn."""
        return (
            [(name, "client") for name in self.clients]
            + [(name, "broker") for name in self.brokers]
            + [(name, "consumer") for name in self.consumers]
            + ([("controller", "controller")] if self.brokers else [])
            + [(name, node.role) for name, node in (*self.nodes.items(), *self.beside.items())]
        )

    def process_of(self, name: str) -> str:
        """The service in whose process this client runs; for any other actor its own name."""
        for service in self.services.values():
            if name in service.clients:
                return service.name
        return name

    def in_process(self, name: str) -> tuple[str, ...]:
        """The clients that stop and start with this actor."""
        service = self.services.get(name)
        return () if service is None else service.clients

    def empty_view(self) -> dict[str, Any]:
        """The objects that every view has."""
        return {
            "time": 0,
            "applications": {},
            "records": {},
            "clients": {name: {} for name in self.clients},
            "consumers": {name: {} for name in self.consumers},
            "brokers": {},
            "partitions": {},
            **self.controller.empty_view(),
            "middleware": {},
            "network": {"messages": {}},
            "pending": {},
            "faults": {},
            "guarantees": {},
            "verdicts": {},
        }


def _delete_head(world: World, entry: dict[str, Any], now: int) -> None:
    state = world.controller.partitions.get(entry["partition"])
    leader = None if state is None else state.leader
    if leader is None:
        raise Refused("LOG-11", entry["partition"], "no_leader", partition=entry["partition"])
    world.brokers[f"broker-{leader}"].replicas.delete_head(entry["partition"], entry["to"], now)


def _compact(world: World, entry: dict[str, Any], now: int) -> None:
    """Let the running brokers compact their replicas of the partition (LOG-13)."""
    for broker in world.brokers.values():
        if broker.alive and entry["partition"] in broker.replicas:
            compact_replica(broker.replicas, entry["partition"], entry["to"])


def _expire_producers(world: World, entry: dict[str, Any], now: int) -> None:
    for broker in world.brokers.values():
        if entry["partition"] is None or entry["partition"] in broker.replicas:
            broker.replicas.expire_producers(entry["partition"], now)


def _deny(world: World, entry: dict[str, Any], now: int) -> None:
    for broker in world.brokers.values():
        broker.permissions.deny(entry["operation"], entry["resource"] or "cluster", now)


def _allow(world: World, entry: dict[str, Any], now: int) -> None:
    for broker in world.brokers.values():
        broker.permissions.allow(entry["operation"], entry["resource"] or "cluster", now)


def _change_leader(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.change_leader(entry["partition"], entry["broker"], now)


def _shrink_isr(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.shrink_isr(entry["partition"], entry["broker"], now)


def _restore_isr(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.restore_isr(entry["partition"], entry["broker"], now)


def _competing_write(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.competing_write(now)


def _delete_topic(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.delete_topic(entry["topic"] or "", now)


def _make_unavailable(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.make_unavailable(world.brokers[entry["actor"]].broker_id, False, now)


def _make_available(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.make_unavailable(world.brokers[entry["actor"]].broker_id, True, now)


def _update_features(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.update_features(entry["to"])


def _lose_heartbeats(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.lose_heartbeats(world.brokers[entry["actor"]].broker_id, now)


def _heartbeats_back(world: World, entry: dict[str, Any], now: int) -> None:
    world.controller.find_heartbeats(world.brokers[entry["actor"]].broker_id, now)


_CLUSTER_FAULTS = {
    "update_features": _update_features,
    "lose_heartbeats": _lose_heartbeats,
    "find_heartbeats": _heartbeats_back,
    "delete_topic": _delete_topic,
    "make_unavailable": _make_unavailable,
    "make_available": _make_available,
    "delete_head": _delete_head,
    "compact": _compact,
    "expire_producers": _expire_producers,
    "deny": _deny,
    "allow": _allow,
    "change_leader": _change_leader,
    "shrink_isr": _shrink_isr,
    "restore_isr": _restore_isr,
    "competing_write": _competing_write,
}
