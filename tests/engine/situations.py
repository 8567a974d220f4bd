"""Everything that the guards of each state machine can be called with, as Hypothesis strategies for their real
arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from engine.broker import allocation_states, producer_id_states, registration_states
from engine.client.recovery import RAISE_EPOCH, RESET_IDENTITY
from engine.coordinator import group_states, marker_states, transaction_states
from engine.coordinator.transaction_coordinator import Change
from engine.coordinator.transaction_metadata import TransactionMetadata
from engine.database import approaches, service_states
from engine.messages import SHORT_MAX
from engine.middleware import business_states, middleware_states, participant_states

EPOCHS = st.sampled_from((-1, 0, 1, 7, SHORT_MAX - 2, SHORT_MAX - 1, SHORT_MAX))
PARTITIONS = st.frozensets(st.sampled_from(("t-0", "t-1")))
YES_OR_NO = st.booleans()


def _change(
    epochs: tuple[int, int],
    pending: str | None,
    known: frozenset[str],
    asked: frozenset[str],
    claimed: int | None,
    failed: bool,
    keeps: bool,
) -> Change:
    metadata = TransactionMetadata("txn-1", 7, 1000, 0)
    metadata.producer_epoch, metadata.last_producer_epoch = epochs
    metadata.pending_state, metadata.partitions, metadata.failed_epoch_fence = pending, known, failed
    claim = None if claimed is None else (7, claimed)
    return Change(metadata, None, 0, claimed=claim, partitions=asked, keeps_epoch=keeps)


def _transaction(state: str, on: str) -> SearchStrategy[Any]:
    pending = st.none()
    # The scan for late transactions leaves out transactions whose change is being written.
    if on != transaction_states.TIME_OUT:
        pending |= st.sampled_from(transaction_states.TRANSACTION_STATES.states)
    return st.builds(
        _change,
        st.tuples(EPOCHS, EPOCHS),
        pending,
        PARTITIONS,
        PARTITIONS,
        st.none() | EPOCHS,
        YES_OR_NO,
        YES_OR_NO,
    )


PRODUCERS = st.builds(
    SimpleNamespace,
    bump_required=YES_OR_NO,
    outlives_denial=YES_OR_NO,
    raises_at_commit=YES_OR_NO,
    recovery=st.sampled_from((RAISE_EPOCH, RESET_IDENTITY)),
)


def _filled_in(**fields: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.fixed_dictionaries(fields).map(lambda known: middleware_states.Situation(**known))


def _middleware(state: str, on: str) -> SearchStrategy[Any]:
    """The fields that an event of a middleware's transaction fills in."""
    states = middleware_states
    if on == states.CONFIRM:
        return _filled_in(succeeded=YES_OR_NO)
    if on == states.CANCELLED:
        return _filled_in(undone=YES_OR_NO, all_heard=st.just(True))
    if on == states.ANSWER:
        # Before a compensation, all nodes are asked the same, so only one of the two outcomes can be reported.
        heard = YES_OR_NO if state == states.COMPENSATING else st.just(False)
        committed = st.just(False) if state == states.ROLLING_BACK else YES_OR_NO
        undone = st.just(False) if state == states.COMMITTING else YES_OR_NO
        return _filled_in(committed=committed, undone=undone, all_heard=heard).filter(
            lambda situation: not (situation.committed and situation.undone)
        )
    return _filled_in(
        ok=YES_OR_NO,
        any_prepared=YES_OR_NO,
        votes_missing=YES_OR_NO,
        succeeded=st.none() | YES_OR_NO,
        checks_left=YES_OR_NO,
        named=YES_OR_NO,
        given_up=YES_OR_NO,
    )


_OF_MACHINE: dict[str, SearchStrategy[Any]] = {
    "application_loop": st.builds(SimpleNamespace, in_transaction=YES_OR_NO),
    "business_transaction": st.builds(business_states.Situation, YES_OR_NO, YES_OR_NO, YES_OR_NO),
    "client_transactions": PRODUCERS,
    "broker_lifecycle": st.none(),
    "broker_registration": st.builds(
        registration_states.Situation, YES_OR_NO, YES_OR_NO, YES_OR_NO, YES_OR_NO
    ),
    "group_pending_offset": st.builds(group_states.Situation, YES_OR_NO, YES_OR_NO),
    "marker_states": st.builds(marker_states.Situation, YES_OR_NO, YES_OR_NO, YES_OR_NO, YES_OR_NO),
    "participant": st.builds(participant_states.Situation, YES_OR_NO, YES_OR_NO, YES_OR_NO),
    "participant_record": st.none(),
    "producer_batch": st.none(),
    "producer_id_allocation": st.builds(allocation_states.Situation, YES_OR_NO),
    "producer_id_block": st.builds(producer_id_states.Situation, YES_OR_NO, YES_OR_NO, YES_OR_NO, YES_OR_NO),
    "local_transaction": st.none(),
    "service": st.builds(
        service_states.Situation,
        st.sampled_from(("", *approaches.ACTS)),
        YES_OR_NO,
        YES_OR_NO,
        YES_OR_NO,
    ),
    "transaction_manager": st.builds(business_states.Cancelling, YES_OR_NO),
}
_OF_EVENT: dict[str, Callable[[str, str], SearchStrategy[Any]]] = {
    "middleware_transaction": _middleware,
    "transaction_states": _transaction,
}
MACHINES_WITH_SITUATIONS = {*_OF_MACHINE, *_OF_EVENT}


@cache
def situations(machine: str, state: str, on: str) -> SearchStrategy[Any]:
    """Return a strategy for what the guards of (state, on) can be called with."""
    of_event = _OF_EVENT.get(machine)
    return _OF_MACHINE[machine] if of_event is None else of_event(state, on)
