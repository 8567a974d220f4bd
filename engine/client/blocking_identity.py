"""The phases R1 to R3 of a pass in 2.0: the pass waits for the response to InitProducerId, and a producer
with lost sequence numbers requests a new producer id (SND-3, TXM-15)."""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.closing import Closing
from engine.client.completion import Completion
from engine.client.connections import Connections
from engine.client.control_channel import ControlChannel
from engine.client.control_requests import INIT, PRIORITIES, PendingRequest
from engine.client.identity import InitProducerIdAnswers, Phase
from engine.client.metadata import Metadata
from engine.client.poll import Poll
from engine.client.reachability import NOT_CONNECTED, Reachability
from engine.client.setup import Setup
from engine.client.transaction_manager import TransactionManager, init_request
from engine.client.waiting import Waiting
from engine.errors import Error
from engine.happenings.sender import (
    For,
    IdentityReset,
    LostNumbers,
    LostNumbersFatal,
    WaitsForConnection,
)

BLOCKING_RETRIES = frozenset(
    {Error.COORDINATOR_LOAD_IN_PROGRESS, Error.COORDINATOR_NOT_AVAILABLE, Error.NOT_COORDINATOR}
)
"""Errors that the blocking loop retries besides those after which a Produce is resent (PID-12)."""


class BlockingIdentity(InitProducerIdAnswers):
    """The phases R1 (expired sequence numbers), R2 (producer id, transactional requests) and R3 (errors). A
    phase returns True if it ends the pass."""

    queued = False

    __slots__ = (
        "_accumulator",
        "_channel",
        "_closing",
        "_completion",
        "_connections",
        "_metadata",
        "_reachability",
    )

    def __init__(
        self,
        setup: Setup,
        transactions: TransactionManager,
        channel: ControlChannel,
        closing: Closing,
        poll: Poll,
        waiting: Waiting,
        *,
        accumulator: RecordAccumulator,
        completion: Completion,
        metadata: Metadata,
        connections: Connections,
        reachability: Reachability,
    ) -> None:
        super().__init__(setup, transactions, poll, waiting)
        self._channel = channel
        self._closing = closing
        self._accumulator = accumulator
        self._completion = completion
        self._metadata = metadata
        self._connections = connections
        self._reachability = reachability

    def phases(self) -> tuple[tuple[str, Phase], ...]:
        if self._transactions.is_transactional:
            return (
                ("R1", self._lost_numbers_are_fatal),
                ("R2", self._send_control),
                ("R3", self._stop_on_error),
            )
        return (("R1", self._resolve), ("R2", self._wait_for_producer_id), ("R3", self._stop_on_error))

    def retries(self, error: Error) -> bool:
        return error in BLOCKING_RETRIES or error.retriable

    def repeat(self, request: PendingRequest, now: int) -> None:
        """Mark new metadata as needed and let the Sender sleep; after that, R2 sends another request."""
        self._metadata.request_update()
        self._poll.sleeps_until = now + self._setup.config.retry_backoff_ms

    def _resolve(self, now: int) -> bool:
        """R1: decide about each partition whose batches expired and which has no batch in flight any more
        (TXM-15). If every assigned sequence number was acknowledged after all, the partition continues;
        otherwise drop the producer id and all numberings."""
        transactions = self._transactions
        for entry in transactions.resolvable():
            self._poll.changed = True
            if entry.comes_next(entry.next_sequence):
                entry.resolve()
                self.emit_resolved(entry, LostNumbers.CLEARED, by_bump=False)
            else:
                before = transactions.producer_id
                transactions.reset_identity()
                self._setup.watch.emit(
                    IdentityReset,
                    producer_id=before,
                    client=self._setup.name,
                    partition=entry.partition,
                    next_sequence=entry.next_sequence,
                    expected=entry.last_acked_sequence + 1,
                )
                break
        return False

    def _lost_numbers_are_fatal(self, now: int) -> bool:
        """R1 with transactions: unresolved sequence numbers are fatal, because 2.0 cannot raise its epoch
        (TXM-15)."""
        transactions = self._transactions
        if transactions.has_unresolved and not transactions.has_fatal_error:
            self._poll.changed = True
            transactions.unresolved_is_abortable()
            self._setup.watch.emit(LostNumbersFatal, self._setup.name)
        return False

    def _send_control(self, now: int) -> bool:
        """R2 with transactions: no further request is sent while any sequence is unresolved (SND-3)."""
        transactions = self._transactions
        if transactions.has_unresolved and transactions.in_flight is None:
            return False
        return self._channel.send_or_poll(now)

    def _wait_for_producer_id(self, now: int) -> bool:
        """R2: the pass blocks until there is a producer id or a fatal error (PID-12)."""
        transactions, setup = self._transactions, self._setup
        if transactions.has_producer_id or transactions.has_fatal_error:
            return False
        if transactions.in_flight is not None:
            return self._channel.poll(now)
        connections = self._connections
        node = connections.least_loaded(self._metadata.brokers, now)
        if node is None:
            self._metadata.request_update()
            return self._channel.sleep(setup.config.retry_backoff_ms, now)
        if not connections.to(node).usable:
            self._reachability.start(node, now)
            self._waiting.emit(
                NOT_CONNECTED,
                node,
                WaitsForConnection,
                setup.name,
                f"broker-{node}",
                connections.limit,
                For.PRODUCER_ID,
            )
            return self._poll.end(None)
        self._channel.send(node, PendingRequest(INIT, init_request(), PRIORITIES[INIT]), now)
        return self._poll.end(now)

    def _stop_on_error(self, now: int) -> bool:
        """R3: end the pass, so that nothing is sent, if there is no producer id or after a fatal error. After
        an abortable error, fail the batches without sequence numbers."""
        transactions = self._transactions
        if transactions.has_fatal_error or not transactions.has_producer_id:
            self._closing.give_up(transactions.last_error, now)
            return self._poll.end(None)
        if transactions.has_abortable_error and transactions.last_error is not None:
            self._completion.abort(self._accumulator.undrained(), transactions.last_error.name, now, True)
        return False
