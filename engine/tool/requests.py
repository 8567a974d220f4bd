"""The connections of ``kafka-transactions.sh``, and its requests on them."""

from __future__ import annotations

from engine.messages import Connect, Disconnect, Effects, Send
from engine.tool.admin_call import REQUEST_TIMEOUT_MS
from engine.value import value


@value
class Asked:
    """One request that has no response yet. ``keys``: the call's keys that it is about. ``is_lookup``: the request
    asks which brokers have these keys."""

    broker: int
    body: object
    keys: tuple[str, ...]
    is_lookup: bool
    deadline: int

    @property
    def api(self) -> str:
        name: str = self.body.api  # type: ignore[attr-defined]
        return name


class Requests:
    """The tool's connections, one to each broker, and its requests. A request waits until its connection is open."""

    __slots__ = ("_newest", "asked", "is_open")

    def __init__(self) -> None:
        self.is_open: dict[int, bool] = {}
        """Dict of broker → whether its connection is open; False while it is being made."""
        self.asked: dict[int, Asked] = {}
        """Dict of correlation id → the request."""
        self._newest = 0

    def ask(self, asked: Asked) -> Effects:
        """Send a request. If its connection is not open, the request waits; the connection is opened unless it is
        being made already."""
        self._newest += 1
        self.asked[self._newest] = asked
        peer = f"broker-{asked.broker}"
        if self.is_open.get(asked.broker):
            return [Send(peer, asked.body, self._newest)]
        if asked.broker in self.is_open:
            return []
        self.is_open[asked.broker] = False
        return [Connect(peer)]

    def opened(self, broker: int) -> Effects:
        """Send the requests that waited for this connection, because it is open."""
        if self.is_open.get(broker) is not False:
            return []
        self.is_open[broker] = True
        return [
            Send(f"broker-{broker}", asked.body, number)
            for number, asked in self.asked.items()
            if asked.broker == broker
        ]

    def ended(self, broker: int) -> list[Asked]:
        """Forget a connection that ended or could not be made. Returns the requests that were on it."""
        self.is_open.pop(broker, None)
        lost = [number for number, asked in self.asked.items() if asked.broker == broker]
        return [self.asked.pop(number) for number in lost]

    def overdue(self, now: int) -> list[Asked]:
        """For each broker with overdue requests, the first one. A request is overdue if it has no response at its
        deadline."""
        found: dict[int, Asked] = {}
        for asked in self.asked.values():
            if asked.deadline <= now:
                found.setdefault(asked.broker, asked)
        return list(found.values())

    def next_deadline(self) -> int | None:
        return min((asked.deadline for asked in self.asked.values()), default=None)

    def close(self) -> Effects:
        """Close every connection, because the command has ended."""
        peers = [f"broker-{broker}" for broker in self.is_open]
        self.is_open.clear()
        self.asked.clear()
        return [Disconnect(peer) for peer in peers]


def deadline_of(now: int) -> int:
    """The virtual ms at which a request that is sent now becomes overdue."""
    return now + REQUEST_TIMEOUT_MS
