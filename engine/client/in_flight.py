"""The batches that were drained and have no response yet, by partition (``Sender.inFlightBatches``)."""

from __future__ import annotations

from engine.client.batch import Batch
from engine.client.configuration import ProducerConfig
from engine.client.expiry import Expiry


class InFlightBatches:
    """The drained batches of one producer. ``by_partition``: dict of topic-partition → its batches, oldest
    first (ACC-21)."""

    __slots__ = ("_config", "_expiry", "by_partition")

    def __init__(self, config: ProducerConfig, expiry: Expiry) -> None:
        self.by_partition: dict[str, list[Batch]] = {}
        self._config = config
        self._expiry = expiry

    def add(self, batch: Batch) -> None:
        self.by_partition.setdefault(batch.partition, []).append(batch)

    def remove(self, batch: Batch) -> None:
        """Remove a batch; no effect when it is not in flight."""
        batches = self.by_partition.get(batch.partition)
        if batches and batch in batches:
            batches.remove(batch)

    def expired(self, now: int) -> list[Batch]:
        """Remove and return the batches that are too old; none if the version expires none in flight."""
        over: list[Batch] = []
        if self._expiry.everywhere:
            limit = self._config.batch_expiry_ms
            for batches in self.by_partition.values():
                while batches and now - batches[0].created_at >= limit:
                    over.append(batches.pop(0))
        return over

    def next_expiry(self) -> int | None:
        """When the next batch in flight expires (virtual ms). None: no batch is in flight, or the version expires
        none in flight."""
        ends: int | None = None
        if self._expiry.everywhere:
            limit = self._config.batch_expiry_ms
            for batches in self.by_partition.values():
                if batches and (ends is None or batches[0].created_at + limit < ends):
                    ends = batches[0].created_at + limit
        return ends
