"""Finds the actors, lanes and ids of a run, in the order of their first appearance, so that a picture can give each a
fixed place.

The places of an earlier plan (that of a parent branch) keep their order; new places come after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.tool.command import TOOL

INTERNAL = "__"
"""Prefix of the names of internal topics."""
MIDDLEWARE_ROLES = ("initiator", "business", "middleware", "manager")
PARTICIPANT = "participant"
_WITHOUT_PLACES = frozenset({"time", "records", "pending", "faults", "guarantees", "verdicts", "counters"})
"""Parts of a view that contain no actor, lane or id."""
_CONTROLLERS = ("controller", "quorum", "zookeeper")

Path = tuple[str, ...]


class Places:
    """Collects the places of a run: pass the run's header and first view, then its steps in order, as JSON
    (docs/frame.md)."""

    def __init__(self, header: Mapping[str, Any], view: Mapping[str, Any]) -> None:
        self.hues: dict[str, int] = {}
        self.clients: dict[str, dict[str, Any]] = {}
        self.brokers: dict[str, dict[str, Any]] = {}
        self.lanes: dict[str, dict[str, Any]] = {}
        self.consumers: dict[str, dict[str, Any]] = {}
        self.controller = False
        self.tool = False
        self.roles: list[str] = []
        self.participants: list[str] = []
        self.services: dict[str, dict[str, Any]] = {}
        for actor in header.get("actors") or ():
            self._actor(actor["name"], actor["role"])
        for partition in header.get("partitions") or ():
            self._lane(partition)
        for room, shown in view.items():
            if room not in _WITHOUT_PLACES:
                for path, value in leaves((room,), shown):
                    self._leaf(path, value)

    def take(self, step: Mapping[str, Any]) -> None:
        self.tool = self.tool or step["actor"] == TOOL
        for change in step["changes"]:
            if "after" in change and change["path"][0] not in _WITHOUT_PLACES:
                for path, value in leaves(tuple(change["path"]), change["after"]):
                    self._leaf(path, value)
        if step["refusal"] is not None and step["params"].get("partition") in self.lanes:
            self.lanes[step["params"]["partition"]]["refuses"] = True
        if not self.controller:
            said = (step["key"], *(note["key"] for note in step["notes"]))
            self.controller = step["actor"] in _CONTROLLERS or any(
                key.partition(".")[0] in _CONTROLLERS for key in said
            )

    def to_json(self) -> dict[str, Any]:
        has_middleware = bool(self.roles or self.participants)
        beside = {"services": list(self.services.values())} if self.services else {}
        return {
            "hues": dict(self.hues),
            "clients": list(self.clients.values()),
            "brokers": list(self.brokers.values()),
            "lanes": {
                name: {**lane, "first": lane["end"] if lane["first"] is None else lane["first"]}
                for name, lane in self.lanes.items()
            },
            "consumers": list(self.consumers.values()),
            "controller": self.controller,
            **({"tool": True} if self.tool else {}),
            "middleware": {"roles": list(self.roles), "participants": list(self.participants)}
            if has_middleware
            else None,
            **beside,
        }

    def _actor(self, name: str, role: str) -> None:
        if role == "client":
            self._client(name)
        elif role == "broker":
            self._broker(name)
        elif role == "consumer":
            self._consumer(name)
        elif role == PARTICIPANT:
            _add(self.participants, name)
        elif role in MIDDLEWARE_ROLES:
            _add(self.roles, name)

    def _client(self, name: str) -> dict[str, Any]:
        return self.clients.setdefault(
            name, {"name": name, "applications": [], "transactional_id": None, "partitions": []}
        )

    def _broker(self, name: str) -> dict[str, Any]:
        return self.brokers.setdefault(
            name, {"name": name, "lanes": [], "transactional_ids": [], "groups": []}
        )

    def _lane(self, name: str) -> dict[str, Any]:
        return self.lanes.setdefault(
            name, {"first": None, "end": 0, "internal": name.startswith(INTERNAL), "leaders": []}
        )

    def _consumer(self, name: str) -> dict[str, Any]:
        return self.consumers.setdefault(name, {"name": name, "isolation": "", "lanes": []})

    # -- reading one value of a view -------------------------------------------------------------------

    def _leaf(self, path: Path, value: Any) -> None:
        if path[-1] == "producer_id":
            self._hue(value)
        if len(path) < 3:
            return
        room = path[0]
        if room == "clients":
            self._of_client(path, value)
        elif room == "partitions":
            self._of_partition(path, value)
        elif room == "brokers":
            self._of_broker(path)
        elif room == "consumers":
            self._of_consumer(path, value)
        elif room == "services" and path[2] in ("acts", "producer", "consumer"):
            service = self.services.setdefault(
                path[1], {"name": path[1], "acts": [], "producer": None, "consumer": None}
            )
            service[path[2]] = list(value) if path[2] == "acts" else value
        elif room == "applications" and path[2] == "client" and value in self.clients:
            _add(self.clients[value]["applications"], path[1])

    def _hue(self, producer_id: Any) -> None:
        if type(producer_id) is int and producer_id >= 0:
            self.hues.setdefault(str(producer_id), len(self.hues))

    def _of_client(self, path: Path, value: Any) -> None:
        if path[2:] == ("transaction_manager", "transactional_id"):
            client = self._client(path[1])
            client["transactional_id"] = value or client["transactional_id"]
        elif path[2] == "batches" and path[-1] == "partition":
            _add(self._client(path[1])["partitions"], value)

    def _of_partition(self, path: Path, value: Any) -> None:
        lane = self._lane(path[1])
        if path[2:] == ("leader",):
            if value is not None:
                _add(lane["leaders"], value)
                broker = self.brokers.get(f"broker-{value}")
                if broker is not None and not lane["internal"]:
                    _add(broker["lanes"], path[1])
        elif len(path) > 4 and path[2] == "replicas":
            if path[4] == "log_end":
                if lane["first"] is None and path[3] == _leader_of(lane):
                    lane["first"] = value
                lane["end"] = max(lane["end"], value)
            elif path[-1] == "base_offset":
                lane["first"] = value if lane["first"] is None else min(lane["first"], value)
            elif path[4] == "producers" and path[5].isdecimal():
                self._hue(int(path[5]))

    def _of_broker(self, path: Path) -> None:
        if len(path) > 3 and path[2] in ("transactions", "groups"):
            broker = self._broker(f"broker-{path[1]}")
            _add(broker["groups" if path[2] == "groups" else "transactional_ids"], path[3])

    def _of_consumer(self, path: Path, value: Any) -> None:
        consumer = self._consumer(path[1])
        if path[2] == "isolation":
            consumer["isolation"] = value
        elif value is not None and (
            (path[2] == "positions" and len(path) == 4) or (path[2] == "lanes" and path[4:] == ("position",))
        ):
            _add(consumer["lanes"], path[3])


def leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """(path, value) for each value that is no object, at this path or below it."""
    if type(value) is dict:
        for name, inner in value.items():
            yield from leaves((*path, name), inner)
    else:
        yield path, value


def _leader_of(lane: Mapping[str, Any]) -> str:
    """The newest leader, as a key of the view's replicas; `0` in a log case."""
    return str(lane["leaders"][-1]) if lane["leaders"] else "0"


