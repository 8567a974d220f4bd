"""What a fault script and a scenario's initial state may do to a broker (GEN-6, GEN-7).

Each fault is one method that says its step. The methods are the broker's own; they stand apart because no
message leads to them.
"""

from __future__ import annotations

from engine.broker.producer_ids import ProducerIdManager
from engine.broker.replica import Replica
from engine.broker.replication_sentences import say_forgotten
from engine.errors import Refused
from engine.messages import RecordBatch
from engine.shapes.brokers import BrokerFields
from engine.watching import Path, Watch


class FaultSurface:
    """The part of :class:`engine.broker.broker.Broker` that is reached without a message."""

    __slots__ = (
        "changed_partitions",
        "denied",
        "idle_from",
        "name",
        "path",
        "producer_ids",
        "replicas",
        "watch",
    )

    name: str
    path: Path
    watch: Watch
    replicas: dict[str, Replica]
    denied: set[tuple[str, str]]
    changed_partitions: set[str]
    producer_ids: ProducerIdManager
    idle_from: int | None

    def view(self) -> BrokerFields:
        raise NotImplementedError

    def touch(self) -> None:
        if self.watch.recording:
            self.watch.touch(self)

    def deny(self, operation: str, resource: str, now: int) -> None:
        """*deny authorization*: from now on refuse ``operation`` on ``resource``; call it on every broker."""
        self.denied.add((operation, resource))
        self.touch()
        self.watch.say(
            "fault.denied", ("GEN-6", "LOG-1"), broker=self.name, operation=operation, resource=resource
        )

    def allow(self, operation: str, resource: str, now: int) -> None:
        """Take a denial back."""
        self.denied.discard((operation, resource))
        self.touch()
        self.watch.say("fault.allowed", ("GEN-6",), broker=self.name, operation=operation, resource=resource)

    def delete_head(self, partition: str, to: int | None, now: int) -> None:
        """*delete log head*: records below ``to`` (None: below the high watermark) are gone (LOG-11).

        Call it on the leader; followers raise their log start with their next fetch. Refused above the high
        watermark.
        """
        replica = self._replica(partition)
        log = replica.log
        to = log.high_watermark if to is None else to
        if not replica.is_leader:
            raise Refused("LOG-11", partition, "not_its_leader", broker=self.name, partition=partition)
        if to > log.high_watermark:
            raise Refused(
                "LOG-11",
                partition,
                "above_high_watermark",
                offset=to,
                high_watermark=log.high_watermark,
            )
        before = log.log_start
        gone = log.raise_log_start(to)
        self.changed_partitions.add(partition)
        self.watch.say(
            "fault.head_deleted" if log.log_start > before else "fault.no_head_to_delete",
            ("GEN-6", "LOG-11"),
            broker=self.name,
            partition=partition,
            log_start=log.log_start,
            to=to,
        )
        if self.watch.recording:
            if gone:
                say_forgotten(
                    self.watch, self.name, "broker.producers_deleted_with_head", replica, gone, ("LOG-11",)
                )
            elif log.producers.entries and log.log_start > before:
                self.watch.note(
                    "broker.producers_kept_after_head",
                    ("LOG-11",),
                    broker=self.name,
                    partition=partition,
                    producer_ids=sorted(log.producers.entries),
                )

    def expire_producers(self, partition: str | None, now: int) -> None:
        """*expire producer state*: forget the producers of ``partition`` (None: of all), idle or not."""
        chosen = self.replicas.values() if partition is None else (self._replica(partition),)
        self.watch.say(
            "fault.producers_expired", ("GEN-6", "LOG-12"), broker=self.name, partition=partition or "*"
        )
        for replica in chosen:
            gone = replica.log.forget_producers()
            if gone:
                say_forgotten(self.watch, self.name, "broker.producers_forgotten", replica, gone, ("LOG-12",))
        self._recompute_idle()

    def preset_producer(
        self,
        partition: str,
        producer_id: int,
        producer_epoch: int,
        last_sequence: int | None,
        last_offset: int | None,
        now: int = 0,
    ) -> None:
        """Initial state: what this broker knows of a producer (GEN-7). Call it on every replica.

        ``last_sequence`` None: the epoch alone is known, as after a marker.
        """
        log = self._replica(partition).log
        log.preset_producer(producer_id, producer_epoch, last_sequence, last_offset, now)
        self.note_activity(now)

    def preset_record(self, partition: str, batch: RecordBatch) -> RecordBatch:
        """Initial state: a record that this leader has and every replica gets; returns it as stored."""
        replica = self._replica(partition)
        replica.log.append_as_leader((batch,), 0, leader_epoch=replica.leader_epoch)
        replica.log.set_high_watermark(replica.log.log_end)
        return replica.log.batches[-1]

    def copy_record(self, partition: str, batch: RecordBatch) -> None:
        """Initial state: a follower has the leader's record too."""
        log = self._replica(partition).log
        log.append_as_follower((batch,), 0)
        log.set_high_watermark(log.log_end)

    def preset_log_start(self, partition: str, offset: int) -> None:
        """Initial state: the log is empty and starts at ``offset`` (GEN-7). Call it on every replica."""
        self._replica(partition).log.restart_at(offset, 0)
        self.changed_partitions.add(partition)

    def preset_next_producer_id(self, next_id: int) -> None:
        """Initial state: the next id of this broker's block (GEN-7)."""
        block = self.producer_ids.block
        place = f"{self.name}.next_id"
        if block is None:
            raise Refused("GEN-7", place, "no_block", broker=self.name, next_id=next_id)
        if not block.start <= next_id <= block.end + 1:
            raise Refused(
                "GEN-7", place, "not_in_block", next_id=next_id, first=block.start, last=block.end + 1
            )
        self.producer_ids.next_id = next_id
        self.touch()

    def note_activity(self, timestamp: int) -> None:
        """A producer was active at ``timestamp``; the idle scan need not come before it expires."""
        idle_from = self.idle_from
        if idle_from is None or timestamp < idle_from:
            self.idle_from = timestamp

    def _recompute_idle(self) -> None:
        times = [
            entry.last_timestamp
            for replica in self.replicas.values()
            for entry in replica.log.producers.entries.values()
            if entry.transaction_first_offset is None
        ]
        self.idle_from = min(times, default=None)

    def _replica(self, partition: str) -> Replica:
        replica = self.replicas.get(partition)
        if replica is None:
            known = sorted(self.replicas)
            raise Refused("GEN-6", partition, "no_replica_there", broker=self.name, known=known)
        return replica
