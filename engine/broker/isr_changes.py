"""How a leader asks for other in-sync replicas: by a wish that the controller may ignore, as with ZooKeeper, or by
AlterPartition, which is answered (KIP-497)."""

from __future__ import annotations

from typing import Protocol

from engine.broker.outgoing import Outgoing
from engine.broker.replica import Replica
from engine.broker.setup import Setup
from engine.happenings.logs import IsrAskedBack
from engine.messages import AlterIsr, Effects


class IsrChanges(Protocol):
    """The leader's side."""

    def take_back(self, replica: Replica, follower: int, now: int) -> Effects:
        """``follower`` has caught up: ask for it to be in sync again."""
        ...


class IsrWishes:
    """With ZooKeeper behind the controller: the announcement of the new state is the answer."""

    __slots__ = ("outgoing", "setup")

    def __init__(self, setup: Setup, outgoing: Outgoing) -> None:
        self.setup = setup
        self.outgoing = outgoing

    def take_back(self, replica: Replica, follower: int, now: int) -> Effects:
        replica.isr_asked = follower
        self.setup.watch.emit(
            IsrAskedBack,
            self.setup.name,
            replica.partition,
            f"broker-{follower}",
            replica.log.high_watermark,
        )
        word = AlterIsr(partition=replica.partition, replica=follower, version=replica.version)
        return [self.outgoing.to_controller(word)]
