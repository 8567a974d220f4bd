"""Finds the steps before which much virtual time passes, and what ends with this time: a timer of the component that
acts, or the wait for a call of an application."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

from engine.shapes.derived import Leap

LEAP_MS = 1_000
"""The least virtual time between two steps, in ms, that pages mark."""
_TIMERS_OF_KEYS = {"markers.timed_out": "request_timeout"}
"""Dict of key of a step → kind of the timer that ends in it, for timers that no view shows."""
CALL = "call"


def leap(before: int, step: Mapping[str, Any], timers: Iterable[Mapping[str, Any]]) -> Leap | None:
    """The time that passes before a step, and what ends it; None if it is less than LEAP_MS. ``before``: the time of
    the previous step. ``timers``: the timers that ran before this step, with their actors."""
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
    return max(over, key=itemgetter("until"))["kind"] if over else None


def _of_clients(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The timers of clients that this step ends, as they were before it."""
    return [
        {"actor": change["path"][1], **change["before"]}
        for change in step["changes"]
        if len(change["path"]) == 4
        and change["path"][0] == "clients"
        and change["path"][2] == "timers"
        and isinstance(change.get("before"), Mapping)
    ]
