"""Connections from a client to brokers, and the requests in flight on them (SND-6, SND-7).

This module owns connection states, the limit of requests in flight and their deadlines. It does not know the
meaning of a request, nor what its failure causes.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.client.batch import Batch
from engine.messages import FOR_ALL_ELSE
from engine.shapes.clients import ConnectionView, RequestView
from engine.watching import Watch

DISCONNECTED, CONNECTING, CONNECTED = "disconnected", "connecting", "connected"


class InFlightRequest:
    """A request in flight, whose response must come before ``deadline``. ``batches``: dict of partition →
    batch of a Produce request; empty for other requests."""

    __slots__ = ("api", "batches", "body", "correlation_id", "deadline", "gone", "node", "path", "sent_at")

    def __init__(
        self,
        owner: tuple[str, ...],
        api: str,
        node: int,
        correlation_id: int,
        sent_at: int,
        deadline: int,
        batches: dict[str, Batch],
        body: object,
    ) -> None:
        self.api = api
        self.node = node
        self.correlation_id = correlation_id
        self.sent_at = sent_at
        self.deadline = deadline
        self.batches = batches
        self.body = body
        self.gone = False
        self.path = (*owner, "requests", str(correlation_id))

    def view(self) -> RequestView | None:
        if self.gone:
            return None
        return {
            "api": self.api,
            "to": f"broker-{self.node}",
            "batches": [batch.id for batch in self.batches.values()],
            "sent_at": self.sent_at,
            "deadline": self.deadline,
        }


class CorrelationIds:
    """The numbers of one client's requests. No number is used twice, even after a crash: a broker may still
    hold a request of the previous process."""

    __slots__ = ("_next",)

    def __init__(self) -> None:
        self._next = 1

    def take(self) -> int:
        number = self._next
        self._next += 1
        return number


class Connection:
    """The connection to one broker. ``failures``: how many times in a row it ended or could not be made."""

    __slots__ = ("attempted_at", "failures", "in_flight", "limit", "node", "path", "peer", "state")

    def __init__(self, owner: tuple[str, ...], node: int, limit: int, purpose: str) -> None:
        self.node = node
        self.peer = f"broker-{node}"
        self.state = DISCONNECTED
        self.in_flight: list[InFlightRequest] = []
        self.limit = limit
        self.attempted_at: int | None = None
        self.failures = 0
        self.path = (*owner, "connections", f"{node}-{purpose}" if purpose else str(node))

    @property
    def usable(self) -> bool:
        """Whether the connection accepts a request now (SND-7)."""
        return self.state == CONNECTED and len(self.in_flight) < self.limit

    def view(self) -> ConnectionView:
        return {
            "state": self.state,
            "in_flight": [request.correlation_id for request in self.in_flight],
            "limit": self.limit,
        }


class Connections:
    """The connections of one client for one purpose. ``owner``: the client's path in the view."""

    __slots__ = ("backoff_max_ms", "backoff_ms", "by_node", "limit", "numbers", "owner", "purpose", "watch")

    def __init__(
        self,
        owner: tuple[str, ...],
        limit: int,
        backoff_ms: int,
        backoff_max_ms: int,
        watch: Watch,
        numbers: CorrelationIds,
        purpose: str = FOR_ALL_ELSE,
    ) -> None:
        self.owner = owner
        self.limit = limit
        self.backoff_ms = backoff_ms
        self.backoff_max_ms = backoff_max_ms
        self.by_node: dict[int, Connection] = {}
        self.numbers = numbers
        self.purpose = purpose
        self.watch = watch

    def to(self, node: int) -> Connection:
        connection = self.by_node.get(node)
        if connection is None:
            connection = self.by_node[node] = Connection(self.owner, node, self.limit, self.purpose)
            self.watch.touch(connection)
        return connection

    def set_limit(self, limit: int) -> None:
        self.limit = limit
        for connection in self.by_node.values():
            connection.limit = limit
            self.watch.touch(connection)

    # -- connecting ------------------------------------------------------------------------------------

    def connect_delay(self, node: int, now: int) -> int | None:
        """Milliseconds until a connection attempt is allowed, 0: now. None while the peer is connected or
        connecting."""
        connection = self.to(node)
        if connection.state != DISCONNECTED:
            return None
        if connection.attempted_at is None:
            return 0
        return max(connection.attempted_at + self._backoff(connection) - now, 0)

    def _backoff(self, connection: Connection) -> int:
        """Milliseconds from the end or failure of a connection until the next attempt. There is no jitter."""
        doublings = max(connection.failures - 1, 0)
        return min(self.backoff_ms << min(doublings, 20), self.backoff_max_ms) if connection.failures else 0

    def connecting(self, node: int, now: int) -> str:
        """Note that a connection attempt starts; returns the peer's name."""
        connection = self.to(node)
        connection.state = CONNECTING
        connection.attempted_at = now
        self.watch.touch(connection)
        return connection.peer

    def connected(self, node: int) -> None:
        connection = self.to(node)
        connection.state = CONNECTED
        connection.failures = 0
        self.watch.touch(connection)

    def disconnected(self, node: int, now: int) -> list[InFlightRequest]:
        """Note that the connection ended or could not be made. Returns the requests that were in flight on
        it, oldest first."""
        connection = self.to(node)
        lost = connection.in_flight
        connection.in_flight = []
        connection.state = DISCONNECTED
        connection.failures += 1
        connection.attempted_at = now
        for request in lost:
            self._forget(request)
        self.watch.touch(connection)
        return lost

    def hang_up(self, now: int) -> list[str]:
        """Close every connection, and drop the requests in flight on it. Returns the names of the peers."""
        ended = [node for node, connection in self.by_node.items() if connection.state != DISCONNECTED]
        for node in ended:
            self.disconnected(node, now)
        return [self.by_node[node].peer for node in ended]

    def least_loaded(self, nodes: Iterable[int], now: int) -> int | None:
        """The connected broker with the fewest requests in flight; else one that is connecting or may be
        connected to (SND-6). None: there is none."""
        best: tuple[int, int, int] | None = None
        for node in nodes:
            connection = self.to(node)
            if connection.state == CONNECTED:
                if not connection.usable:
                    continue
                rank = (0, len(connection.in_flight), node)
            elif connection.state == CONNECTING:
                rank = (1, 0, node)
            elif self.connect_delay(node, now) == 0:
                rank = (2, 0, node)
            else:
                continue
            if best is None or rank < best:
                best = rank
        return None if best is None else best[2]

    def any_up(self, nodes: Iterable[int]) -> bool:
        """Whether one of these brokers has a connection, even one that accepts no more requests now."""
        return any(self.to(node).state == CONNECTED for node in nodes)

    # -- requests --------------------------------------------------------------------------------------

    def sent(
        self,
        node: int,
        api: str,
        body: object,
        now: int,
        timeout_ms: int,
        batches: dict[str, Batch] | None = None,
    ) -> InFlightRequest:
        """Note a request that is sent now and expects a response."""
        number = self.numbers.take()
        request = InFlightRequest(self.owner, api, node, number, now, now + timeout_ms, batches or {}, body)
        connection = self.to(node)
        connection.in_flight.append(request)
        watch = self.watch
        if watch.recording:
            watch.touch(connection)
            watch.touch(request)
        return request

    def answered(self, node: int, correlation_id: int) -> InFlightRequest | None:
        """Remove and return the request that this response belongs to; None when it is no longer in flight."""
        connection = self.to(node)
        for position, request in enumerate(connection.in_flight):
            if request.correlation_id == correlation_id:
                del connection.in_flight[position]
                self._forget(request)
                self.watch.touch(connection)
                return request
        return None

    def _forget(self, request: InFlightRequest) -> None:
        request.gone = True
        self.watch.touch(request)

    def next_deadline(self) -> int | None:
        """When the oldest unanswered request of any connection times out (virtual ms); None: no request is in
        flight."""
        oldest: int | None = None
        for connection in self.by_node.values():
            if connection.in_flight:
                deadline = connection.in_flight[0].deadline
                if oldest is None or deadline < oldest:
                    oldest = deadline
        return oldest

    def timed_out(self, now: int) -> list[Connection]:
        """Connections whose oldest request is past its deadline (SND-7)."""
        return [
            connection
            for connection in self.by_node.values()
            if connection.in_flight and connection.in_flight[0].deadline <= now
        ]
