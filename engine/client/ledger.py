"""The ledger of serials: the result of every record that an application sent (GEN-8).

A serial names a record for applications, the view and the judges; it is no part of the protocol. Only a
recorded run has entries.
"""

from __future__ import annotations

from engine.events import RecordAccepted, RecordsFinished
from engine.shapes.clients import RecordView
from engine.watching import Watch

PENDING, OK, FAILED, ABORTED, REFUSED, UNKNOWN = "pending", "ok", "failed", "aborted", "refused", "unknown"


class RecordPart:
    """One record in the view. ``status`` is what the application knows about it; ``unknown`` means that its
    producer crashed."""

    __slots__ = (
        "error",
        "finished_at",
        "offset",
        "partition",
        "path",
        "producer",
        "sent_at",
        "size",
        "status",
    )

    def __init__(self, serial: int, partition: str, producer: str, size: int, now: int) -> None:
        self.path = ("records", str(serial))
        self.partition = partition
        self.producer = producer
        self.size = size
        self.sent_at = now
        self.status = PENDING
        self.offset: int | None = None
        self.error: str | None = None
        self.finished_at: int | None = None

    def view(self) -> RecordView:
        return {
            "partition": self.partition,
            "producer": self.producer,
            "size": self.size,
            "sent_at": self.sent_at,
            "status": self.status,
            "offset": self.offset,
            "error": self.error,
            "finished_at": self.finished_at,
        }


class Ledger:
    """All records of a run. One ledger serves every producer."""

    __slots__ = ("_failures", "records", "watch")

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.records: dict[int, RecordPart] = {}
        self._failures: dict[str, set[int]] = {}
        """Dict of producer → the serials whose newest result is an error; only for producers whose
        application asks for them."""

    def failures_of(self, producer: str) -> set[int]:
        """The serials of this producer's records that failed since the first call of this function. Later
        failures and successes change this set."""
        return self._failures.setdefault(producer, set())

    def parts(self) -> list[RecordPart]:
        return list(self.records.values())

    def accepted(self, producer: str, partition: str, serial: int, size: int, now: int) -> None:
        """Note that ``send()`` put a record into the accumulator. A serial may appear again (a resend after a
        crash)."""
        watch = self.watch
        watch.emit(RecordAccepted, producer=producer, partition=partition, serial=serial)
        if watch.recording:
            self._open(producer, partition, serial, size, now)

    def refused(self, producer: str, partition: str, serial: int, size: int, error: str, now: int) -> None:
        """Note that ``send()`` threw an error, so that the record is not in the accumulator."""
        if self.watch.recording:
            part = self._open(producer, partition, serial, size, now)
            part.status, part.error, part.finished_at = REFUSED, error, now

    def finished(
        self,
        producer: str,
        partition: str,
        serials: tuple[int, ...],
        error: str | None,
        base_offset: int,
        now: int,
        aborted: bool = False,
    ) -> None:
        """Note that a batch's futures completed. ``error`` None: success. ``base_offset`` −1: the offset is
        not known. ``aborted``: whether an abort of the transaction dropped the records."""
        watch = self.watch
        watch.emit(
            RecordsFinished,
            producer=producer,
            partition=partition,
            serials=serials,
            error=error,
            base_offset=base_offset,
            aborted=aborted,
        )
        if self._failures:
            failures = self._failures.get(producer, set())
            (failures.difference_update if error is None else failures.update)(serials)
        if not watch.recording:
            return
        for index, serial in enumerate(serials):
            part = self.records[serial]
            part.finished_at = now
            part.error = error
            part.offset = base_offset + index if error is None and base_offset >= 0 else None
            part.status = OK if error is None else ABORTED if aborted else FAILED
            watch.touch(part)

    def abandoned(self, serials: tuple[int, ...], now: int) -> None:
        """Note that the producer crashed, so that the application gets no result for these records."""
        if not self.watch.recording:
            return
        for serial in serials:
            part = self.records[serial]
            part.status, part.finished_at = UNKNOWN, now
            self.watch.touch(part)

    def _open(self, producer: str, partition: str, serial: int, size: int, now: int) -> RecordPart:
        part = self.records[serial] = RecordPart(serial, partition, producer, size, now)
        self.watch.touch(part)
        return part
