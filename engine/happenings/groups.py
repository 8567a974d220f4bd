"""Happenings of a group's offsets at its coordinator."""

from __future__ import annotations

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row


@happening
class CommitArrived(Happening):
    """A commit outside any transaction arrived. ``offsets``: (topic-partition, offset)."""

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
    """A pending offset took a row of its state machine. ``position``: the offset of its record in the log.
    ``visible``: the offset that members of the group get now."""

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
class SentAway(Happening):
    """This broker does not coordinate the group, or has not read its log yet. ``number``: the group's log
    partition."""

    broker: str
    group: str
    api: str
    error: Error
    number: int
