"""Finds the fenced epochs of producer ids. An epoch is fenced if a newer instance has a higher epoch of the same id, or
if the coordinator has a newer epoch or id, of which no response will inform the instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
_LEARNS = frozenset({"INITIALIZING", "COMMITTING_TRANSACTION", "ABORTING_TRANSACTION"})
"""The states of a client that waits for a response with the epoch that the coordinator has raised for it."""


def fenced(view: Json) -> dict[str, int]:
    """Dict of producer id → the highest fenced epoch of an instance. Batches with this epoch or a lower one were
    written by this instance or an older one."""
    managers = [
        manager
        for client in (view.get("clients") or {}).values()
        if (manager := client.get("transaction_manager") or {})
    ]
    epochs: dict[int, set[int]] = {}
    for manager in managers:
        if _has_id(manager):
            epochs.setdefault(manager["producer_id"], set()).add(manager["producer_epoch"])
    found = {str(id_): sorted(those)[-2] for id_, those in epochs.items() if len(those) > 1}
    for manager in managers:
        if _has_id(manager) and _is_replaced(view, manager, managers):
            id_ = str(manager["producer_id"])
            found[id_] = max(found.get(id_, -1), manager["producer_epoch"])
    return found


def _has_id(manager: Json) -> bool:
    return manager.get("producer_id") not in (None, -1)


def _is_replaced(view: Json, manager: Json, managers: list[Json]) -> bool:
    """Whether a coordinator has raised the epoch of this instance, or replaced its producer id, and no response will
    tell the instance. An epoch that the end of the instance's own transaction has raised (transaction version 2) does
    not count: the coordinator then keeps the instance's epoch as the last one, and its response contains the new
    epoch."""
    name, id_, own = manager.get("transactional_id"), manager["producer_id"], manager["producer_epoch"]
    if name is None:
        return False
    others = [one for one in managers if one is not manager and one.get("transactional_id") == name]
    begins = any(one.get("state") == "INITIALIZING" and not _has_id(one) for one in others)
    for broker in (view.get("brokers") or {}).values():
        entry = broker.get("transactions", {}).get(name)
        if entry is None or (entry.get("last_producer_epoch") == own and manager.get("state") in _LEARNS):
            continue
        if entry["producer_id"] == id_ and entry["producer_epoch"] > own:
            return True
        # If the epochs of an id are used up, the newest instance has another id.
        has_new_id = begins or any(one.get("producer_id") == entry["producer_id"] for one in others)
        if entry["producer_id"] != id_ == entry.get("last_producer_id") and has_new_id:
            return True
    return False
