"""Invariants of stored batches of any writer, checked with every fact. The checks know each replica's log only from
its facts, not from the broker that wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from engine import events
from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.simulation import Simulation

SEQUENCES = 2**31


class Kept(NamedTuple):
    """A batch of a producer with an id, as a replica stored it. ``last_sequence`` is None for a marker."""

    last_offset: int
    producer_epoch: int
    last_sequence: int | None


class Storage:
    """Every replica's log, by producer id. ``wrong``: (property, text) for each violation."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.accepts_unknown = simulation.world.profile.accepts_unknown_producer
        self.wrong: list[tuple[str, str]] = []
        self.logs: dict[tuple[str, int], dict[int, list[Kept]]] = {}
        self.copies: dict[tuple[str, int], dict[tuple[int, int, int], int]] = {}
        """(partition, replica) → (serial, producer id, epoch) of a record outside transactions → its offset."""
        self.decisions: dict[int, bool] = {}
        """Producer id → the newest outcome in a coordinator's log: whether it is a commit."""
        self.epochs: dict[int, int] = {}
        self.leader_epochs: dict[str, int] = {}
        self.coordinator_epochs: dict[tuple[str, int], int] = {}
        self.takes: dict[type, Callable[[Any], None]] = {
            events.LogAppended: self._appended,
            events.LogTruncated: self._truncated,
            events.OutcomeDecided: self._decided,
            events.IdentityGiven: self._identity,
            events.LeaderChanged: self._led,
        }

    def take(self, fact: object) -> None:
        take = self.takes.get(type(fact))
        if take is not None:
            take(fact)

    def after(self) -> Iterator[tuple[str, str]]:
        """Yield the violations since the last call."""
        found, self.wrong = self.wrong, []
        yield from found

    def _appended(self, fact: events.LogAppended) -> None:
        if fact.producer_id < 0:
            return
        place = (fact.partition, fact.replica)
        log = self.logs.setdefault(place, {}).setdefault(fact.producer_id, [])
        broker = self.simulation.world.brokers[f"broker-{fact.replica}"]
        replica = broker.replicas.get(fact.partition)
        if replica is not None and replica.is_leader:
            self._judge(fact, log)
            if fact.control_type is not None:
                self._judge_marker(fact, replica)
        last = None
        if fact.control_type is None:
            last = (fact.base_sequence + fact.last_offset - fact.base_offset) % SEQUENCES
        log.append(Kept(fact.last_offset, fact.producer_epoch, last))
        if fact.control_type is None and not fact.is_transactional:
            self._count(fact, place)

    def _judge(self, fact: events.LogAppended, log: list[Kept]) -> None:
        """A leader stores no lower epoch after a higher one, and within an epoch one sequence number after the
        other.
        """
        who = f"PID {fact.producer_id} epoch {fact.producer_epoch} in {fact.partition}"
        newest = log[-1].producer_epoch if log else -1
        if fact.producer_epoch < newest:
            of = "offsets" if fact.partition.startswith(OFFSETS_TOPIC) else "data"
            self.wrong.append((f"epoch_back of {of}", f"{who} was stored after epoch {newest}"))
        if fact.control_type is not None or fact.base_sequence < 0:
            return
        same = [
            kept
            for kept in log
            if kept.producer_epoch == fact.producer_epoch and kept.last_sequence is not None
        ]
        if same:
            expected = (same[-1].last_sequence + 1) % SEQUENCES  # type: ignore[operator]
        elif log or not self.accepts_unknown:
            expected = 0
        else:
            return
        if fact.base_sequence != expected:
            self.wrong.append(("sequence", f"{who}: {fact.base_sequence} was stored instead of {expected}"))

    def _judge_marker(self, fact: events.LogAppended, replica: Any) -> None:
        who = f"{fact.control_type} of PID {fact.producer_id} epoch {fact.producer_epoch} in {fact.partition}"
        stored = replica.log.batch_at(fact.base_offset)
        if stored is None or replica.leader_epoch != self._led_in(fact.partition):
            return  # A broker that was replaced and has not noticed writes into a log that will be cut.
        decided = self.decisions.get(fact.producer_id)
        if decided is not None and decided != (fact.control_type == "COMMIT"):
            self.wrong.append(("decision", f"{who}, but the coordinator decided otherwise"))
        place = (fact.partition, fact.producer_id)
        epoch, known = stored[0].coordinator_epoch, self.coordinator_epochs.get(place, -1)
        if epoch < known:
            self.wrong.append(("coordinator_epoch", f"{who} by coordinator epoch {epoch} after {known}"))
        self.coordinator_epochs[place] = max(epoch, known)

    def _led_in(self, partition: str) -> int:
        return int(self.simulation.world.controller.partitions[partition].leader_epoch)

    def _count(self, fact: events.LogAppended, place: tuple[str, int]) -> None:
        """The same record may be stored only once with the same producer id and epoch."""
        log = self.copies.setdefault(place, {})
        for offset, serial in zip(fact.offsets(), fact.serials, strict=True):
            key = (serial, fact.producer_id, fact.producer_epoch)
            if log.setdefault(key, offset) != offset:
                self.wrong.append(
                    (
                        "stored_twice",
                        f"record {serial} of PID {fact.producer_id} epoch {fact.producer_epoch} in "
                        f"{fact.partition}: at {log[key]} and {offset}",
                    )
                )

    def _truncated(self, fact: events.LogTruncated) -> None:
        place = (fact.partition, fact.replica)
        for log in self.logs.get(place, {}).values():
            while log and log[-1].last_offset >= fact.to:
                log.pop()
        copies = self.copies.get(place, {})
        for key in [key for key, offset in copies.items() if offset >= fact.to]:
            del copies[key]

    def _decided(self, fact: events.OutcomeDecided) -> None:
        self.decisions[fact.producer_id] = fact.committed

    def _identity(self, fact: events.IdentityGiven) -> None:
        self._not_back("identity_back", self.epochs, fact.producer_id, fact.producer_epoch)

    def _led(self, fact: events.LeaderChanged) -> None:
        self._not_back("leader_epoch_back", self.leader_epochs, fact.partition, fact.leader_epoch)

    def _not_back(self, name: str, known: dict[Any, int], of: Any, now: int) -> None:
        if now < known.get(of, now):
            self.wrong.append((name, f"the epoch of {of} went back from {known[of]} to {now}"))
        known[of] = now
