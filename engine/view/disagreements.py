"""Finds the partitions where a producer disagrees about a number with the leader, or with its coordinator, although
nothing in flight explains the difference. A batch in flight never explains a higher epoch at the leader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TRANSACTION_LOG = "__transaction_state"
Json = Mapping[str, Any]


def disagreements_of(view: Json, client: str) -> dict[str, dict[str, Any]]:
    """Dict of partition → the disagreement between one client and the leader. For the partition of the transaction
    log, it is the disagreement with the coordinator.

    - `what`: what differs: the last acknowledged `sequence`, the `epoch`, or `unknown` when the leader does
      not have the producer.
    - `own`: the client's number.
    - `known`: the leader's number; None for `unknown`, or if the leader has cached no batch.
    """
    manager = _numbering(view["clients"].get(client))
    found = {}
    for partition, own in manager.get("partitions", {}).items():
        difference = _difference(view, manager, partition, own)
        if difference is not None:
            found[partition] = difference
    return {**found, **_with_coordinator(view, manager)}


def disagreement(view: Json, client: str, partition: str) -> dict[str, Any] | None:
    """The disagreement about one partition; None if there is none."""
    manager = _numbering(view["clients"].get(client))
    own = manager.get("partitions", {}).get(partition)
    if own is None:
        return _with_coordinator(view, manager).get(partition)
    return _difference(view, manager, partition, own)


def _numbering(client: Json | None) -> Json:
    """The client's `transaction_manager`; empty if the client is down or has no producer id."""
    if client is None or not client.get("alive"):
        return {}
    manager: Json | None = client.get("transaction_manager")
    return {} if manager is None or manager.get("producer_id") in (None, -1) else manager


def _difference(view: Json, manager: Json, partition: str, own: Json) -> dict[str, Any] | None:
    """The disagreement about one partition. None if client and leader agree, if the partition has no leader, or if a
    batch that is in flight or undecided may explain the difference."""
    log = view.get("partitions", {}).get(partition)
    replica = None if log is None else log.get("replicas", {}).get(str(log["leader"]))
    if log is None or replica is None:
        return None
    both = {"producer_id": manager["producer_id"], "leader": log["leader"]}
    acked, epoch = own["last_acked_sequence"], manager["producer_epoch"]
    known = replica.get("producers", {}).get(str(manager["producer_id"]))
    if known is not None and known["producer_epoch"] > epoch and manager.get("in_flight_request") is None:
        return {**both, "what": "epoch", "own": epoch, "known": known["producer_epoch"]}
    if own["in_flight"] or own["unresolved"] is not None:
        return None
    if known is None:
        return None if acked is None else {**both, "what": "unknown", "own": acked, "known": None}
    if known["producer_epoch"] != epoch:
        return {**both, "what": "epoch", "own": epoch, "known": known["producer_epoch"]}
    last = known["batches"][-1][1] if known["batches"] else None
    return None if last == acked else {**both, "what": "sequence", "own": acked, "known": last}


def _with_coordinator(view: Json, manager: Json) -> dict[str, dict[str, Any]]:
    """Dict of partition of the transaction log → the disagreement, if the coordinator's epoch is higher than the
    client's. It is empty if a request in flight has raised the epoch (the coordinator's `last_producer_epoch` is the
    client's epoch), because the client learns the new epoch from the response."""
    found: dict[str, dict[str, Any]] = {}
    own = manager.get("producer_epoch")
    if not manager:
        return found
    in_flight = manager.get("in_flight_request") is not None
    for number, broker in view.get("brokers", {}).items():
        entry = broker.get("transactions", {}).get(manager.get("transactional_id"))
        if entry is None or entry["producer_id"] != manager["producer_id"] or entry["producer_epoch"] <= own:
            continue
        if in_flight and entry.get("last_producer_epoch") == own:
            continue
        found[f"{TRANSACTION_LOG}-{entry['log_partition']}"] = {
            "producer_id": manager["producer_id"], "leader": int(number),
            "what": "epoch", "own": own, "known": entry["producer_epoch"],
        }  # fmt: skip
    return found
