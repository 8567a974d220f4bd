"""Finds the epochs of producer ids that belong to older instances (fencing): a newer instance has a higher epoch of
the same id, or the coordinator has raised the epoch for one that still waits for its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def fenced(view: Json) -> dict[str, int]:
    """Producer id to the highest epoch of an instance that is not the newest one with this id. What has this epoch
    or a lower one was written by this instance or an older one."""
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
    """Whether a coordinator has raised the epoch of this instance, or replaced its producer id, for another instance.
    An end of a transaction raises the epoch too, with transaction version 2: then the coordinator keeps the instance's
    epoch as the last one, and the instance learns the new one from the response."""
    name, id_, own = manager.get("transactional_id"), manager["producer_id"], manager["producer_epoch"]
    others = [one for one in managers if one is not manager and one.get("transactional_id") == name]
    if name is None or not others:
        return False
    begins = any(one.get("state") == "INITIALIZING" and not _has_id(one) for one in others)
    for broker in (view.get("brokers") or {}).values():
        entry = broker.get("transactions", {}).get(name)
        if entry is None or entry.get("last_producer_epoch") == own:
            continue
        if entry["producer_id"] == id_ and begins and entry["producer_epoch"] > own:
            return True
        # Too high an epoch: the newest instance has another id.
        has_new_id = begins or any(one.get("producer_id") == entry["producer_id"] for one in others)
        if entry["producer_id"] != id_ == entry.get("last_producer_id") and has_new_id:
            return True
    return False
