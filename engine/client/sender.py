"""The Sender: passes of named phases that take batches out of the accumulator and send them.

Every phase that does something is a step of its own (SND-1). The phases P1 to P9 are those of SND-2. The
phases before them (R1 to R3 in 2.0, T1 to T4 since 2.5) come from the client's ``Identity``. Each part of
the Sender owns its state. This class owns the order of the phases and the values that one phase passes to the
next.

While a batch is sendable but may not be drained, Kafka's Sender polls in a loop with timeout 0. This Sender
waits for the next possible change instead: a delivery, a wake-up, or the end of one of its own waits.
"""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.answers import Answers
from engine.client.batch import Batch
from engine.client.closing import Closing
from engine.client.completion import Completion
from engine.client.configuration import ACKS_ALL
from engine.client.connections import DISCONNECTED, Connections
from engine.client.identity import Identity, Phase
from engine.client.in_flight import InFlightBatches
from engine.client.metadata import Metadata
from engine.client.metadata_requests import MetadataRequests
from engine.client.outbox import Outbox
from engine.client.poll import Poll
from engine.client.reachability import IN_FLIGHT_FULL, Reachability
from engine.client.readiness import Readiness
from engine.client.setup import Setup
from engine.client.transaction_manager import TransactionManager
from engine.client.waiting import Waiting
from engine.errors import Error
from engine.happenings.sender import (
    BatchesDrained,
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
from engine.shapes.clients import SenderView


class Sender:
    """The Sender of one incarnation. ``identity``: None without idempotence. A phase returns True if it ends
    the pass."""

    __slots__ = (
        "_accumulator",
        "_answers",
        "_closing",
        "_completion",
        "_connections",
        "_drained",
        "_in_flight",
        "_index",
        "_metadata",
        "_metadata_requests",
        "_metadata_seen",
        "_outbox",
        "_phase",
        "_phases",
        "_poll",
        "_poll_source",
        "_poll_until",
        "_reachability",
        "_readiness",
        "_setup",
        "_transactions",
        "_turns_lost",
        "_unknown_seen",
        "_waiting",
        "at_work",
        "identity",
        "number",
        "path",
        "shown",
    )

    def __init__(
        self,
        setup: Setup,
        identity: Identity | None,
        *,
        accumulator: RecordAccumulator,
        answers: Answers,
        closing: Closing,
        completion: Completion,
        reachability: Reachability,
        connections: Connections,
        in_flight: InFlightBatches,
        metadata: Metadata,
        metadata_requests: MetadataRequests,
        outbox: Outbox,
        poll: Poll,
        readiness: Readiness,
        transactions: TransactionManager | None,
        waiting: Waiting,
    ) -> None:
        self._setup = setup
        self._transactions = transactions
        self.identity = identity
        self._accumulator = accumulator
        self._answers = answers
        self._closing = closing
        self._completion = completion
        self._reachability = reachability
        self._connections = connections
        self._in_flight = in_flight
        self._metadata = metadata
        self._metadata_requests = metadata_requests
        self._outbox = outbox
        self._poll = poll
        self._readiness = readiness
        self._waiting = waiting
        self.path = ("clients", setup.name, "sender")
        self.number = 0
        self.at_work = False
        self._index = 0
        self._phase = ""
        self._drained: list[tuple[int, list[Batch]]] = []
        self._turns_lost = 0
        """The number of passes in a row that drained nothing, but advanced the drain index (ACC-15)."""
        self._poll_until: int | None = None
        self._poll_source: str | None = None
        self._metadata_seen = 0
        self._unknown_seen: list[str] = []
        self.shown: SenderView
        self.show()
        before: tuple[tuple[str, Phase], ...] = () if identity is None else identity.phases()
        self._phases: tuple[tuple[str, Phase], ...] = (
            *before,
            ("P1", self._read_metadata),
            ("P2", readiness.check),
            ("P3", self._ask_for_leaders),
            ("P4", self._check_connections),
            ("P5", self._drain),
            ("P6", self._expire),
            ("P7", self._choose_timeout),
            ("P8", self._send),
            ("P9", self._end_in_poll),
        )

    def view(self) -> SenderView:
        return self.shown

    def show(self) -> None:
        """Update the view of the Sender after a phase that did something. A pass without an effect does not
        change the view."""
        self.shown = {
            "pass": self.number,
            "phase": self._phase,
            "drain_index": self._accumulator.drain_index,
            "poll_timeout": self._poll_until,
            "poll_source": self._poll_source,
            "waiting_for": self._waiting.reason,
        }

    # -- passes ----------------------------------------------------------------------------------------

    def due(self) -> int | None:
        """When the next pass may start (virtual ms). None: only after a wake-up, or never because the Sender has
        ended."""
        poll = self._poll
        if poll.stopped:
            return None
        return 0 if self.at_work else poll.due()

    def run_phase(self, now: int) -> bool:
        """Run phases until one did something. Returns False if the pass has ended."""
        if not self.at_work:
            self._begin()
        watch = self._setup.watch
        phases = self._phases
        index = self._index
        while True:
            self._phase, phase = phases[index]
            index = self._index = index + 1
            if phase(now):
                self.at_work = False
                return False
            if watch.said is not None:
                return True

    def _begin(self) -> None:
        self.at_work = True
        self._index = 0
        self.number += 1
        self._poll.begin()
        if self._completion.over:
            self._completion.hide_finished()

    # -- the phases of every pass (SND-2) --------------------------------------------------------------

    def _read_metadata(self, now: int) -> bool:
        """P1: read the cached metadata."""
        metadata = self._metadata
        if metadata.version != self._metadata_seen:
            first = self._metadata_seen == 0
            self._metadata_seen = metadata.version
            if not first:
                self._setup.watch.emit(LeadersRead, self._setup.name, metadata.leaders)
        return False

    def _ask_for_leaders(self, now: int) -> bool:
        """P3: mark new metadata as needed if a topic has no known leader."""
        topics = self._readiness.found.unknown_leader_topics
        if topics:
            metadata = self._metadata
            for topic in topics:
                metadata.topics[topic] = None
            metadata.request_update()
            if topics != self._unknown_seen:
                self._setup.watch.emit(LeadersUnknown, self._setup.name, topics)
        self._unknown_seen = topics
        return False

    def _check_connections(self, now: int) -> bool:
        """P4: skip brokers that cannot take a request now; start missing connections."""
        self._reachability.leave_out(self._readiness.found.nodes, now)
        return False

    def _drain(self, now: int) -> bool:
        """P5: take at most one batch of each partition for each broker."""
        self._drained = []
        nodes = self._readiness.found.nodes
        if not nodes:
            return False
        accumulator, config = self._accumulator, self._setup.config
        index = accumulator.drain_index
        self._drained = accumulator.drain(nodes, self._metadata.led_by, config.max_request_size, now)
        taken = [batch for _, batches in self._drained for batch in batches]
        self._turns_lost = 0 if taken or index == accumulator.drain_index else self._turns_lost + 1
        if not taken:
            return False
        self._poll.changed = True
        for batch in taken:
            self._in_flight.add(batch)
            if config.guarantee_order:
                accumulator.set_muted(batch.partition, True)
        if self._setup.watch.hears(BatchesDrained):
            self._emit_drained(taken)
        return False

    def _emit_drained(self, batches: list[Batch]) -> None:
        setup, accumulator = self._setup, self._accumulator
        size_max = setup.config.max_request_size
        setup.watch.emit(
            BatchesDrained,
            setup.name,
            batches=tuple(_taken(batch) for batch in batches),
            numbered=self.identity is not None,
            producer_id=batches[0].producer_id,
            producer_epoch=batches[0].producer_epoch,
            drain_index=accumulator.drain_index,
            oversized=tuple(
                _taken(found[0]) for _, found in self._drained if found and found[0].bytes > size_max
            ),
            size_max=size_max,
            stops=tuple(Stop(*stop) for stop in accumulator.stops),
            stop_scope=setup.switches.drain_stop_scope,
            muted=setup.config.guarantee_order,
        )

    def _expire(self, now: int) -> bool:
        """P6: expire batches that waited too long (ACC-21)."""
        earliest = self._accumulator.earliest_expiry()
        if earliest is None or now < earliest:
            return False
        for batch in (*self._accumulator.expired(now), *self._in_flight.expired(now)):
            self._poll.changed = True
            self._answers.expire(batch, now)
        if self._poll.changed and not self._accumulator.has_undrained:
            self._waiting.over()
        return False

    def _choose_timeout(self, now: int) -> bool:
        """P7: choose the timeout of the poll, and note its reason."""
        ready = self._readiness.found
        self._poll_until, self._poll_source = None, None
        if ready.nodes:
            self._poll_until, self._poll_source = now, "ready"
            return False
        if ready.waits is not None:
            _, kind, until = ready.waits
            self._shorten_poll(until, kind)
        for delay in self._reachability.delays(now):
            if delay is None:
                self._poll_source = self._poll_source or "connection"
            else:
                self._shorten_poll(now + delay, "connection")
        earliest = self._accumulator.earliest_expiry()
        if earliest is not None and (self._poll_until is None or earliest < self._poll_until):
            expiry = self._next_expiry()
            if expiry is not None:
                self._shorten_poll(expiry, "expiry")
        return False

    def _shorten_poll(self, until: int, source: str) -> None:
        if self._poll_until is None or until < self._poll_until:
            self._poll_until, self._poll_source = until, source

    def _next_expiry(self) -> int | None:
        queued, sent = self._accumulator.next_expiry(), self._in_flight.next_expiry()
        if queued is None or sent is None:
            return sent if queued is None else queued
        return min(queued, sent)

    def _send(self, now: int) -> bool:
        """P8: send each broker one Produce request with all batches that were drained for it."""
        if not self._drained:
            return False
        connections = self._connections
        for node, batches in self._drained:
            if batches:
                self._send_to(node, batches, now)
                if connections.to(node).state == DISCONNECTED:
                    # The connection ended during this pass: the request was written to a closed socket.
                    for request in connections.disconnected(node, now):
                        self._answers.lost(request, Error.NETWORK_EXCEPTION, now)
        self._drained = []
        return False

    def _send_to(self, node: int, batches: list[Batch], now: int) -> None:
        setup, connections = self._setup, self._connections
        config = setup.config
        body = ProduceRequest(
            transactional_id=config.transactional_id,
            acks=config.acks,
            timeout_ms=config.request_timeout_ms,
            batches={batch.partition: batch.to_message() for batch in batches},
            transaction_version=0 if self._transactions is None else self._transactions.version,
        )
        if config.acks == 0:
            number = connections.numbers.take()
        else:
            by_partition = {batch.partition: batch for batch in batches}
            number = connections.sent(
                node, "Produce", body, now, config.request_timeout_ms, by_partition
            ).correlation_id
        connection = connections.to(node)
        if connection.state != DISCONNECTED:
            self._outbox.add(Send(connection.peer, body, number))
        if setup.watch.hears(BatchesSent):
            setup.watch.emit(
                BatchesSent,
                setup.name,
                connection.peer,
                count=len(batches),
                partitions=tuple(batch.partition for batch in batches),
                in_flight=len(connection.in_flight),
                limit=connection.limit,
                acks="all" if config.acks == ACKS_ALL else config.acks,
            )
        self._waiting.over()
        if config.acks == 0:
            for batch in batches:
                self._answers.sent_without_answer(batch, now)

    def _end_in_poll(self, now: int) -> bool:
        """P9: send a needed Metadata request, and end the pass."""
        poll, accumulator = self._poll, self._accumulator
        self._metadata_requests.send_wanted(now)
        if not poll.changed and accumulator.incomplete:
            self._emit_wait(now)
        if accumulator.closed:
            self._closing.finish()
        if poll.changed or (self._turns_lost and self._another_turn()):
            return poll.end(now)  # The next pass may have work because of a change in this one.
        self._turns_lost = 0
        return poll.end(self._quiet_until(now))

    def _another_turn(self) -> bool:
        """Whether another pass has to follow, because the passes so far may not have visited every partition
        of a broker."""
        nodes = self._readiness.found.nodes
        if not nodes:
            return False
        led_by = self._metadata.led_by
        return self._turns_lost < max(len(led_by.get(node, ())) for node in nodes)

    def _quiet_until(self, now: int) -> int | None:
        """When the first of the Sender's own waits ends (virtual ms, after ``now``); None: none ends by
        itself."""
        accumulator = self._accumulator
        ready = bool(self._readiness.found.nodes)
        ends = [
            self._metadata_requests.due(now),
            accumulator.next_wait_end(now) if ready else self._poll_until,
        ]
        if self._reachability.unreachable:
            ends += [now + delay for delay in self._reachability.delays(now) if delay is not None]
        first: int | None = None
        for at in ends:
            if at is not None and (first is None or at < first):
                first = at
        earliest = accumulator.earliest_expiry() if ready else None
        if earliest is not None and (first is None or earliest < first):
            expiry = self._next_expiry()
            if expiry is not None and (first is None or expiry < first):
                first = expiry
        return now + 1 if first is not None and first <= now else first

    def _emit_wait(self, now: int) -> None:
        """Emit why a pass with queued batches sent nothing (SND-15)."""
        name, waiting = self._setup.name, self._waiting
        ready, accumulator = self._readiness.found, self._accumulator
        unreachable = self._reachability.unreachable
        if ready.nodes and accumulator.stops:
            node, partition, reason = accumulator.stops[0]
            waiting.emit(reason, (node, partition), WaitsAtStop, name, reason, partition, f"broker-{node}")
        elif unreachable:
            node, reason = unreachable[0]
            broker, limit = f"broker-{node}", self._connections.limit
            if reason == IN_FLIGHT_FULL:
                waiting.emit(reason, node, WaitsForAnswers, name, broker, limit)
            else:
                waiting.emit(reason, node, WaitsForConnection, name, broker, limit, For.BATCHES)
        elif ready.unknown_leader_topics:
            topics = ready.unknown_leader_topics
            waiting.emit("no_leader", tuple(topics), WaitsForLeader, name, topics)
        elif ready.waits is not None:
            partition, kind, until = ready.waits
            backoff, again = kind == "backoff", accumulator.queues[partition].batches[0].attempts > 0
            waiting.emit(kind, partition, WaitsForTime, name, partition, until, until - now, backoff, again)
        else:
            muted = tuple(
                queue.partition for queue in accumulator.queues.values() if queue.muted and queue.batches
            )
            if muted:
                waiting.emit("muted", muted, WaitsForMuted, name, muted)


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
