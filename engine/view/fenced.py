"""Finds the epochs of producer ids that belong to older instances (fencing): another client has a higher epoch of
the same id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def fenced(view: Json) -> dict[str, int]:
    """Producer id to the highest epoch of a client that is not the newest instance with this id. What has this epoch
    or a lower one was written by this instance or an older one."""
    epochs: dict[int, set[int]] = {}
    for client in (view.get("clients") or {}).values():
        manager = client.get("transaction_manager") or {}
        if manager.get("producer_id") not in (None, -1):
            epochs.setdefault(manager["producer_id"], set()).add(manager["producer_epoch"])
    return {str(id_): sorted(found)[-2] for id_, found in epochs.items() if len(found) > 1}
