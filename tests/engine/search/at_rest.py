"""Properties that must hold at the end of a run, when no event is left and every stopped actor runs again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine import events
from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.coordinator.transaction_states import ONGOING, PREPARE_ABORT, PREPARE_COMMIT
from engine.judge.outcome_log import COMMITTED
from engine.messages import NO_OFFSET
from engine.simulation import Simulation
from tests.engine.search.logs import beside, indexes, leader_of

Wrong = Iterator[tuple[str, str]]
HELD = (ONGOING, PREPARE_COMMIT, PREPARE_ABORT)
"""States of a transactional id in which its coordinator is going to end the open transaction."""


class Reported:
    """The results that producers reported to applications, and the records that consumers returned."""

    def __init__(self) -> None:
        self.unfinished: dict[int, str] = {}
        """Serial of a record that has no result yet → its producer."""
        self.delivered: dict[tuple[str, str], set[int]] = {}
        """(Consumer, partition) → offsets of the records that the consumer returned."""

    def take(self, fact: object) -> None:
        if isinstance(fact, events.RecordAccepted):
            self.unfinished[fact.serial] = fact.producer
        elif isinstance(fact, events.RecordsFinished):
            for serial in fact.serials:
                self.unfinished.pop(serial, None)
        elif isinstance(fact, events.RecordsDelivered):
            self.delivered.setdefault((fact.consumer, fact.partition), set()).update(fact.offsets)

    def forget(self, producer: str) -> None:
        """Take note that ``producer`` crashed: the records in its memory get no result."""
        self.unfinished = {serial: name for serial, name in self.unfinished.items() if name != producer}


def at_rest(simulation: Simulation, reported: Reported) -> Wrong:
    world = simulation.world
    if simulation.finished != "complete" or world.paused or not _all_live(simulation):
        return
    for serial, producer in reported.unfinished.items():
        yield "unanswered", f"{producer} reported no result for record {serial}"
    for name, state in world.controller.partitions.items():
        leading = leader_of(world, state)
        if leading is None:
            continue
        yield from beside(world, state, leading)
        for producer_id in set(leading.log.producers.open_transactions.values()):
            if not held(world, producer_id, name):
                of = "hanging of offsets" if name.startswith(OFFSETS_TOPIC) else "hanging"
                yield of, f"PID {producer_id} is open in {name} and no coordinator will end it"
        for consumer in world.consumers.values():
            if name in consumer.readings and consumer.group_id is None:
                yield from _read(simulation, consumer, name, leading.log, reported)
    yield from indexes(world)
    yield from _undecided(world)
    for loop in world.loops.values():
        yield from _exactly_once(simulation, loop)


def _all_live(simulation: Simulation) -> bool:
    return all(role.alive for role in simulation.world.roles.values())


def _coordinators(world: Any) -> Iterator[Any]:
    for broker in world.brokers.values():
        if broker.transactions is not None:
            yield broker.transactions.coordinator


def held(world: Any, producer_id: int, partition: str) -> bool:
    """Whether a coordinator has this partition in an unfinished transaction of the producer."""
    return any(
        metadata.producer_id == producer_id and metadata.state in HELD and partition in metadata.partitions
        for coordinator in _coordinators(world)
        for metadata in coordinator.metadata.values()
    )


def _undecided(world: Any) -> Wrong:
    """No transaction may stay in PrepareCommit or PrepareAbort."""
    for coordinator in _coordinators(world):
        for name, metadata in coordinator.metadata.items():
            if metadata.state in (PREPARE_COMMIT, PREPARE_ABORT):
                yield "undecided", f"{name} stays {metadata.state} at {coordinator.name}"
            elif metadata.pending_state is not None:
                yield "undecided", f"{name} stays on its way to {metadata.pending_state}"


def _read(simulation: Simulation, consumer: Any, partition: str, log: Any, reported: Reported) -> Wrong:
    """A consumer must be at the end of what it may read, and must have returned every visible record before."""
    committed = consumer.isolation == "read_committed"
    end = log.last_stable_offset if committed else log.high_watermark
    position = consumer.readings[partition].position
    if position < end:
        yield "unread", f"{consumer.name} stays at {position} of {partition}, it may read up to {end}"
    delivered = reported.delivered.get((consumer.name, partition), set())
    outcomes = simulation.judges.outcomes.logs[partition].copies
    for batch in log.batches:
        if batch.is_control or not log.log_start <= batch.base_offset < min(position, end):
            continue
        for offset in range(batch.base_offset, batch.last_offset + 1):
            copy = outcomes.get(offset)
            counts = not committed or copy is None or copy.outcome == COMMITTED
            if batch.content is not None and batch.content.offset_deltas is not None:
                counts = counts and offset - batch.base_offset in batch.content.offset_deltas
            if counts and offset not in delivered:
                yield "unread", f"{consumer.name} passed {partition} {offset} without handing it over"
                return


def _exactly_once(simulation: Simulation, loop: Any) -> Wrong:
    """Each input below the group's committed offset must have exactly one committed output, and no other input may
    have one.
    """
    if not loop.in_transaction:
        return
    world, judges = simulation.world, simulation.judges
    outputs: dict[int, tuple[str, int]] = {}
    for name in loop.output:
        record = judges.records[name]
        for copy in judges.outcomes.logs[name].copies.values():
            if copy.outcome == COMMITTED and record.producer_of.get(copy.serial) == loop.producer.name:
                if copy.serial in outputs:
                    yield "exactly_once", f"record {copy.serial} stands committed twice in {name}"
                outputs[copy.serial] = (name, copy.serial)
    wanted = set()
    for (partition, offset), serial in loop.outputs.items():
        if offset < _committed_offset(world, loop.consumer.group_id, partition):
            wanted.add(serial)
    if wanted != set(outputs):
        yield (
            "exactly_once",
            f"{loop.name}: outputs without committed input {sorted(set(outputs) - wanted)}, "
            f"inputs without committed output {sorted(wanted - set(outputs))}",
        )


def _committed_offset(world: Any, group_id: str, partition: str) -> int:
    for broker in world.brokers.values():
        coordinator = broker.groups.coordinator
        group = coordinator.groups.get(group_id)
        if group is not None and partition in group.visible:
            return int(group.visible[partition].offset.offset)
    return NO_OFFSET
