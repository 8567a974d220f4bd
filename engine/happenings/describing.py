"""Happenings of a broker that shows its producers and transactions to an administrator's client (KIP-664)."""

from __future__ import annotations

from engine.happenings.base import Happening, happening


@happening
class ProducersDescribed(Happening):
    """A broker described the producers that its logs of these partitions know. ``producers``: the number of
    entries, one for each producer in each partition. ``still_open``: how many of them have an open transaction."""

    broker: str
    client: str
    partitions: tuple[str, ...]
    producers: int
    still_open: int


@happening
class TransactionDescribed(Happening):
    """A coordinator described one transactional id. ``partitions``: those of the open transaction; once it is
    decided, those that still need a marker."""

    broker: str
    client: str
    transactional_id: str
    state: str
    partitions: tuple[str, ...]


@happening
class TransactionsListed(Happening):
    """A broker listed the transactional ids that it coordinates and that pass the filters of the request.
    ``of``: the number of ids that it coordinates."""

    broker: str
    client: str
    transactional_ids: tuple[str, ...]
    of: int
