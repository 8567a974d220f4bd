"""A step before which much virtual time passes, and what ends with it: a timer of the component that acts, or the wait
for a call of an application."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.shapes.derived import Leap

LEAP_MS = 1_000
"""From so much virtual time between two steps on, pages mark it."""
_TIMERS_OF_KEYS = {"markers.timed_out": "request_timeout"}
"""Key of a step to the kind of its timer, for timers that no view shows."""
CALL = "call"


def leap(before: int, step: Mapping[str, Any], timers: Iterable[Mapping[str, Any]]) -> Leap | None:
    """``before``: the time of the step in front. ``timers``: those that ran before this step, with their actors."""
    if step["at"] - before < LEAP_MS:
        return None
    found: Leap = {"ms": step["at"] - before}
    kind = _ends(before, step, timers)
    return found if kind is None else {**found, "ends": kind}


def _ends(before: int, step: Mapping[str, Any], timers: Iterable[Mapping[str, Any]]) -> str | None:
    if step["key"] in _TIMERS_OF_KEYS:
        return _TIMERS_OF_KEYS[step["key"]]
    if step["kind"] == "api_call":
        return CALL
    over = [
        timer
        for timer in (*timers, *_of_clients(step))
        if timer["actor"] == step["actor"] and before < timer["until"] <= step["at"]
    ]
    return max(over, key=_until)["kind"] if over else None


def _of_clients(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The timers of clients that end in this step."""
    return [
        {"actor": change["path"][1], **change["before"]}
        for change in step["changes"]
        if len(change["path"]) == 4
        and change["path"][0] == "clients"
        and change["path"][2] == "timers"
        and isinstance(change.get("before"), Mapping)
    ]


def _until(timer: Mapping[str, Any]) -> int:
    until: int = timer["until"]
    return until
