"""Invariants of the brokers' logs: their offsets (log start, last stable offset, high watermark), the agreement of
replicas, and the content of indexes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.broker.partition_log import PartitionLog
from engine.broker.replica import Replica
from engine.messages import NO_PRODUCER_ID
from engine.simulation import Simulation

Wrong = Iterator[tuple[str, str]]
Recomputed = tuple[list[tuple[int, int, int]], int, set[int]]
EVERY = 20
"""Number of steps between two checks of whole logs; a find is searched again step by step."""


class Logs:
    """Checks offsets after every step, and whole logs now and then."""

    def __init__(self, simulation: Simulation, every: int = EVERY) -> None:
        self.simulation = simulation
        self.every = every
        self.known: dict[tuple[str, int | None, int], tuple[int, int, int]] = {}
        """(partition, leader, leader epoch) → log start, last stable offset and high watermark."""

    def after(self) -> Wrong:
        simulation = self.simulation
        world = simulation.world
        whole = simulation.number % self.every == 0
        for name, state in world.controller.partitions.items():
            leading = leader_of(world, state)
            if leading is None:
                continue
            log = leading.log
            now = (log.log_start, log.last_stable_offset, log.high_watermark)
            key = (name, state.leader, state.leader_epoch)
            before = self.known.get(key)
            if before != now:
                yield from _pointers(name, log, before, now)
                self.known[key] = now
            if whole:
                yield from beside(world, state, leading)
        if whole:
            yield from indexes(world)


def leader_of(world: Any, state: Any) -> Replica | None:
    """Return the replica of the leader; None unless controller and broker agree that it leads."""
    if state.leader is None or state.deleted:
        return None
    broker = world.brokers[f"broker-{state.leader}"]
    replica: Replica | None = broker.replicas.get(state.name)
    if not broker.alive or replica is None or replica.leader_epoch != state.leader_epoch:
        return None
    return replica


def _pointers(
    name: str, log: PartitionLog, before: tuple[int, int, int] | None, now: tuple[int, int, int]
) -> Wrong:
    start, stable, high = now
    # No consumer reads below the log start, so a last stable offset below it counts as the log start.
    if not start <= max(stable, start) <= high <= log.log_end:
        yield "pointers", f"{name}: start {start}, stable {stable}, high {high}, end {log.log_end}"
    if before is not None:
        words = ("log start", "last stable offset", "high watermark")
        for what, old, new in zip(words, before, now, strict=True):
            if new < old:
                yield "pointer_back", f"{what} of {name} went back from {old} to {new}"


def beside(world: Any, state: Any, leading: Replica) -> Wrong:
    """Every in-sync replica must have the leader's batches below the high watermark."""
    high, start = leading.log.high_watermark, leading.log.log_start
    mine = {batch.base_offset: _identity(batch) for batch in leading.log.batches}
    for broker_id in state.isr:
        broker = world.brokers[f"broker-{broker_id}"]
        replica = broker.replicas.get(state.name)
        if replica is None or replica is leading or not broker.alive:
            continue
        if replica.leader_epoch != state.leader_epoch or broker.name in world.paused:
            continue
        where = f"{state.name} on {broker.name}, in sync with {leading.broker_id}"
        if replica.log.log_end < high:
            yield "replicas", f"{where}, ends at {replica.log.log_end} below the high watermark {high}"
        for batch in replica.log.batches:
            if start <= batch.base_offset < high and mine.get(
                batch.base_offset, _identity(batch)
            ) != _identity(batch):
                yield "replicas", f"{where}, differs at offset {batch.base_offset}"


def _identity(batch: Any) -> tuple[Any, ...]:
    """The fields of a batch that compaction does not change."""
    return (
        batch.last_offset_delta,
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
        batch.control_type,
        batch.leader_epoch,
    )


def indexes(world: Any) -> Wrong:
    """The index of aborted transactions and the last stable offset must agree with the stored batches."""
    for broker in world.brokers.values():
        if not broker.alive:
            continue
        for name, replica in broker.replicas.items():
            log = replica.log
            if log.log_start or (log.batches and log.batches[0].base_offset):
                continue
            lines, stable, opened = recomputed(log, world.profile.indexes_empty_abort)
            where = f"{name} on {broker.name}"
            if set(log.producers.open_transactions) != opened:
                yield (
                    "open" if log.producers.entries else "open_forgotten",
                    f"{where} holds {sorted(log.producers.open_transactions)} open, stored are {opened}",
                )
            kept = [(line.producer_id, line.first_offset, line.last_offset) for line in log.aborted.lines]
            if kept != lines:
                # The cleaner leaves out an entry of which no record is left.
                wrong = set(kept) - set(lines)
                # If the log has forgotten a transaction, its marker is listed as an abort of nothing.
                forgotten = {(producer_id, last, last) for producer_id, _, last in set(lines) - set(kept)}
                kind = "aborted_index"
                if not wrong:
                    kind = "aborted_index_thinned"
                elif wrong <= forgotten and world.profile.indexes_empty_abort:
                    kind = "open_forgotten"
                yield kind, f"{where} lists {kept}, stored are {lines}"
            has, most = log.last_stable_offset, min([log.high_watermark, *log.producers.open_transactions])
            # A snapshot does not store which markers were not replicated yet (``ProducerStateManager``), and a
            # follower that has read its log again learns it only with its next high watermark.
            knows = replica.is_leader and not log.producers.snapshots
            if has > most or (knows and has != stable):
                yield "stable_offset", f"{where} has {has}, stored batches say {stable}"


def recomputed(log: PartitionLog, indexes_empty_abort: bool) -> Recomputed:
    """Compute (aborted index, last stable offset, first offsets of open transactions) from the stored batches alone."""
    opened: dict[int, int] = {}
    lines: list[tuple[int, int, int]] = []
    stable = log.high_watermark
    for batch in log.batches:
        if not batch.is_control:
            if batch.is_transactional:
                opened.setdefault(batch.producer_id, batch.base_offset)
            continue
        first = opened.pop(batch.producer_id, None)
        if first is not None and batch.base_offset >= log.high_watermark:
            stable = min(stable, first)
        # 2.0 lists an abort of nothing, but a log ignores batches without a producer id (``Log.updateProducers``).
        lists_nothing = indexes_empty_abort and batch.producer_id != NO_PRODUCER_ID
        if batch.control_type == "ABORT" and (first is not None or lists_nothing):
            found = batch.base_offset if first is None else first
            lines.append((batch.producer_id, found, batch.base_offset))
    return lines, min([stable, *opened.values()]), set(opened.values())
