"""Sentences of a transaction coordinator: about the changes of its transactional ids, about refusals with the
compared numbers, and about epochs."""

from __future__ import annotations

from typing import Any

from engine.coordinator.transaction_states import (
    ADD,
    CLAIM_REPLACED,
    CLAIM_TOO_LATE,
    NOT_OF_THIS,
    NOT_REPEATED,
    OF_ANOTHER,
    TIME_OUT,
)
from engine.errors import Error
from engine.happenings import transactions as happened
from engine.happenings.base import Happening
from engine.messages import broker_number
from engine.telling.machines import tell_row
from engine.telling.markers import missing_markers
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes, phrase

NEXT = {
    Error.CONCURRENT_TRANSACTIONS: "refusal.client_asks_again",
    Error.COORDINATOR_LOAD_IN_PROGRESS: "refusal.client_asks_again",
    Error.NOT_COORDINATOR: "refusal.client_looks_up_again",
    Error.INVALID_PRODUCER_ID_MAPPING: "refusal.client_aborts_and_raises",
    Error.UNKNOWN_SERVER_ERROR: "refusal.client_has_no_rule",
}
"""Dict of error → key of the sentence on the client's next action. Every other error is fatal for the client."""
BY_LEADER_NEXT = {
    Error.CONCURRENT_TRANSACTIONS: "refusal.leader_asks_again",
    Error.COORDINATOR_LOAD_IN_PROGRESS: "refusal.leader_returns_error",
    Error.NOT_COORDINATOR: "refusal.leader_returns_error",
}
"""Dict of error → key of the sentence on the next action of a leader that sent the request on behalf of its client.
For other errors, ``NEXT`` holds."""

_ALSO: dict[str, tuple[str, ...]] = {
    "epoch_raised": ("TXC-4",),
    "fences_open_transaction": ("TXC-4", "TXC-8", "FEN-2", "FEN-5"),
    "init_meets_transition": ("TXC-6", "FEN-5"),
    "init_waits_for_markers": ("FEN-5",),
    "transaction_begins": ("TXC-4", "CTR-36"),
    "partitions_added": ("TXC-4",),
    "add_meets_transition": ("TXC-6",),
    "end_meets_transition": ("TXC-6",),
    "decides_commit": ("TXC-4",),
    "decides_abort": ("TXC-4",),
    "aborts_nothing": ("TXC-4",),
    "epoch_of_another_transaction": ("FEN-2",),
    "all_markers_acknowledged": ("TXC-4",),
    "id_expires": ("TXC-4",),
    "transaction_timed_out": ("TXC-10", "FEN-2"),
}
"""Dict of the ``why`` of a row → the requirements that its sentence shows besides the row's own."""
_FENCES = "fences_open_transaction"
_SAID_OF_LEADERS = ("transaction_begins", "add_meets_transition")
"""Rows that have another sentence when a leader sends the request on behalf of its client."""
_ADD = ("transaction_begins", "partitions_added")
"""Rows that add partitions to the transaction."""
_MEETS_TRANSITION = ("init_meets_transition", "add_meets_transition", "end_meets_transition")
"""Rows that refuse a request because an earlier change of the id has not finished."""
_AFTER_SCAN = "refusal.no_client_waits"
"""The key of the sentence on the next action if a row refuses to abort a transaction that the scan found timed out.
The sentence says that no client waits for a response."""
_ABOUT_CLAIMS = (CLAIM_REPLACED, CLAIM_TOO_LATE, NOT_OF_THIS, NOT_REPEATED, OF_ANOTHER)
"""Guards that compare the identity in a request with the current one of the id."""


def _say(
    h: happened.IdMoved | happened.ClaimRefused | happened.MarkersResumed,
    key: str,
    rules: tuple[str, ...],
    teller: Teller,
    **further: Any,
) -> None:
    params = {
        "coordinator": h.coordinator,
        "transactional_id": h.transactional_id,
        "state": h.state,
        "pending": h.pending,
        "producer_id": h.producer_id,
        "producer_epoch": h.producer_epoch,
    }
    teller.say(key, rules, **{**params, **further})


