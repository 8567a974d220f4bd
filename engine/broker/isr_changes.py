"""How a leader changes the in-sync replicas.

There are three ways: the leader writes to ZooKeeper itself, or sends a request to a controller that writes to
ZooKeeper, or sends AlterPartition, whose response has a result for each change (``alter_partition``). In the
first two ways the leader repeats its request until the partition's new state is announced: otherwise a lost
request would keep a replica out of the ISR for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple, Protocol

from engine.broker.configuration import BrokerConfiguration
from engine.broker.outgoing import Outgoing
from engine.broker.replica import Replica
from engine.broker.setup import Setup
from engine.happenings.logs import IsrAskedBack, IsrChangeAskedAgain, IsrWriteSent, IsrWriteSentAgain
from engine.messages import AlterIsr, Effects, IsrWrite, ReturnToIsr, Send
from engine.watching import Kind


class IsrChanges(Protocol):
    """How a leader requests a change of the in-sync replicas."""

    def take_back(self, replica: Replica, follower: int, now: int) -> Effects:
        """``follower`` has caught up: request its return to the ISR."""
        ...


class Recipient(NamedTuple):
    """Where a leader sends its requests, and the events that it emits when it sends them."""

    message: type[ReturnToIsr]
    send: Callable[[Outgoing, object], Send]
    reply_timeout_ms: Callable[[BrokerConfiguration], int]
    """How long in ms the leader waits for the announcement before it sends the request again."""
    sent: Kind[[str, str, str, int]]
    sent_again: Kind[[str, tuple[str, ...]]]


CONTROLLER = Recipient(
    AlterIsr,
    Outgoing.to_controller,
    attrgetter("controller_reply_timeout_ms"),
    IsrAskedBack,
    IsrChangeAskedAgain,
)
"""The recipient if a leader sends its requests to the controller (``DefaultAlterIsrManager``, KIP-497).
``BrokerToControllerChannelManager`` puts a request without a response back at the front of its queue, without
limit."""
ZOOKEEPER = Recipient(
    IsrWrite,
    Outgoing.to_zookeeper,
    attrgetter("zookeeper_reply_timeout_ms"),
    IsrWriteSent,
    IsrWriteSentAgain,
)
"""The recipient if a leader writes to ZooKeeper itself (``ReplicationUtils``).
``KafkaZkClient.retryRequestsUntilConnected`` repeats a write whose connection was lost."""


class RepeatedIsrRequests:
    """How a leader changes the ISR in a cluster with ZooKeeper, whether it sends its requests to the
    controller or to ZooKeeper: it repeats a request until the partition's new state is announced."""

    __slots__ = ("_recipient", "_waiting", "deadline", "outgoing", "setup")

    def __init__(self, setup: Setup, outgoing: Outgoing) -> None:
        self.setup = setup
        self.outgoing = outgoing
        self._recipient = CONTROLLER if setup.profile.asks_controller_for_isr else ZOOKEEPER
        self._waiting: dict[str, tuple[Replica, int]] = {}
        """Dict of partition → (its replica, time in ms at which the leader repeats the request)."""
        self.deadline: int | None = None
        """The earliest time in ``_waiting`` (virtual ms); None: no request waits."""

    def take_back(self, replica: Replica, follower: int, now: int) -> Effects:
        replica.isr_asked = follower
        high_watermark = replica.log.high_watermark
        self.setup.watch.emit(
            self._recipient.sent, self.setup.name, replica.partition, f"broker-{follower}", high_watermark
        )
        return [self._request(replica, follower, now)]

    def settled(self, replica: Replica) -> None:
        """Stop repeating the request for a partition whose new state was announced."""
        if self._waiting.pop(replica.partition, None) is not None:
            self._set_deadline()

    def on_timer(self, now: int) -> Effects:
        due = [replica for replica, at in self._waiting.values() if at <= now]
        if not due:
            return []
        partitions = tuple(replica.partition for replica in due)
        self.setup.watch.emit(self._recipient.sent_again, self.setup.name, partitions)
        return [
            self._request(replica, replica.isr_asked, now) for replica in due if replica.isr_asked is not None
        ]

    def crash(self) -> None:
        self._waiting.clear()
        self.deadline = None

    def _set_deadline(self) -> None:
        self.deadline = min((at for _, at in self._waiting.values()), default=None)

    def _request(self, replica: Replica, follower: int, now: int) -> Send:
        recipient = self._recipient
        self._waiting[replica.partition] = (
            replica,
            now + recipient.reply_timeout_ms(self.setup.configuration),
        )
        self._set_deadline()
        message = recipient.message(partition=replica.partition, replica=follower, version=replica.version)
        return recipient.send(self.outgoing, message)
