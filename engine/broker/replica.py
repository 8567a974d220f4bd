"""One broker's copy of one partition: the log, the partition's leadership, and the appends that wait for
replication.

Owns the leadership and the ISR as they were last announced to this broker, and the followers' log ends as the
leader knows them. A leader computes the high watermark from the log ends and the ISR (LOG-7). This module
knows neither requests nor other replicas.
"""

from __future__ import annotations

from typing import Any, Protocol, cast

from engine.broker.cluster_view import ClusterView
from engine.broker.partition_log import PartitionLog
from engine.happenings.logs import HighWatermarkHeld, ReadersWait, StableOffsetAdvanced
from engine.messages import Effects, LeaderAndIsr, PartitionProduceResponse
from engine.shapes.logs import AbortedEntry, ReplicaView
from engine.watching import Part, Path, Watch

ABORTED_SHOWN_MAX = 50
"""The view lists at most this many lines of the aborted index, the newest ones; ``aborted_folded`` counts the
older ones."""


class AppendWaiter(Protocol):
    """A part of a broker that appends records of the broker itself, and continues after the append."""

    def appended(self, argument: Any, answers: dict[str, PartitionProduceResponse], now: int) -> Effects:
        """Called when the append that ``argument`` names has ended. ``answers``: the result of each
        partition."""
        ...


class DelayedProduce:
    """An append with acks=all that waits for its batches to be replicated (LOG-2). ``done``: the part of the
    broker that is called at the end, with its argument; None: a Produce request is answered."""

    __slots__ = ("answers", "client", "correlation_id", "deadline", "done", "offsets", "waits")

    def __init__(
        self, client: str, correlation_id: int, deadline: int, done: tuple[AppendWaiter, object] | None = None
    ) -> None:
        self.client = client
        self.correlation_id = correlation_id
        self.deadline = deadline
        self.done = done
        self.offsets: dict[str, tuple[int, int]] = {}
        """Dict of partition that is not settled yet → (high watermark to wait for, leader epoch of the
        append)."""
        self.answers: dict[str, Any] = {}
        """Dict of partition → its answer, in the order of the request. A partition that still waits has the
        answer for success."""
        self.waits = 0
        """Number of partitions that still wait."""


