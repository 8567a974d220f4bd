"""The end of a batch: its futures complete, its memory returns to the pool, waiting calls return (ACC-5,
ACC-22)."""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.batch import Batch
from engine.client.blocked_calls import BlockedCalls
from engine.client.in_flight import InFlightBatches
from engine.client.memory_waiters import MemoryWaiters
from engine.client.setup import Setup
from engine.happenings.batches import BatchAborted


class Completion:
    """Completes the batches of one producer."""

    __slots__ = ("_accumulator", "_calls", "_in_flight", "_setup", "_waiters", "over")

    def __init__(
        self,
        setup: Setup,
        accumulator: RecordAccumulator,
        in_flight: InFlightBatches,
        waiters: MemoryWaiters,
        calls: BlockedCalls,
    ) -> None:
        self._setup = setup
        self._accumulator = accumulator
        self._in_flight = in_flight
        self._waiters = waiters
        self._calls = calls
        self.over: list[Batch] = []
        """Batches that finished since the newest pass began. The view shows them until the next pass begins."""

    def finish(
        self, batch: Batch, on: str, error: str | None, base_offset: int, now: int, aborted: bool = False
    ) -> None:
        """Complete a batch's futures and return its memory. ``on``: the event of the batch's state machine."""
        setup = self._setup
        batch.error = error
        batch.move(on)
        serials = tuple(batch.serials)
        setup.ledger.finished(setup.name, batch.partition, serials, error, base_offset, now, aborted)
        self._accumulator.finish(batch)
        if setup.watch.recording:
            self.over.append(batch)
        self._waiters.serve(now)
        self._calls.batch_finished(batch)

    def abort(self, batches: list[Batch], error: str, now: int, deliberate: bool) -> None:
        """Fail batches, queued or in flight (ACC-22). ``deliberate``: the transaction is aborted; if False,
        the producer failed or was closed by force."""
        setup = self._setup
        for batch in batches:
            self._accumulator.remove(batch)
            self._in_flight.remove(batch)
            setup.watch.emit(BatchAborted, setup.name, batch.id, batch.partition, batch.record_count, error)
            self.finish(batch, "abort", error, -1, now, deliberate)

    def abort_all(self, error: str, now: int) -> None:
        """Fail every batch that is not complete."""
        self.abort(list(self._accumulator.incomplete.values()), error, now, False)

    def hide_finished(self) -> None:
        """Called when a new pass of the Sender begins: the view no longer shows the batches that finished
        before."""
        for batch in self.over:
            batch.shown = False
            self._setup.watch.touch(batch)
        self.over.clear()
