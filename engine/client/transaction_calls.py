"""The effects of an application's transactional calls on the transaction manager (TXM-5..TXM-8, TXM-10).

A call may change the state and enqueue requests; nothing is sent here. Where Kafka throws an exception, a call
raises :class:`CallThrows`.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.client import client_states as states
from engine.client.application import (
    ABORT_TRANSACTION,
    BEGIN_TRANSACTION,
    COMMIT_TRANSACTION,
    INIT_TRANSACTIONS,
    SEND_OFFSETS,
    Call,
)
from engine.client.control_requests import (
    ADD_OFFSETS,
    BUMP,
    END,
    INIT,
    PRIORITIES,
    Result,
)
from engine.client.thrown import ILLEGAL_STATE_EXCEPTION, CallThrows
from engine.client.transaction_manager import IllegalTransition, TransactionManager
from engine.errors import Error
from engine.happenings.codes import Compared
from engine.happenings.producer import PartitionLeftToLeader, PartitionNew, Refusal
from engine.messages import (
    NO_MEMBER,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    AddOffsetsToTxnRequest,
    CommittedOffset,
    EndTxnRequest,
    InitProducerIdRequest,
    Membership,
)


def init_transactions(manager: TransactionManager) -> Result:
    """Change the state to INITIALIZING and enqueue an InitProducerId without an identity (TXM-7). A repeated call
    waits for the result of the first one (TXM-5)."""
    _needs_transactional_id(manager)
    if manager.late_calls.init_meets_errors:
        _no_error(manager)
    waiting = manager.late_calls.resumed(manager, states.INIT)
    if waiting is not None:
        return waiting
    _take(manager, states.INIT)
    return _enqueue_init(manager, NO_PRODUCER_ID, NO_PRODUCER_EPOCH, INIT, states.INIT)


def begin_transaction(manager: TransactionManager) -> None:
    """Change the state from READY to IN_TRANSACTION. No request is enqueued (CTR-1)."""
    _needs_transactional_id(manager)
    manager.late_calls.check_other(manager)
    _no_error(manager, states.BEGIN)
    _take(manager, states.BEGIN)


def check_send(manager: TransactionManager) -> None:
    """Raises :class:`CallThrows` when no record may be sent now (TXM-5)."""
    if manager.has_error:
        error = manager.state if manager.last_error is None else manager.last_error.name
        exception = manager.thrown.for_send(manager.last_error, manager.last_error_unexpected)
        raise CallThrows(Refusal.SEND_IN_ERROR, "TXM-5", error, exception, ((Compared.STATE, manager.state),))
    manager.late_calls.check_other(manager)
    if not manager.is_transactional:
        return
    if not manager.has_producer_id:
        raise CallThrows(
            Refusal.SEND_BEFORE_INIT,
            "TXM-5",
            "ILLEGAL_STATE",
            ILLEGAL_STATE_EXCEPTION,
            ((Compared.STATE, manager.state), (Compared.PRODUCER_ID, "none")),
        )
    if manager.state not in states.SENDING:
        raise CallThrows(
            Refusal.SEND_OUTSIDE_TRANSACTION,
            "TXM-5",
            "ILLEGAL_STATE",
            ILLEGAL_STATE_EXCEPTION,
            ((Compared.STATE, manager.state),),
        )


def maybe_add_partition(manager: TransactionManager, partition: str) -> bool:
    """Mark the partition for registration (TXM-8), or leave it to the leader (KIP-890). False: the
    transaction has the partition already."""
    if (
        partition in manager.added_partitions
        or partition in manager.pending_partitions
        or partition in manager.new_partitions
    ):
        return False
    manager.entry(partition)
    if manager.has_epoch_for_each:
        manager.added_partitions[partition] = None
        manager.started = True
    else:
        manager.new_partitions[partition] = None
    manager.watch.touch(manager)
    return True


def register_partition(manager: TransactionManager | None, partition: str) -> bool:
    """Add a partition to the transaction of a transactional producer (ACC-4, TXM-8). True: a request has to
    register it."""
    if manager is None or not manager.is_transactional or not maybe_add_partition(manager, partition):
        return False
    if manager.has_epoch_for_each:
        manager.watch.emit(PartitionLeftToLeader, manager.client, partition)
        return False
    manager.watch.emit(PartitionNew, manager.client, partition)
    return True


def send_offsets(
    manager: TransactionManager,
    offsets: dict[str, CommittedOffset],
    group: str,
    member: Membership = NO_MEMBER,
) -> Result:
    """Enqueue the requests that add offsets to the transaction (OFS-1). ``member`` is sent with the offsets
    since KIP-447."""
    _needs_transactional_id(manager)
    manager.late_calls.check_other(manager)
    _no_error(manager)
    if manager.state not in states.SENDING:
        raise CallThrows(
            Refusal.OFFSETS_OUTSIDE_TRANSACTION,
            "TXM-5",
            "ILLEGAL_STATE",
            manager.thrown.in_wrong_state,
            ((Compared.STATE, manager.state),),
        )
    if manager.has_epoch_for_each:
        result = Result()
        manager.commit_offsets(offsets, group, manager.member_named(member), result)
        return result
    body = AddOffsetsToTxnRequest(
        transactional_id=manager.transactional_id or "",
        producer_id=manager.producer_id,
        producer_epoch=manager.producer_epoch,
        group_id=group,
    )
    request = manager.request_to_coordinator(ADD_OFFSETS, body, Result())
    request.offsets = dict(offsets)
    request.member = manager.member_named(member)
    manager.enqueue(request)
    return request.result or Result()


def commit_transaction(manager: TransactionManager) -> Result:
    """Change the state from IN_TRANSACTION to COMMITTING_TRANSACTION, and enqueue the requests that end the
    transaction (TXM-10). A repeated call waits for the result of the first one."""
    _needs_transactional_id(manager)
    waiting = manager.late_calls.resumed(manager, states.COMMIT)
    if waiting is not None:
        return waiting
    _no_error(manager, states.COMMIT)
    _take(manager, states.COMMIT)
    return _complete(manager, states.COMMIT, skip_end=False)


def abort_transaction(manager: TransactionManager) -> Result:
    """Change the state from IN_TRANSACTION or ABORTABLE_ERROR to ABORTING_TRANSACTION, drop the *new*
    partitions, and enqueue the requests that end the transaction (TXM-10). A repeated call waits for the
    result of the first one."""
    _needs_transactional_id(manager)
    waiting = manager.late_calls.resumed(manager, states.ABORT)
    if waiting is not None:
        return waiting
    if not manager.has_abortable_error:
        _no_error(manager, states.ABORT)
    # The coordinator would refuse an EndTxn with an identity that it no longer has.
    skip_end = manager.last_error is Error.INVALID_PRODUCER_ID_MAPPING and manager.must_ask_for_bump
    _take(manager, states.ABORT)
    manager.new_partitions.clear()
    return _complete(manager, states.ABORT, skip_end=skip_end)


def _complete(manager: TransactionManager, on: str, skip_end: bool) -> Result:
    """Enqueue the registration of new partitions, EndTxn unless ``skip_end``, and an epoch bump if one is due
    (TXM-10)."""
    manager.register_partitions()
    result = Result()
    if not skip_end:
        body = EndTxnRequest(
            transactional_id=manager.transactional_id or "",
            producer_id=manager.producer_id,
            producer_epoch=manager.producer_epoch,
            committed=on == states.COMMIT,
            transaction_version=manager.version,
        )
        # The request was already made, so this transaction ends in the version in which it began.
        manager.follow_features(initial=False)
        manager.enqueue(manager.request_to_coordinator(END, body, result))
    if skip_end or manager.bump_required:
        return _enqueue_init(manager, manager.producer_id, manager.producer_epoch, BUMP, on)
    manager.pending_result, manager.pending_call = result, on
    return result


def _enqueue_init(
    manager: TransactionManager, producer_id: int, producer_epoch: int, kind: str, on: str
) -> Result:
    body = InitProducerIdRequest(
        transactional_id=manager.transactional_id,
        transaction_timeout_ms=manager.config.transaction_timeout_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
    )
    result = manager.pending_result = Result()
    manager.pending_call = on
    manager.enqueue(manager.request_to_coordinator(INIT, body, result, PRIORITIES[kind]))
    return result


def _needs_transactional_id(manager: TransactionManager) -> None:
    if not manager.is_transactional:
        raise CallThrows(
            Refusal.NEEDS_TRANSACTIONAL_ID,
            "TXM-5",
            "ILLEGAL_STATE",
            ILLEGAL_STATE_EXCEPTION,
            ((Compared.TRANSACTIONAL_ID, "none"),),
        )


def _no_error(manager: TransactionManager, on: str | None = None) -> None:
    """Raise :class:`CallThrows` with the producer's last error, if it has one (CTR-27, CTR-28). ``on``: the
    event of the call; if the state machine allows it, nothing is raised."""
    if not manager.has_error or manager.last_error is None or (on is not None and manager.allows(on)):
        return
    raise CallThrows(
        Refusal.CALL_IN_ERROR,
        "TXM-5",
        manager.last_error.name,
        manager.thrown.for_error(manager.last_error, manager.last_error_unexpected),
        ((Compared.STATE, manager.state),),
    )


def _take(manager: TransactionManager, on: str) -> None:
    try:
        manager.transition(on, by_call=True)
    except IllegalTransition as illegal:
        raise CallThrows(
            illegal.row,
            illegal.row.spec,
            "ILLEGAL_STATE",
            manager.thrown.in_wrong_state,
            ((Compared.STATE, manager.state),),
        ) from illegal


def _init(manager: TransactionManager, call: Call) -> Result:
    return init_transactions(manager)


def _begin(manager: TransactionManager, call: Call) -> None:
    begin_transaction(manager)


def _send_offsets(manager: TransactionManager, call: Call) -> Result:
    offsets = {name: CommittedOffset(offset=offset) for name, offset in call.args["offsets"].items()}
    return send_offsets(manager, offsets, call.args["group"], call.args.get("member", NO_MEMBER))


def _commit(manager: TransactionManager, call: Call) -> Result:
    return commit_transaction(manager)


def _abort(manager: TransactionManager, call: Call) -> Result:
    return abort_transaction(manager)


ASKS: dict[str, Callable[[TransactionManager, Call], Result | None]] = {
    INIT_TRANSACTIONS: _init,
    BEGIN_TRANSACTION: _begin,
    SEND_OFFSETS: _send_offsets,
    COMMIT_TRANSACTION: _commit,
    ABORT_TRANSACTION: _abort,
}
"""Dict of a scripted call's kind → function on the manager. It returns the result that the call waits for;
None: the call returns at once."""
