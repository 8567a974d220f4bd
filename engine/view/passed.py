"""Finds the states that each transaction of the middleware passes through in a run, in the order in which it reaches
them. A picture shows these states and no others.

The states are read from the transitions of the run's steps (docs/frame.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.shapes.plans import PassedState, Ways

MACHINES = frozenset({"middleware_transaction", "business_transaction"})
"""The machines whose states are collected: those of a transaction at the middleware and at the business
system."""


class Passed:
    """Collects the states of a run's transactions: pass its steps in order, as JSON."""

    def __init__(self) -> None:
        self._ways: dict[str, dict[str, dict[str, int]]] = {}
        """Dict of node → transaction → state → number of the step in which the transaction first reaches it there."""

    def take(self, step: Mapping[str, Any]) -> None:
        transition = step["transition"]
        if transition is None or transition["machine"] not in MACHINES:
            return
        node, tid = transition["of"].split(" ")
        way = self._ways.setdefault(node, {}).setdefault(tid, {transition["from"]: 0})
        way.setdefault(transition["to"], step["number"])

    def to_json(self) -> Ways:
        return {
            node: {tid: [_state(*reached) for reached in way.items()] for tid, way in ways.items()}
            for node, ways in self._ways.items()
        }


def _state(state: str, since: int) -> PassedState:
    return {"state": state, "since": since}