def _fenced(h: happened.IdMoved, teller: Teller) -> dict[str, Any]:
    """The phrase for the fenced producer. It names the client with the id's current identity. Without such a client,
    it names the epoch alone, in other words if an earlier fence was not written."""
    identity = (h.producer_id, h.producer_epoch)
    for client, held in teller.holders(h.transactional_id).items():
        if held == identity:
            return phrase("clause.fenced_client", client=client, producer_epoch=h.producer_epoch)
    entry = (
        teller.shown("brokers", str(broker_number(h.coordinator)), "transactions", h.transactional_id) or {}
    )
    if entry.get("failed_epoch_fence"):
        return phrase("clause.fenced_before", producer_epoch=h.producer_epoch)
    return phrase("clause.fenced_epoch", producer_epoch=h.producer_epoch)


def _whose(h: happened.IdMoved, teller: Teller) -> dict[str, Any]:
    """The phrase for the client that sent the request, which is the one with the identity in the request."""
    for client, held in teller.holders(h.transactional_id).items():
        if held == h.claimed:
            return phrase("clause.whose_client", client=client)
    return phrase("clause.whose_producer")


def _unfinished(h: happened.IdMoved, teller: Teller) -> dict[str, Any]:
    """The phrase that says what the unfinished change of an id waits for: markers, or its record."""
    if missing := missing_markers(teller, h.coordinator, h.transactional_id):
        return phrase("clause.waits_for_markers", pending=h.pending, partitions=missing)
    return phrase("clause.waits_for_record", pending=h.pending)


def _compared_states(h: happened.IdMoved, teller: Teller) -> list[list[Any]]:
    """(label, state) for the state of the id that is in force, and for its pending state, if it has one. The
    completion of a decided transaction is pending at once, and is written after the markers (TXC-16)."""
    if h.pending is None:
        return [["state", h.state]]
    waits = missing_markers(teller, h.coordinator, h.transactional_id)
    return [["state", h.state], ["after the markers" if waits else "being written", h.pending]]


def _id_moved(h: happened.IdMoved, teller: Teller) -> None:
    row = h.row
    key = row_key(row)
    if h.by_leader and row.why in _SAID_OF_LEADERS:
        key = f"{key}_by_leader"
    further: dict[str, Any] = {"fenced": _fenced(h, teller)} if row.why == _FENCES else {}
    if row.why in _MEETS_TRANSITION:
        further["pending"] = _unfinished(h, teller)
        if row.on == ADD and not h.by_leader:
            further["whose"] = _whose(h, teller)
    if row.why in _ADD:
        further["added"] = h.added
    if row.on == TIME_OUT and not row.refused:
        entry = teller.shown("brokers", str(broker_number(h.coordinator)), "transactions", h.transactional_id)
        further["timeout_ms"] = (entry or {}).get("timeout_ms")
        further["scan_ms"] = h.scan_ms
    _say(h, key, (row.spec, *_ALSO.get(row.why, ())), teller, **further)
    tell_row(row, h.transactional_id, teller)
    if not row.refused:
        return
    error = Error[row.reply]
    if h.claimed is not None and row.when in _ABOUT_CLAIMS:
        _refuse_claim(h.claimed, h, row.spec, error, teller)
    else:
        following = _AFTER_SCAN if row.on == TIME_OUT else _next(error, h.by_leader)
        teller.refuse(row.spec, row.reply, _compared_states(h, teller), following)


def _next(error: Error, by_leader: bool) -> str:
    following = NEXT.get(error, "refusal.client_ends")
    return BY_LEADER_NEXT.get(error, following) if by_leader else following


def _claim_refused(h: happened.ClaimRefused, teller: Teller) -> None:
    _say(h, "coordinator.other_producer_id", ("TXC-7",), teller)
    _refuse_claim(h.claimed, h, "TXC-7", Error.PRODUCER_FENCED, teller)


