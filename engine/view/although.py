"""Makes the clause for a run whose transactions and records end in the same way as without the intervention,
although a fault happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.shapes.plans import Although, Outcome, Words

_SAME = frozenset(
    {"cost.log_same", "cost.records_same", "cost.markers_more", "cost.markers_fewer"}
    | {"cost.end_same", "cost.outcome_same"}
)
"""The keys of the sentences about logs or nodes at the end of a run, if the run ends with the same transactions and
records as without the intervention."""
_FAULTS = frozenset(
    {"drop_message", "delay_message", "duplicate_message", "reorder_message", "disconnect_message"}
    | {"crash", "pause"}
)
_STILL = {"cost.end_same": "cost.still_end", "cost.outcome_same": "cost.still_outcome"}
_ENDS = frozenset({"restart", "resume"})
"""Interventions that end a fault."""


def although(now: Outcome, done: Sequence[Mapping[str, Any]], last: str) -> Although | None:
    """The clause in its two parts. None if no fault happened, if an intervention is neither in _FAULTS nor in _ENDS, or
    if transactions or records end differently. ``now``: the end of the run with interventions. ``done``: the
    interventions, in order. ``last``: the key of the cost's sentence about logs or nodes."""
    actions = {one["action"] for one in done}
    if last not in _SAME or not actions & _FAULTS or not actions <= _FAULTS | _ENDS:
        return None
    return {"outcome": _outcome(now, last), "fault": _fault(now, done)}


def _outcome(now: Outcome, last: str) -> Words:
    committed, aborted = now.get("committed", 0), now.get("aborted", 0) + now.get("by_hand", 0)
    is_open = now.get("hanging", 0) or any(one["hidden"] for one in now.get("readable", {}).values())
    if committed and not aborted and not is_open:
        return words("cost.still_committed_all" if committed > 1 else "cost.still_committed")
    return words(_STILL.get(last, "cost.still_log"))


def _fault(now: Outcome, done: Sequence[Mapping[str, Any]]) -> Words:
    if len(done) > 1:
        return words("cost.despite_changes", count=len(done))
    (one,) = done
    action = one["action"]
    if action == "crash" and one["actor"] in now.get("down", ()):
        action = "down"
    return words(f"cost.despite_{action}", **({"actor": one["actor"]} if "actor" in one else {}))


def words(key: str, **params: Any) -> Words:
    """A sentence by its key and parameters."""
    return {"key": key, "params": params}
