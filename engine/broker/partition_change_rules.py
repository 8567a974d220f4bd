"""The rules by which the active controller refuses a leader's change of the in-sync replicas (KIP-497,
KIP-841, KIP-903).

The order is that of Kafka's ``ReplicationControlManager.validateAlterPartitionData``. A refused leader knows
only an old state of its partition, and waits until it has read the new state in the metadata log. The
exception is INELIGIBLE_REPLICA: the leader's state is current, so the leader drops the change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.broker.leadership import PartitionState
from engine.errors import Error
from engine.happenings.codes import Compared, Next, Reason
from engine.messages import WantedIsr
from engine.rules import Rule


class Altering(NamedTuple):
    """The values that the guards compare. ``state``: the partition at the controller; None: it is unknown.
    ``eligible``: dict of broker id → broker epoch, for the brokers that may be in sync."""

    state: PartitionState | None
    wanted: WantedIsr
    eligible: Mapping[int, int]


def stale_broker_epoch(current: int, said: int) -> bool:
    """Whether a request with the broker epoch ``said`` comes from an earlier start of the broker."""
    return said != current


def _unknown(altering: Altering) -> bool:
    return altering.state is None or altering.state.deleted


def _older_leader(altering: Altering) -> bool:
    state = altering.state
    return state is not None and altering.wanted.leader_epoch < state.leader_epoch


def _older_partition(altering: Altering) -> bool:
    state = altering.state
    return state is not None and altering.wanted.partition_epoch < state.version


def _ineligible(altering: Altering) -> bool:
    wanted, eligible = altering.wanted, altering.eligible
    return any(
        eligible.get(replica) != epoch
        for replica, epoch in zip(wanted.isr, wanted.broker_epochs, strict=True)
    )


_SAYS = ("broker", "partition", "isr")
ALTER_RULES: tuple[Rule[Altering], ...] = (
    Rule(
        when=_unknown,
        answer=Error.UNKNOWN_TOPIC_ID,
        spec="LOG-7",
        why=Reason.PARTITION_GONE,
        then=Next.LEADER_READS_ON,
        says=_SAYS,
        compares=((Compared.PARTITION, "partition"),),
    ),
    Rule(
        when=_older_leader,
        answer=Error.FENCED_LEADER_EPOCH,
        spec="LOG-10",
        why=Reason.LEADER_EPOCH_OLD,
        then=Next.LEADER_READS_ON,
        says=(*_SAYS, "leader_epoch", "current_leader_epoch"),
        compares=(
            (Compared.LEADER_EPOCH, "leader_epoch"),
            (Compared.CURRENT_LEADER_EPOCH, "current_leader_epoch"),
        ),
    ),
    Rule(
        when=_older_partition,
        answer=Error.INVALID_UPDATE_VERSION,
        spec="LOG-7",
        why=Reason.PARTITION_EPOCH_OLD,
        then=Next.LEADER_READS_ON,
        says=(*_SAYS, "partition_epoch", "current_partition_epoch"),
        compares=(
            (Compared.PARTITION_EPOCH, "partition_epoch"),
            (Compared.CURRENT_PARTITION_EPOCH, "current_partition_epoch"),
        ),
    ),
    Rule(
        when=_ineligible,
        answer=Error.INELIGIBLE_REPLICA,
        spec="LOG-7",
        why=Reason.REPLICA_INELIGIBLE,
        then=Next.LEADER_TAKES_BACK,
        says=(*_SAYS, "eligible"),
        compares=((Compared.IN_SYNC_WANTED, "isr"), (Compared.ELIGIBLE, "eligible")),
    ),
)
