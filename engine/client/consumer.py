"""The consumer: fetches by position, filters, and hands records to its application (CON-1..CON-5, CPT-6).

A consumer fetches on a grid of ``fetch_interval_ms``, and only while there may be something: an answer with
data keeps a partition wanted, an empty one lets it rest until :meth:`Consumer.wake` says that the partition
changed. So quiet time costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.client.connections import Connections, InFlightRequest
from engine.client.metadata import Metadata
from engine.client.view_parts import GonePart
from engine.errors import Error
from engine.events import RecordsDelivered
from engine.messages import (
    Connect,
    Disconnect,
    Effects,
    Envelope,
    FetchRequest,
    FetchResponse,
    MetadataResponse,
    RecordBatch,
    Send,
)
from engine.profiles import Profile
from engine.watching import Part, Watch

READ_UNCOMMITTED, READ_COMMITTED = "read_uncommitted", "read_committed"
FETCH_INTERVAL_MS = 10
RETRY_BACKOFF_MS = 100
REQUEST_TIMEOUT_MS = 30_000
RECONNECT_BACKOFF_MS, RECONNECT_BACKOFF_MAX_MS = 50, 1_000
IN_FLIGHT_MAX = 100
SHOWN_MAX = 20
"""Newest delivered serials per partition that the view lists; ``delivered_count`` counts all of them."""
_STALE_LEADER = (
    Error.NOT_LEADER_OR_FOLLOWER,
    Error.LEADER_NOT_AVAILABLE,
    Error.UNKNOWN_TOPIC_OR_PARTITION,
    Error.KAFKA_STORAGE_ERROR,
)


class Reading:
    """One subscribed partition: where the consumer stands and whether it wants to fetch."""

    __slots__ = ("delivered", "in_flight", "not_before", "partition", "position", "wanted")

    def __init__(self, partition: str) -> None:
        self.partition = partition
        self.position = 0
        self.wanted = False
        self.in_flight = False
        self.not_before = 0
        self.delivered: list[int] = []


class Consumer:
    """A consumer of fixed ``partitions``.

    ``remember_keys``: the application skips keys it has applied (CPT-6); its memory of keys outlives a
    crash, as a table in its database would.
    """

    def __init__(
        self,
        name: str,
        partitions: Iterable[str],
        isolation: str,
        watch: Watch,
        brokers: Iterable[int] = (),
        remember_keys: bool = False,
        profile: Profile | None = None,
        fetch_interval_ms: int = FETCH_INTERVAL_MS,
    ) -> None:
        self.name = name
        self.isolation = isolation
        self.profile = profile
        self.watch = watch
        self.remember_keys = remember_keys
        self.fetch_interval_ms = fetch_interval_ms
        self.brokers = tuple(brokers)
        self.alive = True
        self.paused = False
        self.delivered_count = 0
        self.applied_count = 0
        self.skipped_duplicates = 0
        self.applied: set[int] = set()
        self.path = ("consumers", name)
        self._subscribed = tuple(partitions)
        self._outbox: Effects = []
        self._build()

    def _build(self) -> None:
        owner = ("consumers", self.name)
        self.readings = {partition: Reading(partition) for partition in self._subscribed}
        self.metadata = Metadata(owner, self.brokers, self.watch)
        for partition in self._subscribed:
            self.metadata.topics[partition.rpartition("-")[0]] = None
        self.connections = Connections(
            owner, IN_FLIGHT_MAX, RECONNECT_BACKOFF_MS, RECONNECT_BACKOFF_MAX_MS, self.watch
        )

    def view(self) -> dict[str, Any]:
        return {
            "isolation": self.isolation,
            "alive": self.alive,
            "paused": self.paused,
            "positions": {name: reading.position for name, reading in self.readings.items()},
            "delivered": {name: list(reading.delivered) for name, reading in self.readings.items()},
            "delivered_count": self.delivered_count,
            "applied_count": self.applied_count,
            "skipped_duplicates": self.skipped_duplicates,
        }

    def parts(self) -> Iterable[Part]:
        connections = self.connections.by_node.values()
        parts: list[Part] = [self, self.metadata, *connections]
        for connection in connections:
            parts += connection.in_flight
        return parts

    # -- presets and hints -----------------------------------------------------------------------------

    def preset_metadata(self, leaders: dict[str, int | None], brokers: Iterable[int] = ()) -> None:
        """Begin with known leaders."""
        self.brokers = tuple(brokers) or self.brokers
        self.metadata.preset(dict(leaders), self.brokers)

    def preset_position(self, partition: str, offset: int) -> None:
        """Begin here: a new consumer starts at the start of the log, wherever that is (CON-8)."""
        self.readings[partition].position = offset

    def preset_connected(self, peers: Iterable[str]) -> None:
        """Begin with standing connections to these brokers (``broker-1``)."""
        for peer in peers:
            self.connections.connected(_node(peer))

    def wake(self, partition: str, now: int) -> None:
        """This partition may have something to read, or a new leader: fetch at the grid's next moment."""
        reading = self.readings.get(partition)
        if reading is not None and self.alive:
            reading.wanted = True
            reading.not_before = max(reading.not_before, self._grid(now))

    def lacks(self, partition: str, end: int) -> bool:
        """A fetch of this partition, which can be read up to ``end``, would bring something new."""
        reading = self.readings[partition]
        return self.alive and reading.position < end and not (reading.wanted or reading.in_flight)

    def seek(self, partition: str, offset: int, now: int) -> None:
        """Go on reading elsewhere (CON-8)."""
        reading = self.readings[partition]
        reading.position = offset
        self.wake(partition, now)
        self.watch.touch(self)

    def _grid(self, at: int) -> int:
        """The first moment of the grid at or after ``at``."""
        return -(-at // self.fetch_interval_ms) * self.fetch_interval_ms

    # -- timers ----------------------------------------------------------------------------------------

    def next_timer(self) -> int | None:
        """Earliest of: a wanted fetch, a wanted metadata update, a request's timeout."""
        if not self.alive:
            return None
        times = [
            reading.not_before
            for reading in self.readings.values()
            if reading.wanted and not reading.in_flight and self._reachable_at(reading) is not None
        ]
        times += [
            at
            for at in (self.metadata.update_due_at(RETRY_BACKOFF_MS), self.connections.next_deadline())
            if at is not None
        ]
        return min(times, default=None)

    def _reachable_at(self, reading: Reading) -> int | None:
        """A fetch waits silently while a connection is being made; that event will come."""
        leader = self.metadata.leaders.get(reading.partition)
        if leader is not None and self.connections.to(leader).state == "connecting":
            return None
        return reading.not_before

    def on_timer(self, now: int) -> Effects:
        """Fetch what is due; end connections that do not answer (SND-7)."""
        for connection in self.connections.timed_out(now):
            self._outbox.append(Disconnect(connection.peer))
            self._disconnected(connection.peer, now)
        for reading in self.readings.values():
            if reading.wanted and not reading.in_flight and reading.not_before <= now:
                self._fetch(reading, now)
        self._ask_for_metadata(now)
        return self._effects()

    def _fetch(self, reading: Reading, now: int) -> None:
        leader = self.metadata.leaders.get(reading.partition)
        if leader is None:
            self.metadata.request_update()
            reading.not_before = self._grid(now + RETRY_BACKOFF_MS)
            return
        connection = self.connections.to(leader)
        if not connection.usable:
            delay = self.connections.connect_delay(leader, now)
            if delay == 0:
                self._outbox.append(Connect(self.connections.connecting(leader, now)))
            elif delay is not None:
                reading.not_before = self._grid(now + delay)
            return
        body = FetchRequest(
            partition=reading.partition, fetch_offset=reading.position, isolation=self.isolation
        )
        request = self.connections.sent(leader, "Fetch", body, now, REQUEST_TIMEOUT_MS)
        reading.in_flight = True
        reading.wanted = False
        self._outbox.append(Send(connection.peer, body, request.correlation_id))
        self.watch.say(
            "consumer.fetches",
            ("CON-1",),
            consumer=self.name,
            broker=connection.peer,
            partition=reading.partition,
            offset=reading.position,
        )

    def _ask_for_metadata(self, now: int) -> None:
        due = self.metadata.update_due_at(RETRY_BACKOFF_MS)
        if due is None or due > now:
            return
        node = self.connections.least_loaded(self.metadata.brokers, now)
        if node is None:
            self.metadata.last_attempt_at = now
            return
        connection = self.connections.to(node)
        if not connection.usable:
            self.metadata.last_attempt_at = now
            if self.connections.connect_delay(node, now) == 0:
                self._outbox.append(Connect(self.connections.connecting(node, now)))
            return
        body = self.metadata.request(now)
        request = self.connections.sent(node, "Metadata", body, now, REQUEST_TIMEOUT_MS)
        self._outbox.append(Send(connection.peer, body, request.correlation_id))
        self.watch.say(
            "consumer.metadata_requested",
            ("SND-6",),
            consumer=self.name,
            broker=connection.peer,
            topics=list(body.topics),
        )

    # -- answers ---------------------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """An answer arrives."""
        body = envelope.body
        request = self.connections.answered(_node(envelope.source), envelope.correlation_id)
        if request is None:
            self.watch.say(
                "consumer.answer_unexpected", ("SND-7",), consumer=self.name, broker=envelope.source
            )
        elif isinstance(body, MetadataResponse):
            changed = self.metadata.update(body, now)
            key = "consumer.metadata_received" if changed else "consumer.metadata_unchanged"
            self.watch.say(key, ("MSG-1",), consumer=self.name)
        elif isinstance(body, FetchResponse):
            self._fetched(self.readings[body.partition], body, request, now)
        return self._effects()

    def _fetched(self, reading: Reading, response: FetchResponse, request: InFlightRequest, now: int) -> None:
        reading.in_flight = False
        if response.error is Error.OFFSET_OUT_OF_RANGE:
            self._reset(reading, response, now)
            return
        if response.error is not Error.NONE:
            self._refused(reading, response.error, now)
            return
        asked = request.body
        if not isinstance(asked, FetchRequest) or asked.fetch_offset != reading.position:
            reading.wanted = True  # A seek moved the position meanwhile: the answer is for another place.
            return
        if not response.batches:
            return
        serials: list[int] = []
        offsets: list[int] = []
        skipped = 0
        for batch, delivered in visible(response, self.isolation):
            if delivered:
                _take(batch, reading.position, serials, offsets)
            elif not batch.is_control:
                skipped += batch.record_count
            reading.position = max(reading.position, batch.last_offset + 1)
        bound = response.high_watermark if self.isolation == READ_UNCOMMITTED else response.last_stable_offset
        reading.wanted = reading.position < bound
        reading.not_before = self._grid(now + 1)
        self._deliver(reading, serials, offsets, skipped)
        self.watch.touch(self)

    def _refused(self, reading: Reading, error: Error, now: int) -> None:
        """The broker does not serve this partition now: learn who does, then try again."""
        reading.wanted = True
        reading.not_before = self._grid(now + RETRY_BACKOFF_MS)
        if error in _STALE_LEADER:
            self.metadata.request_update()
        self.watch.say(
            "consumer.fetch_refused",
            ("CON-1",),
            consumer=self.name,
            partition=reading.partition,
            error=error.name,
            backoff=RETRY_BACKOFF_MS,
        )

    def _reset(self, reading: Reading, response: FetchResponse, now: int) -> None:
        """What was to be read is gone: its head was deleted, or its end cut off with a lost leader."""
        before = reading.position
        reading.position = max(response.log_start_offset, min(before, response.high_watermark))
        reading.wanted = reading.position < response.high_watermark
        reading.not_before = self._grid(now + 1)
        self.watch.say(
            "consumer.position_reset",
            ("CON-1", "CON-8"),
            consumer=self.name,
            partition=reading.partition,
            before=before,
            position=reading.position,
        )
        self.watch.touch(self)

    def _deliver(self, reading: Reading, serials: list[int], offsets: list[int], skipped: int) -> None:
        """Hand records to the application, which may remember keys (CPT-6)."""
        watch = self.watch
        repeats = 0
        if self.remember_keys:
            for serial in serials:
                if serial in self.applied:
                    repeats += 1
                else:
                    self.applied.add(serial)
        self.delivered_count += len(serials)
        self.applied_count += len(serials) - repeats
        self.skipped_duplicates += repeats
        if serials:
            reading.delivered = (reading.delivered + serials)[-SHOWN_MAX:]
            if watch.judging:
                watch.fact(
                    RecordsDelivered(
                        consumer=self.name,
                        partition=reading.partition,
                        isolation=self.isolation,
                        serials=tuple(serials),
                        offsets=tuple(offsets),
                    )
                )
        watch.say(
            "consumer.delivers" if serials else "consumer.moves_on",
            ("CON-1", "CON-4") if not serials else ("CON-1",),
            consumer=self.name,
            partition=reading.partition,
            count=len(serials),
            position=reading.position,
            skipped=skipped,
        )
        if skipped:
            watch.note(
                "consumer.skips_aborted",
                ("CON-3",),
                consumer=self.name,
                partition=reading.partition,
                count=skipped,
            )
        if self.remember_keys:
            watch.note(
                "consumer.applies",
                ("CPT-6",),
                consumer=self.name,
                applied=len(serials) - repeats,
                repeats=repeats,
                remembered=len(self.applied),
            )

    # -- connections -----------------------------------------------------------------------------------

    def on_connected(self, peer: str, now: int) -> Effects:
        """A connection stands: fetches that waited for it may go."""
        self.connections.connected(_node(peer))
        for reading in self.readings.values():
            if reading.wanted:
                reading.not_before = max(reading.not_before, self._grid(now))
        if self.metadata.update_requested:
            self.metadata.last_attempt_at = None
        return self._effects()

    def on_disconnected(self, peer: str, now: int) -> Effects:
        """A connection ended: what was asked on it is asked again elsewhere or later."""
        self._disconnected(peer, now)
        return self._effects()

    def _disconnected(self, peer: str, now: int) -> None:
        connection = self.connections.to(_node(peer))
        if not self.alive or connection.state == "disconnected":
            return
        first = connection.failures == 0
        lost = self.connections.disconnected(connection.node, now)
        if first:
            self.watch.say(
                "consumer.disconnected", ("GEN-5",), consumer=self.name, broker=peer, count=len(lost)
            )
        for request in lost:
            if isinstance(request.body, FetchRequest):
                reading = self.readings[request.body.partition]
                reading.in_flight = False
                reading.wanted = True
            else:
                self.metadata.request_failed()
        for reading in self.readings.values():
            if reading.wanted:
                reading.not_before = max(reading.not_before, self._grid(now + RETRY_BACKOFF_MS))
        self.metadata.request_update()

    # -- life ------------------------------------------------------------------------------------------

    def crash(self, now: int) -> None:
        """Positions are lost with the process; a table of applied keys is not."""
        for part in self.parts():
            self.watch.touch(GonePart(part.path))
        self.alive = False
        self.paused = False
        self._outbox.clear()
        self._build()
        for part in self.parts():
            self.watch.touch(part)

    def restart(self, now: int) -> Effects:
        """Begin again at the start of every partition: nothing was committed (CON-9)."""
        self.alive = True
        for reading in self.readings.values():
            reading.not_before = self._grid(now)
        self.watch.touch(self)
        return []

    def pause(self, now: int) -> None:
        """Show the pause; the kernel holds back timers and deliveries (GEN-6)."""
        self.paused = True
        self.watch.touch(self)

    def resume(self, now: int) -> None:
        self.paused = False
        self.watch.touch(self)

    def _effects(self) -> Effects:
        if not self._outbox:
            return []
        effects, self._outbox = self._outbox, []
        return effects


def visible(response: FetchResponse, isolation: str) -> list[tuple[RecordBatch, bool]]:
    """Every batch of an answer with whether its records reach the application (CON-3, CON-4).

    read_committed: aborted transactions are taken in the order of their first offsets; one is active from
    there to its ABORT marker, and batches of active producers are skipped.
    """
    waiting = sorted(response.aborted, key=lambda entry: entry[1]) if isolation == READ_COMMITTED else []
    active: set[int] = set()
    result: list[tuple[RecordBatch, bool]] = []
    for batch in response.batches:
        while waiting and waiting[0][1] <= batch.last_offset:
            active.add(waiting.pop(0)[0])
        if batch.is_control:
            if batch.control_type == "ABORT":
                active.discard(batch.producer_id)
            result.append((batch, False))
        else:
            result.append((batch, not (batch.is_transactional and batch.producer_id in active)))
    return result


def _take(batch: RecordBatch, position: int, serials: list[int], offsets: list[int]) -> None:
    """Records of a batch from ``position`` on: a fetch answers whole batches (CON-1)."""
    first = max(position - batch.base_offset, 0)
    for index in range(first, len(batch.serials)):
        serials.append(batch.serials[index])
        offsets.append(batch.base_offset + index)


def _node(peer: str) -> int:
    """``broker-1`` is node 1."""
    return int(peer.rpartition("-")[2])
