"""Happenings of a group's offsets at its coordinator."""

from __future__ import annotations

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row


@happening
class CommitArrived(Happening):
    """A commit of offsets outside any transaction arrived at the coordinator. ``offsets``: (topic-partition,
    committed offset)."""

    broker: str
    group: str
    offsets: tuple[tuple[str, int], ...]


@happening
class TransactionCommitArrived(Happening):
    producer_id: int
    producer_epoch: int
    broker: str
    group: str
    offsets: tuple[tuple[str, int], ...]


@happening
class OffsetMoved(Aside):
    """A pending offset took a row of its state machine, or a row refused a change. ``position``: the offset,
    in ``__consumer_offsets``, of the record with the pending offset. ``visible``: the committed offset that
    is visible now."""

    broker: str
    group: str
    partition: str
    producer_id: int
    offset: int
    position: int | None
    visible: int | None
    row: Row


@happening
class OffsetsVisible(Aside):
    """Offsets that were committed outside any transaction are visible now."""

    broker: str
    group: str
    partitions: tuple[str, ...]


@happening
class OffsetsReturned(Happening):
    offsets: tuple[tuple[str, int], ...]
    broker: str
    group: str


@happening
class OffsetsUnstable(Happening):
    """An OffsetFetch is refused, because undecided transactions may change these offsets. ``producers``: the
    producer ids of these transactions."""

    partitions: tuple[str, ...]
    broker: str
    group: str
    producers: tuple[int, ...]


@happening
class MemberLeft(Happening):
    """A member left its group. ``generation``: the new one. ``members``: those that remain."""

    broker: str
    group: str
    member: str
    generation: int
    members: tuple[str, ...]


@happening
class MemberWasGone(Happening):
    """A LeaveGroup names a member that the group does not have."""

    broker: str
    group: str
    member: str


@happening
class SentAway(Happening):
    """A broker refused a request of a group, because it does not coordinate the group, or has not read the
    group's log partition yet. ``number``: the number of this log partition."""

    broker: str
    group: str
    api: str
    error: Error
    number: int
