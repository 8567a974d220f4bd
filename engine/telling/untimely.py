"""Sentences for batches that a leader accepts although the coordinator has newer facts: a batch is late, has
an older epoch, or is in a partition that its transaction does not include.

A leader compares epoch and sequence number with what it has stored. It learns of a new epoch, and of the end
of a transaction, only from markers and from batches (FEN-3, MRK-6). The reason for its ignorance follows from
the coordinator's entry and from the messages between coordinator and leader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.coordinator.transaction_states import PREPARE_ABORT, PREPARE_COMMIT
from engine.happenings import appends as happened
from engine.messages import NO_PRODUCER_EPOCH, broker_number
from engine.telling.telling import Teller, phrase

MARKERS = "WriteTxnMarkers"
_DECIDED = (PREPARE_COMMIT, PREPARE_ABORT)
_EPOCH = ("FEN-1", "FEN-3")
_OUTSIDE = ("MRK-1", "LOG-6")
_ENDED = ("MRK-6", "LOG-6")


@dataclass(frozen=True, slots=True)
class Untimely:
    """The sentence for an untimely batch. ``params``: the parameters that it adds. ``none_due``: the parameters of a
    note that no marker will follow; None: a marker will. ``unassigned``: the parameters of a note that no producer
    has the coordinator's newest epoch; None: a producer has it, or will get it."""

    key: str
    rules: tuple[str, ...]
    params: dict[str, Any]
    none_due: dict[str, Any] | None = None
    unassigned: dict[str, Any] | None = None


def untimely_of(h: happened.ClientBatchReached, teller: Teller) -> Untimely | None:
    """The sentence for an untimely batch; None if the batch is not transactional, if the leader knows as much about it
    as the coordinator, or if no coordinator of the run knows the producer."""
    batch, arrival = h.batch, h.appended.arrival
    if not batch.is_transactional or arrival is None or arrival.stored_epoch > batch.producer_epoch:
        return None
    found = teller.coordinated(batch.producer_id)
    if found is None:
        return None
    coordinator, transactional_id, entry = found
    known = {"coordinator": coordinator, "transactional_id": transactional_id}
    newest = entry["producer_epoch"]
    if newest is not None and batch.producer_epoch < newest:
        because = phrase(
            _why_unknown(h, teller, found),
            broker=h.broker,
            partition=h.partition,
            producer_id=batch.producer_id,
            newest=newest,
        )
        about = {"coordinator": coordinator, "producer_id": batch.producer_id, "newest": newest}
        is_unassigned = _is_unassigned(transactional_id, batch.producer_epoch, entry, teller)
        unassigned = about if is_unassigned else None
        params = {**known, "newest": newest, "because": because}
        return Untimely("broker.appended_outdated", _EPOCH, params, unassigned=unassigned)
    marker = _newest_marker(h, teller)
    if h.partition not in entry["partitions"]:
        if marker is None or marker["producer_epoch"] != batch.producer_epoch:
            return Untimely("broker.appended_outside", _OUTSIDE, known)
        none_due = {**known, "partition": h.partition}
        return Untimely("broker.appended_after_marker", _ENDED, _shown(marker), none_due)
    decision = next((one for one in (entry["pending_state"], entry["state"]) if one in _DECIDED), None)
    if decision is None:
        return None
    if marker is not None and marker["appended_at"] >= entry["started_at"]:
        return Untimely("broker.appended_after_marker", _ENDED, _shown(marker))
    return Untimely("broker.appended_after_decision", ("MRK-6",), {**known, "decision": decision})


def _is_unassigned(transactional_id: str, epoch: int, entry: Mapping[str, Any], teller: Teller) -> bool:
    """Whether the coordinator raised the epoch to abort, and no producer has the new epoch. If the end of a
    transaction raised the epoch for its own producer (transaction version 2), the result is False; the entry then has
    the old epoch as its last one."""
    if (
        PREPARE_ABORT not in (entry["state"], entry["pending_state"])
        or entry.get("last_producer_epoch") == epoch
    ):
        return False
    newest = entry["producer_id"], entry["producer_epoch"]
    return newest not in teller.holders(transactional_id).values()


def _shown(marker: Mapping[str, Any]) -> dict[str, Any]:
    return {"result": marker["control"], "marker_offset": marker["base_offset"]}


def _newest_marker(h: happened.ClientBatchReached, teller: Teller) -> Mapping[str, Any] | None:
    """The newest marker of the batch's producer before the batch in the leader's log; None without one."""
    at = ("partitions", h.partition, "replicas", str(broker_number(h.broker)), "batches")
    for offset in range(h.appended.base_offset - 1, -1, -1):
        stored: Mapping[str, Any] | None = teller.shown(*at, str(offset))
        if stored is not None and stored["control"] and stored["producer_id"] == h.batch.producer_id:
            return stored
    return None


def _why_unknown(
    h: happened.ClientBatchReached, teller: Teller, found: tuple[str, str, Mapping[str, Any]]
) -> str:
    """The key of the clause that says why the leader does not know the newest epoch. ``found``: the coordinator, the
    transactional id and the coordinator's entry of it."""
    coordinator, transactional_id, entry = found
    arrival = h.appended.arrival
    has_entry = arrival is not None and arrival.stored_epoch != NO_PRODUCER_EPOCH
    unknown = "clause.epoch_not_brought" if has_entry else "clause.epoch_without_entry"
    if entry["pending_state"] in _DECIDED:
        return "clause.epoch_marker_unsent"
    board = teller.shown("brokers", str(broker_number(coordinator)), "markers") or {}
    waiting = (board.get("waiting") or {}).get(transactional_id)
    if waiting is None or h.partition not in waiting["remaining"]:
        return unknown
    sent_to_leader = (board.get("in_flight") or {}).get(str(broker_number(h.broker)), ())
    if not any(
        one["transactional_id"] == transactional_id and h.partition in one["partitions"]
        for one in sent_to_leader
    ):
        return "clause.epoch_marker_unsent"
    if teller.is_under_way(MARKERS, coordinator, h.broker, h.partition):
        return "clause.epoch_marker_under_way"
    if teller.is_under_way(MARKERS, h.broker, coordinator, h.partition):
        return unknown
    return "clause.epoch_marker_lost"
