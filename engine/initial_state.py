"""The state of a run before its first step: overrides, announcements, open connections (GEN-7)."""

from __future__ import annotations

from typing import Any

from engine.broker.internal_topics import INTERNAL_TOPICS, OFFSETS_TOPIC, TRANSACTION_TOPIC
from engine.broker.startup import start_quietly
from engine.coordinator.group_log import members_batch
from engine.coordinator.group_offsets import GroupMembers
from engine.coordinator.transaction_log import batch_of
from engine.coordinator.transaction_metadata import Image
from engine.coordinator.transaction_states import DEAD, EMPTY, ONGOING, PREPARE_EPOCH_FENCE
from engine.java_hash import partition_for
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, IdlePartitions, RecordBatch
from engine.scenario.document import BadScenario
from engine.scenario.phrases import allowed, any_of, shown
from engine.topic_partition import partition_name
from engine.world import World


def preset(world: World, document: dict[str, Any]) -> None:
    """Set the initial state (GEN-7), and deliver the controller's announcements. Brokers are started, too,
    unless their start is a part of the run."""
    controller, brokers = world.controller, world.brokers
    chosen = document["overrides"]
    for override in chosen:
        if override["set"] == "leader":
            controller.preset_leader(
                override["partition"], None if override["no_leader"] else override["broker"]
            )
        elif override["set"] == "zookeeper" and override["block_end"] is not None:
            controller.preset_block(
                override["broker"] or 0, override["block_start"] or 0, override["block_end"]
            )
    if brokers and world.profile.idempotence and document["cluster"]["internal_topics"]:
        for topic in INTERNAL_TOPICS:
            controller.create_internal_topic(topic)
    words = controller.announcements_for()
    for broker in brokers.values():
        for word in words:
            # Internal topics existed before the run, so their coordinators have already read their logs.
            broker.learn(
                word, -controller.configuration.loading_ms if isinstance(word, IdlePartitions) else 0
            )
    controller.take_announcements()
    if document["cluster"]["start_brokers"]:
        world.starting = list(brokers)
    else:
        start_quietly(controller, brokers.values())
    for override in chosen:
        if override["set"] == "zookeeper" and override["next_id"] is not None:
            brokers[f"broker-{override['broker']}"].producer_ids.preset_next_id(override["next_id"])
        elif override["set"] in ("broker_entry", "log_start"):
            _preset_replicas(world, override)
        elif override["set"] == "transaction":
            _preset_transaction(world, override)
        elif override["set"] == "group":
            _preset_group(world, override)


def _preset_replicas(world: World, override: dict[str, Any]) -> None:
    partition = override["partition"]
    if partition not in world.controller.partitions:
        raise BadScenario("overrides.partition", shown(partition), any_of(world.controller.partitions))
    for broker in world.brokers.values():
        if partition not in broker.replicas:
            continue
        if override["set"] == "log_start":
            broker.replicas.preset_log_start(partition, override["offset"] or 0)
        else:
            broker.replicas.preset_producer(
                partition,
                override["producer_id"] or 0,
                override["producer_epoch"] or 0,
                override["last_sequence"],
                override["last_offset"],
            )


def _preset_group(world: World, override: dict[str, Any]) -> None:
    """Preset the members of a group, in the offsets log and at the group's coordinator."""
    count = world.controller.internal.counts.get(OFFSETS_TOPIC)
    name = override["group"]
    if count is None:
        raise BadScenario("overrides.group", shown(name), allowed("profile_with_groups"))
    found = GroupMembers(
        override["generation"] or 0, {row["id"]: row["instance"] for row in override["members"] or ()}
    )
    partition = partition_name(OFFSETS_TOPIC, partition_for(name, count))
    leader = _use_internal(world, partition, "overrides.group", name)
    _record_everywhere(world, partition, leader, members_batch(name, found))
    host = world.brokers[f"broker-{leader}"].groups
    if host is not None:
        host.preset(name, found)


def _use_internal(world: World, partition: str, place: str, name: str) -> int:
    """Create the replicas of an internal partition, as its first use does; returns its leader."""
    controller = world.controller
    controller.use_partition(partition)
    for _ in world.announce(0):
        pass  # Brokers only create their replicas here, because no append waits for them yet.
    leader = controller.partitions[partition].leader
    if leader is None:
        raise BadScenario(place, shown(name), allowed("name_with_leader"))
    return leader


def _record_everywhere(world: World, partition: str, leader: int, batch: RecordBatch) -> None:
    stored = world.brokers[f"broker-{leader}"].replicas.preset_record(partition, batch)
    for broker in world.brokers.values():
        if partition in broker.replicas and broker.broker_id != leader:
            broker.replicas.copy_record(partition, stored)


def _preset_transaction(world: World, override: dict[str, Any]) -> None:
    """Preset a transactional id at its coordinator, and in the log if a record can hold its state."""
    controller = world.controller
    count = controller.internal.counts.get(TRANSACTION_TOPIC)
    name = override["transactional_id"]
    if count is None or not name:
        raise BadScenario("overrides.transactional_id", shown(name), allowed("id_with_internal_topics"))
    state = override["state"] or EMPTY
    image = Image(
        state=state,
        producer_id=override["producer_id"] or 0,
        last_producer_id=NO_PRODUCER_ID,
        producer_epoch=override["producer_epoch"] or 0,
        last_producer_epoch=NO_PRODUCER_EPOCH,
        timeout_ms=override["timeout_ms"] or 60_000,
        partitions=frozenset(override["partitions"] or ()),
        start_ms=0 if state == ONGOING else -1,
        last_update_ms=0,
    )
    partition = partition_name(TRANSACTION_TOPIC, partition_for(name, count))
    leader = _use_internal(world, partition, "overrides.transactional_id", name)
    if state not in (DEAD, PREPARE_EPOCH_FENCE):
        _record_everywhere(world, partition, leader, batch_of(name, image, 0))
    host = world.brokers[f"broker-{leader}"].transactions
    if host is not None:
        host.preset(name, image)


def override_client(world: World, override: dict[str, Any]) -> None:
    client = world.clients.get(override["client"])
    if client is None:
        raise BadScenario("overrides.client", shown(override["client"]), any_of(world.clients))
    if override["producer_id"] is not None:
        client.preset_identity(override["producer_id"], override["producer_epoch"] or 0)
    if override["partition"] and override["next_sequence"] is not None:
        client.preset_sequence(override["partition"], override["next_sequence"])


def connect(world: World) -> None:
    """Give clients and brokers open connections, and clients fresh metadata and positions, so that a lesson
    need not begin with these steps."""
    leaders = world.controller.leaders()
    clients: list[Any] = [*world.clients.values(), *world.consumers.values()]
    for client in clients:
        client.preset_metadata(leaders, [broker.broker_id for broker in world.brokers.values()])
        client.preset_connected(list(world.brokers))
        for peer in world.brokers:
            world.pass_on_features(client.name, peer)
    for broker in world.brokers.values():
        broker.preset_connected([other.broker_id for other in world.brokers.values()])
    for consumer in world.consumers.values():
        for partition in consumer.readings:
            starts = (
                b.replicas[partition].log.log_start for b in world.brokers.values() if partition in b.replicas
            )
            consumer.preset_position(partition, max(starts, default=0))
