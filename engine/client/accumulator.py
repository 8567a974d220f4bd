"""The accumulator: a queue of batches per topic-partition, filled by the application, emptied by the Sender.

It owns the queues, and decides when a batch may leave and in which order (ACC-1..ACC-22, ORD-2). It knows no
connections, no requests and no responses. The transaction manager decides whether the head of a queue may be
drained (ORD-5).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from engine.client.batch import Batch
from engine.client.buffer_pool import BufferPool
from engine.client.configuration import ProducerConfig
from engine.client.expiry import SINCE_CREATION, WHILE_QUEUED, Expiry
from engine.client.record_size import batch_size_upper_bound
from engine.client.retry_backoff import FIXED, GROWING, RetryBackoff
from engine.client.visit_order import with_partition
from engine.errors import EngineError
from engine.happenings.batches import RequeuedOutOfOrder
from engine.messages import NO_SEQUENCE
from engine.profile import Profile
from engine.shapes.clients import QueueView
from engine.switches import Switches
from engine.topic_partition import topic_of
from engine.watching import Watch

FULL, LINGER, EXHAUSTED, CLOSED, FLUSH = "FULL", "LINGER", "EXHAUSTED", "CLOSED", "FLUSH"
COMPLETING = "TXN_COMPLETING"


class Sequences(Protocol):
    """The methods of the transaction manager that the accumulator uses."""

    @property
    def is_completing(self) -> bool: ...

    def stop_reason(self, head: Batch) -> str | None: ...

    def assign(self, batch: Batch) -> None: ...

    def tracks(self, partition: str) -> bool: ...


class PartitionQueue:
    """The batches of one topic-partition, head first (ACC-1)."""

    __slots__ = ("batches", "muted", "partition", "path")

    def __init__(self, partition: str, client: str) -> None:
        self.partition = partition
        self.batches: deque[Batch] = deque()
        self.muted = False
        self.path = ("clients", client, "queues", partition)

    def view(self) -> QueueView:
        return {"batches": [batch.id for batch in self.batches], "muted": self.muted}


class Appended(NamedTuple):
    """The result of an append. ``batch_is_full``: whether the head of the queue can be sent, because it is
    full or another batch follows it (ACC-2, step 5)."""

    batch: Batch
    batch_is_full: bool
    new_batch: bool


@dataclass(slots=True)
class Ready:
    """Result of ``ready()`` (ACC-8..ACC-12)."""

    nodes: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    """Dict of broker id → (topic-partition, reason) pairs: why the first sendable partition at this broker is
    sendable."""
    next_check_delay: int | None = None
    """Milliseconds until the head of a queue may become sendable; None: no head waits (in Kafka:
    LONG_MAX)."""
    unknown_leader_topics: list[str] = field(default_factory=list)
    waits: tuple[str, str, int] | None = None
    """(topic-partition, ``linger`` or ``backoff``, time at which this wait ends in virtual ms) of the head
    that determines ``next_check_delay``."""


class RecordAccumulator:
    """One producer's queues of batches. ``sequences``: the producer's transaction manager; None without
    idempotence."""

    def __init__(
        self,
        client: str,
        config: ProducerConfig,
        profile: Profile,
        switches: Switches,
        watch: Watch,
        sequences: Sequences | None = None,
    ) -> None:
        self.client = client
        self.config = config
        self.expiry: Expiry = SINCE_CREATION if profile.expiry_from_creation else WHILE_QUEUED
        self._end_sends_everything = profile.end_sends_everything
        """Whether the end of a transaction makes every batch sendable at once (ACC-10)."""
        self._resumes_after_stop = profile.drain_resumes_after_stop
        self._backoff: RetryBackoff = GROWING if profile.retry_backoff_grows else FIXED
        self.switches = switches
        self.watch = watch
        self.sequences = sequences
        self.pool = BufferPool(config.buffer_memory, client, watch)
        self.queues: dict[str, PartitionQueue] = {}
        self.incomplete: dict[str, Batch] = {}
        """Every batch that is not complete, by id, oldest first."""
        self.closed = False
        self.flushes = 0
        self.drain_index = 0
        self.stops: list[tuple[int, str, str]] = []
        """(broker id, topic-partition, reason) of each head that the last drain tried and left in its queue.
        Heads of muted partitions, and heads that wait for a backoff, are not tried."""
        self._order: list[PartitionQueue] = []
        self._next_batch = 1

    # -- appending -------------------------------------------------------------------------------------

    def queue(self, partition: str) -> PartitionQueue:
        queue = self.queues.get(partition)
        if queue is None:
            queue = self.queues[partition] = PartitionQueue(partition, self.client)
            names = with_partition([known.partition for known in self._order], partition)
            self._order = [self.queues[name] for name in names]
            self.watch.touch(queue)
        return queue

    def memory_for(self, payload: int) -> int:
        """Bytes to allocate from the pool for a new batch with this record (ACC-2, step 3)."""
        return max(self.config.batch_size, batch_size_upper_bound(payload))

    def append(self, partition: str, serial: int, payload: int, now: int) -> Appended | None:
        """Append a record at the tail of its queue (ACC-2). None: the record needs a new batch, and the pool
        gives no memory for it now."""
        queue = self.queue(partition)
        appended = self._append_to_tail(queue, serial, payload, now)
        if appended is not None:
            return appended
        size = self.memory_for(payload)
        if not self.pool.allocate(size):
            return None
        return self._append_to_new(queue, size, serial, payload, now)

    def append_with_memory(self, partition: str, size: int, serial: int, payload: int, now: int) -> Appended:
        """Continue an append that waited for ``size`` bytes. The tail of the queue is tried first, because a
        new batch with room may have been added meanwhile (ACC-2, step 4)."""
        queue = self.queue(partition)
        appended = self._append_to_tail(queue, serial, payload, now)
        if appended is not None:
            self.pool.release(size)
            return appended
        return self._append_to_new(queue, size, serial, payload, now)

    def _append_to_tail(self, queue: PartitionQueue, serial: int, payload: int, now: int) -> Appended | None:
        batches = queue.batches
        if not batches:
            return None
        tail = batches[-1]
        if not tail.try_append(serial, payload, now):
            return None
        return Appended(tail, len(batches) > 1 or tail.full, False)

    def _append_to_new(
        self, queue: PartitionQueue, size: int, serial: int, payload: int, now: int
    ) -> Appended:
        batch = Batch(f"b{self._next_batch}", queue.partition, size, now, self.client, self.watch)
        self._next_batch += 1
        batch.try_append(serial, payload, now)
        queue.batches.append(batch)
        self.incomplete[batch.id] = batch
        self.watch.touch(queue)
        return Appended(batch, len(queue.batches) > 1 or batch.full, True)

    # -- ready -----------------------------------------------------------------------------------------

    def ready(self, leaders: Mapping[str, int | None], now: int) -> Ready:
        """The brokers with at least one sendable batch (ACC-8..ACC-12). ``leaders``: dict of topic-partition
        → broker id of its leader, or None."""
        result = Ready()
        nodes = result.nodes
        exhausted = bool(self.pool.waiters)
        completing = self._is_completing()
        always = exhausted or self.closed or self.flushes > 0 or completing
        linger = self.config.linger_ms
        for queue in self._order:
            batches = queue.batches
            if not batches:
                continue
            leader = leaders.get(queue.partition)
            if leader is None:
                topic = topic_of(queue.partition)
                if topic not in result.unknown_leader_topics:
                    result.unknown_leader_topics.append(topic)
                continue
            if leader in nodes or queue.muted:
                continue
            head = batches[0]
            waited = now - head.last_attempt_at
            if waited < 0:
                waited = 0
            retry_backoff = self.backoff_of(head) if head.attempts else 0
            backing_off = waited < retry_backoff
            to_wait = retry_backoff if backing_off else linger
            full = len(batches) > 1 or head.full
            if (full or waited >= to_wait or always) and not backing_off:
                nodes[leader] = self._reasons(queue.partition, full, waited >= to_wait, exhausted, completing)
            else:
                left = to_wait - waited if waited < to_wait else 0
                if result.next_check_delay is None or left < result.next_check_delay:
                    result.next_check_delay = left
                    kind = "backoff" if backing_off else "linger"
                    result.waits = (queue.partition, kind, now + left)
        return result

    def _reasons(
        self, partition: str, full: bool, expired: bool, exhausted: bool, completing: bool
    ) -> list[tuple[str, str]]:
        """Pairs (topic-partition, reason), one for each term of ACC-10 that makes the head of the partition's
        queue sendable."""
        reasons = []
        if full:
            reasons.append((partition, FULL))
        if expired:
            reasons.append((partition, LINGER))
        if exhausted:
            reasons.append((partition, EXHAUSTED))
        if self.closed:
            reasons.append((partition, CLOSED))
        if self.flushes:
            reasons.append((partition, FLUSH))
        if completing:
            reasons.append((partition, COMPLETING))
        return reasons

    def _is_completing(self) -> bool:
        """Whether a transaction's end makes every batch sendable at once (ACC-10;
        ``Profile.end_sends_everything``)."""
        return self._end_sends_everything and self.sequences is not None and self.sequences.is_completing

    def next_wait_end(self, now: int) -> int | None:
        """The earliest end of a linger or a backoff of any head, later than ``now`` (virtual ms), or None
        (SND-1)."""
        first: int | None = None
        linger = self.config.linger_ms
        for queue in self._order:
            if queue.batches:
                head = queue.batches[0]
                end = head.last_attempt_at + (self.backoff_of(head) if head.attempts else linger)
                if end > now and (first is None or end < first):
                    first = end
        return first

    # -- drain -----------------------------------------------------------------------------------------

    def drain(
        self, nodes: Iterable[int], led_by: Mapping[int, list[str]], max_size: int, now: int
    ) -> list[tuple[int, list[Batch]]]:
        """Take at most one batch of each partition for each ready broker (ACC-13..ACC-16).

        ``led_by``: dict of broker id → the partitions that it leads, in the order of the metadata.
        ``max_size``: the most bytes of a request. Returns (broker id, batches) for each broker of ``nodes``;
        its batches are empty if none may be sent.
        """
        self.stops.clear()
        return [(node, self._drain_node(node, led_by.get(node, []), max_size, now)) for node in nodes]

    def _drain_node(self, node: int, partitions: list[str], max_size: int, now: int) -> list[Batch]:
        taken: list[Batch] = []
        count = len(partitions)
        if not count:
            return taken
        size = 0
        start = index = self.drain_index % count
        after = self._resumes_after_stop
        while True:
            partition = partitions[index]
            blocked = index
            index = (index + 1) % count
            queue = self.queues.get(partition)
            if queue is not None and queue.batches and not queue.muted:
                head = queue.batches[0]
                if not (head.attempts and now - head.last_attempt_at < self.backoff_of(head)):
                    if taken and size + head.bytes > max_size:
                        self.stops.append((node, partition, "request_full"))
                        index = index if after else blocked
                        break
                    reason = None if self.sequences is None else self.sequences.stop_reason(head)
                    if reason is None:
                        size += head.bytes
                        taken.append(self._take(queue, head, now))
                    else:
                        self.stops.append((node, partition, reason))
                        if self.switches.drain_stop_scope == "node":
                            index = index if after else blocked
                            break
            if index == start:
                break
        self.drain_index = index
        return taken

    def _take(self, queue: PartitionQueue, head: Batch, now: int) -> Batch:
        """Remove the head of a queue and close it. It gets sequence numbers if it needs some (ACC-16)."""
        queue.batches.popleft()
        if self.sequences is not None and head.base_sequence == NO_SEQUENCE:
            self.sequences.assign(head)
        head.drain(now)
        self.watch.touch(queue)
        return head

    # -- requeued and finished batches -----------------------------------------------------------------

    def backoff_of(self, batch: Batch) -> int:
        """Milliseconds for which a requeued batch waits after its newest attempt."""
        return self._backoff.of(batch.attempts, self.config.retry_backoff_ms)

    def requeue(self, batch: Batch, now: int) -> bool:
        """Put a batch that must be sent again back into its queue (ACC-18, ORD-2).

        Returns True when batches with lower sequence numbers stay ahead of it.
        """
        batch.requeue(now)
        queue = self.queue(batch.partition)
        self.watch.touch(queue)
        if self.sequences is None or not self.switches.ordered_reinsertion:
            if self.sequences is not None:
                self.watch.emit(RequeuedOutOfOrder, self.client, batch.id, batch.partition)
            queue.batches.appendleft(batch)
            return False
        return self._insert_in_sequence_order(queue, batch)

    def _insert_in_sequence_order(self, queue: PartitionQueue, batch: Batch) -> bool:
        if not batch.has_sequence:
            raise EngineError(f"{batch.id} of {batch.partition} comes back without a sequence (ORD-2)")
        if self.sequences is None or not self.sequences.tracks(batch.partition):
            raise EngineError(
                f"{batch.id} of {batch.partition} comes back but nothing is tracked there (ORD-2)"
            )
        smaller: list[Batch] = []
        batches = queue.batches
        while batches and batches[0].has_sequence and batches[0].base_sequence < batch.base_sequence:
            smaller.append(batches.popleft())
        batches.appendleft(batch)
        batches.extendleft(reversed(smaller))
        return bool(smaller)

    def finish(self, batch: Batch) -> None:
        """Return the memory of a complete batch to the pool (ACC-5)."""
        if self.incomplete.pop(batch.id, None) is None:
            raise EngineError(f"{batch.id} of {batch.partition} is finished twice")
        self.pool.release(batch.capacity)

    def remove(self, batch: Batch) -> None:
        """Remove a batch from its queue, at any position; no effect when it is not queued."""
        queue = self.queue(batch.partition)
        if batch in queue.batches:
            queue.batches.remove(batch)
            self.watch.touch(queue)

    # -- expiry ----------------------------------------------------------------------------------------

    def earliest_expiry(self) -> int | None:
        """A time (virtual ms) before which no batch can expire; None without batches."""
        for oldest in self.incomplete.values():
            return oldest.created_at + self.config.batch_expiry_ms
        return None

    def expired(self, now: int) -> list[Batch]:
        """Remove and return the queued batches that have waited too long (ACC-21)."""
        over: list[Batch] = []
        for queue in self._order:
            if queue.muted and not self.expiry.everywhere:
                continue
            batches = queue.batches
            while batches and self.expires_at(batches[0], len(batches) == 1) <= now:
                over.append(batches.popleft())
                self.watch.touch(queue)
        return over

    def expires_at(self, head: Batch, last: bool) -> int:
        """When this head of a queue expires (virtual ms). ``last``: whether no batch is queued behind it."""
        return self.expiry.expires_at(head, last, self.config)

    def next_expiry(self) -> int | None:
        """The earliest time at which the head of any queue expires (virtual ms); None when no queued batch can
        expire."""
        ends = [
            self.expires_at(queue.batches[0], len(queue.batches) == 1)
            for queue in self._order
            if queue.batches and (self.expiry.everywhere or not queue.muted)
        ]
        return min(ends, default=None)

    # -- muting, flushing, closing ---------------------------------------------------------------------

    def set_muted(self, partition: str, muted: bool) -> None:
        """Mute or unmute a partition. No batch of a muted partition is drained, because one is in flight
        (ACC-19)."""
        queue = self.queue(partition)
        if queue.muted != muted:
            queue.muted = muted
            self.watch.touch(queue)

    @property
    def has_undrained(self) -> bool:
        return any(queue.batches for queue in self._order)

    def undrained(self) -> list[Batch]:
        """The batches that can be dropped, oldest first: with idempotence those without a sequence, without
        it those that were never drained (ACC-22)."""
        if self.sequences is None:
            return [batch for batch in self.incomplete.values() if not batch.closed]
        return [batch for batch in self.incomplete.values() if not batch.has_sequence]
