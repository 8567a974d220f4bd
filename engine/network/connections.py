"""A broker's side of its connections: the broker handles one request of a connection at a time, and the other
requests of the connection wait in order (GEN-11).

Kafka's ``SocketServer`` mutes a channel while one of its requests is handled, and takes the next request
after it has sent the response.

The name of a connection has three parts: the client, the broker and the purpose. A consumer has a separate
connection to its group coordinator; a broker has separate connections for markers and for verification.

When a connection ends, its broker may keep some requests: the request that it is handling, and the first of
the requests that wait. The broker handles them in order; their responses are dropped.
"""

from __future__ import annotations

from engine.apis import connection_of
from engine.crafter import Crafter
from engine.messages import FOR_ALL_ELSE, Envelope, Send
from engine.tool.command import TOOL

Name = tuple[str, str, str]
"""(client that opened the connection, broker, purpose); the purpose is ``Api.connection``. Without a broker at
one end, the two names are in alphabetical order."""


def connection_name(source: str, destination: str, send: Send) -> Name:
    """The connection of a message that ``source`` sends, named after the side that sends requests; without a
    broker at one end, the two names are in alphabetical order. A request of a :class:`Crafter` has a
    connection of its own."""
    client, broker = (destination, source) if send.is_response else (source, destination)
    if not broker.startswith("broker-") and client > broker:
        client, broker = broker, client
    if client == TOOL:
        return client, broker, FOR_ALL_ELSE
    if client == Crafter.name:
        return client, broker, str(send.correlation_id)
    return client, broker, connection_of(send.body)


class Ended:
    """The requests that a broker keeps of a connection that ended. ``taken``: the request that the broker is
    handling. ``waiting``: the requests after it."""

    __slots__ = ("taken", "waiting")

    def __init__(self, taken: Envelope, waiting: list[Envelope]) -> None:
        self.taken = taken
        self.waiting = waiting


class BrokerConnections:
    """The connections on which a broker has a request now. ``taken``: dict of connection → the request that
    the broker is handling. ``waiting``: dict of connection → the requests that arrived later. ``ended``:
    connections that have ended while their broker keeps requests of them."""

    __slots__ = ("ended", "taken", "waiting")

    def __init__(self) -> None:
        self.taken: dict[Name, Envelope] = {}
        self.waiting: dict[Name, list[Envelope]] = {}
        self.ended: list[Ended] = []

    def take(self, request: Envelope) -> Envelope | None:
        """Note that a request arrived. Returns the earlier request that it has to wait for; None: the broker
        handles it now."""
        for one in self.ended:
            if one.taken is request:
                return None
            if request in one.waiting:
                return one.taken
        name = request.connection
        before = self.taken.get(name)
        if before is request:
            return None
        if before is not None:
            self.waiting.setdefault(name, []).append(request)
            return before
        self.taken[name] = request
        return None

    def arrived(self, request: Envelope) -> bool:
        """Whether this request is at its broker, which handles it now or later."""
        name = request.connection
        if self.taken.get(name) is request or request in self.waiting.get(name, ()):
            return True
        return self.is_of_ended(request)

    def answered(self, message: Envelope) -> Envelope | None:
        """Note that the broker has finished a request. ``message``: the response, or the request if it has
        none. Returns the next request of the connection, or None."""
        name = message.connection
        taken = self.taken.get(name)
        if taken is None or taken.correlation_id != message.correlation_id:
            return None
        del self.taken[name]
        waiting = self.waiting.get(name)
        if not waiting:
            return None
        following = self.taken[name] = waiting.pop(0)
        if not waiting:
            del self.waiting[name]
        return following

    def of_ended(self, client: str, broker: str, correlation_id: int) -> Ended | None:
        """The ended connection whose broker is handling this request; None: there is none."""
        for one in self.ended:
            taken = one.taken
            if (
                taken.source == client
                and taken.destination == broker
                and taken.correlation_id == correlation_id
            ):
                return one
        return None

    def answered_in_vain(self, one: Ended) -> Envelope | None:
        """Note that the broker has finished a request of an ended connection. Returns the next request that
        it kept, or None."""
        if not one.waiting:
            self.ended.remove(one)
            return None
        one.taken = one.waiting.pop(0)
        return one.taken

    def end(self, name: Name, held: list[Envelope], taken: int = 0) -> list[Envelope]:
        """End a connection. Its broker keeps the request that it is handling, and the first ``taken``
        requests that wait. ``held``: requests that a paused broker has not read. Returns the waiting requests
        that are kept."""
        waits = self.waiting.pop(name, [])
        queue = [*waits, *(request for request in held if request not in waits)]
        kept = queue[:taken]
        current = self.taken.pop(name, None)
        if current is not None:
            self.ended.append(Ended(current, kept))
        elif kept:
            self.ended.append(Ended(kept[0], kept[1:]))
        return kept

    def is_of_ended(self, message: Envelope) -> bool:
        """Whether the broker has kept this request although its connection has ended."""
        return any(one.taken is message or message in one.waiting for one in self.ended)

    def forget(self, broker: str) -> list[Envelope]:
        """Forget the ended connections of a broker that stopped. Returns the requests that it had kept."""
        over = [one for one in self.ended if one.taken.destination == broker]
        self.ended = [one for one in self.ended if one not in over]
        return [request for one in over for request in (one.taken, *one.waiting)]
