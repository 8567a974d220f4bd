"""Makes all actors of a scenario, before its first step."""

from __future__ import annotations

from typing import Any

from engine.broker.broker import Broker
from engine.broker.configuration import BrokerConfiguration
from engine.broker.quorum_controller import QuorumController
from engine.broker.zookeeper_controller import ZooKeeperController
from engine.client.configuration import DAY_MS
from engine.client.consumer import Consumer
from engine.client.producer_client import ProducerClient
from engine.crafter import Crafter
from engine.database.approaches import APPROACHES
from engine.database.database import Database
from engine.database.messages import DATABASE
from engine.database.service import Service
from engine.database.worker_service import WorkerService
from engine.initial_state import connect, override_client, preset
from engine.middleware.business import Business, Initiator
from engine.middleware.cancellation import TransactionManager
from engine.middleware.configuration import MiddlewareConfiguration
from engine.middleware.middleware import Middleware
from engine.middleware.node import Node
from engine.middleware.participant import Participant
from engine.network.links import Network
from engine.profile import Profile, spoken_with
from engine.profiles import PROFILES
from engine.reader_lanes import ReaderLane
from engine.scenario.application import Application, membership, number_records
from engine.scenario.document import BadScenario, Scenario
from engine.scenario.loop import Loop
from engine.scenario.phrases import allowed, any_of, shown, wrong
from engine.spreading import Announced, Fetched
from engine.switches import Switches
from engine.telling.messages import shown_fields
from engine.tool.transactions_tool import TransactionsTool
from engine.topic_partition import is_internal, partition_name
from engine.watching import Watch
from engine.world import World

QUORUM_SESSION_MS = 9000
"""The default of ``broker.session.timeout.ms``. If a scenario sets another session timeout but no heartbeat
interval, its heartbeat interval is two ninths of its session timeout, as in Kafka (2 s and 9 s)."""


def build(scenario: Scenario, watch: Watch) -> World:
    """The world with all actors of a scenario, before its first step. Raises Refused for a refused configuration,
    and BadScenario for a value that does not fit this version or the other actors."""
    document = scenario.document
    cluster = document["cluster"]
    profile = scenario.version(document["profile"])
    latencies = {frozenset(row["between"]): row["ms"] for row in cluster["latencies"]}
    network = Network(cluster["latency_ms"], latencies, watch, fields_of=shown_fields)
    world = World(watch, profile, _switches(document["switches"]), network)
    configuration = _broker_configuration(cluster["broker"], profile)
    world.replica_fetch_ms = configuration.replica_fetch_interval_ms
    versions = {
        row["name"]: profile
        if row["profile"] is None
        else spoken_with(scenario.version(row["profile"]), profile)
        for row in (*document["producers"], *document["consumers"])
    }
    _build_cluster(world, document, configuration, versions)
    preset(world, document)
    _build_nodes(world, document)
    _build_clients(world, document, versions)
    _build_services(world, document)
    _build_roles(world)
    for override in document["overrides"]:
        if override["set"] == "client":
            override_client(world, override)
    if cluster["connected"]:
        connect(world)
    world.spreading.begin()
    return world


def _switches(given: dict[str, Any]) -> Switches:
    standard = Switches()
    known = {name: type(getattr(standard, name)) for name in Switches.__slots__}
    for name, value in given.items():
        if name not in known:
            raise BadScenario(f"switches.{name}", wrong("unknown_switch"), any_of(known))
        if type(value) is not known[name]:
            like = allowed("like", value=getattr(standard, name))
            raise BadScenario(f"switches.{name}", shown(value), like)
    if given.get("drain_stop_scope", "node") not in ("node", "partition"):
        scopes = any_of(("node", "partition"))
        raise BadScenario("switches.drain_stop_scope", shown(given["drain_stop_scope"]), scopes)
    return Switches(**given)


