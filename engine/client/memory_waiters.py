"""The ``send()`` calls that wait for buffer memory. They continue when memory is released, or time out
(ACC-5)."""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.application import BLOCKED, BUFFER_ERROR, DONE, REFUSED, Call
from engine.client.blocked_calls import BlockedCalls
from engine.client.poll import Poll
from engine.client.record_size import NULL_LENGTH, payload_size
from engine.client.refused_calls import SEND_CHECKS
from engine.client.setup import Setup
from engine.client.transaction_calls import register_partition
from engine.client.transaction_manager import TransactionManager
from engine.errors import ClientError
from engine.happenings.producer import MemoryAwaited, MemoryGranted, MemoryWaitOver


class MemoryWaiters:
    """Serves the queue of the buffer pool, oldest call first."""

    __slots__ = ("_accumulator", "_calls", "_poll", "_refuses_after", "_setup", "_transactions")

    def __init__(
        self,
        setup: Setup,
        accumulator: RecordAccumulator,
        transactions: TransactionManager | None,
        calls: BlockedCalls,
        poll: Poll,
    ) -> None:
        self._setup = setup
        _, self._refuses_after = SEND_CHECKS[setup.profile.checks_after_append]
        self._accumulator = accumulator
        self._transactions = transactions
        self._calls = calls
        self._poll = poll

    def wait(self, call: Call, payload: int, now: int) -> None:
        """Block a ``send()`` for which the pool has too little memory, at most for ``max.block.ms``."""
        pool = self._accumulator.pool
        size = self._accumulator.memory_for(payload)
        until = now + self._setup.config.max_block_ms
        call.state = BLOCKED
        pool.wait(call, size, now, until)
        self._setup.watch.emit(
            MemoryAwaited,
            self._setup.name,
            call.args["serial"],
            size=size,
            free=pool.free,
            total=pool.total,
            until=until,
        )
        self._poll.wake(now)

    def serve(self, now: int) -> None:
        """Let the waiting ``send()`` calls continue, oldest first, while there is enough free memory."""
        pool = self._accumulator.pool
        while (waiter := pool.next_granted()) is not None:
            setup = self._setup
            call = waiter.call
            args = call.args
            key = args.get("key")
            payload = payload_size(NULL_LENGTH if key is None else len(key.encode()), args["size"])
            appended = self._accumulator.append_with_memory(
                args["partition"], waiter.size, args["serial"], payload, now
            )
            if key is not None:
                appended.batch.keys[args["serial"]] = key
            setup.ledger.accepted(setup.name, args["partition"], args["serial"], args["size"], now)
            setup.watch.emit(
                MemoryGranted,
                setup.name,
                args["serial"],
                size=waiter.size,
                waited=now - waiter.since,
                free=pool.free,
                batch=appended.batch.id,
            )
            refused = self._refuses_after(call, self._transactions, setup.name, setup.watch)
            registered = not refused and register_partition(self._transactions, args["partition"])
            if appended.new_batch or appended.batch_is_full or registered:
                self._poll.wake(now)
            self._calls.end(call, REFUSED if refused else DONE, call.error)

    def expire(self, now: int) -> None:
        """Let each ``send()`` throw that has waited for ``max.block.ms``; then serve the others."""
        deadline = self._accumulator.pool.next_deadline()
        if deadline is None or deadline > now:
            return
        setup, pool = self._setup, self._accumulator.pool
        for waiter in pool.expire(now):
            args = waiter.call.args
            setup.watch.emit(
                MemoryWaitOver,
                setup.name,
                args["serial"],
                size=waiter.size,
                free=pool.free,
                waited=now - waiter.since,
                error=BUFFER_ERROR,
            )
            setup.ledger.refused(
                setup.name, args["partition"], args["serial"], args["size"], BUFFER_ERROR, now
            )
            if self._transactions is not None:
                self._transactions.send_failed(ClientError.BUFFER_EXHAUSTED)
            self._calls.end(waiter.call, REFUSED, BUFFER_ERROR)
        self.serve(now)
