"""Starts brokers before a run begins. The brokers claim blocks of producer ids by the usual messages, but no
time passes and no step is made."""

from __future__ import annotations

from collections.abc import Iterable

from engine.broker.broker import Broker
from engine.broker.controller import Controller
from engine.errors import EngineError
from engine.messages import Effects, Envelope, Send


def start_quietly(controller: Controller, brokers: Iterable[Broker], now: int = 0) -> None:
    """Start the brokers, lowest id first. Each claims its block before the next one starts (PID-6)."""
    for broker in sorted(brokers, key=_broker_id):
        exchange(controller, broker, broker.start_before_the_run(now), now)


def exchange(controller: Controller, broker: Broker, effects: Effects, now: int) -> Effects:
    """Carry messages between one broker and the controller (or ZooKeeper) until neither sends a further one.
    Returns the broker's messages to other destinations."""
    elsewhere: Effects = []
    queue = list(effects)
    while queue:
        send = queue.pop(0)
        if not isinstance(send, Send):
            raise EngineError(f"{broker.name}: {send!r} before the run began")
        envelope = Envelope(
            0, broker.name, send.destination, send.body, send.correlation_id, send.is_response, now, now
        )
        if send.destination in ("controller", "zookeeper"):
            queue.extend(controller.handle(envelope, now))
        elif send.destination == broker.name:
            envelope.source = "controller"
            queue.extend(broker.handle(envelope, now))
        else:
            elsewhere.append(send)
    return elsewhere


def _broker_id(broker: Broker) -> int:
    return broker.broker_id
