"""Everything a producer holds in memory between its start and its crash.

Owns the parts and the few things that several of them do together: finishing a batch and waking the Sender.
A crash drops it as a whole; a restart builds a new one.
"""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.application import BLOCKED, DONE, REFUSED, SEND_OFFSETS, Call
from engine.client.batch import Batch
from engine.client.configuration import ProducerConfig
from engine.client.connections import Connections
from engine.client.control_requests import Result
from engine.client.ledger import Ledger
from engine.client.metadata import Metadata
from engine.client.record_size import NULL_LENGTH, payload_size
from engine.client.transaction_calls import maybe_add_partition
from engine.client.transaction_manager import TransactionManager
from engine.happenings.batches import BatchAborted
from engine.happenings.producer import (
    CallReturned,
    CallThrew,
    CallTimedOut,
    FlushDone,
    MemoryGranted,
    MemoryWaitOver,
    PartitionNew,
    Unanswered,
)
from engine.messages import Effects
from engine.profile import Profile
from engine.switches import Switches
from engine.watching import Watch

CLOSED_ERROR, TIMEOUT_ERROR, BUFFER_ERROR = "PRODUCER_CLOSED", "TIMEOUT", "BUFFER_EXHAUSTED"


class Incarnation:
    """The memory of one producer process. ``outbox``: effects of the present call, in order."""

    def __init__(
        self,
        name: str,
        config: ProducerConfig,
        profile: Profile,
        switches: Switches,
        watch: Watch,
        ledger: Ledger,
        brokers: tuple[int, ...],
    ) -> None:
        owner = ("clients", name)
        self.name = name
        self.config = config
        self.close_aborts = profile.close_aborts
        """``close()`` aborts an open transaction (SND-14)."""
        self._offsets_block_without_limit = profile.offsets_block_without_limit
        self.switches = switches
        self.watch = watch
        self.ledger = ledger
        self.metadata = Metadata(owner, brokers, watch)
        self.connections = Connections(
            owner, config.max_in_flight, config.reconnect_backoff_ms, config.reconnect_backoff_max_ms, watch
        )
        self.transactions: TransactionManager | None = None
        if config.enable_idempotence:
            self.transactions = TransactionManager(name, config, profile, switches, watch)
        self.accumulator = RecordAccumulator(name, config, profile, switches, watch, self.transactions)
        self.in_flight: dict[str, list[Batch]] = {}
        """Drained and unanswered batches by partition, oldest first."""
        self.outbox: Effects = []
        self.wake_at: int | None = None
        """When the next pass may start because something came (SND-1)."""
        self.finished_calls: list[Call] = []
        self.flushing: list[tuple[Call, set[str]]] = []
        """Flushes with the ids of the batches they wait for (ACC-20)."""
        self.closing: list[Call] = []
        self.awaiting: list[tuple[Call, Result, int | None]] = []
        """Transactional calls that wait for a result, and until when (TXM-5)."""
        self.closed = False
        self.over: list[Batch] = []
        """Finished batches that the view still shows."""

    def wake(self, now: int) -> None:
        """The poll ends: the next pass may start now."""
        if self.wake_at is None or now < self.wake_at:
            self.wake_at = now

    # -- batches ---------------------------------------------------------------------------------------

    def leaves_flight(self, batch: Batch) -> None:
        """Answered, requeued or given up."""
        batches = self.in_flight.get(batch.partition)
        if batches and batch in batches:
            batches.remove(batch)

    def finish(
        self, batch: Batch, on: str, error: str | None, base_offset: int, now: int, aborted: bool = False
    ) -> None:
        """Complete a batch's futures and return its memory. ``on``: the batch machine's event."""
        batch.error = error
        batch.move(on)
        serials = tuple(batch.serials)
        self.ledger.finished(self.name, batch.partition, serials, error, base_offset, now, aborted)
        self.accumulator.finish(batch)
        if self.watch.recording:
            self.over.append(batch)
        self.serve_waiters(now)
        if self.flushing:
            self._flushed(batch)

    def hide_finished(self) -> None:
        """A new pass begins: batches that are over leave the view."""
        for batch in self.over:
            batch.shown = False
            self.watch.touch(batch)
        self.over.clear()

    def abort(self, batches: list[Batch], error: str, now: int, deliberate: bool) -> None:
        """Give up batches wherever they are (ACC-22)."""
        for batch in batches:
            self.accumulator.remove(batch)
            self.leaves_flight(batch)
            self.watch.emit(BatchAborted, self.name, batch.id, batch.partition, batch.record_count, error)
            self.finish(batch, "abort", error, -1, now, deliberate)

    # -- calls that wait -------------------------------------------------------------------------------

    def end_call(self, call: Call, state: str, error: str | None = None) -> None:
        """A blocked call goes on: done or refused."""
        call.state, call.error = state, error
        self.finished_calls.append(call)

    def serve_waiters(self, now: int) -> None:
        """Memory came back: the oldest waiting ``send()`` goes on (ACC-5)."""
        pool = self.accumulator.pool
        while (waiter := pool.next_granted()) is not None:
            call = waiter.call
            args = call.args
            key = args.get("key")
            payload = payload_size(NULL_LENGTH if key is None else len(key.encode()), args["size"])
            appended = self.accumulator.append_with_memory(
                args["partition"], waiter.size, args["serial"], payload, now
            )
            if key is not None:
                appended.batch.keys[args["serial"]] = key
            self.ledger.accepted(self.name, args["partition"], args["serial"], args["size"], now)
            self.watch.emit(
                MemoryGranted,
                self.name,
                args["serial"],
                size=waiter.size,
                waited=now - waiter.since,
                free=pool.free,
                batch=appended.batch.id,
            )
            registered = self.register_partition(args["partition"])
            if appended.new_batch or appended.batch_is_full or registered:
                self.wake(now)
            self.end_call(call, DONE)

    def expire_waiters(self, now: int) -> None:
        """``send()`` calls that waited ``max_block_ms`` for memory fail to their caller (ACC-5)."""
        pool = self.accumulator.pool
        for waiter in pool.expire(now):
            args = waiter.call.args
            self.watch.emit(
                MemoryWaitOver,
                self.name,
                args["serial"],
                size=waiter.size,
                free=pool.free,
                waited=now - waiter.since,
                error=BUFFER_ERROR,
            )
            self.ledger.refused(self.name, args["partition"], args["serial"], args["size"], BUFFER_ERROR, now)
            self.end_call(waiter.call, REFUSED, BUFFER_ERROR)
        self.serve_waiters(now)

    def _flushed(self, batch: Batch) -> None:
        for entry in list(self.flushing):
            call, waits_for = entry
            waits_for.discard(batch.id)
            if not waits_for:
                self.flushing.remove(entry)
                self.accumulator.flushes -= 1
                self.watch.emit(FlushDone, self.name)
                self.end_call(call, DONE)

    def begin_flush(self, call: Call, now: int) -> None:
        """Everything that exists now becomes sendable; the call waits for exactly these batches (ACC-20)."""
        waits_for = set(self.accumulator.incomplete)
        if not waits_for:
            return
        call.state, call.since = BLOCKED, now
        self.flushing.append((call, waits_for))
        self.accumulator.flushes += 1
        self.wake(now)

    def register_partition(self, partition: str) -> bool:
        """A transactional producer sends only where the coordinator expects it (ACC-4, TXM-8)."""
        transactions = self.transactions
        if transactions is None or not transactions.is_transactional:
            return False
        if not maybe_add_partition(transactions, partition):
            return False
        self.watch.emit(PartitionNew, self.name, partition)
        return True

    def await_result(self, call: Call, result: Result, now: int) -> None:
        """The call blocks until the Sender has the coordinator's answer, or ``max_block_ms`` is over.

        In 2.0 handing offsets on has no limit (``KafkaProducer.sendOffsetsToTransaction``).
        """
        call.state = BLOCKED
        limited = call.kind != SEND_OFFSETS or not self._offsets_block_without_limit
        self.awaiting.append((call, result, now + self.config.max_block_ms if limited else None))
        self.wake(now)

    def settle_calls(self) -> None:
        """Calls whose result has come return to the application."""
        for _, result, _ in self.awaiting:
            if result.completed:
                break
        else:
            return
        waiting = []
        for entry in self.awaiting:
            call, result, _ = entry
            if not result.completed:
                waiting.append(entry)
            elif result.error is None:
                self.watch.emit(CallReturned, self.name, call.kind)
                self.end_call(call, DONE)
            else:
                self.watch.emit(CallThrew, self.name, call.kind, result.error)
                self.end_call(call, REFUSED, result.error.name)
        self.awaiting = waiting

    def next_call_deadline(self) -> int | None:
        first: int | None = None
        for _, _, deadline in self.awaiting:
            if deadline is not None and (first is None or deadline < first):
                first = deadline
        return first

    def expire_calls(self, now: int) -> None:
        """``max_block_ms`` is over: the call throws, what it asked for goes on (TXM-5)."""
        over = [entry for entry in self.awaiting if entry[2] is not None and entry[2] <= now]
        for entry in over:
            self.awaiting.remove(entry)
            call = entry[0]
            why = Unanswered.OFFSETS_LATE if call.kind == SEND_OFFSETS else Unanswered.LATE
            if self.transactions is not None and self.transactions.has_fatal_error:
                why = Unanswered.NEVER
            self.watch.emit(
                CallTimedOut,
                self.name,
                call.kind,
                limit=self.config.max_block_ms,
                waited=now - call.since,
                error=TIMEOUT_ERROR,
                why=why,
            )
            self.end_call(call, REFUSED, TIMEOUT_ERROR)

    def fail_blocked_calls(self, error: str) -> None:
        """Nobody will finish these: the process dies or is closed by force."""
        pool = self.accumulator.pool
        blocked = [waiter.call for waiter in pool.waiters]
        pool.waiters.clear()
        blocked += [call for call, _ in self.flushing]
        self.flushing.clear()
        blocked += self.closing
        blocked += [call for call, _, _ in self.awaiting]
        self.awaiting.clear()
        self.closing.clear()
        for call in blocked:
            self.end_call(call, REFUSED, error)
