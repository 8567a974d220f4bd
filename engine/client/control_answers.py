"""Handles the response to a control request, or the end of its connection (TXM-13). ``control_reactions``
chooses the reaction; this module carries it out."""

from __future__ import annotations

from typing import Any

from engine.client import client_states as states
from engine.client.control_reactions import (
    ABORTABLE,
    ACCEPT,
    BUMP,
    DISCONNECT,
    FATAL,
    FENCED,
    LOOKUP,
    RETRY_SOON,
    UNEXPECTED,
    ControlReaction,
    reaction_to,
)
from engine.client.control_requests import (
    PendingRequest,
)
from engine.client.transaction_manager import IllegalTransition, TransactionManager
from engine.client.waiting import Waiting
from engine.errors import EngineError, Error
from engine.happenings.producer import (
    AnswerThrown,
    ControlFailed,
    ControlRetried,
    CoordinatorFound,
    EpochRaisedByCoordinator,
    NextEpochGiven,
    OffsetsRegistered,
    OffsetsSent,
    PartitionsAdded,
    TransactionalIdReady,
    TransactionEnded,
)
from engine.happenings.sender import ControlLost
from engine.messages import (
    NO_PRODUCER_ID,
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    FindCoordinatorResponse,
    InitProducerIdResponse,
    TxnOffsetCommitResponse,
)

ANSWERS = (
    FindCoordinatorResponse,
    InitProducerIdResponse,
    AddPartitionsToTxnResponse,
    AddOffsetsToTxnResponse,
    TxnOffsetCommitResponse,
    EndTxnResponse,
)
FAILURES = (ABORTABLE, BUMP, FATAL)


class _Exchange:
    """A control request that was answered or lost."""

    __slots__ = ("client", "request", "transactions", "watch")

    def __init__(self, transactions: TransactionManager, request: PendingRequest) -> None:
        self.transactions = transactions
        self.request = request
        self.watch = transactions.watch
        self.client = transactions.client

    def reaction(self, answer: str) -> ControlReaction:
        return reaction_to(self.request.api, answer, self.transactions.reactions)

    def done(self) -> None:
        if self.request.result is not None:
            self.request.result.done()

    def react(self, reaction: ControlReaction, error: Error) -> None:
        if reaction.does in FAILURES:
            self._fail(reaction, error)
            return
        request, transactions = self.request, self.transactions
        if reaction.does == LOOKUP and request.coordinator is not None:
            transactions.look_up(request.coordinator, request.key)
        elif reaction.does == RETRY_SOON and not transactions.added_partitions:
            request.backoff_ms = transactions.config.add_partitions_backoff_ms
        transactions.retry(request)
        backoff = transactions.config.retry_backoff_ms
        self.watch.emit(
            ControlRetried,
            self.client,
            request.api,
            error,
            kind=request.coordinator or "",
            backoff=backoff if request.backoff_ms is None else min(backoff, request.backoff_ms),
            does=reaction.does,
        )

    def _fail(self, reaction: ControlReaction, error: Error) -> None:
        """Fail the request's call, and give the producer an abortable or a fatal error."""
        transactions = self.transactions
        does = reaction.does
        if does == BUMP:
            does = ABORTABLE if transactions.can_bump else FATAL
            if does == ABORTABLE and transactions.must_ask_for_bump:
                transactions.bump_required = True
        shown = transactions.thrown.fencing_for(error) if reaction.raises == FENCED else error
        unexpected = reaction.raises == UNEXPECTED
        if self.request.result is not None:
            self.request.result.fail(shown, unexpected)
        state = transactions.state
        transactions.transition(states.FATAL if does == FATAL else states.ABORTABLE, shown, unexpected)
        self.watch.emit(
            ControlFailed,
            self.client,
            self.request.api,
            error,
            shown,
            state,
            does=FATAL if does == FATAL else reaction.does,
            fenced=reaction.raises == FENCED,
        )


class ControlAnswers:
    """Handles the response to the control request in flight, or the loss of its connection."""

    __slots__ = ("_transactions", "_waiting")

    def __init__(self, transactions: TransactionManager, waiting: Waiting) -> None:
        self._transactions = transactions
        self._waiting = waiting

    def answered(self, body: object) -> None:
        """Handle the response to the transactional request in flight."""
        exchange = self._exchange()
        try:
            _HANDLERS[type(body)](exchange, body)
        except IllegalTransition as illegal:
            _illegal(exchange, illegal)

    def lost(self) -> None:
        """Handle the end of the connection before the response came (TXM-13, row *disconnect*)."""
        exchange = self._exchange()
        exchange.watch.emit(ControlLost, exchange.client, exchange.request.api)
        exchange.react(exchange.reaction(DISCONNECT), Error.NETWORK_EXCEPTION)

    def _exchange(self) -> _Exchange:
        transactions = self._transactions
        if transactions.in_flight is None:
            raise EngineError(f"{transactions.client}: a response to a control request that is not in flight")
        request = transactions.in_flight
        transactions.set_in_flight(None)
        self._waiting.over()
        return _Exchange(transactions, request)


def _illegal(exchange: _Exchange, illegal: IllegalTransition) -> None:
    """Emit that Kafka's Sender thread throws: it logs the exception and does not repeat the request
    (TXM-13)."""
    if not exchange.transactions.is_poisoned:
        exchange.watch.emit(AnswerThrown, exchange.client, exchange.request.api, illegal.row.on)


