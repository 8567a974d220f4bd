"""A follower's fetch and the leader's answer, as one step (LOG-7, LOG-10).

``replication`` says what a fetch reads and changes in one log. Here the broker emits the step, answers the
appends that waited for replication, and requests a follower's return to the ISR.
"""

from __future__ import annotations

from engine.broker import replication
from engine.broker.delayed_appends import DelayedAppends
from engine.broker.isr_changes import IsrChanges
from engine.broker.replica import Replica
from engine.broker.replicas import Replicas
from engine.broker.replication import Taken
from engine.broker.setup import Setup
from engine.errors import NO_ERROR
from engine.happenings.logs import FollowerTook, HighWatermarkAdvanced
from engine.messages import Effects, ReplicaFetchRequest, ReplicaFetchResponse


class Copying:
    """How one broker's replicas copy from leaders, and how followers copy from it."""

    __slots__ = ("_batches_max", "_broker_id", "_name", "_watch", "delayed", "isr_changes", "replicas")

    def __init__(
        self, setup: Setup, replicas: Replicas, delayed: DelayedAppends, isr_changes: IsrChanges
    ) -> None:
        self._name = setup.name
        self._broker_id = setup.broker_id
        self._batches_max = setup.configuration.replica_fetch_batches_max
        self._watch = setup.watch
        self.replicas = replicas
        self.delayed = delayed
        self.isr_changes = isr_changes

    def on_fetch(self, request: ReplicaFetchRequest, now: int) -> tuple[ReplicaFetchResponse, Effects]:
        """Answer a follower's fetch as the leader; its fetch offset may raise the high watermark (LOG-7)."""
        replica = self.replicas.get(request.partition) or self.replicas.named(request.partition)
        effects: Effects = []
        parted = None
        if replica.leader == self._broker_id and request.leader_epoch == replica.leader_epoch:
            parted = replication.parted_at(replica, request.fetch_offset, request.last_fetched_epoch)
            end = None if parted is not None else request.fetch_offset
            effects = self.note_log_end(replica, request.replica, end, now)
        return replication.answer_fetch(replica, request, parted, self._batches_max), effects

    def note_log_end(self, replica: Replica, follower: int, log_end: int | None, now: int) -> Effects:
        """Note the log end of a follower that fetches: the high watermark may rise (LOG-7), or the follower
        may return to the ISR. ``log_end`` None: the logs diverge."""
        if log_end is not None:
            replica.follower_ends[follower] = log_end
        effects: Effects = []
        log = replica.log
        high_watermark = log.high_watermark
        in_sync = follower in replica.isr
        held_back = in_sync and log_end is not None and log_end <= high_watermark
        if high_watermark < log.log_end and not held_back and replica.advance_high_watermark():
            self.replicas.changed_partitions.add(replica.partition)
            self._watch.emit(
                HighWatermarkAdvanced,
                self._name,
                replica.partition,
                f"broker-{follower}",
                log.high_watermark,
                log.log_end,
            )
            effects = self.delayed.complete(replica, now)
        if not in_sync and replica.wants_back(follower):
            effects += self.isr_changes.take_back(replica, follower, now)
        return effects

    def take_high_watermark(self, replica: Replica, high_watermark: int) -> None:
        """Take only the high watermark of the leader's response, because this log equals the leader's (LOG-7)."""
        log = replica.log
        if log.set_high_watermark(high_watermark):
            self.replicas.changed_partitions.add(replica.partition)
            if self._watch.hears(FollowerTook):
                self._emit_taken(replica, replication.HIGH_WATERMARK_TAKEN, log.log_end)

    def on_response(self, response: ReplicaFetchResponse, now: int) -> None:
        """Copy the batches of the leader's response, or truncate the log to the offset at which it diverges (LOG-7,
        LOG-10). Nothing happens after an error."""
        if response.error is not NO_ERROR:
            return
        replicas = self.replicas
        replica = replicas.get(response.partition) or replicas.named(response.partition)
        log_end = replica.log.log_end
        taken = replication.take_answer(replica, response, now)
        if taken is replication.NOTHING_TAKEN:
            return
        replicas.changed_partitions.add(replica.partition)
        if taken.copied:
            for batch in response.batches:
                replicas.note_append(replica, batch, now)
        if taken.changed and self._watch.hears(FollowerTook):
            self._emit_taken(replica, taken, log_end)

    def _emit_taken(self, replica: Replica, taken: Taken, log_end_before: int) -> None:
        log = replica.log
        self._watch.emit(
            FollowerTook,
            self._name,
            replica.partition,
            f"broker-{replica.leader}",
            taken.cut_to,
            taken.started_over_at,
            taken.copied,
            taken.log_start_raised,
            taken.high_watermark_moved,
            tuple(taken.producers_forgotten),
            leader_epoch=replica.leader_epoch,
            log_end_before=log_end_before,
            log_start=log.log_start,
            log_end=log.log_end,
            high_watermark=log.high_watermark,
            producer_count=log.producer_count,
        )
