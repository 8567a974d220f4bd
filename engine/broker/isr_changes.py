"""How a leader changes the in-sync replicas.

It writes to ZooKeeper itself, or sends a request to a controller that writes to ZooKeeper, or sends
AlterPartition, whose response has a result for each change (``alter_partition``). In the first two cases the
leader then waits until the partition's new state is announced. It sends its request again until that happens:
otherwise a lost request would keep a replica out for ever.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from engine.broker.configuration import BrokerConfiguration
from engine.broker.outgoing import Outgoing
from engine.broker.replica import Replica
from engine.broker.setup import Setup
from engine.happenings.logs import IsrAskedBack, IsrChangeAskedAgain, IsrWriteSent, IsrWriteSentAgain
from engine.messages import AlterIsr, Effects, IsrWrite, Send


class IsrChanges(Protocol):
    """The leader's side: how it requests a change of the in-sync replicas."""

    def take_back(self, replica: Replica, follower: int, now: int) -> Effects:
        """``follower`` has caught up: request its return to the ISR."""
        ...


class IsrWishes(ABC):
    """With ZooKeeper: the announcement of the new state is the answer."""

    __slots__ = ("_waiting", "outgoing", "setup")

    def __init__(self, setup: Setup, outgoing: Outgoing) -> None:
        self.setup = setup
        self.outgoing = outgoing
        self._waiting: dict[str, tuple[Replica, int]] = {}
        """Partition to its replica and the time at which its request is sent again."""

    def take_back(self, replica: Replica, follower: int, now: int) -> Effects:
        replica.isr_asked = follower
        self._emit_asked(replica, follower)
        return [self._ask(replica, follower, now)]

    def settled(self, replica: Replica) -> None:
        """The partition's new state was announced: the request has ended."""
        self._waiting.pop(replica.partition, None)

    def next_timer(self) -> int | None:
        if not self._waiting:
            return None
        return min(at for _, at in self._waiting.values())

    def on_timer(self, now: int) -> Effects:
        due = [replica for replica, at in self._waiting.values() if at <= now]
        if not due:
            return []
        self._emit_again(tuple(replica.partition for replica in due))
        return [
            self._ask(replica, replica.isr_asked, now) for replica in due if replica.isr_asked is not None
        ]

    def crash(self) -> None:
        self._waiting.clear()

    def _ask(self, replica: Replica, follower: int, now: int) -> Send:
        self._waiting[replica.partition] = (replica, now + self._reply_timeout_ms(self.setup.configuration))
        return self._request(replica, follower)

    @abstractmethod
    def _reply_timeout_ms(self, configuration: BrokerConfiguration) -> int:
        """After this long without an announcement the connection is closed, and the request is sent again."""

    @abstractmethod
    def _request(self, replica: Replica, follower: int) -> Send: ...

    @abstractmethod
    def _emit_asked(self, replica: Replica, follower: int) -> None: ...

    @abstractmethod
    def _emit_again(self, partitions: tuple[str, ...]) -> None: ...


class IsrRequests(IsrWishes):
    """The controller is asked (``DefaultAlterIsrManager``, KIP-497): ``BrokerToControllerChannelManager`` puts a
    request without an answer back in front of its queue, without limit."""

    __slots__ = ()

    def _reply_timeout_ms(self, configuration: BrokerConfiguration) -> int:
        return configuration.controller_reply_timeout_ms

    def _request(self, replica: Replica, follower: int) -> Send:
        return self.outgoing.to_controller(
            AlterIsr(partition=replica.partition, replica=follower, version=replica.version)
        )

    def _emit_asked(self, replica: Replica, follower: int) -> None:
        high_watermark = replica.log.high_watermark
        self.setup.watch.emit(
            IsrAskedBack, self.setup.name, replica.partition, f"broker-{follower}", high_watermark
        )

    def _emit_again(self, partitions: tuple[str, ...]) -> None:
        self.setup.watch.emit(IsrChangeAskedAgain, self.setup.name, partitions)


class IsrWrites(IsrWishes):
    """The leader writes to ZooKeeper, if the partition's node is as it knows it (``ReplicationUtils``);
    ``KafkaZkClient.retryRequestsUntilConnected`` repeats what went with a lost connection."""

    __slots__ = ()

    def _reply_timeout_ms(self, configuration: BrokerConfiguration) -> int:
        return configuration.zookeeper_reply_timeout_ms

    def _request(self, replica: Replica, follower: int) -> Send:
        return self.outgoing.to_zookeeper(
            IsrWrite(partition=replica.partition, replica=follower, version=replica.version)
        )

    def _emit_asked(self, replica: Replica, follower: int) -> None:
        high_watermark = replica.log.high_watermark
        self.setup.watch.emit(
            IsrWriteSent, self.setup.name, replica.partition, f"broker-{follower}", high_watermark
        )

    def _emit_again(self, partitions: tuple[str, ...]) -> None:
        self.setup.watch.emit(IsrWriteSentAgain, self.setup.name, partitions)
