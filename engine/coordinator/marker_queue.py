"""Markers that wait to be sent to one broker, or for a leader that can be reached (MRK-1).

Owns the order of the markers: by partition of the transaction log, so that all markers of one log partition
can be removed when this broker no longer leads it (Kafka's ``TxnMarkerQueue``). Kafka's hash
map has the same order when it holds few partitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.messages import TxnMarkerEntry
from engine.shapes.brokers import MarkerView


@dataclass(slots=True)
class Marker:
    """The markers of one transaction for partitions of one leader, or whose leaders cannot be reached.
    ``log_partition``: the partition of the transaction log to which the transactional id belongs. ``state``:
    the state of ``marker_states`` that all ``partitions`` have. ``sent_before``: whether an earlier request
    carried these markers, too."""

    transactional_id: str
    log_partition: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    result: str
    partitions: tuple[str, ...]
    state: str
    sent_before: bool = False

    def entry(self) -> TxnMarkerEntry:
        return TxnMarkerEntry(
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            coordinator_epoch=self.coordinator_epoch,
            result=self.result,
            partitions=self.partitions,
        )

    def view(self) -> MarkerView:
        return {
            "transactional_id": self.transactional_id,
            "log_partition": self.log_partition,
            "producer_id": self.producer_id,
            "producer_epoch": self.producer_epoch,
            "coordinator_epoch": self.coordinator_epoch,
            "result": self.result,
            "partitions": list(self.partitions),
        }


class MarkerQueue:
    """The markers of each log partition, oldest first. A log partition without markers has no list."""

    __slots__ = ("_of_partition",)

    def __init__(self) -> None:
        self._of_partition: dict[int, list[Marker]] = {}

    def __bool__(self) -> bool:
        return bool(self._of_partition)

    def __iter__(self) -> Iterator[Marker]:
        for number in sorted(self._of_partition):
            yield from self._of_partition[number]

    def add(self, marker: Marker) -> None:
        self._of_partition.setdefault(marker.log_partition, []).append(marker)

    def drain(self) -> list[Marker]:
        """Remove and return all markers, in the order of sending."""
        drained = list(self)
        self._of_partition.clear()
        return drained

    def take(self, log_partition: int) -> list[Marker]:
        """Remove and return the markers of one partition of the transaction log."""
        return self._of_partition.pop(log_partition, [])
