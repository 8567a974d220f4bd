"""The end of sending: after a fatal error, and when a closed producer has nothing left to send (SND-14)."""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.blocked_calls import BlockedCalls
from engine.client.completion import Completion
from engine.client.control_channel import ControlChannel
from engine.client.poll import Poll
from engine.client.setup import Setup
from engine.client.thrown import CallThrows
from engine.client.transaction_calls import abort_transaction
from engine.client.transaction_manager import TransactionManager
from engine.errors import Cause, Error
from engine.happenings.sender import CloseAborts, CloseCannotAbort, SenderClosed


class Closing:
    """Ends the Sender. ``channel``: the control channel; None without idempotence."""

    __slots__ = (
        "_accumulator",
        "_calls",
        "_channel",
        "_close_aborts",
        "_completion",
        "_poll",
        "_setup",
        "_transactions",
    )

    def __init__(
        self,
        setup: Setup,
        accumulator: RecordAccumulator,
        transactions: TransactionManager | None,
        channel: ControlChannel | None,
        completion: Completion,
        calls: BlockedCalls,
        poll: Poll,
    ) -> None:
        self._setup = setup
        self._accumulator = accumulator
        self._transactions = transactions
        self._channel = channel
        self._completion = completion
        self._calls = calls
        self._poll = poll
        self._close_aborts = setup.profile.close_aborts
        """Whether ``close()`` aborts an open transaction."""

    def finish(self) -> None:
        """End the Sender of a closed producer once nothing is left to send."""
        accumulator = self._accumulator
        if accumulator.closed and not accumulator.incomplete and not self._ends_transaction():
            self._poll.stopped = True
            self._setup.watch.emit(SenderClosed, self._setup.name)
            self._calls.close_done()

    def give_up(self, error: Cause | None, now: int) -> None:
        """Fail every batch with ``error`` (None: no batch fails). If the producer is closed and has nothing
        left to send, end its Sender (SND-3, SND-4)."""
        self.drop_all(error, now)
        self.finish()

    def drop_all(self, error: Cause | None, now: int) -> None:
        """Fail every batch with ``error``; without an error no batch fails."""
        if self._accumulator.incomplete and error is not None:
            self._completion.abort_all(error.name, now)

    def _ends_transaction(self) -> bool:
        """Whether a transaction or a control request must end before the Sender may stop. May begin the abort
        of an open transaction."""
        transactions = self._transactions
        if transactions is None or not transactions.is_transactional:
            return False
        if transactions.in_flight is not None or (
            self._channel is not None and self._channel.held is not None
        ):
            return True
        if not self._close_aborts or not transactions.has_ongoing_transaction:
            return False
        if transactions.requests:
            return True
        if transactions.is_completing:
            return False  # The end of the transaction failed, and no later event can change that.
        self._poll.changed = True
        try:
            abort_transaction(transactions)
        except CallThrows:
            self._setup.watch.emit(CloseCannotAbort, self._setup.name)
            transactions.abandon_calls(Error.NETWORK_EXCEPTION)
            return False
        self._setup.watch.emit(CloseAborts, self._setup.name)
        return True
