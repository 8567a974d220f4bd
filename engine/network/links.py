"""Links: latency, order, connections, and the messages in flight.

Owns every envelope from its sending until its receiver handles the message or the message is lost. The
network does not interpret messages, and schedules nothing itself: the kernel takes the arrival times from the
envelopes and queues the deliveries. A link keeps the order of messages for each connection and direction
(GEN-5), so a delayed message delays the later ones. Only the fault *reorder* changes the order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.apis import connection_of, error_of, partitions_of
from engine.messages import Envelope, Send
from engine.network.connections import BrokerConnections, Name, connection_name
from engine.shapes.views import MessageView
from engine.watching import Watch

FieldsOf = Callable[[object], Any]
"""A function that returns the fields of a message's body as JSON, as the view shows them."""


class MessagePart:
    """A message's part of the view, while it is in flight."""

    __slots__ = ("_fields_of", "connection_ended", "envelope", "gone", "held", "path", "waits_behind")

    def __init__(self, envelope: Envelope, fields_of: FieldsOf) -> None:
        self.envelope = envelope
        self._fields_of = fields_of
        self.path = ("network", "messages", str(envelope.id))
        self.gone = False
        self.held = False
        self.connection_ended = False
        self.waits_behind: int | None = None
        """For a request that waits at its broker: the correlation id of the request that the broker was handling
        when this request arrived on the same connection. None: the message does not wait."""

    def view(self) -> MessageView | None:
        if self.gone:
            return None
        envelope = self.envelope
        body = envelope.body
        shown: MessageView = {
            "id": envelope.id,
            "api": body.api,  # type: ignore[attr-defined]
            "is_response": envelope.is_response,
            "from": envelope.source,
            "to": envelope.destination,
            "sent_at": envelope.sent_at,
            "arrives_at": envelope.arrives_at,
            "correlation_id": envelope.correlation_id,
            "partitions": list(partitions_of(body)),
            "fields": self._fields_of(body),
            "error": error_of(body),
            "held": self.held,
        }
        connection = connection_of(body)
        if connection:
            shown["connection"] = connection
        if self.connection_ended:
            shown["connection_ended"] = True
        if self.waits_behind is not None:
            shown["waits_behind"] = self.waits_behind
        return shown


