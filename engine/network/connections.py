"""A broker's side of its connections: one request at a time is taken, the others wait in order (GEN-11).

Kafka's ``SocketServer`` mutes a channel while a request of it is handled, and takes the next one after it has handed
the response back. A connection is named by who opened it, the broker, and what it is for: a consumer has one of its own
to its group coordinator, a broker one for markers and one for verification.

A connection that ends may leave requests at its broker: the one that is taken, and a prefix of those that wait. The
broker goes through them in order; their answers go nowhere.
"""

from __future__ import annotations

from engine.apis import connection_of
from engine.crafter import Crafter
from engine.messages import Envelope

Name = tuple[str, str, str]
"""Who opened the connection, the broker, and what the connection is for (``Api.connection``)."""


def _name(client: str, broker: str, body: object, correlation_id: int) -> Name:
    """The connection of a request or its response. A request made by hand has one of its own."""
    return client, broker, str(correlation_id) if client == Crafter.name else connection_of(body)


def name_of(message: Envelope) -> Name:
    """The connection on which a message goes, named by the side that sends requests. Two nodes of the middleware both
    send them, over one connection."""
    client, broker = message.source, message.destination
    if message.is_response:
        client, broker = broker, client
    if not broker.startswith("broker-") and client > broker:
        client, broker = broker, client
    return _name(client, broker, message.body, message.correlation_id)


class Ended:
    """What a broker still has of a connection that ended."""

    __slots__ = ("taken", "waiting")

    def __init__(self, taken: Envelope, waiting: list[Envelope]) -> None:
        self.taken = taken
        self.waiting = waiting


class BrokerConnections:
    """Every connection to a broker that holds a request now.

    ``taken``: the request that its broker has taken and not answered yet; ``waiting``: those that arrived behind it.
    """

    __slots__ = ("ended", "taken", "waiting")

    def __init__(self) -> None:
        self.taken: dict[Name, Envelope] = {}
        self.waiting: dict[Name, list[Envelope]] = {}
        self.ended: list[Ended] = []

    def take(self, request: Envelope) -> Envelope | None:
        """Take a request that arrived; the unanswered request that it has to wait for, when there is one."""
        for one in self.ended:
            if one.taken is request:
                return None
            if request in one.waiting:
                return one.taken
        name = name_of(request)
        before = self.taken.get(name)
        if before is request:
            return None
        if before is not None:
            self.waiting.setdefault(name, []).append(request)
            return before
        self.taken[name] = request
        return None

    def arrived(self, request: Envelope) -> bool:
        """Whether this request has arrived at its broker: it waits behind another, or is the next to be handled."""
        name = name_of(request)
        if self.taken.get(name) is request or request in self.waiting.get(name, ()):
            return True
        return self.is_of_ended(request)

    def answered(self, client: str, broker: str, body: object, correlation_id: int) -> Envelope | None:
        """The broker has done with a request of an open connection: the next one, which it takes now, when one
        waits."""
        name = _name(client, broker, body, correlation_id)
        taken = self.taken.get(name)
        if taken is None or taken.correlation_id != correlation_id:
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
        """The connection that has ended since it brought this request; None when it is open."""
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
        """The broker has done with a request of a connection that ended: the next one, when one is left."""
        if not one.waiting:
            self.ended.remove(one)
            return None
        one.taken = one.waiting.pop(0)
        return one.taken

    def end(self, name: Name, held: list[Envelope], taken: int = 0) -> list[Envelope]:
        """A connection ends. Behind what waits in it come the requests that a paused broker has not read yet
        (``held``); returns those of both that the broker keeps: as many of the first as ``taken`` says."""
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
        """Whether this is a request that a broker keeps although its connection has ended."""
        return any(one.taken is message or message in one.waiting for one in self.ended)

    def forget(self, broker: str) -> list[Envelope]:
        """A broker stopped: none of its requests is answered. Returns the requests of ended connections that it had
        kept."""
        over = [one for one in self.ended if one.taken.destination == broker]
        self.ended = [one for one in self.ended if one not in over]
        return [request for one in over for request in (one.taken, *one.waiting)]
