"""Parts of the view that combine the state of several parts of a producer. A bare run does not call
``view()``."""

from __future__ import annotations

from typing import Any, Protocol

from engine.client.incarnation import Incarnation
from engine.shapes.clients import SettingView, TimerView
from engine.watching import Path


class ShownClient(Protocol):
    """The fields of a producer client that its view reads. A crash replaces ``memory``."""

    name: str
    memory: Incarnation


class FieldPart:
    """One plain field of a client."""

    __slots__ = ("client", "name", "path")

    def __init__(self, client: ShownClient, name: str) -> None:
        self.client = client
        self.name = name
        self.path = ("clients", client.name, name)

    def view(self) -> Any:
        return getattr(self.client, self.name)


class GonePart:
    """Takes the place of a part that a crash removed; its view is None."""

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def view(self) -> None:
        return None


class ConfigurationPart:
    """The effective configuration, with the reason of every value (CFG-6)."""

    __slots__ = ("client", "path")

    def __init__(self, client: ShownClient) -> None:
        self.client = client
        self.path = ("clients", client.name, "configuration")

    def view(self) -> dict[str, SettingView]:
        return self.client.memory.config.explained


class TimersPart:
    """The waits of a producer, each from its beginning to its end, which may have passed:

    - for each queue's head, linger or backoff (unless it is 0 ms), and expiry;
    - for each partition, the expiry of the oldest batch in flight, in versions in which it expires;
    - for each connection, the timeout of the oldest request;
    - for each call that waits for memory, its deadline.
    """

    __slots__ = ("client", "path")

    def __init__(self, client: ShownClient) -> None:
        self.client = client
        self.path = ("clients", client.name, "timers")

    def view(self) -> dict[str, TimerView]:
        timers: dict[str, TimerView] = {}
        memory = self.client.memory
        accumulator = memory.accumulator
        for queue in accumulator.queues.values():
            if not queue.batches:
                continue
            head = queue.batches[0]
            kind = "retry_backoff" if head.attempts else "linger"
            wait = memory.accumulator.backoff_of(head) if head.attempts else memory.config.linger_ms
            if wait:
                _add(timers, kind, head.id, head.last_attempt_at, head.last_attempt_at + wait)
            expires_at = accumulator.expires_at(head, len(queue.batches) == 1)
            _add(timers, "expiry", head.id, head.created_at, expires_at)
        if accumulator.expiry.everywhere:
            for batches in memory.in_flight.by_partition.values():
                for batch in batches[:1]:
                    expires_at = batch.created_at + memory.config.batch_expiry_ms
                    _add(timers, "expiry", batch.id, batch.created_at, expires_at)
        for connection in memory.connections.by_node.values():
            for request in connection.in_flight[:1]:
                _add(
                    timers, "request_timeout", str(request.correlation_id), request.sent_at, request.deadline
                )
        for waiter in accumulator.pool.waiters:
            _add(timers, "max_block", f"serial {waiter.call.args['serial']}", waiter.since, waiter.deadline)
        return timers


def _add(timers: dict[str, TimerView], kind: str, subject: str, since: int, until: int) -> None:
    timers[f"{kind} {subject}"] = {"kind": kind, "subject": subject, "since": since, "until": until}
