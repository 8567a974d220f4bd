"""Happenings of an application loop that consumes, transforms and produces."""

from __future__ import annotations

from engine.happenings.base import Aside, Happening, happening


@happening
class LoopPolledFirst(Happening):
    """A loop polled for the first time since it started, so its consumer requests the group's committed
    offsets.

    ``transactional``: the loop's producer has a transactional id, so ``initTransactions()`` came before.
    """

    application: str
    consumer: str
    group: str | None
    transactional: bool


@happening
class LoopPolled(Happening):
    """A loop polled its consumer. ``records``: (topic-partition, offset) of each record of the round."""

    application: str
    consumer: str
    count: int
    round: int
    records: tuple[tuple[str, int], ...]


@happening
class LoopPaused(Happening):
    application: str
    until: int


@happening
class LoopChangedItsMind(Happening):
    """The loop aborts a round that it could have committed, because its script says so."""

    application: str
    round: int


@happening
class LoopSendsLastOffset(Aside):
    """A loop committed the offset of the last record of each partition, instead of the next offset. ``positions``:
    (topic-partition, committed offset)."""

    application: str
    positions: tuple[tuple[str, int], ...]


@happening
class LoopCommitted(Happening):
    """The loop committed its positions outside any transaction. ``offsets``: (topic-partition, committed offset)."""

    application: str
    consumer: str
    group: str | None
    offsets: tuple[tuple[str, int], ...]


@happening
class LoopRewound(Happening):
    application: str
    consumer: str
    group: str | None


@happening
class LoopRestarted(Happening):
    application: str
    consumer: str
    group: str | None


@happening
class LoopGaveUp(Happening):
    application: str
