"""What a learner does to the running world, one shape each: part of the schema of docs/websocket.md.

Reading is strict, as everywhere in `messages.py`. Whether something can be done now is the engine's to say.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Word = Annotated[str, Meta(min_length=1, max_length=200)]
MessageId = Annotated[int, Meta(ge=0, le=2**53)]
BrokerId = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Offset = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Milliseconds = Annotated[int, Meta(ge=0, le=30 * 86_400_000)]
Setting = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | bool | Annotated[str, Meta(max_length=200)]


class Intervention(Struct, tag_field="action", forbid_unknown_fields=True, frozen=True):
    """What a learner does to the running world. Whether it can be done now is the engine's to say."""


class DropMessage(Intervention, tag="drop_message", frozen=True):
    message: MessageId


class DuplicateMessage(Intervention, tag="duplicate_message", frozen=True):
    message: MessageId


class DelayMessage(Intervention, tag="delay_message", frozen=True):
    message: MessageId
    by: Milliseconds


class ReorderMessage(Intervention, tag="reorder_message", frozen=True):
    message: MessageId


class Crash(Intervention, tag="crash", frozen=True):
    actor: Word


class Restart(Intervention, tag="restart", frozen=True):
    actor: Word


class PauseActor(Intervention, tag="pause", frozen=True):
    actor: Word


class ResumeActor(Intervention, tag="resume", frozen=True):
    actor: Word


class ChangeSetting(Intervention, tag="set", frozen=True):
    path: Word
    value: Setting


class DisconnectMessage(Intervention, tag="disconnect_message", frozen=True):
    """The connection that the message crosses ends, and with it all that is under way on it."""

    message: MessageId


class HoldMessages(Intervention, tag="hold_messages", frozen=True):
    """All that is under way from or to the actor arrives after `until`."""

    actor: Word
    until: Milliseconds


class ChangeLeader(Intervention, tag="change_leader", frozen=True):
    partition: Word
    broker: BrokerId | None = None


class ShrinkIsr(Intervention, tag="shrink_isr", frozen=True):
    partition: Word
    broker: BrokerId | None = None


class RestoreIsr(Intervention, tag="restore_isr", frozen=True):
    partition: Word
    broker: BrokerId | None = None


class DeleteHead(Intervention, tag="delete_head", frozen=True):
    """Records below `to` are deleted; without it, all below the high watermark."""

    partition: Word
    to: Offset | None = None


class Compact(Intervention, tag="compact", frozen=True):
    partition: Word


class ExpireProducers(Intervention, tag="expire_producers", frozen=True):
    partition: Word


class MakeUnavailable(Intervention, tag="make_unavailable", frozen=True):
    actor: Word


class MakeAvailable(Intervention, tag="make_available", frozen=True):
    actor: Word


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
)
