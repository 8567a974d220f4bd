"""What is derived of a run for those who draw it: each fact once, here, from JSON (docs/frame.md, *Derived*).

Derived facts are no part of the state and of no recording, so digests do not know them. Those of a view are a room of
their own in it, ``derived``, and change by changes of their own; those of a step stand with it. Both are folded from
the steps, whoever made them: a running simulation, a recording, a stored session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

from engine.recording import change_to_json, compare
from engine.timers import beside_clients
from engine.view.arrivals import arrivals
from engine.view.disagreements import disagreements
from engine.view.due import due_next
from engine.view.watched import fold, watched

ROOM = "derived"
"""Its name in a view, and in a step."""
OF_RECORDS = ("duplicated", "lost", "reordered")
"""Guarantees that records break."""

Json = Mapping[str, Any]
Serials = Mapping[str, Iterable[int]]
"""By guarantee."""


def _timers(view: Json) -> dict[str, Any]:
    return {f"{actor}/{name}": {"actor": actor, **timer} for actor, name, timer in beside_clients(view)}


_FACTS: dict[str, Callable[[Json], Any]] = {
    "pending": lambda view: due_next(view.get("pending", {})),
    "timers": _timers,
    "disagreements": disagreements,
}
"""Facts of a view, each with what makes it."""

_ROOMS: dict[str, tuple[str, ...]] = {
    "pending": ("pending",),
    "clients": ("disagreements",),
    "partitions": ("disagreements", "timers"),
    "brokers": ("timers",),
    "zookeeper": ("timers",),
    "middleware": ("timers",),
}
"""Which facts a change of a room may change."""


class Derived:
    """Takes a run's view at any step, then its steps from there, as JSON.

    ``broken``: the records that had broken a guarantee by then; without it those that the view names.
    """

    def __init__(self, view: Json, number: int = 0, broken: Serials | None = None) -> None:
        self.number = number
        """Of the last step taken."""
        self._view = watched(view)
        self._facts = {name: make(self._view) for name, make in _FACTS.items()}
        self._broken: dict[str, dict[str, bool]] = {name: {} for name in OF_RECORDS}
        if broken is None:
            broken = {name: judged.get("serials", ()) for name, judged in view.get("guarantees", {}).items()}
        for name in OF_RECORDS:
            self._broken[name].update((str(serial), True) for serial in broken.get(name, ()))

    def view(self) -> dict[str, Any]:
        """``derived`` of the view after the last step taken."""
        return {**self._facts, "broken": {name: dict(serials) for name, serials in self._broken.items()}}

    def take(self, step: Json) -> dict[str, Any]:
        """``derived`` of the step; what is empty is left out."""
        self.number = step["number"]
        stale = {
            fact
            for change in step["changes"]
            if fold(self._view, change)
            for fact in _ROOMS[change["path"][0]]
        }
        changes: list[Any] = []
        for name in _FACTS:
            if name in stale:
                before, after = self._facts[name], _FACTS[name](self._view)
                if before != after:
                    compare((ROOM, name), before, after, changes)
                    self._facts[name] = after
        told = {
            "changes": [*map(change_to_json, changes), *self._newly_broken(step)],
            "arrivals": arrivals(step, self._view.get("partitions", {})),
        }
        return {name: fact for name, fact in told.items() if fact}

    def fork(self) -> Derived:
        """For a branch that leaves here."""
        return deepcopy(self)

    def _newly_broken(self, step: Json) -> list[dict[str, Any]]:
        """The judges name each record at the step where it breaks a guarantee."""
        changes: list[dict[str, Any]] = []
        for broken in step["broken"]:
            known = self._broken.get(broken["guarantee"])
            for serial in map(str, broken["serials"]) if known is not None else ():
                if known is not None and serial not in known:
                    known[serial] = True
                    changes.append({"path": [ROOM, "broken", broken["guarantee"], serial], "after": True})
        return changes
