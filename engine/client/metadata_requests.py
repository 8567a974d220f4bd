"""A producer's requests for new metadata, which it sends in the poll that ends a pass (SND-2, SND-6)."""

from __future__ import annotations

from engine.client.connections import Connections
from engine.client.metadata import Metadata
from engine.client.outbox import Outbox
from engine.client.reachability import NOT_CONNECTED, Reachability
from engine.client.setup import Setup
from engine.happenings.sender import MetadataAsked, Rebootstrapped
from engine.messages import Send


def rebootstrap(metadata: Metadata, connections: Connections) -> bool:
    """Let a client start again from its bootstrap brokers if it has no connection to any known broker
    (KIP-899). Returns whether it does."""
    if not metadata.rebootstraps or connections.any_up(metadata.brokers):
        return False
    return metadata.rebootstrap()


class MetadataRequests:
    """Sends Metadata requests; ``Metadata`` stores the responses."""

    __slots__ = ("_connections", "_metadata", "_outbox", "_reachability", "_setup")

    def __init__(
        self,
        setup: Setup,
        metadata: Metadata,
        connections: Connections,
        reachability: Reachability,
        outbox: Outbox,
    ) -> None:
        self._setup = setup
        self._metadata = metadata
        self._connections = connections
        self._reachability = reachability
        self._outbox = outbox

    def send_wanted(self, now: int) -> None:
        """If metadata is needed, send a Metadata request, or start a connection for it (SND-2, SND-6); at
        most one request per ``retry.backoff.ms``."""
        metadata, connections = self._metadata, self._connections
        if not metadata.update_requested:
            return
        setup = self._setup
        due = metadata.update_due_at(setup.config.retry_backoff_ms)
        if due is None or due > now:
            return
        node = connections.least_loaded(metadata.brokers, now)
        if node is None and rebootstrap(metadata, connections):
            setup.watch.emit(Rebootstrapped, setup.name)
            node = connections.least_loaded(metadata.brokers, now)
        if node is None:
            return
        connection = connections.to(node)
        if not connection.usable:
            self._reachability.unreachable.append((node, NOT_CONNECTED))
            self._reachability.start(node, now)
            return
        body = metadata.request(now)
        request = connections.sent(node, "Metadata", body, now, setup.config.request_timeout_ms)
        self._outbox.add(Send(connection.peer, body, request.correlation_id))
        setup.watch.emit(MetadataAsked, setup.name, connection.peer, body.topics)

    def due(self, now: int) -> int | None:
        """When a needed Metadata request may be sent (virtual ms, after ``now``). None: not before another
        event."""
        metadata, connections = self._metadata, self._connections
        if not metadata.update_requested:
            return None
        due = metadata.update_due_at(self._setup.config.retry_backoff_ms)
        if due is None or due > now:
            return due
        node = connections.least_loaded(metadata.brokers, now)
        if node is not None:
            return None if connections.to(node).state == "connecting" else now + 1
        delays = [connections.connect_delay(broker, now) for broker in metadata.brokers]
        return min((now + delay for delay in delays if delay is not None), default=None)
