"""Finds the level of ``transaction.version`` that is in force: the highest of the cluster's level and the levels that
clients use.

A cluster whose level was lowered still gets requests of the higher level, from clients that have not noticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def level_in_force(view: Json) -> int:
    """The level that is in force in a view, which is JSON; 0 when no broker knows the feature (KIP-1022)."""
    controller = (view.get("quorum") or {}).get("controller") or {}
    used = [controller.get("transaction_version", 0)]
    for client in (view.get("clients") or {}).values():
        transaction = (client.get("transaction_manager") or {}).get("transaction") or {}
        used.append(transaction.get("transaction_version", 0))
    return int(max(used))