def _refuse_claim(
    claimed: tuple[int, int],
    h: happened.IdMoved | happened.ClaimRefused,
    rule: str,
    error: Error,
    teller: Teller,
) -> None:
    teller.refuse(
        rule,
        error.name,
        [
            ["claimed producer id", claimed[0]],
            ["claimed epoch", claimed[1]],
            ["current producer id", h.producer_id],
            ["current epoch", h.producer_epoch],
        ],
        NEXT.get(error, "refusal.producer_fenced"),
    )


def _markers_resumed(h: happened.MarkersResumed, teller: Teller) -> None:
    _say(h, "coordinator.resumes_markers", ("TXC-22", "TXC-19"), teller)


_BY_INIT = "clause.raised_by_init"
"""The cause of an epoch that InitProducerId raised."""


def _raised_since(h: happened.EpochRefused, teller: Teller) -> dict[str, Any]:
    """The phrase for the cause that raised the epoch beyond that of the request."""
    cause = teller.raised_beyond(h.transactional_id, h.arrived)
    if cause == _BY_INIT:
        clients = {epoch: client for client, (_, epoch) in teller.holders(h.transactional_id).items()}
        if h.arrived in clients and h.current in clients:
            return phrase("clause.taken_over", client=clients[h.current])
    return phrase(cause or "clause.raised_since")


def _epoch_refused(h: happened.EpochRefused, teller: Teller) -> None:
    said = {
        "coordinator": h.coordinator,
        "transactional_id": h.transactional_id,
        "arrived": h.arrived,
        "current": h.current,
        "error": h.error.name,
    }
    if h.arrived > h.current:
        teller.say("coordinator.epoch_never_given", ("FEN-2",), **said)
    else:
        teller.say("coordinator.stale_epoch", ("FEN-2",), **said, raised=_raised_since(h, teller))
    compared = [["arrived epoch", h.arrived], ["current epoch", h.current]]
    following = "refusal.leader_returns_stale_epoch" if h.by_leader else "refusal.producer_fenced"
    teller.refuse("FEN-2", h.error.name, compared, following)


_Rejected = (
    happened.EmptyId
    | happened.TimeoutOutOfRange
    | happened.NoIdentityYet
    | happened.UnknownMapping
    | happened.NotHere
)


def _reject(
    h: _Rejected, key: str, rule: str, compared: list[list[Any]], teller: Teller, **params: Any
) -> None:
    """Add a refusal that does not depend on the state of the id."""
    teller.say(key, (rule,), coordinator=h.coordinator, error=h.error.name, **params)
    by_leader = isinstance(h, happened.NotHere) and h.by_leader
    teller.refuse(rule, h.error.name, compared, _next(h.error, by_leader))


def _empty_id(h: happened.EmptyId, teller: Teller) -> None:
    _reject(h, "coordinator.empty_id", h.spec, [["transactional id", ""]], teller)


def _timeout_out_of_range(h: happened.TimeoutOutOfRange, teller: Teller) -> None:
    compared = [["timeout", h.timeout], ["longest allowed", h.longest]]
    said = {"transactional_id": h.transactional_id, "timeout": h.timeout, "longest": h.longest}
    _reject(h, "coordinator.timeout_out_of_range", "TXC-7", compared, teller, **said)


def _no_identity_yet(h: happened.NoIdentityYet, teller: Teller) -> None:
    compared = [["arrived epoch", h.arrived]]
    said = {"transactional_id": h.transactional_id}
    _reject(h, "coordinator.no_identity_yet", "TXC-12", compared, teller, **said)


def _unknown_mapping(h: happened.UnknownMapping, teller: Teller) -> None:
    compared: list[list[Any]] = [["arrived producer id", h.arrived], ["current producer id", h.known]]
    said: dict[str, Any] = {"transactional_id": h.transactional_id, "arrived": h.arrived}
    if h.known is None:
        _reject(h, "coordinator.unknown_id", "TXC-12", compared, teller, **said)
    else:
        _reject(h, "coordinator.unknown_mapping", "TXC-12", compared, teller, known=h.known, **said)


