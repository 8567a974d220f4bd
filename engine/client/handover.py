"""The records that a consumer's application got, and how it handled repeated ones (GEN-8, CPT-6).

This module owns the buffer of fetched records, the counts, and the keys that the application has applied.
Without an application that polls, each record is handed over when it arrives.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.client.reading import SHOWN_MAX, Reading, Taken
from engine.events import RecordsDelivered
from engine.happenings.readers import KeysApplied, RecordsBrought
from engine.watching import Watch


class Polled(NamedTuple):
    """One record that the application gets."""

    partition: str
    offset: int
    serial: int


class Handover:
    """Gives the records of one consumer to its application. ``remember_keys``: whether the application skips
    records that it has applied, even after a crash. ``polled``: whether the application takes the records
    with :meth:`poll`."""

    __slots__ = (
        "applied",
        "applied_count",
        "buffer",
        "consumer",
        "delivered_count",
        "isolation",
        "polled",
        "remember_keys",
        "skipped_duplicates",
        "watch",
    )

    def __init__(
        self, consumer: str, isolation: str, remember_keys: bool, polled: bool, watch: Watch
    ) -> None:
        self.consumer = consumer
        self.isolation = isolation
        self.remember_keys = remember_keys
        self.polled = polled
        self.watch = watch
        self.buffer: list[Polled] = []
        self.delivered_count = 0
        self.applied_count = 0
        self.skipped_duplicates = 0
        self.applied: set[int] = set()

    def bring(self, reading: Reading, taken: Taken) -> None:
        """A response was read: hand its records over, or buffer them until the application polls."""
        count = len(taken.offsets)
        self.watch.emit(
            RecordsBrought,
            self.consumer,
            reading.partition,
            count,
            reading.position,
            self.polled,
            taken.stretches,
        )
        if self.polled:
            self.buffer += [
                Polled(reading.partition, offset, serial)
                for offset, serial in zip(taken.offsets, taken.serials, strict=False)
            ]
        elif count:
            self._hand_over(reading, taken.serials, taken.offsets)

    def poll(self, readings: dict[str, Reading], count: int) -> list[Polled]:
        """Hand up to ``count`` buffered records over to the application, in the order in which they were
        fetched."""
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        by_partition: dict[str, list[Polled]] = {}
        for record in taken:
            by_partition.setdefault(record.partition, []).append(record)
        for partition, records in by_partition.items():
            serials = [record.serial for record in records]
            self._hand_over(readings[partition], serials, [record.offset for record in records])
        return taken

    def next_offset(self, reading: Reading) -> int:
        """The application's position (CON-8): the offset of the partition's first buffered record. Without a
        buffered record: the offset of the next fetch."""
        for record in self.buffer:
            if record.partition == reading.partition:
                return record.offset
        return reading.position

    def forget(self, partition: str | None = None) -> None:
        """Drop the buffered records of a partition; None: of all partitions."""
        if self.buffer:
            self.buffer = [
                record for record in self.buffer if partition is not None and record.partition != partition
            ]

    def _hand_over(self, reading: Reading, serials: list[int], offsets: list[int]) -> None:
        watch = self.watch
        repeats = 0
        if self.remember_keys:
            for serial in serials:
                if serial in self.applied:
                    repeats += 1
                else:
                    self.applied.add(serial)
        self.delivered_count += len(offsets)
        self.applied_count += len(offsets) - repeats
        self.skipped_duplicates += repeats
        if serials:
            reading.delivered = (reading.delivered + serials)[-SHOWN_MAX:]
            if watch.judging:
                watch.emit(
                    RecordsDelivered,
                    consumer=self.consumer,
                    partition=reading.partition,
                    isolation=self.isolation,
                    serials=tuple(serials),
                    offsets=tuple(offsets),
                )
        if self.remember_keys:
            watch.emit(KeysApplied, self.consumer, len(serials) - repeats, repeats, len(self.applied))
