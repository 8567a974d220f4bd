"""The role *broker*: what it answers, when it wants to be called, how it stops and starts.

Owns the replicas on this broker, its producer ids, its view of the metadata and what was forbidden to
clients. Each request is handled by one function; the table :data:`HANDLERS` finds it by the message's type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.broker import replication
from engine.broker.append_rules import Rules
from engine.broker.configuration import BrokerConfiguration
from engine.broker.controller import Announcement
from engine.broker.fetch import handle_fetch
from engine.broker.init_producer_id import answer_waiting, handle_init_producer_id
from engine.broker.metadata import handle_metadata
from engine.broker.partition_log import PartitionLog
from engine.broker.produce import checks_for, complete_waiting, handle_produce, time_out_waiting
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.replica import DelayedProduce, Replica
from engine.errors import EngineError, Error, Refused
from engine.messages import (
    AlterIsr,
    Effects,
    Envelope,
    FetchRequest,
    InitProducerIdRequest,
    LeaderAndIsr,
    MetadataRequest,
    ProduceRequest,
    ReplicaFetchRequest,
    ReplicaFetchResponse,
    Send,
    StopReplica,
    UpdateMetadata,
    ZooKeeperReply,
)
from engine.profiles import Profile
from engine.switches import Switches
from engine.watching import Part, Path, Watch


class Broker:
    """One broker. It is a part of the view; its replicas have parts of their own.

    ``changed_partitions`` names the partitions whose log end, high watermark or leader changed here; the
    kernel empties it after each event. ``starting`` is True until the first block of producer ids is claimed
    (PID-6): requests that come before that wait.
    """

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
        self.request_checks, self.partition_checks = checks_for(profile)
        self.replicas: dict[str, Replica] = {}
        self.metadata: dict[str, LeaderAndIsr] = {}
        self.live_brokers: tuple[int, ...] = ()
        self.denied: set[tuple[str, str]] = set()
        self.delayed: list[DelayedProduce] = []
        """Produce requests that wait for replication, by deadline."""
        self.waiting_for_ids: list[tuple[str, int]] = []
        self.waiting_for_start: list[Envelope] = []
        self.changed_partitions: set[str] = set()
        self.producer_ids = ProducerIdManager(
            broker_id,
            block_size=self.configuration.producer_id_block_size,
            reply_timeout_ms=self.configuration.zookeeper_reply_timeout_ms,
            check_version=switches.zookeeper_version_check,
            watch=watch,
        )
        self._stopped_cleanly = False
        self._next_correlation = 0
        self._idle_from: int | None = None
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
            return first if deadline is None or first < deadline else deadline
        return deadline

    def on_timer(self, now: int) -> Effects:
        effects = time_out_waiting(self, now)
        return effects + self.producer_ids.on_timer(now)

    def next_background_timer(self) -> int | None:
        """The next scan for idle producers that may find one; nothing waits for it (LOG-12)."""
        if self._idle_from is None:
            return None
        interval = self.configuration.producer_state_scan_interval_ms
        at = self._idle_from + self.configuration.producer_state_expiration_ms
        return -(-at // interval) * interval

    def on_background_timer(self, now: int) -> Effects:
        """Forget producers that were idle for too long; says nothing when there are none."""
        for replica in self.replicas.values():
            gone = replica.log.expire_producers(now)
            if gone:
                self._say_forgotten("broker.producers_expired", replica, gone, ("LOG-12",))
        self._recompute_idle()
        return []

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
        self._idle_from = None
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

    @property
    def is_busy(self) -> bool:
        """True while something of a client or a claim is pending here: the run may not end (GEN-2)."""
        return bool(self.delayed or self.waiting_for_ids or self.starting)

    def parts(self) -> list[Part]:
        found: list[Part] = [self]
        for replica in self.replicas.values():
            found.extend(replica.parts())
        return found

    def view(self) -> dict[str, Any]:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "starting": self.starting,
            "producer_id_block": self.producer_ids.view(),
            "denied": [f"{operation} {resource}" for operation, resource in sorted(self.denied)],
        }

    def touch(self) -> None:
        if self.watch.recording:
            self.watch.touch(self)

    # The controller's word ------------------------------------------------------------------------

    def learn(self, word: Announcement, now: int) -> Effects:
        """Take an announcement of the controller, within its step (LOG-10)."""
        if type(word) is LeaderAndIsr:
            return self._learn_leader(word, now)
        if type(word) is UpdateMetadata:
            self.live_brokers = word.live_brokers
            return []
        if type(word) is StopReplica:
            return self._stop_replica(word, now)
        raise EngineError(f"{self.name}: cannot learn {word!r}")

    def _learn_leader(self, word: LeaderAndIsr, now: int) -> Effects:
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
                self._note_high_watermark(replica)
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
        return replication.make_fetch(self._replica(partition))

    def on_replica_fetch(
        self, request: ReplicaFetchRequest, now: int
    ) -> tuple[ReplicaFetchResponse, Effects]:
        """Answer a follower as the leader; what it tells may raise the high watermark (LOG-7)."""
        replica = self._replica(request.partition)
        effects: Effects = []
        if replica.is_leader and request.leader_epoch == replica.leader_epoch:
            if replication.parted_at(replica, request.fetch_offset, request.last_fetched_epoch) is None:
                replica.note_follower_end(request.replica, request.fetch_offset)
            if replica.advance_high_watermark():
                self.changed_partitions.add(replica.partition)
                self._say_high_watermark(replica, request.replica)
                effects.extend(complete_waiting(self, replica, now))
            if replica.wants_back(request.replica):
                effects.append(self._ask_back(replica, request.replica))
        response = replication.answer_fetch(replica, request, self.configuration.replica_fetch_batches_max)
        return response, effects

    def on_replica_response(self, response: ReplicaFetchResponse, now: int) -> Effects:
        """Copy what the leader answered, or cut the log back to where it parted (LOG-7, LOG-10)."""
        if response.error is not Error.NONE:
            return []
        replica = self._replica(response.partition)
        log_end = replica.log.log_end
        taken = replication.take_answer(replica, response, now)
        self.changed_partitions.add(replica.partition)
        if taken.copied:
            self.note_activity(min(batch.max_timestamp for batch in response.batches))
        self._say_taken(replica, taken, log_end)
        return []

    def _say_taken(self, replica: Replica, taken: replication.Taken, log_end_before: int) -> None:
        """One sentence for each thing that an answer of the leader did here."""
        log = replica.log
        known = {
            "broker": self.name,
            "partition": replica.partition,
            "leader": f"broker-{replica.leader}",
        }
        say = self.watch.say
        if taken.cut_to is not None:
            epoch = replica.leader_epoch
            say(
                "broker.replica_truncated",
                ("LOG-10",),
                to=taken.cut_to,
                log_end=log_end_before,
                leader_epoch=epoch,
                **known,
            )
        if taken.started_over_at is not None:
            say("broker.replica_started_over", ("LOG-11",), offset=taken.started_over_at, **known)
        if taken.copied:
            say(
                "broker.replica_fetched",
                ("LOG-7",),
                batch_count=taken.copied,
                first_offset=log_end_before if taken.started_over_at is None else log.log_start,
                log_end=log.log_end,
                high_watermark=log.high_watermark,
                **known,
            )
        if taken.log_start_raised:
            say("broker.log_start_follows", ("LOG-11",), log_start=log.log_start, **known)
        if taken.producers_forgotten:
            self._say_forgotten(
                "broker.producers_deleted_with_head", replica, taken.producers_forgotten, ("LOG-11",)
            )
        if taken.high_watermark_moved and not taken.copied:
            say(
                "broker.replica_learned_high_watermark",
                ("LOG-7",),
                high_watermark=log.high_watermark,
                **known,
            )

    def _ask_back(self, replica: Replica, follower: int) -> Send:
        replica.isr_asked.add(follower)
        self._next_correlation += 1
        self.watch.say(
            "broker.asks_isr_back",
            ("LOG-7",),
            broker=self.name,
            partition=replica.partition,
            replica=f"broker-{follower}",
            high_watermark=replica.log.high_watermark,
        )
        word = AlterIsr(partition=replica.partition, replica=follower, leader_epoch=replica.leader_epoch)
        return Send("controller", word, self._next_correlation)

    def _say_high_watermark(self, replica: Replica, follower: int) -> None:
        watch = self.watch
        if watch.recording:
            watch.say(
                "broker.high_watermark_advanced",
                ("LOG-7",),
                broker=self.name,
                partition=replica.partition,
                replica=f"broker-{follower}",
                high_watermark=replica.log.high_watermark,
                log_end=replica.log.log_end,
            )
        elif watch.said is None:
            watch.said = "broker.high_watermark_advanced"

    def _note_high_watermark(self, replica: Replica) -> None:
        self.watch.note(
            "broker.high_watermark_follows_isr",
            ("LOG-7",),
            broker=self.name,
            partition=replica.partition,
            high_watermark=replica.log.high_watermark,
            in_sync=len(replica.isr),
        )

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
        return effects + answer_waiting(self)

    # Authorization --------------------------------------------------------------------------------

    def is_denied(self, operation: str, resource: str) -> bool:
        """``operation`` (``Write``, ``IdempotentWrite``) on ``resource`` (``cluster``, ``topic:t``,
        ``transactional_id:x``)."""
        return (operation, resource) in self.denied

    # Faults and initial state (GEN-6, GEN-7) ------------------------------------------------------

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
            raise Refused("LOG-11", partition, f"{self.name} does not lead it", "delete at the leader")
        if to > log.high_watermark:
            raise Refused(
                "LOG-11",
                partition,
                f"offset {to} is above the high watermark {log.high_watermark}",
                f"choose at most {log.high_watermark}",
            )
        gone = log.raise_log_start(to)
        self.changed_partitions.add(partition)
        self.watch.say(
            "fault.head_deleted",
            ("GEN-6", "LOG-11"),
            broker=self.name,
            partition=partition,
            log_start=log.log_start,
            to=to,
        )
        if self.watch.recording:
            if gone:
                self._say_forgotten("broker.producers_deleted_with_head", replica, gone, ("LOG-11",))
            elif log.producers.entries:
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
                self._say_forgotten("broker.producers_forgotten", replica, gone, ("LOG-12",))
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

    def preset_log_start(self, partition: str, offset: int) -> None:
        """Initial state: the log is empty and starts at ``offset`` (GEN-7). Call it on every replica."""
        self._replica(partition).log.restart_at(offset, 0)
        self.changed_partitions.add(partition)

    def preset_next_producer_id(self, next_id: int) -> None:
        """Initial state: the next id of this broker's block (GEN-7)."""
        block = self.producer_ids.block
        if block is None or not block.start <= next_id <= block.end + 1:
            raise Refused(
                "GEN-7",
                f"{self.name}.next_id",
                f"{next_id} is not in its block",
                "no block yet" if block is None else f"choose {block.start} to {block.end + 1}",
            )
        self.producer_ids.next_id = next_id
        self.touch()

    # Smaller things -------------------------------------------------------------------------------

    def note_activity(self, timestamp: int) -> None:
        """A producer was active at ``timestamp``; the idle scan need not come before it expires."""
        idle_from = self._idle_from
        if idle_from is None or timestamp < idle_from:
            self._idle_from = timestamp

    def _recompute_idle(self) -> None:
        times = [
            entry.last_timestamp
            for replica in self.replicas.values()
            for entry in replica.log.producers.entries.values()
            if entry.transaction_first_offset is None
        ]
        self._idle_from = min(times, default=None)

    def _say_forgotten(self, key: str, replica: Replica, gone: list[int], rules: tuple[str, ...]) -> None:
        self.watch.say(key, rules, broker=self.name, partition=replica.partition, producer_ids=sorted(gone))

    def _replica(self, partition: str) -> Replica:
        replica = self.replicas.get(partition)
        if replica is None:
            raise Refused(
                "GEN-6",
                partition,
                f"{self.name} has no replica of it",
                f"choose one of {sorted(self.replicas)}",
            )
        return replica


HANDLERS: dict[type, Callable[[Broker, Envelope, int], Effects]] = {
    ProduceRequest: handle_produce,
    FetchRequest: handle_fetch,
    MetadataRequest: handle_metadata,
    InitProducerIdRequest: handle_init_producer_id,
}
