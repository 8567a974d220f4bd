"""What happens to batches that were never sent when a transaction ends or fails: two strategies (ACC-10,
ACC-22).

A batch that was sent may be stored, so both strategies wait for its outcome.
"""

from __future__ import annotations

from typing import Protocol

from engine.client.accumulator import RecordAccumulator
from engine.client.client_states import ABORTING
from engine.client.completion import Completion
from engine.client.transaction_manager import TransactionManager
from engine.happenings.sender import LingerVoid

ABORTED_ERROR = "TRANSACTION_ABORTED"
"""The error of records that an abort of the application drops, if the producer had no error before."""


class Unsent(Protocol):
    """A strategy for unsent batches. The Sender calls it before it chooses a control request, if any batch is
    incomplete."""

    def give_up(
        self,
        transactions: TransactionManager,
        accumulator: RecordAccumulator,
        completion: Completion,
        now: int,
    ) -> None: ...


class DroppedWithError:
    """An abort or an abortable error drops the unsent batches (since 2.8.1)."""

    __slots__ = ()

    def give_up(
        self,
        transactions: TransactionManager,
        accumulator: RecordAccumulator,
        completion: Completion,
        now: int,
    ) -> None:
        if transactions.state in ABORTING or transactions.has_abortable_error:
            _abort_undrained(transactions, accumulator, completion, now)


class FlushedAtEnd:
    """Commit and abort begin a flush that never ends, so linger has no effect from then on. An abort also
    drops the unsent batches (2.0)."""

    __slots__ = ()

    def give_up(
        self,
        transactions: TransactionManager,
        accumulator: RecordAccumulator,
        completion: Completion,
        now: int,
    ) -> None:
        if not transactions.is_completing:
            return
        if not accumulator.flushes:
            accumulator.flushes = 1
            transactions.watch.emit(LingerVoid, transactions.client)
        if transactions.state in ABORTING:
            _abort_undrained(transactions, accumulator, completion, now)


def _abort_undrained(
    transactions: TransactionManager, accumulator: RecordAccumulator, completion: Completion, now: int
) -> None:
    error = transactions.last_error
    completion.abort(accumulator.undrained(), ABORTED_ERROR if error is None else error.name, now, True)


DROPPED_WITH_ERROR, FLUSHED_AT_END = DroppedWithError(), FlushedAtEnd()