def _add(known: list[Any], value: Any) -> None:
    if value not in known:
        known.append(value)


def extended(before: Mapping[str, Any], places: Mapping[str, Any]) -> dict[str, Any]:
    """The places of the earlier plan ``before``, in their order and extended by what ``places`` has for them, and
    after them the places that only ``places`` has."""
    hues = dict(before["hues"])
    for producer_id in places["hues"]:
        hues.setdefault(producer_id, len(hues))
    lanes = {name: dict(lane) for name, lane in before["lanes"].items()}
    for name, lane in places["lanes"].items():
        stood = lanes.setdefault(name, lane)
        lanes[name] = {
            **stood,
            **_joined({**lane, **stood}, lane),
            "first": min(stood["first"], lane["first"]),
            "end": max(stood["end"], lane["end"]),
        }
    middleware, stood = places["middleware"], before["middleware"]
    return {
        "hues": hues,
        "lanes": lanes,
        "controller": before["controller"] or places["controller"],
        **({"tool": True} if before.get("tool") or places.get("tool") else {}),
        "middleware": _joined(stood, middleware) if stood and middleware else stood or middleware,
        **{room: _named(before[room], places[room]) for room in ("clients", "brokers", "consumers")},
        **({"services": places["services"]} if "services" in places else {}),
    }


def _named(before: Iterable[Mapping[str, Any]], places: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found = {place["name"]: dict(place) for place in before}
    for place in places:
        stood = found.get(place["name"])
        found[place["name"]] = dict(place) if stood is None else _joined(stood, place)
    return list(found.values())


def _joined(before: Mapping[str, Any], place: Mapping[str, Any]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for field, value in place.items():
        stood = before[field]
        if isinstance(value, list):
            joined[field] = [*stood, *(one for one in value if one not in stood)]
        else:
            joined[field] = stood if value is None else value
    return joined
