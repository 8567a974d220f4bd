"""Derives facts that pages draw from the views and steps of a run, as JSON (docs/frame.md, *Derived*).

Derived facts are not part of the state, of digests or of recordings. The facts about a view are in its
table ``derived``, whose changes are listed apart from the view's other changes. The facts about a step are in the
step. Both kinds of facts are computed from the steps of any run: a running simulation, a recording or a stored
session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from engine.judge.bench import DATABASE_GUARANTEES, GUARANTEES, IN_PARTITION, TRANSACTION_GUARANTEES
from engine.step import change_to_json, compare
from engine.timers import beside_clients
from engine.view.arrivals import arrivals
from engine.view.disagreements import disagreement, disagreements_of
from engine.view.doer import doer
from engine.view.due import due_next
from engine.view.fenced import fenced
from engine.view.held import held
from engine.view.leading import following, leading
from engine.view.leap import leap
from engine.view.level import level_in_force
from engine.view.possible import possible
from engine.view.watched import fold, watched
from engine.watching import ABSENT

ROOM = "derived"
"""The name of the derived facts in a view, and in a step."""
OF_RECORDS = (*GUARANTEES, *IN_PARTITION, "atomic", *DATABASE_GUARANTEES)
"""The guarantees whose broken records are derived one by one."""

Json = Mapping[str, Any]
Serials = Mapping[str, Iterable[int]]
"""Dict of guarantee → serials."""


Place = tuple[str, ...]
"""A place in a view: the name of a table, or the name of a table and that of an entry in it."""

_THINGS = ("partitions", "brokers")
"""The tables of the view whose timers are derived for each entry separately. The timers of other tables are derived
for the whole table."""
_HAVE_EPOCHS = ("clients", "brokers")
"""The tables of the view that show which instance is the newest of its producer id."""
_HAVE_LEVELS = ("quorum", "clients")
_HAVE_TIMERS = (*_THINGS, "quorum", "zookeeper", "middleware", "services")


def _timers(view: Json, place: Place) -> dict[str, Any]:
    """Dict of `<actor>/<name>` → timer, for the timers of one place, without those of clients."""
    room = view.get(place[0], {})
    if len(place) > 1:
        room = {place[1]: room[place[1]]} if place[1] in room else {}
    return {
        f"{actor}/{name}": {"actor": actor, **timer}
        for actor, name, timer in beside_clients({place[0]: room})
    }


def _places(view: Json) -> list[Place]:
    return [
        place
        for room in _HAVE_TIMERS
        if room in view
        for place in ([(room, name) for name in view[room]] if room in _THINGS else [(room,)])
    ]


def _compared(fact: str, before: Any, after: Any, changes: list[Any]) -> Any:
    if before != after:
        compare((ROOM, fact), before, after, changes)
    return after


class Derived:
    """Derives the facts of a run: pass the run's view at any step, then the steps from there on, as JSON.

    ``broken``: the records that had broken a guarantee before; by default those that the view lists.
    """

    def __init__(self, view: Json, number: int = 0, broken: Serials | None = None) -> None:
        self.number = number
        """The number of the last step that was taken."""
        # In a log case, which has no queued events, the times are those of its records, so no step comes after a
        # leap.
        self._at: int | None = view.get("time", 0) if "pending" in view else None
        self._view = watched(view)
        self._pending = due_next(self._view.get("pending", {}))
        self._timers = {place: _timers(self._view, place) for place in _places(self._view)}
        """Dict of place → the timers at that place."""
        self._disagreements = {
            name: disagreements_of(self._view, name) for name in self._view.get("clients", {})
        }
        self._fenced = fenced(self._view)
        self._held = {name: held(self._view, name) for name in self._view.get("partitions", {})}
        self._possible = {name: possible(self._view, name) for name in self._held}
        self._level = level_in_force(self._view)
        guarantees = view.get("guarantees", {})
        if broken is None:
            broken = {name: judged.get("serials", ()) for name, judged in guarantees.items()}
        self._broken: dict[str, dict[str, bool]] = {
            name: {str(serial): True for serial in broken.get(name, ())}
            for name in OF_RECORDS
            if name in GUARANTEES or name in guarantees
        }
        # Transactions of the middleware break these guarantees, so no records are listed.
        self._broken |= {name: {} for name in TRANSACTION_GUARANTEES if name in guarantees}

    def view(self) -> dict[str, Any]:
        """The table ``derived`` of the view after the last step taken."""
        return {
            "pending": self._pending,
            "timers": {name: timer for found in self._timers.values() for name, timer in found.items()},
            "disagreements": {name: dict(found) for name, found in self._disagreements.items() if found},
            "broken": {name: dict(serials) for name, serials in self._broken.items()},
            "held": {name: stretches for name, stretches in self._held.items() if stretches},
            "transaction_version": self._level,
            "fenced": self._fenced,
            **({"possible": lanes} if (lanes := self._lanes()) else {}),
        }

    def _lanes(self) -> dict[str, Any]:
        return {name: lane for name, lane in self._possible.items() if lane is not None}

    def take(self, step: Json) -> dict[str, Any]:
        """The field ``derived`` of the step; empty facts are left out."""
        self.number = step["number"]
        leaps = None
        if self._at is not None:
            running = (timer for found in self._timers.values() for timer in found.values())
            leaps, self._at = leap(self._at, step, running), step["at"]
        touched: dict[Place, None] = {}
        for change in step["changes"]:
            if fold(self._view, change):
                path = change["path"]
                touched[(path[0], path[1]) if len(path) > 1 and path[0] != "pending" else (path[0],)] = None
        changes: list[Any] = []
        for place in touched:
            self._look(place, changes)
        if any(place[0] in _HAVE_LEVELS for place in touched):
            self._level = _compared("transaction_version", self._level, level_in_force(self._view), changes)
        if any(place[0] in _HAVE_EPOCHS for place in touched):
            self._fenced = _compared("fenced", self._fenced, fenced(self._view), changes)
        facts = {
            "changes": [*map(change_to_json, changes), *self._newly_broken(step)],
            "arrivals": arrivals(step, self._view.get("partitions", {})),
        }
        derived: dict[str, Any] = {name: fact for name, fact in facts.items() if fact}
        said = {"leads": leading(step), "follows": following(step), "by": doer(step), "leap": leaps}
        return derived | {name: fact for name, fact in said.items() if fact is not None}

    def _look(self, place: Place, changes: list[Any]) -> None:
        """Derive the facts of a changed place again, and append their changes."""
        room = place[0]
        if len(place) == 1 and room in (*_THINGS, "clients"):
            for name in dict.fromkeys([*self._view.get(room, {}), *self._known(room)]):
                self._look((room, name), changes)
            return
        if room == "pending":
            self._pending = _compared("pending", self._pending, due_next(self._view.get(room, {})), changes)
        elif room == "clients":
            self._disagrees(place[1], disagreements_of(self._view, place[1]), changes)
        else:
            origin = place if room in _THINGS else (room,)
            before = self._timers.get(origin, {})
            self._timers[origin] = _compared("timers", before, _timers(self._view, origin), changes)
        if room == "brokers":
            for client in self._disagreements:
                self._disagrees(client, disagreements_of(self._view, client), changes)
        if room == "partitions":
            self._holds(place[1], held(self._view, place[1]), changes)
            self._may_read(place[1], possible(self._view, place[1]), changes)
            for client, before in self._disagreements.items():
                after = {name: found for name, found in before.items() if name != place[1]}
                found = disagreement(self._view, client, place[1])
                self._disagrees(client, after if found is None else {**after, place[1]: found}, changes)

    def _holds(self, partition: str, after: list[Any], changes: list[Any]) -> None:
        before = self._held.get(partition, [])
        if before != after:
            changes.append(((ROOM, "held", partition), before or ABSENT, after or ABSENT))
        self._held[partition] = after

    def _may_read(self, partition: str, after: Any, changes: list[Any]) -> None:
        before = self._possible.get(partition)
        if before != after:
            path = (ROOM, "possible", partition)
            changes.append((path, ABSENT if before is None else before, ABSENT if after is None else after))
        self._possible[partition] = after

    def _known(self, room: str) -> list[str]:
        """The names in a table of the view for which facts have been derived."""
        if room == "clients":
            return list(self._disagreements)
        return [origin[1] for origin in self._timers if origin[0] == room]

    def _disagrees(self, client: str, after: dict[str, Any], changes: list[Any]) -> None:
        before = self._disagreements.get(client, {})
        if before != after:
            compare((ROOM, "disagreements", client), before, after, changes)
        self._disagreements[client] = after

    def fork(self) -> Derived:
        """A copy for a branch that begins after the last step that was taken."""
        return deepcopy(self)

    def _newly_broken(self, step: Json) -> list[dict[str, Any]]:
        """The changes that add the records with which this step breaks a guarantee."""
        changes: list[dict[str, Any]] = []
        for broken in step["broken"]:
            known = self._broken.get(broken["guarantee"]) if broken["guarantee"] in OF_RECORDS else None
            for serial in map(str, broken["serials"]) if known is not None else ():
                if known is not None and serial not in known:
                    known[serial] = True
                    changes.append({"path": [ROOM, "broken", broken["guarantee"], serial], "after": True})
        return changes