def _broker_configuration(given: dict[str, Any], profile: Profile) -> BrokerConfiguration:
    known = BrokerConfiguration.__slots__
    for name, value in given.items():
        if name not in known:
            raise BadScenario(f"cluster.broker.{name}", wrong("unknown_setting"), any_of(known))
        if type(value) is not int or not 0 < value <= 2**53:
            raise BadScenario(
                f"cluster.broker.{name}", shown(value), allowed("int_between", low=1, high=2**53)
            )
    if profile.producers_expire_in_a_day:
        given = {"producer_state_expiration_ms": DAY_MS, **given}
    if profile.quorum_controller:
        given = {"session_timeout_ms": QUORUM_SESSION_MS, **given}
        given = {"heartbeat_interval_ms": max(1, given["session_timeout_ms"] * 2 // 9), **given}
    return BrokerConfiguration(**given)


def _build_cluster(
    world: World,
    document: dict[str, Any],
    configuration: BrokerConfiguration,
    versions: dict[str, Profile],
) -> None:
    count = document["cluster"]["brokers"]
    ids = list(range(1, count + 1))
    abortable = frozenset(
        row["name"] for row in document["producers"] if versions[row["name"]].knows_transaction_abortable
    )
    _build_controller(world, ids, configuration, _transaction_version(document["cluster"], world.profile))
    world.controller.highest_transaction_version = world.profile.transaction_version
    for broker_id in ids:
        broker = world.broker_of[broker_id] = Broker(
            broker_id,
            profile=world.profile,
            switches=world.switches,
            watch=world.watch,
            configuration=configuration,
            changed_partitions=world.changed_partitions,
            understand_abortable=abortable,
        )
        broker.be_registered(world.controller.broker_epoch(broker_id))
        world.brokers[broker.name] = broker
    for topic in document["topics"]:
        for number in range(topic["partitions"]):
            first = number % count
            if topic["leaders"]:
                first = topic["leaders"][number % len(topic["leaders"])] - 1
                if not 0 <= first < count:
                    raise BadScenario(f"topics.{topic['name']}.leaders", str(first + 1), any_of(ids))
            replicas = [ids[(first + step) % count] for step in range(topic["replication"])]
            world.controller.create_partition(
                partition_name(topic["name"], number),
                replicas,
                min_isr=topic["min_isr"],
                segment_records=topic["segment_records"],
                record_version=topic["record_version"],
            )


def _build_controller(
    world: World, ids: list[int], configuration: BrokerConfiguration, transaction_version: int
) -> None:
    """Make the controller of this version, and choose the way in which its decisions reach the brokers."""
    if world.profile.quorum_controller:
        quorum = QuorumController(
            watch=world.watch,
            configuration=configuration,
            broker_ids=ids,
            transaction_version=transaction_version,
            changed_partitions=world.changed_partitions,
        )
        world.controller, world.spreading = quorum, Fetched(world, quorum)
        return
    world.controller = ZooKeeperController(
        watch=world.watch,
        configuration=configuration,
        broker_ids=ids,
        transaction_version=transaction_version,
    )
    world.spreading = Announced(world, world.controller)


def _transaction_version(cluster: dict[str, Any], profile: Profile) -> int:
    """The cluster's ``transaction.version`` at the start. Raises BadScenario for a level that the version does
    not support."""
    highest = profile.transaction_version
    level: int = highest if cluster["transaction_version"] is None else cluster["transaction_version"]
    if level > highest:
        raise BadScenario(
            "cluster.transaction_version", shown(level), allowed("int_between", low=0, high=highest)
        )
    return level


def _build_clients(world: World, document: dict[str, Any], versions: dict[str, Profile]) -> None:
    for producer in document["producers"]:
        name = producer["name"]
        world.clients[name] = ProducerClient(
            name,
            settings=producer["settings"],
            profile=versions[name],
            switches=world.switches,
            watch=world.watch,
            ledger=world.ledger,
            brokers=range(1, document["cluster"]["brokers"] + 1),
        )
    for consumer in document["consumers"]:
        profile = versions[consumer["name"]]
        if consumer["group"] is not None and not profile.idempotence:
            place = f"consumers.{consumer['name']}.group"
            raise BadScenario(
                place,
                wrong("no_groups", profile=profile.name if world.profile.idempotence else world.profile.name),
                any_of(name for name, one in PROFILES.items() if one.idempotence),
            )
        made = Consumer(
            consumer["name"],
            partitions=tuple(consumer["partitions"]),
            isolation=consumer["isolation"],
            remember_keys=consumer["remember_keys"],
            profile=profile,
            group=consumer["group"],
            member=membership(consumer["member"]),
            max_poll_interval_ms=consumer["max_poll_interval_ms"],
            auto_offset_reset=consumer["auto_offset_reset"],
            polled=any(
                row["consumer"] == consumer["name"] for row in (*document["loops"], *document["services"])
            ),
            watch=world.watch,
            brokers=range(1, document["cluster"]["brokers"] + 1),
        )
        world.consumers[made.name] = made
        for partition in consumer["partitions"]:
            world.readers.setdefault(partition, []).append(made)
        for partition in world.controller.partitions:
            if not is_internal(partition):
                lane = made.lane_parts[partition] = ReaderLane(world.leader_log, made, partition)
                world.lanes.setdefault(partition, []).append(lane)
    for row in document["loops"]:
        _build_loop(world, row)
    for row in document["applications"]:
        application = Application(row["name"], row["client"], row["calls"], world.ledger)
        world.applications[application.name] = application
    world.scripted = number_records(world.applications.values())
    for name in [*world.clients, *world.nodes]:
        world.applications_of[name] = [app for app in world.applications.values() if app.client == name]


def _build_nodes(world: World, document: dict[str, Any]) -> None:
    if not document["middleware"]["participants"]:
        return
    configuration = MiddlewareConfiguration.from_section(document["middleware"])
    watch, switches = world.watch, world.switches
    nodes: list[Node] = [] if configuration.one_node else [Initiator(watch)]
    nodes += [Business(configuration, switches, watch), Middleware(configuration, switches, watch)]
    if configuration.manager:
        nodes.append(TransactionManager(configuration, watch))
    nodes += [Participant(row, switches, watch) for row in configuration.participants]
    world.nodes = {node.name: node for node in nodes}


def _build_loop(world: World, row: dict[str, Any]) -> None:
    producer, consumer = world.clients[row["producer"]], world.consumers[row["consumer"]]
    separately = not world.switches.offsets_in_transaction
    instances = [loop for loop in world.loops.values() if loop.consumer.group_id == consumer.group_id]
    outputs = instances[0].outputs if instances else {}
    loop = world.loops[row["name"]] = Loop(row, producer, consumer, separately, outputs, world.watch)
    for name in (producer.name, consumer.name):
        world.loops_of.setdefault(name, []).append(loop)


def _build_services(world: World, document: dict[str, Any]) -> None:
    if not document["services"]:
        return
    for row in document["services"]:
        producer, consumer = world.clients.get(row["producer"]), world.consumers.get(row["consumer"])
        made = WorkerService if APPROACHES[row["approach"]].commits else Service
        service = made(row, producer, consumer, world.ledger, world.watch)
        world.services[service.name] = world.beside[service.name] = service
        for name in service.uses:
            world.loops_of.setdefault(name, []).append(service)
    world.beside[DATABASE] = Database(document["database"]["unique_key"], world.watch)


def _build_roles(world: World) -> None:
    world.connecting = {**world.clients, **world.brokers, **world.consumers}
    for node in world.beside.values():
        if isinstance(node, Database | Service):
            world.connecting[node.name] = node
    world.stoppable = {**world.connecting, **world.nodes}
    world.called = {**world.clients}
    for name, node in world.nodes.items():
        if isinstance(node, Initiator | Business | Middleware):
            world.called[name] = node
    world.roles = {**world.stoppable}
    world.roles["controller"] = world.controller
    for name in world.controller.other_names:
        world.roles[name] = world.controller
    world.roles["crafter"] = Crafter(world.watch)
    if world.brokers:
        tool = world.tool = TransactionsTool(world.watch, world.profile, world.broker_of)
        world.roles[tool.name] = world.connecting[tool.name] = tool
