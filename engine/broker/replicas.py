"""The replicas on one broker: how they are created, stopped and started, and what faults do to their logs
(GEN-6, GEN-7)."""

from __future__ import annotations

from collections.abc import Callable

from engine.broker.append_rules import rules_in_force
from engine.broker.partition_log import PartitionLog
from engine.broker.replica import Replica
from engine.broker.setup import Setup
from engine.errors import Refused
from engine.happenings.logs import (
    Forgotten,
    HeadDeleted,
    LogOpened,
    ProducersExpired,
    ProducersForgotten,
    ProducersKept,
)
from engine.messages import LeaderAndIsr, RecordBatch


class Replicas(dict[str, Replica]):
    """The replicas of one broker, by partition. ``changed_partitions``: the partitions whose log or
    leadership may have changed; all brokers of a run share this set."""

    __slots__ = (
        "_watermark_needs_min_isr",
        "changed_partitions",
        "idle_from",
        "note_append",
        "rules",
        "scan_at",
        "setup",
        "watch",
    )

    def __init__(self, setup: Setup, changed_partitions: set[str]) -> None:
        super().__init__()
        self.setup = setup
        self.watch = setup.watch
        self.rules = rules_in_force(setup.profile, setup.switches)
        self._watermark_needs_min_isr = setup.profile.watermark_needs_min_isr
        self.note_append: Callable[[Replica, RecordBatch, int], None] = (
            self._note_batch if setup.profile.marker_counts_as_activity else self._note_data
        )
        """To be called after a batch was appended: its producer may be idle from then on (LOG-12)."""
        self.changed_partitions = changed_partitions
        self.idle_from: int | None = None
        """A time in ms: each producer without an open transaction was last active at this time or later. None:
        there is no such producer."""
        self.scan_at: int | None = None
        """The time in ms at which the next scan may find an idle producer; None: no scan is needed (LOG-12)."""

    def named(self, partition: str) -> Replica:
        """The replica of a partition. Raises Refused when this broker has none."""
        replica = self.get(partition)
        if replica is None:
            raise Refused("GEN-6", partition, "no_replica_there", broker=self.setup.name, known=sorted(self))
        return replica

    def create(self, word: LeaderAndIsr) -> Replica:
        """Create an empty replica of a partition that the controller placed on this broker."""
        setup = self.setup
        log = PartitionLog(
            word.partition,
            setup.broker_id,
            profile=setup.profile,
            switches=setup.switches,
            configuration=setup.configuration,
            watch=self.watch,
            rules=self.rules,
        )
        if word.segment_records is not None:
            log.segment_records = word.segment_records
        replica = self[word.partition] = Replica(
            setup.broker_id,
            log,
            self.watch,
            watermark_needs_min_isr=self._watermark_needs_min_isr,
        )
        replica.touch()
        return replica

    def drop(self, partition: str) -> None:
        """The partition was deleted: its replica leaves the broker and the view."""
        self.pop(partition).remove()

    # Stop and start -------------------------------------------------------------------------------

    def stop(self, *, clean: bool) -> None:
        """The broker stops: its replicas forget who leads, and keep their logs. ``clean``: whether they also
        write producer snapshots (LOG-10)."""
        self.idle_from = self.scan_at = None
        for replica in self.values():
            replica.forget_leadership()
            replica.log.close(clean=clean)
            replica.touch()
            self.changed_partitions.add(replica.partition)

    def reopen(self, now: int, *, was_clean: bool) -> None:
        """The broker starts: it opens every log and loads the log's producer state."""
        for replica in self.values():
            log = replica.log
            checkpoint = log.high_watermark
            log.reopen(now, clean=was_clean)
            # Kafka reads the high watermark from a checkpoint file when the replica starts.
            log.set_high_watermark(checkpoint)
            self.watch.emit(
                LogOpened, self.setup.name, replica.partition, log.log_end, log.producer_count, was_clean
            )
        self._recompute_idle(now)

    # Idle producers -------------------------------------------------------------------------------

    def _note_batch(self, replica: Replica, batch: RecordBatch, now: int) -> None:
        self.note_activity(batch.max_timestamp, now)

    def _note_data(self, replica: Replica, batch: RecordBatch, now: int) -> None:
        """Note the activity of a batch's producer as in 2.0, where a marker does not count as activity: the
        time is that of the producer's newest data batch."""
        entry = replica.log.producers.entries.get(batch.producer_id)
        self.note_activity(batch.max_timestamp if entry is None else entry.last_timestamp, now)

    def note_activity(self, timestamp: int, now: int) -> None:
        """Note that a producer was active at ``timestamp`` (ms), and plan the scan that finds it expired."""
        idle_from = self.idle_from
        if idle_from is None or timestamp < idle_from:
            self._be_idle_from(timestamp, now)

    def _be_idle_from(self, timestamp: int | None, now: int) -> None:
        self.idle_from = timestamp
        if timestamp is None:
            self.scan_at = None
            return
        interval = self.setup.configuration.producer_state_scan_interval_ms
        at = max(timestamp + self.setup.configuration.producer_state_expiration_ms, now)
        self.scan_at = -(-at // interval) * interval

    def forget_idle(self, now: int) -> None:
        """Forget producers that were idle for too long. Without such producers no event is emitted."""
        for replica in self.values():
            gone = replica.log.expire_producers(now)
            if gone:
                self.watch.emit(
                    ProducersForgotten, self.setup.name, replica.partition, tuple(gone), Forgotten.IDLE
                )
        self._recompute_idle(now)

    def _recompute_idle(self, now: int) -> None:
        times = [
            entry.last_timestamp
            for replica in self.values()
            for entry in replica.log.producers.entries.values()
            if entry.transaction_first_offset is None
        ]
        self._be_idle_from(min(times, default=None), now)

    # Faults ---------------------------------------------------------------------------------------

    def delete_head(self, partition: str, to: int | None, now: int) -> None:
        """The fault *delete log head*: delete the records below ``to`` (None: below the high watermark,
        LOG-11).

        To be called on the leader; followers raise their log start with their next fetch. Raises Refused on
        another broker, or if ``to`` is above the high watermark.
        """
        name = self.setup.name
        replica = self.named(partition)
        log = replica.log
        to = log.high_watermark if to is None else to
        if not replica.is_leader:
            raise Refused("LOG-11", partition, "not_its_leader", broker=name, partition=partition)
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
        log.delete_segments()
        self.changed_partitions.add(partition)
        moved = log.log_start > before
        self.watch.emit(HeadDeleted, name, partition, log.log_start, to, moved)
        if gone:
            self.watch.emit(ProducersForgotten, name, partition, tuple(gone), Forgotten.HEAD_DELETED)
        elif log.producers.entries and moved:
            self.watch.emit(ProducersKept, name, partition, tuple(sorted(log.producers.entries)))

    def expire_producers(self, partition: str | None, now: int) -> None:
        """The fault *expire producer state*: forget the producers of ``partition`` (None: of all), idle or
        not, except those with an open transaction."""
        name = self.setup.name
        chosen = self.values() if partition is None else (self.named(partition),)
        self.watch.emit(ProducersExpired, name, partition)
        for replica in chosen:
            gone = replica.log.forget_producers()
            if gone:
                self.watch.emit(ProducersForgotten, name, replica.partition, tuple(gone), Forgotten.FAULT)
        self._recompute_idle(now)

    # Initial state --------------------------------------------------------------------------------

    def preset_producer(
        self,
        partition: str,
        producer_id: int,
        producer_epoch: int,
        last_sequence: int | None,
        last_offset: int | None,
        now: int = 0,
    ) -> None:
        """Preset this broker's state of a producer (GEN-7). To be called on every replica.

        ``last_sequence`` None: only the epoch is known, as after a marker. ``last_offset`` None: the offset of
        the last record in the log.
        """
        log = self.named(partition).log
        log.preset_producer(producer_id, producer_epoch, last_sequence, last_offset, now)
        self.note_activity(now, now)

    def preset_record(self, partition: str, batch: RecordBatch) -> RecordBatch:
        """For the initial state of a run: the leader has this batch, and the batch is replicated. Returns the
        stored batch, for ``copy_record`` of the followers."""
        replica = self.named(partition)
        replica.log.append_as_leader((batch,), 0, leader_epoch=replica.leader_epoch)
        replica.log.set_high_watermark(replica.log.log_end)
        return replica.log.batches[-1]

    def copy_record(self, partition: str, batch: RecordBatch) -> None:
        """For the initial state of a run: a follower has the leader's batch, too."""
        log = self.named(partition).log
        log.append_as_follower((batch,), 0)
        log.set_high_watermark(log.log_end)

    def preset_log_start(self, partition: str, offset: int) -> None:
        """For the initial state of a run: the log is empty and starts at ``offset`` (GEN-7). To be called on
        every replica."""
        self.named(partition).log.restart_at(offset, 0)
        self.changed_partitions.add(partition)
