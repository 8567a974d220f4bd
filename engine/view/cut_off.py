"""Finds the steps in which the cluster does not reach a running broker, because the brokers do not know its address or
because its heartbeats are lost.

They are read from the sentences of the run's steps (docs/frame.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.shapes.plans import CutOff, CutOffFrom

BEGINS: Mapping[str, CutOffFrom] = {
    "fault.endpoint_unavailable": "brokers",
    "fault.heartbeats_lost": "controller",
}
ENDS: Mapping[str, CutOffFrom] = {
    "fault.endpoint_back": "brokers",
    "fault.heartbeats_back": "controller",
}


class CutOffs:
    """Collects the stretches of steps for each broker: pass the run's steps in order, as JSON."""

    def __init__(self) -> None:
        self._found: dict[str, list[CutOff]] = {}

    def take(self, step: Mapping[str, Any]) -> None:
        for said in (step, *step["notes"]):
            key = said["key"]
            if key not in BEGINS and key not in ENDS:
                continue
            stretches = self._found.setdefault(said["params"]["broker"], [])
            if key in BEGINS:
                stretches.append({"from": BEGINS[key], "since": step["number"], "until": None})
                continue
            for one in stretches:
                if one["from"] == ENDS[key] and one["until"] is None:
                    one["until"] = step["number"]

    def to_json(self) -> dict[str, list[CutOff]]:
        return {broker: [one.copy() for one in stretches] for broker, stretches in self._found.items()}
