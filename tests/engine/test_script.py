"""Rules that a learner makes by pointing at a message take effect on this message only."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.scenario.document import Scenario, load
from engine.scenario.script import Heard, listen, script_of
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from tests.engine.narrowing import api_of


def document(name: str = "SC-03", **changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(entry(name).document), "expect": {}, **changes}


def struck(scenario: Scenario, interventions: list[dict[str, Any]] = ()) -> list[int]:  # type: ignore[assignment]
    """Return the ids of the messages that were dropped."""
    simulation = Simulation(scenario, interventions)
    found = []
    while (step := simulation.step()) is not None:
        if step.key in ("fault.message_dropped", "fault.answer_dropped"):
            found.append(step.params["message"])
    return found


def heard(scenario: Scenario) -> list[Heard]:
    simulation = Simulation(scenario)
    listener = listen(simulation)
    simulation.run()
    return listener.heard


@pytest.mark.parametrize("faults", [[], [{"match": {"api": "Produce", "response": True}, "action": "drop"}]])
def test_a_rule_made_from_a_message_falls_on_it_alone(faults: list[Any]) -> None:
    base = document(faults=faults)
    already = struck(load(base))
    for message in heard(load(base))[::5]:
        rule = {"match": message.match, "action": "drop"}
        found = struck(load({**base, "faults": [*faults, rule]}))
        # After this loss, the earlier rules may take effect on another message.
        assert message.id in found and len(found) <= len(already) + 1, message


def test_listening_changes_nothing_and_hears_what_was_sent_before_the_first_step() -> None:
    scenario = load(document(cluster={"start_brokers": True}))
    simulation, other = Simulation(scenario), Simulation(scenario)
    listener = listen(simulation)
    sent_before = set(simulation.world.network.under_way)
    simulation.run()
    other.run()
    assert simulation.digest() == other.digest()
    assert sent_before <= {message.id for message in listener.heard}


def test_what_a_learner_dropped_becomes_rules_that_drop_the_same() -> None:
    scenario = load(document(faults=[]))
    simulation = Simulation(scenario)
    wanted: list[dict[str, Any]] = []
    responses = 0
    while (step := simulation.step()) is not None:
        for fate in step.messages:
            envelope = simulation.world.network.under_way.get(fate["id"])
            if fate["event"] == "sent" and envelope is not None and api_of(envelope.body) == "Produce":
                responses += envelope.is_response
                if envelope.is_response and responses in (5, 6):
                    wanted.append({"action": "drop_message", "message": envelope.id, "after": step.number})
    wanted = wanted[:2]
    written = script_of(scenario, wanted)
    assert written.left_out == []
    assert [rule["action"] for rule in written.rules] == ["drop", "drop"]
    found = struck(load(document(faults=written.rules)))
    assert found == [one["message"] for one in wanted] == struck(scenario, wanted)


def test_crashes_become_timed_rules_and_a_second_rule_for_one_message_is_reported() -> None:
    scenario = load(document(faults=[]))
    simulation = Simulation(scenario)
    while 3 not in simulation.world.network.under_way:
        simulation.step()
    after = simulation.number
    written = script_of(
        scenario,
        [
            {"action": "delay_message", "message": 3, "by": 40, "after": after},
            {"action": "drop_message", "message": 3, "after": after + 1},
            {"action": "crash", "actor": "broker-1", "after": after + 2},
        ],
    )
    assert written.left_out == [1]
    assert written.rules[0] == {
        "match": {"api": "Produce", "from": "p1", "partition": "t-0"},
        "action": "delay",
        "by_ms": 40,
    }
    (crash,) = written.rules[1:]
    assert (crash["action"], crash["actor"]) == ("crash", "broker-1") and crash["at"] > 0
    load(document(faults=written.rules))


def test_only_a_fault_with_a_probability_has_no_number_of_further_messages() -> None:
    simulation = Simulation(entry("SC-08").scenario("k28"))
    assert [fault["remaining"] for fault in simulation.view()["faults"].values()] == [None, 1, 1, 1]
    while simulation.step() is not None:
        pass
    assert [fault["remaining"] for fault in simulation.view()["faults"].values()] == [None, 0, 0, 0]
