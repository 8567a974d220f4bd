"""The calls of the application that have not returned (ACC-20, SND-14, TXM-5). A ``send()`` that waits for
memory is in the queue of the buffer pool instead (ACC-5)."""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.application import (
    BLOCKED,
    DONE,
    INIT_TRANSACTIONS,
    REFUSED,
    SEND_OFFSETS,
    TIMEOUT_ERROR,
    Call,
)
from engine.client.batch import Batch
from engine.client.control_requests import Result
from engine.client.poll import Poll
from engine.client.setup import Setup
from engine.client.transaction_manager import TransactionManager
from engine.happenings.producer import CallReturned, CallThrew, CallTimedOut, FlushDone, Unanswered


class BlockedCalls:
    """The blocked calls of one producer. ``finished``: the calls that ended since the kernel last emptied the
    list."""

    __slots__ = (
        "_accumulator",
        "_flushing",
        "_offsets_block_without_limit",
        "_poll",
        "_setup",
        "_transactions",
        "awaiting",
        "closing",
        "finished",
    )

    def __init__(
        self,
        setup: Setup,
        accumulator: RecordAccumulator,
        transactions: TransactionManager | None,
        poll: Poll,
        finished: list[Call],
    ) -> None:
        self._setup = setup
        self._accumulator = accumulator
        self._transactions = transactions
        self._poll = poll
        self._offsets_block_without_limit = setup.profile.offsets_block_without_limit
        self.finished = finished
        self._flushing: list[tuple[Call, set[str]]] = []
        """Flushes, each with the ids of the batches that it waits for (ACC-20)."""
        self.closing: list[Call] = []
        self.awaiting: list[tuple[Call, Result, int | None]] = []
        """Transactional calls, each with the result that it waits for and its deadline (virtual ms; None: no
        limit; TXM-5)."""

    def end(self, call: Call, state: str, error: str | None = None) -> None:
        """End a blocked call: it returns (``done``) or throws (``refused``)."""
        call.state, call.error = state, error
        self.finished.append(call)

    def fail_all(self, error: str) -> None:
        """Let every blocked call throw ``error``, because the process crashed or was closed by force."""
        pool = self._accumulator.pool
        blocked = [waiter.call for waiter in pool.waiters]
        pool.waiters.clear()
        blocked += [call for call, _ in self._flushing]
        self._flushing.clear()
        blocked += self.closing
        blocked += [call for call, _, _ in self.awaiting]
        self.awaiting.clear()
        self.closing.clear()
        for call in blocked:
            self.end(call, REFUSED, error)

    # -- flush, close ----------------------------------------------------------------------------------

    def begin_flush(self, call: Call, now: int) -> None:
        """Begin a flush: the call waits for the batches that are incomplete now. Linger has no effect until
        the call returns (ACC-20)."""
        waits_for = set(self._accumulator.incomplete)
        if not waits_for:
            return
        call.state, call.since = BLOCKED, now
        self._flushing.append((call, waits_for))
        self._accumulator.flushes += 1
        self._poll.wake(now)

    def batch_finished(self, batch: Batch) -> None:
        """This batch is complete: let the flushes return that waited only for it."""
        if not self._flushing:
            return
        for entry in list(self._flushing):
            call, waits_for = entry
            waits_for.discard(batch.id)
            if not waits_for:
                self._flushing.remove(entry)
                self._accumulator.flushes -= 1
                self._setup.watch.emit(FlushDone, self._setup.name)
                self.end(call, DONE)

    def begin_close(self, call: Call, now: int) -> None:
        """Begin a close: from now on ``send()`` and transactional calls throw, and this call waits until the
        Sender has ended (SND-14)."""
        self._accumulator.closed = True
        call.state = BLOCKED
        self.closing.append(call)
        self._poll.wake(now)

    def close_done(self) -> None:
        """Let every close return, because the Sender has ended."""
        for call in self.closing:
            self.end(call, DONE)
        self.closing.clear()

    # -- transactional calls ---------------------------------------------------------------------------

    def await_result(self, call: Call, result: Result, now: int) -> None:
        """Block the call until its result is complete, at most ``max.block.ms``.

        In 2.0 ``sendOffsetsToTransaction`` blocks without limit.
        """
        call.state = BLOCKED
        limited = call.kind != SEND_OFFSETS or not self._offsets_block_without_limit
        self.awaiting.append((call, result, now + self._setup.config.max_block_ms if limited else None))
        self._poll.wake(now)

    def settle(self) -> None:
        """Let every call whose result is complete return or throw."""
        for _, result, _ in self.awaiting:
            if result.completed:
                break
        else:
            return
        watch, name = self._setup.watch, self._setup.name
        waiting = []
        for entry in self.awaiting:
            call, result, _ = entry
            if not result.completed:
                waiting.append(entry)
                continue
            result.acknowledged = True
            if result.error is None:
                if call.kind == INIT_TRANSACTIONS and self._transactions is not None:
                    self._transactions.follow_features(initial=True)
                watch.emit(CallReturned, name, call.kind)
                self.end(call, DONE)
            else:
                watch.emit(CallThrew, name, call.kind, result.error)
                self.end(call, REFUSED, result.error.name)
        self.awaiting = waiting

    def next_deadline(self) -> int | None:
        first: int | None = None
        for _, _, deadline in self.awaiting:
            if deadline is not None and (first is None or deadline < first):
                first = deadline
        return first

    def expire(self, now: int) -> None:
        """Let calls throw whose ``max.block.ms`` is over. Their requests stay queued or in flight (TXM-5)."""
        over = [entry for entry in self.awaiting if entry[2] is not None and entry[2] <= now]
        for entry in over:
            self.awaiting.remove(entry)
            call = entry[0]
            why = Unanswered.OFFSETS_LATE if call.kind == SEND_OFFSETS else Unanswered.LATE
            if self._transactions is not None and self._transactions.has_fatal_error:
                why = Unanswered.NEVER
            self._setup.watch.emit(
                CallTimedOut,
                self._setup.name,
                call.kind,
                limit=self._setup.config.max_block_ms,
                waited=now - call.since,
                error=TIMEOUT_ERROR,
                why=why,
            )
            self.end(call, REFUSED, TIMEOUT_ERROR)