class Replica:
    """The replica of ``partition`` on broker ``broker_id``. A part of the view, with the log's offsets and
    the appends that wait."""

    __slots__ = (
        "broker_id",
        "cluster",
        "follower_ends",
        "isr",
        "isr_asked",
        "isr_change",
        "leader",
        "leader_epoch",
        "log",
        "min_isr",
        "not_fetching",
        "partition",
        "path",
        "record_version",
        "removed",
        "replicas",
        "stopped",
        "version",
        "waiting",
        "watch",
        "watermark_needs_min_isr",
    )

    def __init__(
        self, broker_id: int, log: PartitionLog, watch: Watch, *, watermark_needs_min_isr: bool = False
    ) -> None:
        self.broker_id = broker_id
        self.partition = log.partition
        self.log = log
        self.watch = watch
        self.watermark_needs_min_isr = watermark_needs_min_isr
        self.path: Path = log.place
        self.leader: int | None = None
        self.leader_epoch = -1
        self.version = -1
        self.isr: tuple[int, ...] = ()
        self.replicas: tuple[int, ...] = ()
        self.min_isr = 1
        self.record_version = 2
        self.not_fetching = False
        self.follower_ends: dict[int, int] = {}
        """Leader only: dict of follower → log end offset in its newest fetch (LOG-7)."""
        self.isr_asked: int | None = None
        """Leader only: the replica whose return to the ISR the leader has requested, one at a time. None: no
        request is pending."""
        self.isr_change: object = None
        """Leader only, with KRaft: the requested change of the in-sync replicas, until it is answered or the
        leader reads a newer state."""
        self.stopped: tuple[int, ...] = ()
        """Replicas (broker ids) that a fault keeps from fetching."""
        self.cluster: ClusterView | None = None
        """With KRaft: the broker's view of the cluster, whose ``broker_epochs`` has the brokers that may be in
        sync. With ZooKeeper None: every replica may be in sync."""
        self.waiting: list[DelayedProduce] = []
        self.removed = False
        log.part = self

    @property
    def is_leader(self) -> bool:
        return self.leader == self.broker_id

    def learn(self, word: LeaderAndIsr) -> bool:
        """Apply the controller's announcement unless its leader epoch is older; True if it was applied (LOG-10)."""
        if word.leader_epoch < self.leader_epoch:
            return False
        if word.leader_epoch != self.leader_epoch or word.leader != self.leader:
            self.follower_ends = {}
        self.leader = word.leader
        self.leader_epoch = word.leader_epoch
        self.version = word.version
        self.isr = word.isr
        self.replicas = word.replicas
        self.min_isr = word.min_isr
        self.record_version = word.record_version
        if self.cluster is None:
            # With KRaft, ``word.not_fetching`` is ignored, because it may be out of date when the broker
            # reads the record. The brokers get FetchingStopped at once instead.
            self.stop_fetching(word.not_fetching)
        if self.is_leader:
            self.log.begin_epoch(word.leader_epoch, self.log.log_end)
        self.isr_asked = None
        self.isr_change = None
        return True

    def stop_fetching(self, stopped: tuple[int, ...]) -> None:
        """Set the replicas (broker ids) that do not fetch; all others fetch again."""
        self.stopped = stopped
        self.not_fetching = self.broker_id in stopped

    def broker_epoch_of(self, broker_id: int) -> int:
        """The broker epoch of a replica, as far as this broker has read the metadata log; -1 if it is not
        known."""
        return -1 if self.cluster is None else self.cluster.broker_epochs.get(broker_id, -1)

    def forget_leadership(self) -> None:
        """The broker stops and forgets the leadership, which is in memory only; the log stays."""
        self.leader = None
        self.leader_epoch = -1
        self.isr = ()
        self.follower_ends = {}
        self.isr_asked = None
        self.isr_change = None
        self.waiting.clear()

    @property
    def is_under_min_isr(self) -> bool:
        """Whether the ISR is smaller than ``min.insync.replicas`` or, if that is lower, than the number of
        replicas (``Partition.isUnderMinIsr``)."""
        return len(self.isr) < min(self.min_isr, len(self.replicas))

    def advance_high_watermark(self) -> bool:
        """Raise the high watermark to the lowest log end in the ISR; True if it rose (LOG-7). A follower
        whose return the leader has requested counts, too (KIP-497's *maximal ISR*). In versions with
        ``watermark_needs_min_isr``, it stays while too few replicas are in sync."""
        log = self.log
        lowest = log.log_end
        high_watermark = log.high_watermark
        if lowest <= high_watermark:
            return False
        ends = self.follower_ends
        broker_id = self.broker_id
        for replica in self.isr if self.isr_asked is None else (*self.isr, self.isr_asked):
            if replica != broker_id:
                end = ends.get(replica, -1)
                if end <= high_watermark:
                    return False
                if end < lowest:
                    lowest = end
        if self.watermark_needs_min_isr and self.is_under_min_isr:
            self.watch.emit(HighWatermarkHeld, self.partition, high_watermark, len(self.isr), self.min_isr)
            return False
        if not self.watch.recording:
            return log.set_high_watermark(lowest)
        before, unstable = log.last_stable_offset, len(log.producers.unstable)
        moved = log.set_high_watermark(lowest)
        self._note_readers(before, high_watermark, len(log.producers.unstable) < unstable)
        return moved

    def _note_readers(self, before: int, high_watermark: int, decided: bool) -> None:
        """After a rise of the high watermark, emit StableOffsetAdvanced if a transaction no longer holds back
        the LSO (``decided``), and ReadersWait if read_committed consumers begin to wait for an open
        transaction (LOG-8, CON-5, CON-6). ``before``: the LSO before the rise."""
        log = self.log
        stable = log.last_stable_offset
        if decided:
            self.watch.emit(StableOffsetAdvanced, self.partition, before, stable, log.high_watermark)
        if stable < log.high_watermark and before == high_watermark:
            holder = log.producers.open_transactions.get(stable)
            self.watch.emit(ReadersWait, self.partition, stable, log.high_watermark, holder)

    def wants_back(self, follower: int) -> bool:
        """Whether the leader should request the follower's return to the ISR (``maybeExpandIsr``)."""
        return (
            follower not in self.isr
            and follower in self.replicas
            and self.isr_asked is None
            and self.isr_change is None
            and (self.cluster is None or follower in self.cluster.broker_epochs)
            and self.follower_ends.get(follower, -1) >= self.log.high_watermark
        )

    def remove(self) -> None:
        """The partition was deleted: remove all its parts from the view."""
        self.removed = True
        self.log.clear()
        self.watch.touch_last(self)

    def touch(self) -> None:
        if self.watch.recording:
            self.watch.touch(self)

    def parts(self) -> list[Part]:
        return [self, *self.log.parts()]

    def view(self) -> ReplicaView | None:
        if self.removed:
            return None
        return {
            **cast("ReplicaView", self.log.pointers()),
            "aborted_index": cast(
                "list[AbortedEntry]", [list(line) for line in self.log.aborted.lines[-ABORTED_SHOWN_MAX:]]
            ),
            "aborted_folded": max(len(self.log.aborted.lines) - ABORTED_SHOWN_MAX, 0),
            "waiting": [
                {
                    "partition": self.partition,
                    "until_offset": delayed.offsets[self.partition][0],
                    "client": delayed.client,
                    "deadline": delayed.deadline,
                }
                for delayed in self.waiting
            ],
        }
