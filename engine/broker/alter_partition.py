"""A leader's changes of its in-sync replicas by AlterPartition (KIP-497; Kafka's ``AlterPartitionManager``
and ``Partition``).

At most one request is in flight. It carries all changes that wait, one for each partition. While a change is
pending, the leader computes the high watermark with the larger of the old and the new ISR (*maximal ISR*):
the controller may have added a replica already, and may not have removed one yet. The pending change ends
with the response, or with the state that the leader reads from the metadata log.
"""

from __future__ import annotations

from engine.broker.delayed_appends import DelayedAppends
from engine.broker.lifecycle import Lifecycle
from engine.broker.outgoing import Outgoing
from engine.broker.replica import Replica
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.errors import NO_ERROR, EngineError, Error
from engine.happenings.brokers import LateControllerAnswer
from engine.happenings.logs import (
    HighWatermarkFollowsIsr,
    IsrAskedBack,
    IsrChangeAnswered,
    IsrChangeAskedAgain,
    IsrShrinkAsked,
)
from engine.messages import (
    AlteredPartition,
    AlterPartitionRequest,
    AlterPartitionResponse,
    Effects,
    Envelope,
    WantedIsr,
)

RETRY_MS = 50
"""Pause in ms after an error of the whole request (``AlterPartitionManager``)."""


class PendingIsr:
    """A change that a leader requests. ``joins``: the broker id of the replica that the change adds; None: the
    change removes replicas."""

    __slots__ = ("joins", "replica", "wanted")

    def __init__(self, replica: Replica, wanted: WantedIsr, joins: int | None) -> None:
        self.replica = replica
        self.wanted = wanted
        self.joins = joins


