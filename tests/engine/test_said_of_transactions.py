"""What a step says about a transaction is true at that step: which state follows, and whether consumers still wait."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import Step

WAITS = "client.committed_waits_for_markers"


def steps_of(simulation: Simulation) -> list[Step]:
    found = []
    while (step := simulation.step()) is not None:
        found.append(step)
    return found


def said_with(steps: list[Step], key: str) -> list[set[str]]:
    """Return the keys of the notes of each step with this sentence."""
    return [{note["key"] for note in step.notes} for step in steps if step.key == key]


@pytest.mark.parametrize(
    ("name", "compared"),
    [
        # The outcome is decided, but the markers are missing, so the completion is not being written yet.
        ("SC-48", [["state", "PrepareCommit"], ["after the markers", "CompleteCommit"]]),
        ("SC-66/while-writing", [["state", "Empty"], ["being written", "Empty"]]),
        # In Kafka 2.0 the decision stays, and no completion follows.
        ("SC-66/stuck-2-0", [["state", "PrepareCommit"]]),
    ],
)
def test_a_refusal_says_what_becomes_of_the_state(name: str, compared: list[list[str]]) -> None:
    identifier, _, variant = name.partition("/")
    refusals = [
        [list(pair) for pair in step.refusal["compared"]]
        for step in steps_of(Simulation(entry(identifier).scenario(variant or None)))
        if step.refusal is not None and step.refusal["error"] == "CONCURRENT_TRANSACTIONS"
    ]
    assert refusals[0] == compared


def test_readers_wait_for_markers_only_while_markers_are_missing() -> None:
    scenario = entry("SC-44").scenario("k28")
    assert said_with(steps_of(Simulation(scenario)), "client.transaction_committed") == [
        {WAITS, "client.call_returns"}
    ]
    lost = {"after": 58, "action": "drop_message", "message": answer_to_end(Simulation(scenario))}
    (late,) = said_with(steps_of(Simulation(scenario, [lost])), "client.transaction_committed")
    assert WAITS not in late


def answer_to_end(simulation: Simulation) -> int:
    """Return the id of the message with which the coordinator responds to EndTxn."""
    while simulation.number < 58:
        simulation.step()
    under_way = simulation.view()["network"]["messages"].values()
    return next(int(one["id"]) for one in under_way if one["api"] == "EndTxn" and one["is_response"])


def test_consumers_that_read_uncommitted_wait_for_no_marker() -> None:
    document: dict[str, Any] = deepcopy(entry("SC-44").document)
    for consumer in document["consumers"]:
        consumer["isolation"] = "read_uncommitted"
    (notes,) = said_with(steps_of(Simulation(load(document, "k28"))), "client.transaction_committed")
    assert WAITS not in notes
