"""The interventions that a learner can make: part of the schema of docs/websocket.md. Each class declares the
fields of one intervention. The engine decides whether an intervention is possible now."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from msgspec import Meta, Struct

Word = Annotated[str, Meta(min_length=1, max_length=200)]
MessageId = Annotated[int, Meta(ge=0, le=2**53)]
BrokerId = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Offset = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Taken = Annotated[int, Meta(ge=0, le=1000)]
Milliseconds = Annotated[int, Meta(ge=0, le=30 * 86_400_000)]
Setting = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | bool | Annotated[str, Meta(max_length=200)]


class Intervention(Struct, tag_field="action", forbid_unknown_fields=True, frozen=True):
    """An intervention of a learner. The engine decides whether it is possible now."""


class ToMessage(Intervention, frozen=True):
    """An intervention on one message in flight."""

    message: MessageId


class ToActor(Intervention, frozen=True):
    """An intervention on a client, a consumer, a broker, a node of the middleware, a service or the database."""

    actor: Word


class ToPartition(Intervention, frozen=True):
    """An intervention on a partition."""

    partition: Word


class ToReplica(ToPartition, frozen=True):
    """An intervention on one replica of a partition. `broker`: the broker of the replica; without it, the
    engine chooses the replica, and `restore_isr` concerns all stopped followers."""

    broker: BrokerId | None = None


class EndsConnection(ToMessage, frozen=True, omit_defaults=True):
    """An intervention that may close the connection of the message. The broker finishes the request that it
    is handling, and also handles the first `taken` requests of those that wait on the connection."""

    taken: Taken = 0


class DropMessage(EndsConnection, tag="drop_message", frozen=True):
    """Drops the message. If a message can be lost only when its connection closes (GEN-11), the connection is
    closed, too."""


class DuplicateMessage(ToMessage, tag="duplicate_message", frozen=True):
    pass


class DelayMessage(ToMessage, tag="delay_message", frozen=True):
    by: Milliseconds


class ReorderMessage(ToMessage, tag="reorder_message", frozen=True):
    pass


class Crash(ToActor, tag="crash", frozen=True):
    pass


class Restart(ToActor, tag="restart", frozen=True):
    pass


class PauseActor(ToActor, tag="pause", frozen=True):
    pass


class ResumeActor(ToActor, tag="resume", frozen=True):
    pass


class ChangeSetting(Intervention, tag="set", frozen=True):
    path: Word
    value: Setting


class DisconnectMessage(EndsConnection, tag="disconnect_message", frozen=True):
    """Closes the connection that carries the message."""


class HoldMessages(ToActor, tag="hold_messages", frozen=True):
    """The messages that are in flight from or to the actor arrive after the virtual time `until` (ms).
    Messages that have already reached their broker and wait there are not held."""

    until: Milliseconds


class ChangeLeader(ToReplica, tag="change_leader", frozen=True):
    pass


class ShrinkIsr(ToReplica, tag="shrink_isr", frozen=True):
    pass


class RestoreIsr(ToReplica, tag="restore_isr", frozen=True):
    pass


class DeleteHead(ToPartition, tag="delete_head", frozen=True):
    """Deletes the records with offsets below `to`. Without `to`, deletes all records below the high
    watermark."""

    to: Offset | None = None


class Compact(ToPartition, tag="compact", frozen=True):
    pass


class ExpireProducers(ToPartition, tag="expire_producers", frozen=True):
    pass


class MakeUnavailable(ToActor, tag="make_unavailable", frozen=True):
    pass


class MakeAvailable(ToActor, tag="make_available", frozen=True):
    pass


class Command(Intervention, frozen=True, omit_defaults=True):
    """A command of `kafka-transactions.sh` (KIP-664). Null in a field means that the option is not given."""


class ListTransactions(Command, tag="list_transactions", frozen=True, omit_defaults=True):
    """`list`. With `duration_ms`, the transactions that began at most that long ago are not listed."""

    duration_ms: Offset | None = None


class DescribeTransaction(Command, tag="describe_transaction", frozen=True):
    transactional_id: Word


class DescribeProducers(Command, tag="describe_producers", frozen=True, omit_defaults=True):
    """`describe-producers`, at the leader of the partition or at `broker`."""

    partition: Word
    broker: BrokerId | None = None


class FindHanging(Command, tag="find_hanging", frozen=True, omit_defaults=True):
    """`find-hanging`, in the replicas of a broker, a topic or a partition."""

    broker: BrokerId | None = None
    topic: Word | None = None
    partition: Word | None = None
    timeout_minutes: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class AbortHanging(Command, tag="abort_hanging", frozen=True, omit_defaults=True):
    """`abort`. The transaction is named by its first offset or by its producer."""

    partition: Word
    start_offset: Offset | None = None
    producer_id: Offset | None = None
    producer_epoch: Annotated[int, Meta(ge=0, le=2**15 - 1)] | None = None
    coordinator_epoch: Annotated[int, Meta(ge=-1, le=2**31 - 1)] | None = None


AnyIntervention = (
    DropMessage
    | DuplicateMessage
    | DelayMessage
    | ReorderMessage
    | Crash
    | Restart
    | PauseActor
    | ResumeActor
    | ChangeSetting
    | DisconnectMessage
    | HoldMessages
    | ChangeLeader
    | ShrinkIsr
    | RestoreIsr
    | DeleteHead
    | Compact
    | ExpireProducers
    | MakeUnavailable
    | MakeAvailable
    | ListTransactions
    | DescribeTransaction
    | DescribeProducers
    | FindHanging
    | AbortHanging
)

InterventionJson = Annotated[dict[str, Any], Meta(title="Intervention")]
"""One intervention as it is stored. The title is the name of its type in the schema (eosviz/contract)."""


class MadeIntervention(TypedDict):
    """An intervention on a branch. `after`: the number of the step after which it was made."""

    after: int
    intervention: InterventionJson
