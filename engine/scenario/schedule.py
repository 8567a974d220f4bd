"""Finds the calls of applications and the faults that two documents of one scenario schedule differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from engine.shapes.alongside import Rescheduled

Time = int | None
Key = tuple[Any, ...]


def rescheduled(left: Mapping[str, Any], right: Mapping[str, Any]) -> list[Rescheduled]:
    """The calls and faults that only one of two documents (`Scenario.document`) has, or that both have at other
    times; the earliest first, those without a time last. Two calls are the same if everything but their time is
    equal."""
    ours, theirs = _times(left), _times(right)
    found: list[Rescheduled] = []
    for kind, who, what, rest in {**ours, **theirs}:
        key = (kind, who, what, rest)
        pairs = _paired(ours.get(key, []), theirs.get(key, []))
        found += [
            {"kind": kind, "who": who, "what": what, "left": one, "right": other} for one, other in pairs
        ]
    return sorted(found, key=_first_time)


def _times(document: Mapping[str, Any]) -> dict[Key, list[Time]]:
    """Dict of (kind, who, what, its other fields as text) of a call or fault → its times in ms. A time is None for a
    fault that takes effect when a message arrives or is sent."""
    times: dict[Key, list[Time]] = {}
    for kind, who, what, row in _rows(document):
        rest = repr(sorted((name, value) for name, value in row.items() if name != "at"))
        times.setdefault((kind, who, what, rest), []).append(row["at"])
    return times


def _rows(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    for application in document.get("applications", ()):
        for call in application["calls"]:
            yield "call", application["client"], call["do"], call
    for fault in document.get("faults", ()):
        match = fault.get("match") or {}
        about = (fault.get("actor"), fault.get("partition"), match.get("api"))
        yield "fault", next((str(one) for one in about if one is not None), ""), fault["action"], fault


def _paired(ours: list[Time], theirs: list[Time]) -> list[tuple[list[Time], list[Time]]]:
    """The times of equal calls or faults in two documents, in pairs, without the times that both documents have. Each
    side of a pair is a list of one time, or an empty list if its document has no further time."""
    left, right = list(ours), list(theirs)
    for time in ours:
        if time in right:
            left.remove(time)
            right.remove(time)
    pairs = zip_longest([[one] for one in left], [[one] for one in right], fillvalue=())
    return [(list(one), list(other)) for one, other in pairs]


def _first_time(row: Rescheduled) -> tuple[bool, int, str, str]:
    times = [time for time in (*row["left"], *row["right"]) if time is not None]
    return not times, min(times, default=0), row["who"], row["what"]
