"""How a producer gets its producer id and recovers lost sequence numbers, in the phases of a pass before P1
(PID-11).

The two generations have different phases: ``queued_identity`` (2.8) and ``blocking_identity`` (2.0). This
module holds the code of both generations: it handles the responses to InitProducerId for a producer without a
transactional id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol

from engine.client import control_reactions
from engine.client.client_states import ABORTABLE, FATAL
from engine.client.connections import InFlightRequest
from engine.client.control_reactions import DENIALS, reaction_to
from engine.client.control_requests import INIT, PendingRequest
from engine.client.partition_sequences import PartitionSequences
from engine.client.poll import Poll
from engine.client.setup import Setup
from engine.client.transaction_manager import TransactionManager
from engine.client.waiting import Waiting
from engine.errors import EngineError, Error
from engine.happenings.sender import (
    ControlLost,
    LostNumbers,
    NumbersResolved,
    ProducerIdReceived,
    ProducerIdRefused,
    ProducerIdRetried,
)
from engine.messages import InitProducerIdResponse

Phase = Callable[[int], bool]
"""A phase of a pass, called with the time; True ends the pass."""


class Identity(Protocol):
    """One generation's phases before P1, and its reaction to the response to InitProducerId."""

    def phases(self) -> tuple[tuple[str, Phase], ...]: ...

    def answered(self, response: InitProducerIdResponse, now: int) -> None: ...

    def lost(self, request: InFlightRequest, now: int) -> None: ...


class InitProducerIdAnswers:
    """Handles the responses to InitProducerId for a producer without a transactional id. ``queued``: whether
    the request joins the queue of control requests."""

    queued: ClassVar[bool]

    __slots__ = ("_poll", "_setup", "_transactions", "_waiting")

    def __init__(self, setup: Setup, transactions: TransactionManager, poll: Poll, waiting: Waiting) -> None:
        self._setup = setup
        self._transactions = transactions
        self._poll = poll
        self._waiting = waiting

    def retries(self, error: Error) -> bool:
        """Whether the request is sent again after this error."""
        raise NotImplementedError

    def repeat(self, request: PendingRequest, now: int) -> None:
        """Send the request again."""
        raise NotImplementedError

    def answered(self, response: InitProducerIdResponse, now: int) -> None:
        """Handle the response to InitProducerId (PID-11, PID-12, TXM-13)."""
        transactions, setup = self._transactions, self._setup
        request = transactions.in_flight
        transactions.set_in_flight(None)
        if request is None:
            raise EngineError(f"{setup.name}: a response to InitProducerId without a request")
        error = response.error
        if error is Error.NONE:
            transactions.identity_received(response.producer_id, response.producer_epoch)
            self._waiting.over()
            setup.watch.emit(
                ProducerIdReceived,
                setup.name,
                response.producer_id,
                response.producer_epoch,
                self.queued,
            )
            return
        if self.retries(error):
            setup.watch.emit(ProducerIdRetried, setup.name, error, setup.config.retry_backoff_ms, self.queued)
            self.repeat(request, now)
            return
        does = reaction_to(INIT, error.name, transactions.reactions).does
        denied = does == control_reactions.ABORTABLE and error.name in DENIALS
        transactions.transition(ABORTABLE if denied else FATAL, error)
        setup.watch.emit(ProducerIdRefused, setup.name, error)

    def lost(self, request: InFlightRequest, now: int) -> None:
        """Repeat InitProducerId, because the connection ended before the response came (SND-5, PID-12)."""
        transactions = self._transactions
        pending = transactions.in_flight
        transactions.set_in_flight(None)
        if pending is not None:
            self._setup.watch.emit(ControlLost, self._setup.name, request.api)
            self.repeat(pending, now)

    def emit_resolved(self, entry: PartitionSequences, found: LostNumbers, *, by_bump: bool) -> None:
        self._setup.watch.emit(
            NumbersResolved,
            self._setup.name,
            partition=entry.partition,
            next_sequence=entry.next_sequence,
            expected=entry.last_acked_sequence + 1,
            found=found,
            by_bump=by_bump,
        )
