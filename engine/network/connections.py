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
    """The connection on which a request or its response goes. A request made by hand has one of its own."""
    return client, broker, str(correlation_id) if client == Crafter.name else connection_of(body)


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
        name = _name(request.source, request.destination, request.body, request.correlation_id)
        before = self.taken.get(name)
        if before is request or (self.ended and any(one.taken is request for one in self.ended)):
            return None
        if before is not None:
            self.waiting.setdefault(name, []).append(request)
            return before
        self.taken[name] = request
        return None

    def arrived(self, request: Envelope) -> bool:
        """Whether this request has arrived at its broker: it waits behind another, or is the next to be handled."""
        name = _name(request.source, request.destination, request.body, request.correlation_id)
        if self.taken.get(name) is request or request in self.waiting.get(name, ()):
            return True
        return any(one.taken is request or request in one.waiting for one in self.ended)

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

    def end(self, one: str, other: str, taken: int = 0) -> list[Envelope]:
        """The connections between these two end; returns the waiting requests that the broker keeps: as many of the
        first as ``taken`` says, in each connection."""
        kept: list[Envelope] = []
        for name in [name for name in self.taken if name[:2] in ((one, other), (other, one))]:
            waiting = self.waiting.pop(name, [])[:taken]
            self.ended.append(Ended(self.taken.pop(name), waiting))
            kept += waiting
        return kept

    def forget(self, broker: str) -> None:
        """A broker stopped: nothing that it had taken is answered."""
        self.ended = [one for one in self.ended if one.taken.destination != broker]
