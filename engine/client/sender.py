"""The Sender: passes of named phases that take batches out of the accumulator and put them on the wire.

Every phase that does something is a step of its own (SND-1). Owns the order of the phases and the moment of
the next pass. P1 to P9 are those of SND-2; T1 to T4 go before them in k28 (SND-4), R1 to R3 in k20 (SND-3).

A real Sender whose head may not leave yet polls with timeout 0, again and again. Here such a pass waits for
what can change something: a delivery, a wake-up, or the end of one of its own waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from engine.client import control
from engine.client.answers import Answers
from engine.client.batch import Batch
from engine.client.configuration import ACKS_ALL
from engine.client.connections import DISCONNECTED
from engine.client.incarnation import Incarnation
from engine.client.metadata_requests import ask_for_metadata, metadata_due
from engine.client.sender_pass import SenderPass
from engine.happenings.sender import (
    BatchesDrained,
    BatchesReady,
    BatchesSent,
    For,
    LeadersRead,
    LeadersUnknown,
    Stop,
    Taken,
    WaitsAtStop,
    WaitsForAnswers,
    WaitsForConnection,
    WaitsForLeader,
    WaitsForMuted,
    WaitsForTime,
)
from engine.messages import ProduceRequest, Send
from engine.shapes.clients import ReadyFor, ReadyView, SenderView

Phase = Callable[["Sender", int], bool]
"""A phase of the pass; True ends the pass."""
_NO_NODES: dict[int, list[tuple[str, str]]] = {}


class Sender(SenderPass):
    """The Sender of one incarnation: the phases of every pass, and their order."""

    __slots__ = (
        "answers",
        "at_work",
        "drained",
        "index",
        "last_ready",
        "metadata_seen",
        "number",
        "path",
        "phase",
        "phases",
        "poll_source",
        "poll_until",
        "shown",
        "shown_ready",
        "turns_lost",
        "unknown_seen",
    )

    def __init__(self, memory: Incarnation, answers: Answers) -> None:
        super().__init__(memory)
        self.answers = answers
        self.path = ("clients", memory.name, "sender")
        self.number = 0
        self.index = 0
        self.phase = ""
        self.at_work = False
        self.drained: list[tuple[int, list[Batch]]] = []
        self.turns_lost = 0
        """Passes in a row that took nothing but moved the drain index on (ACC-15)."""
        self.poll_until: int | None = None
        self.poll_source: str | None = None
        self.metadata_seen = 0
        self.unknown_seen: list[str] = []
        self.last_ready: dict[int, list[tuple[str, str]]] = {}
        self.shown: SenderView
        self.shown_ready: ReadyView
        self.show()
        self.phases: tuple[tuple[str, Phase], ...] = (*control.phases_of(memory.transactions), *PLAIN)

    def view(self) -> SenderView:
        return self.shown

    def show(self) -> None:
        """Take note, for people, of where the Sender stands after a phase that did something.

        Silent passes change nothing that is worth seeing, so they leave this picture alone.
        """
        ready = self.ready
        self.shown = {
            "pass": self.number,
            "phase": self.phase,
            "drain_index": self.memory.accumulator.drain_index,
            "poll_timeout": self.poll_until,
            "poll_source": self.poll_source,
            "waiting_for": self.waiting_for,
        }
        self.shown_ready = {
            "nodes": {
                str(node): cast("list[ReadyFor]", [[partition, reason] for partition, reason in reasons])
                for node, reasons in self.last_ready.items()
            },
            "unknown_leader_topics": list(ready.unknown_leader_topics),
            "next_check_delay": ready.next_check_delay,
        }

    # -- passes ----------------------------------------------------------------------------------------

    def due(self) -> int | None:
        """When the next pass may start; None: not before something comes."""
        if self.stopped:
            return None
        if self.at_work:
            return 0
        if self.sleeps_until is not None:
            return self.sleeps_until
        wake = self.memory.wake_at
        if wake is None:
            return self.end_at
        return wake if self.end_at is None or wake < self.end_at else self.end_at

    def run_phase(self, now: int) -> bool:
        """Run phases up to the first that did something; False: the pass is over."""
        if not self.at_work:
            self._begin(now)
        watch = self.memory.watch
        phases = self.phases
        index = self.index
        while True:
            self.phase, phase = phases[index]
            index = self.index = index + 1
            if phase(self, now):
                self.at_work = False
                return False
            if watch.said is not None:
                return True

    def _begin(self, now: int) -> None:
        self.at_work = True
        self.index = 0
        self.number += 1
        self.changed = False
        self.end_at = None
        self.sleeps_until = None
        self.memory.wake_at = None
        if self.memory.over:
            self.memory.hide_finished()

    # -- the phases of every pass (SND-2) --------------------------------------------------------------

    def read_metadata(self, now: int) -> bool:
        """P1: the cached metadata is what this pass goes by."""
        metadata = self.memory.metadata
        if metadata.version != self.metadata_seen:
            first = self.metadata_seen == 0
            self.metadata_seen = metadata.version
            if not first:
                self.memory.watch.emit(LeadersRead, self.memory.name, metadata.leaders)
        return False

    def check_ready(self, now: int) -> bool:
        """P2: which nodes have something to take."""
        memory = self.memory
        ready = self.ready = memory.accumulator.ready(memory.metadata.leaders, now)
        if ready.nodes and ready.nodes != self.last_ready and memory.watch.hears(BatchesReady):
            self._emit_ready()
        self.last_ready = dict(ready.nodes) if ready.nodes else _NO_NODES
        return False

    def _emit_ready(self) -> None:
        memory = self.memory
        nodes = self.ready.nodes
        partition, _ = next(iter(nodes.values()))[0]
        memory.watch.emit(
            BatchesReady,
            memory.name,
            brokers=tuple(f"broker-{node}" for node in nodes),
            reasons=tuple(reason for found in nodes.values() for reason in found),
            partition=partition,
            linger=memory.config.linger_ms,
            backoff=memory.config.retry_backoff_ms,
            again=memory.accumulator.queues[partition].batches[0].attempts > 0,
        )

    def ask_for_leaders(self, now: int) -> bool:
        """P3: a topic without a known leader makes the Sender want new metadata."""
        topics = self.ready.unknown_leader_topics
        if topics:
            metadata = self.memory.metadata
            for topic in topics:
                metadata.topics[topic] = None
            metadata.request_update()
            if topics != self.unknown_seen:
                self.memory.watch.emit(LeadersUnknown, self.memory.name, topics)
        self.unknown_seen = topics
        return False

    def check_connections(self, now: int) -> bool:
        """P4: nodes that cannot take a request now are left out; a missing connection is started."""
        memory = self.memory
        connections = memory.connections
        self.unreachable.clear()
        if not self.ready.nodes:
            return False
        for node in list(self.ready.nodes):
            connection = connections.to(node)
            if connection.usable:
                continue
            del self.ready.nodes[node]
            if connection.state == "connected":
                self.unreachable.append((node, "in_flight_full"))
            else:
                self.unreachable.append((node, "not_connected"))
                self.connect(node, now)
        return False

    def drain(self, now: int) -> bool:
        """P5: take at most one batch per partition for each node; mute them if order is guaranteed."""
        self.drained = []
        if not self.ready.nodes:
            return False
        memory = self.memory
        accumulator = memory.accumulator
        index = accumulator.drain_index
        self.drained = accumulator.drain(
            self.ready.nodes, memory.metadata.led_by, memory.config.max_request_size, now
        )
        taken = [batch for _, batches in self.drained for batch in batches]
        self.turns_lost = 0 if taken or index == accumulator.drain_index else self.turns_lost + 1
        if not taken:
            return False
        self.changed = True
        for batch in taken:
            memory.in_flight.setdefault(batch.partition, []).append(batch)
            if memory.config.guarantee_order:
                accumulator.set_muted(batch.partition, True)
        if memory.watch.hears(BatchesDrained):
            self._emit_drained(taken)
        return False

    def _emit_drained(self, batches: list[Batch]) -> None:
        memory = self.memory
        size_max = memory.config.max_request_size
        memory.watch.emit(
            BatchesDrained,
            memory.name,
            batches=tuple(_taken(batch) for batch in batches),
            numbered=memory.transactions is not None,
            producer_id=batches[0].producer_id,
            producer_epoch=batches[0].producer_epoch,
            drain_index=memory.accumulator.drain_index,
            oversized=tuple(
                _taken(found[0]) for _, found in self.drained if found and found[0].bytes > size_max
            ),
            size_max=size_max,
            stops=tuple(Stop(*stop) for stop in memory.accumulator.stops),
            stop_scope=memory.switches.drain_stop_scope,
            muted=memory.config.guarantee_order,
        )

    def expire(self, now: int) -> bool:
        """P6: give up what has waited too long. k28 looks at batches in flight too (ACC-21)."""
        memory = self.memory
        earliest = memory.accumulator.earliest_expiry()
        if earliest is None or now < earliest:
            return False
        over = memory.accumulator.expired(now)
        if memory.accumulator.expiry.everywhere:
            limit = memory.config.batch_expiry_ms
            for batches in memory.in_flight.values():
                while batches and now - batches[0].created_at >= limit:
                    over.append(batches.pop(0))
        for batch in over:
            self.changed = True
            self.answers.expire(batch, now)
        return False

    def choose_timeout(self, now: int) -> bool:
        """P7: how long the poll may last, and because of what."""
        memory = self.memory
        self.poll_until, self.poll_source = None, None
        if self.ready.nodes:
            self.poll_until, self.poll_source = now, "ready"
            return False
        if self.ready.waits is not None:
            _, kind, until = self.ready.waits
            self._poll_until(until, kind)
        for node, reason in self.unreachable:
            if reason == "not_connected":
                delay = memory.connections.connect_delay(node, now)
                if delay is None:
                    self.poll_source = self.poll_source or "connection"
                else:
                    self._poll_until(now + delay, "connection")
        earliest = memory.accumulator.earliest_expiry()
        if earliest is not None and (self.poll_until is None or earliest < self.poll_until):
            expiry = self.next_expiry()
            if expiry is not None:
                self._poll_until(expiry, "expiry")
        return False

    def _poll_until(self, until: int, source: str) -> None:
        if self.poll_until is None or until < self.poll_until:
            self.poll_until, self.poll_source = until, source

    def next_expiry(self) -> int | None:
        """When the next queued batch, and in k28 the next one in flight, expires."""
        memory = self.memory
        ends = memory.accumulator.next_expiry()
        if memory.accumulator.expiry.everywhere:
            limit = memory.config.batch_expiry_ms
            for batches in memory.in_flight.values():
                if batches and (ends is None or batches[0].created_at + limit < ends):
                    ends = batches[0].created_at + limit
        return ends

    def send(self, now: int) -> bool:
        """P8: one Produce request per node with all its batches."""
        if not self.drained:
            return False
        connections = self.memory.connections
        for node, batches in self.drained:
            if batches:
                self._send_to(node, batches, now)
                if connections.to(node).state == DISCONNECTED:
                    # The broker went away in the middle of this pass: what it was sent went into a dead socket.
                    for request in connections.disconnected(node, now):
                        self.answers.lost(request, now)
        self.drained = []
        return False

    def _send_to(self, node: int, batches: list[Batch], now: int) -> None:
        memory = self.memory
        config = memory.config
        body = ProduceRequest(
            transactional_id=config.transactional_id,
            acks=config.acks,
            timeout_ms=config.request_timeout_ms,
            batches={batch.partition: batch.to_message() for batch in batches},
        )
        if config.acks == 0:
            number = memory.connections.take_correlation_id()
        else:
            by_partition = {batch.partition: batch for batch in batches}
            number = memory.connections.sent(
                node, "Produce", body, now, config.request_timeout_ms, by_partition
            ).correlation_id
        connection = memory.connections.to(node)
        if connection.state != DISCONNECTED:
            memory.outbox.append(Send(connection.peer, body, number))
        if memory.watch.hears(BatchesSent):
            memory.watch.emit(
                BatchesSent,
                memory.name,
                connection.peer,
                count=len(batches),
                partitions=tuple(batch.partition for batch in batches),
                in_flight=len(connection.in_flight),
                limit=connection.limit,
                acks="all" if config.acks == ACKS_ALL else config.acks,
            )
        self.last_wait = None
        self.waiting_for = None
        if config.acks == 0:
            for batch in batches:
                self.answers.sent_without_answer(batch, now)

    def poll(self, now: int) -> bool:
        """P9: metadata leaves if wanted; then the pass ends and the poll lasts until something can change."""
        memory = self.memory
        ask_for_metadata(self, now)
        if not self.changed and memory.accumulator.incomplete:
            self._wait(now)
        if memory.closed:
            self.finish_closing()
        if self.changed or (self.turns_lost and self._another_turn()):
            return self.end(now)  # What this pass did may let the next one do more.
        self.turns_lost = 0
        return self.end(self._quiet_until(now))

    def _another_turn(self) -> bool:
        """The drain stopped early and will begin elsewhere: go on until every partition had its turn."""
        if not self.ready.nodes:
            return False
        led_by = self.memory.metadata.led_by
        return self.turns_lost < max(len(led_by.get(node, ())) for node in self.ready.nodes)

    def _quiet_until(self, now: int) -> int | None:
        """The first moment, later than now, at which one of the Sender's own waits ends."""
        memory = self.memory
        accumulator = memory.accumulator
        ready = bool(self.ready.nodes)
        ends = [metadata_due(self, now), accumulator.next_wait_end(now) if ready else self.poll_until]
        for node, reason in self.unreachable:
            if (
                reason == "not_connected"
                and (delay := memory.connections.connect_delay(node, now)) is not None
            ):
                ends.append(now + delay)
        first: int | None = None
        for at in ends:
            if at is not None and (first is None or at < first):
                first = at
        earliest = accumulator.earliest_expiry() if ready else None
        if earliest is not None and (first is None or earliest < first):
            expiry = self.next_expiry()
            if expiry is not None and (first is None or expiry < first):
                first = expiry
        return now + 1 if first is not None and first <= now else first

    def _wait(self, now: int) -> None:
        """Why a pass with batches at hand sent nothing (SND-15)."""
        memory = self.memory
        name = memory.name
        ready, accumulator = self.ready, memory.accumulator
        if ready.nodes and accumulator.stops:
            node, partition, reason = accumulator.stops[0]
            self.wait(reason, (node, partition), WaitsAtStop, name, reason, partition, f"broker-{node}")
        elif self.unreachable:
            node, reason = self.unreachable[0]
            broker, limit = f"broker-{node}", memory.connections.limit
            if reason == "in_flight_full":
                self.wait(reason, node, WaitsForAnswers, name, broker, limit)
            else:
                self.wait(reason, node, WaitsForConnection, name, broker, limit, For.BATCHES)
        elif ready.unknown_leader_topics:
            topics = ready.unknown_leader_topics
            self.wait("no_leader", tuple(topics), WaitsForLeader, name, topics)
        elif ready.waits is not None:
            partition, kind, until = ready.waits
            backoff = kind == "backoff"
            self.wait(kind, partition, WaitsForTime, name, partition, until, until - now, backoff)
        else:
            muted = tuple(
                queue.partition for queue in accumulator.queues.values() if queue.muted and queue.batches
            )
            if muted:
                self.wait("muted", muted, WaitsForMuted, name, muted)


def _taken(batch: Batch) -> Taken:
    return Taken(
        batch.id,
        batch.partition,
        batch.base_sequence,
        batch.last_sequence,
        batch.bytes,
        batch.attempts > 0,
        batch.drained_renumbered,
    )


PLAIN: tuple[tuple[str, Phase], ...] = (
    ("P1", Sender.read_metadata),
    ("P2", Sender.check_ready),
    ("P3", Sender.ask_for_leaders),
    ("P4", Sender.check_connections),
    ("P5", Sender.drain),
    ("P6", Sender.expire),
    ("P7", Sender.choose_timeout),
    ("P8", Sender.send),
    ("P9", Sender.poll),
)