class AlterPartitionManager:
    """All pending changes of one broker. ``deadline``: the time in ms at which ``on_timer`` sends a request again;
    None: no request is due."""

    __slots__ = (
        "_correlation",
        "_in_flight",
        "deadline",
        "delayed",
        "lifecycle",
        "outgoing",
        "replicas",
        "setup",
        "unsent",
    )

    def __init__(
        self,
        setup: Setup,
        replicas: Replicas,
        delayed: DelayedAppends,
        lifecycle: Lifecycle,
        outgoing: Outgoing,
    ) -> None:
        self.setup = setup
        self.replicas = replicas
        self.delayed = delayed
        self.lifecycle = lifecycle
        self.outgoing = outgoing
        self.unsent: dict[str, PendingIsr] = {}
        """Dict of partition → its change, until the controller has answered that change."""
        self._in_flight: dict[str, PendingIsr] = {}
        self._correlation = 0
        self.deadline: int | None = None

    def take_back(self, replica: Replica, follower: int, now: int) -> Effects:
        """Request the return of ``follower`` (a broker id), which has caught up, to the ISR. From now on the
        high watermark also waits for this follower (*maximal ISR*)."""
        if replica.partition in self.unsent:
            return []
        replica.isr_asked = follower
        self.setup.watch.emit(
            IsrAskedBack,
            self.setup.name,
            replica.partition,
            f"broker-{follower}",
            replica.log.high_watermark,
        )
        members = {*replica.isr, follower}
        isr = tuple(one for one in replica.replicas if one in members)
        return self._submit(replica, isr, follower, now)

    def leave_out(self, replica: Replica, now: int) -> Effects:
        """Request the removal of the followers in the ISR that a fault keeps from fetching, if this broker
        leads and no change is pending. They count as in sync until the controller answers."""
        gone = [one for one in replica.isr if one in replica.stopped and one != replica.broker_id]
        if (
            not gone
            or not replica.is_leader
            or replica.isr_change is not None
            or replica.partition in self.unsent
        ):
            return []
        names = tuple(f"broker-{one}" for one in gone)
        self.setup.watch.emit(IsrShrinkAsked, self.setup.name, replica.partition, names)
        isr = tuple(one for one in replica.isr if one not in gone)
        return self._submit(replica, isr, None, now)

    def _submit(self, replica: Replica, isr: tuple[int, ...], joins: int | None, now: int) -> Effects:
        wanted = WantedIsr(
            leader_epoch=replica.leader_epoch,
            partition_epoch=replica.version,
            isr=isr,
            broker_epochs=tuple(replica.broker_epoch_of(one) for one in isr),
        )
        pending = PendingIsr(replica, wanted, joins)
        replica.isr_change = pending
        self.unsent[replica.partition] = pending
        return self._propagate(now)

    def _propagate(self, now: int) -> Effects:
        if not self.unsent or self._in_flight or self.lifecycle.broker_epoch is None:
            return []
        return self._send(dict(self.unsent), now)

    def _send(self, changes: dict[str, PendingIsr], now: int) -> Effects:
        self._in_flight = changes
        request = AlterPartitionRequest(
            broker=self.setup.broker_id,
            broker_epoch=self.lifecycle.epoch,
            changes={name: pending.wanted for name, pending in changes.items()},
        )
        send = self.outgoing.to_controller(request)
        self._correlation = send.correlation_id
        self.deadline = now + self.setup.configuration.controller_reply_timeout_ms
        return [send]

    def on_timer(self, now: int) -> Effects:
        """If no response came, send the changes in flight again. If the pause after an error is over, send all
        changes that wait."""
        if self.deadline is None or now < self.deadline:
            return []
        self.deadline = None
        changes, self._in_flight = self._in_flight or dict(self.unsent), {}
        if not changes:
            return []
        self.setup.watch.emit(IsrChangeAskedAgain, self.setup.name, tuple(changes))
        return self._send(changes, now)

    def on_answer(self, envelope: Envelope, now: int) -> Effects:
        answer = envelope.body
        if type(answer) is not AlterPartitionResponse:
            raise EngineError(f"{self.setup.name}: {answer!r} answers no AlterPartition")
        if envelope.correlation_id != self._correlation or not self._in_flight:
            name = self.setup.name
            self.setup.watch.emit(LateControllerAnswer, name, answer.api, envelope.correlation_id)
            return []
        self.deadline = None
        if answer.error is not NO_ERROR:
            self._in_flight = {}
            self.deadline = now + RETRY_MS
            return []
        effects: Effects = []
        for name, pending in self._in_flight.items():
            del self.unsent[name]
            effects += self._settle(name, pending, answer.partitions[name], now)
        # ``_in_flight`` is cleared only now, so that a change that follows from one result waits until all
        # results are applied.
        self._in_flight = {}
        return effects + self._propagate(now)

    def _settle(self, name: str, pending: PendingIsr, answer: AlteredPartition, now: int) -> Effects:
        """Apply one partition's result (``Partition.handleAlterPartitionUpdate``, ``handleAlterPartitionError``)."""
        replica = pending.replica
        waits = replica.isr_change is pending
        done = (
            waits
            and answer.error is NO_ERROR
            and answer.leader_epoch == replica.leader_epoch
            and answer.partition_epoch >= replica.version
        )
        self.setup.watch.emit(
            IsrChangeAnswered, self.setup.name, name, answer.error, answer.isr, answer.partition_epoch, waits
        )
        if not waits:
            return self._next_change(replica, now)
        if answer.error is Error.INELIGIBLE_REPLICA or done:
            replica.isr_change = None
            replica.isr_asked = None
        if not done:
            return self.leave_out(replica, now)
        replica.isr = answer.isr
        replica.version = answer.partition_epoch
        self.replicas.changed_partitions.add(name)
        if replica.advance_high_watermark():
            self.setup.watch.emit(
                HighWatermarkFollowsIsr, self.setup.name, name, replica.log.high_watermark, len(replica.isr)
            )
        return self.delayed.complete(replica, now) + self._next_change(replica, now)

    def _next_change(self, replica: Replica, now: int) -> Effects:
        """Request the next change of the partition's ISR, if one is due. Kafka checks a follower at each of
        its fetches; here a follower without new records does not fetch, so it is checked now."""
        effects = self.leave_out(replica, now)
        if effects or not replica.is_leader or replica.partition in self.unsent:
            return effects
        back = next(
            (one for one in replica.replicas if one not in replica.stopped and replica.wants_back(one)), None
        )
        return [] if back is None else self.take_back(replica, back, now)

    def crash(self) -> None:
        self.unsent.clear()
        self._in_flight = {}
        self.deadline = None
