"""The consumer: fetches by position, filters, and hands records to its application (CON-1..CON-5, CPT-6).

A Fetch becomes due at a multiple of ``fetch_interval_ms``. After a response without an error, the partition is
fetched again only if the response says that there is more to read. Otherwise the consumer waits until
:meth:`Consumer.wake` reports a change, so an idle consumer causes no events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.client.connections import DISCONNECTED, Connection, Connections, CorrelationIds, InFlightRequest
from engine.client.group_session import GroupSession, OfCoordinator, Response
from engine.client.handover import Handover, Polled
from engine.client.metadata import Metadata
from engine.client.metadata_requests import rebootstrap
from engine.client.reading import DELETED, READ_UNCOMMITTED, SOUGHT, Reading, take
from engine.client.view_parts import GonePart
from engine.errors import EngineError, Error
from engine.happenings.readers import (
    Disconnected,
    EndAsked,
    EndRefused,
    FetchRefused,
    FetchSent,
    GroupLeft,
    MetadataAsked,
    MetadataLearned,
    OffsetsCommitted,
    PositionReset,
    PositionSought,
    ReadingResumed,
    Rebootstrapped,
    Rewound,
    UnexpectedAnswer,
)
from engine.messages import (
    FOR_ALL_ELSE,
    FOR_GROUP,
    NO_MEMBER,
    CommittedOffset,
    Connect,
    Disconnect,
    Effects,
    Envelope,
    FetchRequest,
    FetchResponse,
    LeaveGroupRequest,
    ListOffsetsRequest,
    ListOffsetsResponse,
    Membership,
    MetadataResponse,
    OffsetFetchRequest,
    PartitionEnd,
    PartitionFetchResponse,
    Send,
    broker_number,
)
from engine.profile import Profile
from engine.profiles import K28
from engine.shapes.readers import ConsumerFields
from engine.topic_partition import topic_of
from engine.watching import Part, Watch

FETCH_INTERVAL_MS = 10
RETRY_BACKOFF_MS = 100
REQUEST_TIMEOUT_MS = 30_000
RECONNECT_BACKOFF_MS, RECONNECT_BACKOFF_MAX_MS = 50, 1_000
IN_FLIGHT_MAX = 100
EARLIEST, LATEST = "earliest", "latest"
_STALE_LEADER = (
    Error.NOT_LEADER_OR_FOLLOWER,
    Error.LEADER_NOT_AVAILABLE,
    Error.UNKNOWN_TOPIC_OR_PARTITION,
    Error.KAFKA_STORAGE_ERROR,
)


class Consumer:
    """A consumer of fixed ``partitions``. ``group``: its session with the group coordinator (CON-9), or None.
    ``polled``: whether an application takes records with :meth:`poll`; else each record is handed over when
    it arrives."""

    def __init__(
        self,
        name: str,
        partitions: Iterable[str],
        isolation: str,
        watch: Watch,
        brokers: Iterable[int] = (),
        remember_keys: bool = False,
        profile: Profile = K28,
        group: str | None = None,
        member: Membership = NO_MEMBER,
        polled: bool = False,
        fetch_interval_ms: int = FETCH_INTERVAL_MS,
        max_poll_interval_ms: int | None = None,
        auto_offset_reset: str = EARLIEST,
    ) -> None:
        self.name = name
        self.isolation = isolation
        self.profile = profile
        self._rebootstraps = profile.rebootstraps
        self.watch = watch
        self.group_id = group
        self.member = member
        self.max_poll_interval_ms = max_poll_interval_ms
        self.auto_offset_reset = auto_offset_reset
        """Where the consumer begins without a committed offset, and after OFFSET_OUT_OF_RANGE: EARLIEST or
        LATEST."""
        self.handover = Handover(name, isolation, remember_keys, polled, watch)
        self.lane_parts: dict[str, Part] = {}
        """Dict of topic-partition → the part of the view with this consumer's reading of the partition."""
        self.fetch_interval_ms = fetch_interval_ms
        self.brokers = tuple(brokers)
        self.alive = True
        self.incarnation = 1
        self.paused = False
        self.path = ("consumers", name)
        self._subscribed = tuple(partitions)
        self._starts: dict[str, int] = {}
        """Dict of topic-partition → the offset at which a group without a committed offset starts."""
        self._outbox: Effects = []
        self._numbers = CorrelationIds()
        self._build()

    def _build(self) -> None:
        owner = ("consumers", self.name)
        self.readings = {partition: Reading(partition) for partition in self._subscribed}
        self.metadata = Metadata(owner, self.brokers, self._rebootstraps, self.watch)
        for partition in self._subscribed:
            self.metadata.topics[topic_of(partition)] = None
        self.connections = self._connections(FOR_ALL_ELSE)
        self.group: GroupSession | None = None
        self.rewinding = self.group_id is not None
        """True while the coordinator has not returned the group's offsets: the position is unknown, so
        nothing is fetched."""
        self.held = False
        """True from a restart of the application until its first poll. The position has not been requested,
        and a response still in flight is outdated."""
        if self.group_id is not None:
            self.group = GroupSession(
                owner,
                self.name,
                self.group_id,
                self.member,
                self.connections,
                self._connections(FOR_GROUP),
                self.profile,
                self.watch,
                self.max_poll_interval_ms,
            )

    def _connections(self, purpose: str) -> Connections:
        return Connections(
            ("consumers", self.name),
            IN_FLIGHT_MAX,
            RECONNECT_BACKOFF_MS,
            RECONNECT_BACKOFF_MAX_MS,
            self.watch,
            self._numbers,
            purpose,
        )

    def _all_connections(self) -> tuple[Connections, ...]:
        """The connections to the leaders, and the separate one to the group coordinator (GEN-11)."""
        return (self.connections,) if self.group is None else (self.connections, self.group.own)

    def view(self) -> ConsumerFields:
        return {
            "isolation": self.isolation,
            "alive": self.alive,
            "paused": self.paused,
            "positions": {name: reading.position for name, reading in self.readings.items()},
            "delivered": {name: list(reading.delivered) for name, reading in self.readings.items()},
            "delivered_count": self.handover.delivered_count,
            "applied_count": self.handover.applied_count,
            "skipped_duplicates": self.handover.skipped_duplicates,
            "buffered": len(self.handover.buffer),
            "rewinding": self.rewinding or any(reading.needs_end for reading in self.readings.values()),
        }

    def parts(self) -> Iterable[Part]:
        connections = [one for kind in self._all_connections() for one in kind.by_node.values()]
        parts: list[Part] = [self, self.metadata, *connections]
        for connection in connections:
            parts += connection.in_flight
        if self.group is not None:
            parts.append(self.group)
        return parts

    # -- initial state, and hints of the kernel --------------------------------------------------------

    def preset_metadata(self, leaders: dict[str, int | None], brokers: Iterable[int] = ()) -> None:
        """For the initial state of a run: the consumer already knows these leaders and brokers."""
        self.brokers = tuple(brokers) or self.brokers
        self.metadata.preset(dict(leaders), self.brokers)

    def preset_position(self, partition: str, offset: int) -> None:
        """For the initial state of a run: the consumer reads from this offset on, and so does a group without
        a committed offset (CON-8)."""
        self.readings[partition].position = self._starts[partition] = offset

    def preset_connected(self, peers: Iterable[str]) -> None:
        """For the initial state of a run: the connections to these brokers (``broker-1``) are open."""
        for peer in peers:
            self.connections.connected(broker_number(peer))

    def wake(self, partition: str, now: int) -> None:
        """The partition may have new records or a new leader: fetch it at the next multiple of
        ``fetch_interval_ms``, or after a backoff that lasts longer."""
        reading = self.readings.get(partition)
        if reading is not None and self.alive:
            reading.wanted = True
            reading.not_before = max(reading.not_before, self._grid(now))

    def lacks(self, partition: str, end: int) -> bool:
        """Whether the partition, which is readable up to ``end``, has unread records although no fetch is due
        or in flight."""
        reading = self.readings[partition]
        if reading.position >= end or reading.wanted or reading.in_flight:
            return False
        return self.alive and not self.outside

    @property
    def outside(self) -> bool:
        """Whether the consumer is closed or has left its group, so that it fetches nothing; joining again is not
        modelled."""
        return self.group is not None and (self.group.left or self.group.closed)

    @property
    def closed(self) -> bool:
        return self.group is not None and self.group.closed

    # -- what an application may call (CON-8..10) ------------------------------------------------------

    def poll(self, count: int) -> list[Polled]:
        """Take up to ``count`` fetched records for the application."""
        taken = self.handover.poll(self.readings, count)
        if taken:
            self.watch.touch(self)
        return taken

    def position(self, partition: str) -> int:
        """The offset of the next record that the application gets. Without a fetched record: the offset from
        which the next fetch reads."""
        return self.handover.next_offset(self.readings[partition])

    def committed(self, partition: str) -> int | None:
        """The group's offset that the coordinator last returned or stored; -1: there is none; None: not known
        yet, or the consumer has no group."""
        return None if self.group is None else self.group.committed.get(partition)

    def seek(self, partition: str, offset: int, now: int) -> None:
        """Set the position (CON-8)."""
        reading = self.readings[partition]
        reading.needs_end = False
        self.handover.forget(partition)
        self.watch.emit(PositionSought, self.name, partition, reading.position, offset)
        self._move(reading, offset, SOUGHT)
        self.wake(partition, now)

    def rewind(self, now: int) -> None:
        """Go back to the group's committed offsets, to read again what was not committed (CON-10)."""
        if self.group is None:
            raise EngineError(f"{self.name}: a consumer without a group has nothing to rewind to")
        self.handover.forget()
        self.watch.emit(Rewound, self.name, self.group_id)
        if self.held or not self.rewinding or not self.group.busy:
            self.rewinding, self.held = True, False
            self.group.ask_committed(tuple(self.readings), now)
        self.watch.touch(self)

    def poll_first(self, now: int) -> None:
        """The application's first poll: request the group's committed offsets (CON-9)."""
        if self.group is None:
            raise EngineError(f"{self.name}: a consumer without a group has nothing to ask")
        self.rewinding, self.held = True, False
        self.group.ask_committed(tuple(self.readings), now)
        self.watch.touch(self)

    def hold(self) -> None:
        """Prepare for a new application that has not polled yet: drop the records that were fetched for the
        old one."""
        self.handover.forget()
        self.rewinding = self.held = True
        self.watch.touch(self)

    def close(self, now: int) -> Effects:
        """Close the consumer of a group: it gives nothing more to its application and fetches nothing more."""
        if self.group is None:
            raise EngineError(f"{self.name}: a consumer without a group has nothing to leave")
        self.handover.forget()
        self.group.close(now)
        self.watch.touch(self)
        return self.group.send(self.metadata.brokers, now)

    def begin_at(self, offsets: Mapping[str, int], now: int) -> None:
        """Read from these offsets, which the application itself stores (``assign()`` and ``seek()``)."""
        self.rewinding = self.held = False
        for partition, offset in offsets.items():
            if offset == self.readings[partition].position:
                self.wake(partition, now)
            else:
                self.seek(partition, offset, now)
        self.watch.touch(self)

    def commit(self, offsets: Mapping[str, CommittedOffset], now: int) -> None:
        """Commit offsets outside any transaction. The commit has ended when ``group.busy`` is False again."""
        if self.group is None:
            raise EngineError(f"{self.name}: a consumer without a group cannot commit")
        self.group.commit(offsets, now)

    def _move(self, reading: Reading, offset: int, fate: str) -> None:
        reading.jump(offset, fate)
        self._touch_lane(reading)

    def _touch_lane(self, reading: Reading) -> None:
        watch = self.watch
        if watch.recording:
            watch.touch(self)
            part = self.lane_parts.get(reading.partition)
            if part is not None:
                watch.touch(part)

    def _grid(self, at: int) -> int:
        return -(-at // self.fetch_interval_ms) * self.fetch_interval_ms

    # -- timers ----------------------------------------------------------------------------------------

    def next_timer(self) -> int | None:
        """The earliest time at which the consumer has to act (virtual ms), or None."""
        if not self.alive:
            return None
        times = [connections.next_deadline() for connections in self._all_connections()]
        times.append(self.metadata.update_due_at(RETRY_BACKOFF_MS))
        if self.group is not None:
            times += (self.group.due_at(), self.group.leaves_at())
        if not (self.rewinding or self.outside):
            times += [
                self._reachable_at(reading)
                for reading in self.readings.values()
                if reading.wanted and not reading.in_flight
            ]
        due = [at for at in times if at is not None]
        return min(due) if due else None

    def _reachable_at(self, reading: Reading) -> int | None:
        """When the next attempt to fetch the partition is due (virtual ms); None while its connection is being
        opened or has a Fetch in flight."""
        leader = self.metadata.leaders.get(reading.partition)
        if leader is None:
            return reading.not_before
        connection = self.connections.to(leader)
        return None if connection.state == "connecting" or _is_fetching(connection) else reading.not_before

    def on_timer(self, now: int) -> Effects:
        """Send the due requests, close connections on which no response came in time (SND-7), and leave the
        group if the application has not polled for too long."""
        for connections in self._all_connections():
            for connection in connections.timed_out(now):
                self._outbox.append(Disconnect(connection.peer, connections.purpose))
                self._disconnected(connection.peer, now, connections.purpose)
        if self.group is not None:
            leaves = self.group.leaves_at()
            if leaves is not None and leaves <= now:
                self.group.leave(now)
                self.handover.forget()
                self.watch.touch(self)
            self._outbox += self.group.send(self.metadata.brokers, now)
        if not (self.rewinding or self.outside):
            self._fetch_due(now)
        self._ask_for_metadata(now)
        return self._effects()

    def _fetch_due(self, now: int) -> None:
        """Send a Fetch to each leader of partitions that are due (``Fetcher.prepareFetchRequests``), and a
        ListOffsets for due partitions whose end must be found first."""
        of_leaders: dict[int, list[Reading]] = {}
        for reading in self.readings.values():
            if not reading.wanted or reading.in_flight or reading.not_before > now:
                continue
            leader = self.metadata.leaders.get(reading.partition)
            if leader is None:
                self.metadata.request_update()
                reading.not_before = self._grid(now + RETRY_BACKOFF_MS)
            elif self._is_connected(leader, reading, now):
                of_leaders.setdefault(leader, []).append(reading)
        for leader, readings in of_leaders.items():
            if _is_fetching(self.connections.to(leader)):
                continue
            if lacking := [reading for reading in readings if reading.needs_end]:
                self._ask_ends(leader, lacking, now)
            if known := [reading for reading in readings if not reading.needs_end]:
                self._fetch(leader, known, now)

    def _is_connected(self, leader: int, reading: Reading, now: int) -> bool:
        """Whether requests can be sent to the leader. If not, start a connection, or wait until its backoff
        is over."""
        if self.connections.to(leader).usable:
            return True
        delay = self.connections.connect_delay(leader, now)
        if delay == 0:
            self._outbox.append(Connect(self.connections.connecting(leader, now)))
        elif delay is not None:
            reading.not_before = self._grid(now + delay)
        return False

    def _fetch(self, leader: int, readings: Sequence[Reading], now: int) -> None:
        peer = self.connections.to(leader).peer
        offsets = {reading.partition: reading.position for reading in readings}
        body = FetchRequest(offsets=offsets, isolation=self.isolation)
        request = self.connections.sent(leader, "Fetch", body, now, REQUEST_TIMEOUT_MS)
        self._outbox.append(Send(peer, body, request.correlation_id))
        for reading in readings:
            reading.in_flight, reading.wanted = True, False
            self.watch.emit(FetchSent, self.name, peer, reading.partition, reading.position)

    def _ask_ends(self, leader: int, readings: Sequence[Reading], now: int) -> None:
        """Ask the leader for the ends of these partitions (``OffsetFetcher.resetPositionsAsync``)."""
        peer = self.connections.to(leader).peer
        partitions = tuple(reading.partition for reading in readings)
        body = ListOffsetsRequest(partitions=partitions, isolation=self.isolation)
        request = self.connections.sent(leader, body.api, body, now, REQUEST_TIMEOUT_MS)
        self._outbox.append(Send(peer, body, request.correlation_id))
        for reading in readings:
            reading.in_flight, reading.wanted = True, False
        self.watch.emit(EndAsked, self.name, self.group_id, peer, partitions)

    def _ask_for_metadata(self, now: int) -> None:
        due = self.metadata.update_due_at(RETRY_BACKOFF_MS)
        if due is None or due > now:
            return
        node = self.connections.least_loaded(self.metadata.brokers, now)
        if node is None and rebootstrap(self.metadata, self.connections):
            self.watch.emit(Rebootstrapped, self.name)
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
        self.watch.emit(MetadataAsked, self.name, connection.peer, body.topics)

    # -- answers ---------------------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle a response."""
        body = envelope.body
        connections = self.connections
        if self.group is not None and isinstance(body, OfCoordinator):
            connections = self.group.own
        request = connections.answered(broker_number(envelope.source), envelope.correlation_id)
        if request is None:
            self.watch.emit(UnexpectedAnswer, self.name, envelope.source)
        elif isinstance(body, MetadataResponse):
            self.watch.emit(MetadataLearned, self.name, self.metadata.update(body, now))
            for reading in self.readings.values():
                if reading.awaits_metadata:
                    reading.awaits_metadata, reading.not_before = False, self._grid(now)
        elif isinstance(body, FetchResponse):
            for partition, answer in body.partitions.items():
                self._fetched(self.readings[partition], answer, request, now)
        elif isinstance(body, ListOffsetsResponse):
            for partition, end in body.partitions.items():
                self._ended(self.readings[partition], end, now)
        elif self.group is not None and isinstance(body, Response):
            done = self.group.answered(body, now)
            if isinstance(done, OffsetFetchRequest):
                self._resume_at(done, now)
            elif isinstance(done, LeaveGroupRequest):
                self.watch.emit(GroupLeft, self.name, self.group.group_id, self.group.closed)
            elif done is not None:
                self.watch.emit(OffsetsCommitted, self.name, self.group_id)
        return self._effects()

    def _fetched(
        self, reading: Reading, response: PartitionFetchResponse, request: InFlightRequest, now: int
    ) -> None:
        reading.in_flight = False
        if response.error is Error.OFFSET_OUT_OF_RANGE:
            self._reset(reading, response, now)
            return
        if response.error is not Error.NONE:
            reading.awaits_metadata = response.error in _STALE_LEADER
            backoff = RETRY_BACKOFF_MS if reading.awaits_metadata else 1
            self._refused(reading, response.error, backoff, now)
            self.watch.emit(
                FetchRefused, self.name, reading.partition, response.error, reading.awaits_metadata
            )
            return
        asked = request.body
        moved = not isinstance(asked, FetchRequest) or asked.offsets[reading.partition] != reading.position
        if moved or self.rewinding or self.outside:
            # The records of the response are not needed: a seek has moved the position, the position is being
            # requested, or the consumer is closed or has left its group.
            reading.wanted = True
            return
        if not response.batches:
            return
        taken = take(response, self.isolation, reading.position, self.watch.recording)
        reading.position = taken.position
        if self.watch.recording:
            reading.remember(taken.stretches)
        reading.wanted = reading.position < self._end(response)
        reading.not_before = self._grid(now + 1)
        self.handover.bring(reading, taken)
        self._touch_lane(reading)

    def _resume_at(self, asked: OffsetFetchRequest, now: int) -> None:
        """Continue at the group's committed offsets, which the coordinator has returned (CON-9). A partition
        without one continues at its end (LATEST), or at its preset start or offset 0 (EARLIEST)."""
        if self.held or self.group is None or self.group.asks_committed:
            return
        self.rewinding = False
        for partition in asked.partitions:
            reading = self.readings[partition]
            committed = self.committed(partition)
            known = committed is not None and committed >= 0
            reading.needs_end = not known and self.auto_offset_reset == LATEST
            if reading.needs_end:
                self.wake(partition, now)
                continue
            goes_on = committed if committed is not None and known else self._starts.get(partition, 0)
            if goes_on != reading.position:
                self._move(reading, goes_on, SOUGHT)
            self.watch.emit(ReadingResumed, self.name, self.group_id, partition, reading.position, known)
            self.wake(partition, now)
        self.watch.touch(self)

    def _ended(self, reading: Reading, end: PartitionEnd, now: int) -> None:
        """Begin at the end of a partition, which its leader has returned."""
        reading.in_flight = False
        if not reading.needs_end or self.rewinding or self.outside:
            reading.wanted = True
            return
        if end.error is not Error.NONE:
            self._refused(reading, end.error, RETRY_BACKOFF_MS, now)
            self.watch.emit(EndRefused, self.name, reading.partition, end.error, RETRY_BACKOFF_MS)
            return
        reading.needs_end = False
        if end.offset != reading.position:
            self._move(reading, end.offset, SOUGHT)
        self.watch.emit(ReadingResumed, self.name, self.group_id, reading.partition, end.offset, False, True)
        self.wake(reading.partition, now)
        self.watch.touch(self)

    def _refused(self, reading: Reading, error: Error, backoff: int, now: int) -> None:
        reading.wanted = True
        reading.not_before = self._grid(now + backoff)
        if error in _STALE_LEADER:
            self.metadata.request_update()

    def _end(self, response: PartitionFetchResponse) -> int:
        return response.high_watermark if self.isolation == READ_UNCOMMITTED else response.last_stable_offset

    def _reset(self, reading: Reading, response: PartitionFetchResponse, now: int) -> None:
        """Move a position that is out of range to an offset that the log has."""
        before = reading.position
        start = response.log_start_offset
        to = max(start, min(before, response.high_watermark))
        if self.auto_offset_reset == LATEST:
            to = self._end(response)
        self._move(reading, min(to, max(start, before)), DELETED)
        if to > reading.position:
            self._move(reading, to, SOUGHT)
        reading.wanted = reading.position < response.high_watermark
        reading.not_before = self._grid(now + 1)
        self.watch.emit(PositionReset, self.name, reading.partition, before, reading.position)
        self.watch.touch(self)

    # -- connections -----------------------------------------------------------------------------------

    def on_connected(self, peer: str, now: int, purpose: str = FOR_ALL_ELSE) -> Effects:
        """A connection is open: the requests that wait for it become due."""
        if purpose == FOR_GROUP:
            if self.group is not None:
                self.group.connected(broker_number(peer), now)
            return self._effects()
        self.connections.connected(broker_number(peer))
        for reading in self.readings.values():
            if reading.wanted:
                reading.not_before = max(reading.not_before, self._grid(now))
        if self.metadata.update_requested:
            self.metadata.last_attempt_at = None
        return self._effects()

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """A connection ended: its requests, except LeaveGroup, are sent again later, perhaps to another broker."""
        self._disconnected(peer, now, purpose)
        return self._effects()

    def _disconnected(self, peer: str, now: int, purpose: str | None) -> None:
        node = broker_number(peer)
        ended = [
            (connections, connection)
            for connections in self._all_connections()
            if purpose in (None, connections.purpose)
            and (connection := connections.by_node.get(node)) is not None
            and connection.state != DISCONNECTED
        ]
        if not self.alive or not ended:
            return
        first = any(connection.failures == 0 for _, connection in ended)
        lost = [request for connections, _ in ended for request in connections.disconnected(node, now)]
        if first:
            self.watch.emit(Disconnected, self.name, peer, len(lost))
        for request in lost:
            if isinstance(request.body, FetchRequest | ListOffsetsRequest):
                for partition in _partitions(request.body):
                    reading = self.readings[partition]
                    reading.in_flight = False
                    reading.wanted = True
            elif self.group is not None and request is self.group.in_flight:
                self.group.lost(request, now)
            else:
                self.metadata.request_failed()
        for reading in self.readings.values():
            if reading.wanted:
                reading.not_before = max(reading.not_before, self._grid(now + RETRY_BACKOFF_MS))
        self.metadata.request_update()

    # -- life ------------------------------------------------------------------------------------------

    def crash(self, now: int) -> None:
        """Lose the positions with the process. The keys that an application stores in a table stay."""
        for part in self.parts():
            self.watch.touch(GonePart(part.path))
        self.alive = False
        self.paused = False
        self._outbox.clear()
        self.handover.forget()
        self._build()
        for part in (*self.parts(), *self.lane_parts.values()):
            self.watch.touch(part)

    def restart(self, now: int) -> Effects:
        """Continue at the group's committed offsets. A consumer without a group begins at offset 0 of every
        partition (CON-9)."""
        self.alive = True
        self.incarnation += 1
        for reading in self.readings.values():
            reading.not_before = self._grid(now)
            # Fetch again the records from before the crash, although the log may not have grown.
            reading.wanted = True
        self.start(now)
        self.watch.touch(self)
        return []

    def start(self, now: int) -> None:
        """Request the group's committed offsets from the coordinator, before anything is fetched. A consumer
        that an application polls requests them at its first poll."""
        if self.group is not None and not self.handover.polled:
            self.group.ask_committed(tuple(self.readings), now)

    def pause(self, now: int) -> None:
        """Mark the consumer as paused in the view. The kernel holds back its timers and deliveries (GEN-6)."""
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


def _partitions(body: FetchRequest | ListOffsetsRequest) -> Iterable[str]:
    return body.offsets if isinstance(body, FetchRequest) else body.partitions


def _is_fetching(connection: Connection) -> bool:
    return any(request.api == "Fetch" for request in connection.in_flight)