def _not_here(h: happened.NotHere, teller: Teller) -> None:
    loading = h.error is Error.COORDINATOR_LOAD_IN_PROGRESS
    key = "coordinator.still_loading" if loading else "coordinator.not_here"
    compared: list[list[Any]] = [["log partition", h.number], ["partitions owned", list(h.owned)]]
    said = {"transactional_id": h.transactional_id, "number": h.number}
    _reject(h, key, "TXC-6", compared, teller, **said)


def _identity_chosen(h: happened.IdentityChosen, teller: Teller) -> None:
    if h.identity is not happened.Identity.GIVEN_AGAIN:
        teller.raised(h.transactional_id, h.new_epoch, _BY_INIT)
    teller.note(
        f"coordinator.{h.identity.value}",
        ("TXC-7", "TXC-9") if h.identity is happened.Identity.NEW else ("TXC-9",),
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        state=h.state,
        producer_epoch=h.producer_epoch,
        old_producer_id=h.old_producer_id,
        producer_id=h.producer_id,
        new_epoch=h.new_epoch,
    )


def _epoch_rises(h: happened.EpochRises, teller: Teller) -> None:
    teller.raised(h.transactional_id, h.new_epoch, "clause.raised_by_end")
    said = {
        "transactional_id": h.transactional_id,
        "producer_id": h.producer_id,
        "producer_epoch": h.producer_epoch,
        "new_epoch": h.new_epoch,
    }
    teller.note("coordinator.epoch_rises_with_decision", ("TXC-15",), **said)
    if h.next_producer_id is not None:
        teller.note("coordinator.last_epoch_decided", ("TXC-9",), **said, next_producer_id=h.next_producer_id)


def _fence_prepared(h: happened.FencePrepared, teller: Teller) -> None:
    cause = "clause.raised_by_timeout" if h.by_timeout else _BY_INIT
    teller.raised(h.transactional_id, h.new_epoch, cause)
    teller.note(
        row_key(h.row),
        (h.row.spec,),
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        state=h.state,
        producer_epoch=h.producer_epoch,
        new_epoch=h.new_epoch,
    )


def _stands(
    key: str, rules: tuple[str, ...], h: happened.FenceStands | happened.DecisionStands, teller: Teller
) -> None:
    """Make the sentence ``key`` the step's own. A sentence that the step had before becomes a note."""
    teller.lead(
        key,
        rules,
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        state=h.state,
        producer_epoch=h.producer_epoch,
    )


def _fence_stands(h: happened.FenceStands, teller: Teller) -> None:
    _stands("coordinator.fence_stands", ("TXC-10", "TXC-16"), h, teller)


def _decision_stands(h: happened.DecisionStands, teller: Teller) -> None:
    _stands("coordinator.decision_stands", ("TXC-15", "TXC-16", "TXC-17", "CTR-25"), h, teller)


TELLINGS: dict[type[Happening], Tell] = {
    happened.IdMoved: _id_moved,
    happened.ClaimRefused: _claim_refused,
    happened.MarkersResumed: _markers_resumed,
    happened.EpochRefused: _epoch_refused,
    happened.EmptyId: _empty_id,
    happened.TimeoutOutOfRange: _timeout_out_of_range,
    happened.NoIdentityYet: _no_identity_yet,
    happened.UnknownMapping: _unknown_mapping,
    happened.NotHere: _not_here,
    happened.IdentityChosen: _identity_chosen,
    happened.EpochRises: _epoch_rises,
    happened.FencePrepared: _fence_prepared,
    happened.FenceNotWritten: notes("coordinator.fence_not_written", "TXC-11", "TXC-5"),
    happened.FenceStands: _fence_stands,
    happened.DecisionStands: _decision_stands,
    happened.DecisionWithoutMarkers: notes("coordinator.decision_without_markers", "TXC-16"),
}