class Network:
    """All links. ``latency_ms``: the time that a message takes in one direction. ``latencies``: dict of
    frozenset of two actors' names → the time in ms for this pair."""

    def __init__(
        self,
        latency_ms: int,
        latencies: dict[frozenset[str], int],
        watch: Watch,
        fields_of: FieldsOf,
    ) -> None:
        self._fields_of = fields_of
        self.latency_ms = latency_ms
        self.latencies = latencies
        self.watch = watch
        self.under_way: dict[int, Envelope] = {}
        self.parts: dict[int, MessagePart] = {}
        self.next_id = 1
        self.connections = BrokerConnections()
        self._latest: dict[tuple[Name, str], int] = {}
        """Dict of (connection, sender) → latest arrival time in ms of the messages in this direction so
        far."""
        self._held: set[int] = set()
        """The ids of the messages that have arrived at a paused actor."""

    def latency(self, source: str, destination: str) -> int:
        if self.latencies:
            return self.latencies.get(frozenset((source, destination)), self.latency_ms)
        return self.latency_ms

    def send(self, source: str, send: Send, now: int) -> Envelope:
        """Put a message on its link; returns the envelope with its arrival time."""
        destination = send.destination
        arrives = now + (self.latency(source, destination) if self.latencies else self.latency_ms)
        connection = connection_name(source, destination, send)
        envelope = Envelope(
            self.next_id,
            source,
            destination,
            send.body,
            send.correlation_id,
            send.is_response,
            now,
            arrives,
            connection,
        )
        direction = _direction(envelope)
        latest = self._latest.get(direction, 0)
        if arrives < latest:
            envelope.arrives_at = latest
        else:
            self._latest[direction] = arrives
        self.next_id += 1
        self.under_way[envelope.id] = envelope
        if self.watch.recording:
            part = self.parts[envelope.id] = MessagePart(envelope, self._fields_of)
            self.watch.touch(part)
        return envelope

    def arriving(self, message: int, arrives_at: int) -> Envelope | None:
        """The envelope that arrives now. None: the message is no longer in flight, or arrives at another time."""
        envelope = self.under_way.get(message)
        return None if envelope is None or envelope.arrives_at != arrives_at else envelope

    def on(self, connection: Name) -> list[Envelope]:
        """The messages that are in flight on the connection, or wait at its broker."""
        ended = self.connections.is_of_ended
        return [one for one in self.under_way.values() if one.connection == connection and not ended(one)]

    def drop(self, message: int) -> Envelope | None:
        """Drop one message; None when it is no longer in flight."""
        envelope = self.under_way.get(message)
        if envelope is not None:
            self.remove(message)
        return envelope

    def delay(self, message: int, by: int) -> list[Envelope]:
        """Delay the arrival of a message ``by`` this many ms. Later messages of the same connection and direction
        wait for it. Returns all messages whose arrival changed."""
        envelope = self.under_way[message]
        direction = _direction(envelope)
        before = envelope.arrives_at
        envelope.arrives_at += by
        moved = [envelope]
        for other in self._on_link(direction):
            if (
                other.id != message
                and before <= other.arrives_at < envelope.arrives_at
                and other.id > message
            ):
                other.arrives_at = envelope.arrives_at
                moved.append(other)
        self._latest[direction] = max(self._latest[direction], envelope.arrives_at)
        for changed in moved:
            self._touch(changed.id)
        return moved

    def is_followed(self, message: int) -> bool:
        """Whether a later message of the same connection and direction is in flight."""
        return bool(self._behind(message))

    def _behind(self, message: int) -> list[Envelope]:
        link = _direction(self.under_way[message])
        return [other for other in self._on_link(link) if other.id > message]

    def reorder(self, message: int) -> Envelope | None:
        """Let the next message of the same connection and direction overtake this message. Returns this message's
        envelope; None: there is no later message."""
        envelope = self.under_way[message]
        behind = self._behind(message)
        if not behind:
            return None
        overtaking = behind[0]
        envelope.arrives_at = overtaking.arrives_at + 1
        direction = _direction(envelope)
        self._latest[direction] = max(self._latest[direction], envelope.arrives_at)
        self._touch(message)
        return envelope

    def duplicate(self, message: int) -> Envelope:
        """Put a second copy on the link, which arrives right after the first."""
        first = self.under_way[message]
        direction = _direction(first)
        copy = Envelope(
            self.next_id,
            first.source,
            first.destination,
            first.body,
            first.correlation_id,
            first.is_response,
            first.sent_at,
            first.arrives_at,
            first.connection,
        )
        self.next_id += 1
        self.under_way[copy.id] = copy
        self._latest[direction] = max(self._latest[direction], copy.arrives_at)
        if self.watch.recording:
            part = self.parts[copy.id] = MessagePart(copy, self._fields_of)
            self.watch.touch(part)
        return copy

    def take_now(self, request: Envelope, now: int) -> None:
        """Let a request that waited for another one arrive at its broker now."""
        request.arrives_at = now
        part = self.parts.get(request.id)
        if part is not None:
            part.waits_behind = None
            self.watch.touch(part)

    def lose(self, ends: Callable[[Name], bool], taken: int = 0) -> tuple[list[Envelope], int]:
        """End the connections that ``ends`` selects. Messages in flight on them are lost (GEN-5), except the
        first ``taken`` requests of each connection that wait at the broker (GEN-11). Returns the lost
        messages, and the number of requests that the brokers keep."""
        connections = self.connections
        under_way: dict[Name, list[Envelope]] = {name: [] for name in connections.taken if ends(name)}
        for envelope in self.under_way.values():
            if not connections.is_of_ended(envelope) and ends(name := envelope.connection):
                under_way.setdefault(name, []).append(envelope)
        lost: list[Envelope] = []
        kept = 0
        for name, messages in under_way.items():
            held = [one for one in messages if one.id in self._held and not one.is_response]
            left = connections.end(name, held, taken)
            kept += len(left)
            for one in left:
                part = self.parts.get(one.id)
                if part is not None:
                    part.connection_ended = True
                    self.watch.touch(part)
            lost += [one for one in messages if one not in left]
        lost.sort(key=lambda envelope: envelope.id)
        for envelope in lost:
            self.remove(envelope.id)
        for direction in [direction for direction in self._latest if ends(direction[0])]:
            del self._latest[direction]
        return lost, kept

    def forget(self, broker: str) -> list[Envelope]:
        """Remove and return the requests of ended connections that a broker had kept and loses, because it
        stopped."""
        lost = [one for one in self.connections.forget(broker) if one.id in self.under_way]
        for envelope in lost:
            self.remove(envelope.id)
        return lost

    def take(self, request: Envelope) -> Envelope | None:
        """Note that a request has arrived at a broker. Returns the request that it has to wait for, or None
        (GEN-11)."""
        before = self.connections.take(request)
        part = self.parts.get(request.id)
        if part is not None:
            part.waits_behind = None if before is None else before.correlation_id
            self.watch.touch(part)
        return before

    def has_arrived(self, message: Envelope) -> bool:
        """Whether this request is at its broker, which handles it now or later."""
        return not message.is_response and (message.id in self._held or self.connections.arrived(message))

    def hold(self, message: int, held: bool) -> None:
        """Set whether an arrived message waits because its receiver is paused."""
        if held:
            self._held.add(message)
        else:
            self._held.discard(message)
        part = self.parts.get(message)
        if part is not None and part.held != held:
            part.held = held
            self.watch.touch(part)

    def _on_link(self, direction: tuple[Name, str]) -> list[Envelope]:
        return [envelope for envelope in self.under_way.values() if _direction(envelope) == direction]

    def _touch(self, message: int) -> None:
        part = self.parts.get(message)
        if part is not None:
            self.watch.touch(part)

    def remove(self, message: int) -> None:
        del self.under_way[message]
        self._held.discard(message)
        part = self.parts.pop(message, None)
        if part is not None:
            part.gone = True
            self.watch.touch(part)


def _direction(message: Envelope) -> tuple[Name, str]:
    return message.connection, message.source