def _found(exchange: _Exchange, answer: FindCoordinatorResponse) -> None:
    reaction = exchange.reaction(answer.error.name)
    if reaction.does != ACCEPT:
        exchange.react(reaction, answer.error)
        return
    exchange.transactions.coordinators[answer.key_type] = answer.node
    exchange.watch.touch(exchange.transactions)
    exchange.watch.emit(
        CoordinatorFound, exchange.client, answer.key_type, answer.key, f"broker-{answer.node}"
    )


def _initialised(exchange: _Exchange, answer: InitProducerIdResponse) -> None:
    reaction = exchange.reaction(answer.error.name)
    if reaction.does != ACCEPT:
        exchange.react(reaction, answer.error)
        return
    transactions = exchange.transactions
    producer_id, producer_epoch = answer.producer_id, answer.producer_epoch
    client, before = exchange.client, transactions.producer_epoch
    identifier = transactions.transactional_id
    if exchange.request.is_bump:
        previous_id = transactions.producer_id
        exchange.watch.emit(
            EpochRaisedByCoordinator, client, producer_id, producer_epoch, previous_id, before, identifier
        )
        transactions.identity_raised(producer_id, producer_epoch)
    else:
        exchange.watch.emit(TransactionalIdReady, client, producer_id, producer_epoch, before, identifier)
        transactions.identity_received(producer_id, producer_epoch)
    exchange.done()


def _partitions_added(exchange: _Exchange, answer: AddPartitionsToTxnResponse) -> None:
    transactions = exchange.transactions
    failed: tuple[ControlReaction, Error] | None = None
    for error in answer.errors.values():
        reaction = exchange.reaction(error.name)
        if reaction.does == ABORTABLE and not reaction.at_once:
            # The error of an unauthorised topic takes precedence over OPERATION_NOT_ATTEMPTED of the others.
            if failed is None or error is Error.TOPIC_AUTHORIZATION_FAILED:
                failed = (reaction, error)
        elif reaction.does != ACCEPT:
            exchange.react(reaction, error)
            return
    for partition in answer.errors:
        transactions.pending_partitions.pop(partition, None)
    if failed is not None:
        exchange.react(*failed)
        return
    transactions.added_partitions.update(dict.fromkeys(answer.errors))
    transactions.started = True
    exchange.watch.touch(transactions)
    exchange.watch.emit(PartitionsAdded, exchange.client, tuple(answer.errors))
    exchange.done()


def _offsets_registered(exchange: _Exchange, answer: AddOffsetsToTxnResponse) -> None:
    reaction = exchange.reaction(answer.error.name)
    if reaction.does != ACCEPT:
        exchange.react(reaction, answer.error)
        return
    transactions, request = exchange.transactions, exchange.request
    body = request.body
    if not isinstance(body, AddOffsetsToTxnRequest):
        raise EngineError(f"{exchange.client}: {body!r} is no AddOffsetsToTxn")
    offsets = request.offsets or {}
    transactions.commit_offsets(offsets, body.group_id, request.member, request.result)
    exchange.watch.emit(OffsetsRegistered, exchange.client, body.group_id)


def _offsets_sent(exchange: _Exchange, answer: TxnOffsetCommitResponse) -> None:
    """Handle the response to TxnOffsetCommit. The offsets of partitions with the result NONE are done. If
    others remain, the whole request is sent again or fails."""
    transactions = exchange.transactions
    again: tuple[ControlReaction, Error] | None = None
    for partition, error in answer.errors.items():
        reaction = exchange.reaction(error.name)
        if reaction.does == ACCEPT:
            transactions.pending_offsets.pop(partition, None)
        elif reaction.does in FAILURES:
            transactions.pending_offsets.clear()
            exchange.react(reaction, error)
            return
        elif again is None or reaction.does == LOOKUP:
            again = (reaction, error)
    exchange.watch.touch(transactions)
    if again is not None and transactions.pending_offsets:
        exchange.react(*again)
        return
    exchange.watch.emit(OffsetsSent, exchange.client, tuple(answer.errors))
    exchange.done()


def _ended(exchange: _Exchange, answer: EndTxnResponse) -> None:
    reaction = exchange.reaction(answer.error.name)
    if reaction.does != ACCEPT:
        exchange.react(reaction, answer.error)
        return
    transactions = exchange.transactions
    body = exchange.request.body
    committed = isinstance(body, EndTxnRequest) and body.committed
    bump = transactions.bump_required
    if answer.producer_id != NO_PRODUCER_ID:
        exchange.watch.emit(
            NextEpochGiven,
            exchange.client,
            transactions.producer_id,
            transactions.producer_epoch,
            answer.producer_id,
            answer.producer_epoch,
        )
        transactions.identity_follows(answer.producer_id, answer.producer_epoch)
    transactions.end_transaction()
    exchange.watch.emit(TransactionEnded, exchange.client, transactions.transactional_id, committed, bump)
    exchange.done()


_HANDLERS: dict[type, Any] = {
    FindCoordinatorResponse: _found,
    InitProducerIdResponse: _initialised,
    AddPartitionsToTxnResponse: _partitions_added,
    AddOffsetsToTxnResponse: _offsets_registered,
    TxnOffsetCommitResponse: _offsets_sent,
    EndTxnResponse: _ended,
}
