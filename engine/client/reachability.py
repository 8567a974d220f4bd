"""The connections that the Sender starts, and the brokers that cannot take a request in this pass (SND-2, SND-7)."""

from __future__ import annotations

from engine.client.connections import Connections
from engine.client.outbox import Outbox
from engine.client.poll import Poll
from engine.client.setup import Setup
from engine.happenings.sender import ConnectionStarted
from engine.messages import Connect

IN_FLIGHT_FULL, NOT_CONNECTED = "in_flight_full", "not_connected"


class Reachability:
    """The brokers to which a pass can send. ``unreachable``: (broker id, reason) for each broker that should get
    a request in this pass but cannot take one."""

    __slots__ = ("_connections", "_outbox", "_poll", "_setup", "unreachable")

    def __init__(self, setup: Setup, connections: Connections, outbox: Outbox, poll: Poll) -> None:
        self._setup = setup
        self._connections = connections
        self._outbox = outbox
        self._poll = poll
        self.unreachable: list[tuple[int, str]] = []

    def start(self, node: int, now: int) -> None:
        """Start a connection, unless the peer is connected or connecting, or the backoff is not over."""
        connections = self._connections
        if connections.connect_delay(node, now) != 0:
            return
        self._poll.changed = True
        first = connections.to(node).failures <= 1  # After two failures in a row, attempts are not emitted.
        self._outbox.add(Connect(connections.connecting(node, now)))
        if first:
            self._setup.watch.emit(ConnectionStarted, self._setup.name, f"broker-{node}")

    def leave_out(self, nodes: dict[int, list[tuple[str, str]]], now: int) -> None:
        """P4: skip the brokers that cannot take a request now; start missing connections."""
        self.unreachable.clear()
        for node in list(nodes):
            connection = self._connections.to(node)
            if connection.usable:
                continue
            del nodes[node]
            if connection.state == "connected":
                self.unreachable.append((node, IN_FLIGHT_FULL))
            else:
                self.unreachable.append((node, NOT_CONNECTED))
                self.start(node, now)

    def delays(self, now: int) -> list[int | None]:
        """For each unreachable broker without a connection, the milliseconds until the next attempt to connect;
        None: an attempt is running."""
        return [
            self._connections.connect_delay(node, now)
            for node, reason in self.unreachable
            if reason == NOT_CONNECTED
        ]
