"""A request at a broker, as rules look at it; the guards that several requests share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.broker.broker import Broker


class Arrived:
    """A request at a broker: all that a rule may look at. ``source``: who sent it."""

    __slots__ = ("body", "broker", "source")

    def __init__(self, broker: Broker, body: Any, source: str) -> None:
        self.broker = broker
        self.body = body
        self.source = source


def transactional_id_denied(arrived: Arrived) -> bool:
    """No right to write under the request's transactional id (PID-9)."""
    broker = arrived.broker
    name = getattr(arrived.body, "transactional_id", None)
    return name is not None and bool(broker.denied) and broker.is_denied("Write", f"transactional_id:{name}")


def group_read_denied(arrived: Arrived) -> bool:
    return arrived.broker.is_denied("Read", f"group:{arrived.body.group_id}")
