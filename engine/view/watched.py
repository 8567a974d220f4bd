"""Keeps a copy of the part of a view that derived facts read, and applies changes to it. The copy shares the view's
lists, because the engine always replaces a list as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ALL: Final = True
"""Stands for everything below this level."""
EACH: Final = "*"
"""Stands for every name at this level."""
NUMBERED: Final = "#"
"""Stands for every name at this level that is a number. Such names are kept in numerical order."""

Tree = Mapping[str, Any]

WATCHED: Tree = {
    "pending": {EACH: {"at": ALL, "class": ALL}},
    "clients": {EACH: {"alive": ALL, "transaction_manager": {
        "producer_id": ALL, "producer_epoch": ALL, "transaction": {"transaction_version": ALL},
        "transactional_id": ALL, "in_flight_request": ALL, "state": ALL,
        "partitions": {EACH: {"last_acked_sequence": ALL, "in_flight": ALL, "unresolved": ALL}},
    }}},
    "brokers": {EACH: {"transactions": {EACH: {
        "started_at": ALL, "times_out_at": ALL, "producer_id": ALL, "producer_epoch": ALL, "log_partition": ALL,
        "last_producer_id": ALL, "last_producer_epoch": ALL,
    }}}},
    "partitions": {EACH: {"leader": ALL, "replicas": {EACH: {
        "waiting": ALL, "producers": {EACH: {"producer_epoch": ALL, "batches": ALL}},
        "log_start": ALL, "high_watermark": ALL, "last_stable_offset": ALL, "batches": {NUMBERED: {
            "last_offset": ALL, "producer_id": ALL, "producer_epoch": ALL,
            "transactional": ALL, "control": ALL, "outcome": ALL,
        }},
    }}}},
    "quorum": {"brokers": {EACH: {"expires_at": ALL}}, "controller": {"transaction_version": ALL}},
    "zookeeper": {"sessions": {EACH: {"alive": ALL, "expires_at": ALL}}},
    "middleware": {
        "transactions": {EACH: {"timer": ALL}},
        "business": {"transactions": {EACH: {"due": ALL}}},
        "manager": {"transactions": {EACH: {"due": ALL}}},
    },
    "services": {EACH: {"asked_at": ALL, "timeout_at": ALL}},
}  # fmt: skip


def watched(view: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of those parts of the view that derived facts read (``WATCHED``)."""
    kept: dict[str, Any] = _kept(WATCHED, view)
    return kept


def fold(view: dict[str, Any], change: Mapping[str, Any]) -> bool:
    """Apply a change (docs/frame.md) to a view that ``watched`` has returned. Returns False when the change is about
    no part that the view has."""
    path = change["path"]
    tree: Any = WATCHED.get(path[0])
    if tree is None:
        return False
    node = view
    for depth, name in enumerate(path[:-1], 1):
        if tree is not ALL:
            below = tree.get(path[depth]) or tree.get(EACH) or tree.get(NUMBERED)
            if below is None:
                return False
            tree = below
        inner = node.get(name)
        if type(inner) is not dict:
            if "after" not in change:
                return True
            inner = node[name] = {}
        node = inner
    if "after" in change:
        node[path[-1]] = _kept(tree, change["after"])
    else:
        node.pop(path[-1], None)
    return True


def _kept(tree: Any, value: Any) -> Any:
    if type(value) is not dict:
        return value
    if tree is ALL:
        return {name: _kept(ALL, inner) for name, inner in value.items()}
    every = tree.get(EACH)
    if every is not None:
        return {name: _kept(every, inner) for name, inner in value.items()}
    numbered = tree.get(NUMBERED)
    if numbered is not None:
        return {name: _kept(numbered, value[name]) for name in sorted(value, key=int)}
    return {name: _kept(below, value[name]) for name, below in tree.items() if name in value}
