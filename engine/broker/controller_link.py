"""A broker's link to the controller, with ZooKeeper or without. It decides how the broker starts and stops,
gets producer ids, and changes the in-sync replicas of the partitions that it leads.

Both classes have the same interface. ``Profile.quorum_controller`` chooses one when the broker is built; no
other part of a broker reads that field.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.broker.allocated_ids import AllocatedIds
from engine.broker.alter_partition import AlterPartitionManager
from engine.broker.cluster_view import ClusterView
from engine.broker.delayed_appends import DelayedAppends
from engine.broker.isr_changes import RepeatedIsrRequests
from engine.broker.lifecycle import Lifecycle
from engine.broker.outgoing import Outgoing
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.replica import Replica
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.errors import EngineError
from engine.messages import (
    AllocateProducerIdsResponse,
    AlterPartitionResponse,
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
    Effects,
    Envelope,
    LeaderAndIsr,
    ZooKeeperReply,
)
from engine.shapes.brokers import BrokerFields
from engine.watching import Part

Answered = Callable[[Envelope, int], Effects]


class ZooKeeperLink:
    """With ZooKeeper: a broker claims a block of producer ids before it serves clients, and stops without a
    request to the controller."""

    __slots__ = ("answers", "isr_changes", "producer_ids")

    follows_log = False
    listens = True
    """Whether clients may connect: as soon as the broker runs."""

    def __init__(
        self,
        setup: Setup,
        cluster: ClusterView,
        replicas: Replicas,
        delayed: DelayedAppends,
        outgoing: Outgoing,
        part: Part,
    ) -> None:
        self.producer_ids = ProducerIdManager(
            setup.broker_id,
            block_size=setup.configuration.producer_id_block_size,
            reply_timeout_ms=setup.configuration.zookeeper_reply_timeout_ms,
            check_version=setup.switches.zookeeper_version_check,
            watch=setup.watch,
            part=part,
        )
        self.isr_changes = RepeatedIsrRequests(setup, outgoing)
        self.answers: dict[type, Answered] = {ZooKeeperReply: self._on_reply}

    def _on_reply(self, envelope: Envelope, now: int) -> Effects:
        reply = envelope.body
        if type(reply) is not ZooKeeperReply:
            raise EngineError(f"{reply!r} is no reply of ZooKeeper")
        return self.producer_ids.on_reply(reply, envelope.correlation_id, now)

    @property
    def registered(self) -> bool:
        return True

    @property
    def started(self) -> bool | None:
        """Whether the newest claim of a block of producer ids succeeded; None before the first claim and
        while a claim is running."""
        return self.producer_ids.claimed

    def be_registered(self, broker_epoch: int) -> None:
        """Does nothing: the engine has no broker epochs with ZooKeeper."""

    def start(self, now: int) -> Effects:
        return self.producer_ids.claim(now)

    def start_before_the_run(self, now: int) -> Effects:
        return self.start(now)

    def wake(self, now: int) -> Effects:
        return []

    @property
    def may_ask_to_stop(self) -> bool:
        return False

    def ask_to_stop(self, now: int) -> Effects:
        return []

    def next_timer(self) -> int | None:
        again = self.isr_changes.deadline
        claim = self.producer_ids.deadline
        return claim if again is None or (claim is not None and claim < again) else again

    def on_timer(self, now: int) -> Effects:
        return self.producer_ids.on_timer(now) + self.isr_changes.on_timer(now)

    def crash(self, now: int) -> None:
        self.producer_ids.crash()
        self.isr_changes.crash()

    def knows(self, replica: Replica, word: LeaderAndIsr) -> bool:
        """Whether ``replica`` has applied this decision already: never, because a leader learns of its own
        changes only by announcements."""
        return False

    def after_leadership(self, replica: Replica, now: int) -> Effects:
        self.isr_changes.settled(replica)
        return []

    def show(self, fields: BrokerFields) -> BrokerFields:
        return fields


class QuorumLink:
    """Without ZooKeeper: a broker registers and serves clients once it is unfenced; before it stops, it asks
    the controller."""

    __slots__ = ("answers", "cluster", "isr_changes", "lifecycle", "producer_ids")

    follows_log = True

    def __init__(
        self,
        setup: Setup,
        cluster: ClusterView,
        replicas: Replicas,
        delayed: DelayedAppends,
        outgoing: Outgoing,
        part: Part,
    ) -> None:
        self.cluster = cluster
        self.lifecycle = Lifecycle(setup, cluster, outgoing)
        self.producer_ids = AllocatedIds(setup, self.lifecycle, outgoing, part)
        self.isr_changes = AlterPartitionManager(setup, replicas, delayed, self.lifecycle, outgoing)
        self.answers: dict[type, Answered] = {
            BrokerRegistrationResponse: self.lifecycle.on_registration,
            BrokerHeartbeatResponse: self.lifecycle.on_heartbeat,
            AllocateProducerIdsResponse: self.producer_ids.on_answer,
            AlterPartitionResponse: self.isr_changes.on_answer,
        }

    @property
    def listens(self) -> bool:
        """Whether clients can connect: a broker opens its port to them when it is unfenced."""
        return self.lifecycle.serves

    @property
    def registered(self) -> bool:
        """Whether the broker has a broker epoch."""
        return self.lifecycle.broker_epoch is not None

    @property
    def started(self) -> bool | None:
        return self.lifecycle.serves or None

    def be_registered(self, broker_epoch: int) -> None:
        self.lifecycle.be_registered(broker_epoch)

    def start(self, now: int) -> Effects:
        return [] if self.lifecycle.serves else self.lifecycle.start(now)

    def start_before_the_run(self, now: int) -> Effects:
        """Request a block of producer ids, as if a client had requested an id before the run. The broker is
        registered already."""
        return self.producer_ids.claim(now)

    def wake(self, now: int) -> Effects:
        return self.lifecycle.wake(now)

    @property
    def may_ask_to_stop(self) -> bool:
        return self.lifecycle.may_ask_to_stop

    def ask_to_stop(self, now: int) -> Effects:
        return self.lifecycle.ask_to_stop(now)

    def next_timer(self) -> int | None:
        times = (self.lifecycle.deadline, self.producer_ids.deadline, self.isr_changes.deadline)
        return min((at for at in times if at is not None), default=None)

    def on_timer(self, now: int) -> Effects:
        effects = self.lifecycle.on_timer(now)
        return effects + self.producer_ids.on_timer(now) + self.isr_changes.on_timer(now)

    def crash(self, now: int) -> None:
        self.lifecycle.crash(now)
        self.producer_ids.crash(now)
        self.isr_changes.crash()

    def knows(self, replica: Replica, word: LeaderAndIsr) -> bool:
        """Whether ``replica`` has applied this decision already."""
        return word.leader_epoch == replica.leader_epoch and word.version <= replica.version

    def after_leadership(self, replica: Replica, now: int) -> Effects:
        """If this broker leads the partition, request the removal of the followers in the ISR that do not
        fetch."""
        return self.isr_changes.leave_out(replica, now)

    def show(self, fields: BrokerFields) -> BrokerFields:
        return {
            **fields,
            "lifecycle": self.lifecycle.state,
            "broker_epoch": self.lifecycle.broker_epoch,
            "metadata_offset": self.cluster.metadata_offset,
            "next_block": self.producer_ids.view_next(),
        }


ControllerLink = ZooKeeperLink | QuorumLink
