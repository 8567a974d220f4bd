"""Middleware sections of scenario documents: a mistake is reported with its place and with what is allowed there."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.document import BadScenario, load
from engine.simulation import Simulation


def document(**sections: Any) -> dict[str, Any]:
    return {
        "id": "T-MW",
        "title": {"en": "a test", "zh-Hans": "测试"},
        "cluster": {"brokers": 0},
        "middleware": {"participants": [{"name": "participant-1"}]},
        "applications": [{"name": "app-1", "client": "initiator", "calls": [{"at": 0, "do": "transact"}]}],
        **sections,
    }


def application(client: str, **call: Any) -> list[dict[str, Any]]:
    return [{"name": "app-1", "client": client, "calls": [{"at": 0, **call}]}]


def middleware(**settings: Any) -> dict[str, Any]:
    return {"participants": [{"name": "participant-1"}], **settings}


def crafted(**fault: Any) -> list[dict[str, Any]]:
    return [{"at": 0, "action": "craft_request", **fault}]


def test_a_world_of_nodes_alone_is_good() -> None:
    assert load(document())["topics"] == []


@pytest.mark.parametrize(
    ("sections", "place"),
    [
        ({"middleware": {}, "applications": []}, "cluster.brokers"),
        ({"middleware": {"strategy": "manual"}, "applications": []}, "middleware.participants"),
        ({"middleware": middleware(strategy="hope")}, "middleware.strategy"),
        ({"middleware": {"participants": [{"name": "business"}]}}, "middleware.participants.business.name"),
        ({"middleware": {"participants": [{"name": "x1"}] * 2}}, "middleware.participants.x1.name"),
        ({"middleware": {"participants": [{"name": f"x{n}"} for n in range(10)]}}, "middleware.participants"),
        ({"producers": [{"name": "p1"}]}, "producers"),
        ({"topics": [{"name": "t"}]}, "topics"),
        ({"applications": application("business", do="transact")}, "applications.app-1.calls.0.do"),
        ({"applications": application("initiator", do="flush")}, "applications.app-1.calls.0.do"),
        (
            {"applications": application("middleware", do="roll_back", nodes=["x"])},
            "applications.app-1.calls.0.nodes",
        ),
        ({"applications": application("middleware", do="roll_back")}, "applications.app-1.calls.0.nodes"),
        ({"middleware": middleware(one_node=True)}, "applications.app-1.client"),
        ({"faults": [{"at": 0, "action": "crash", "actor": "participant-9"}]}, "faults.0.actor"),
        ({"faults": crafted(message={"api": "Commit", "tid": 1})}, "faults.0.actor"),
        ({"faults": crafted(actor="manager", message={"api": "Commit", "id": 1})}, "faults.0.message.id"),
    ],
)
def test_a_mistake_is_named(sections: dict[str, Any], place: str) -> None:
    with pytest.raises(BadScenario) as caught:
        load(document(**sections))
    assert caught.value.place == place, str(caught.value)
    assert caught.value.allowed


def test_the_name_of_an_answer_says_that_it_is_one() -> None:
    checked = load(document(faults=[{"match": {"api": "CommitOk"}, "action": "drop"}]))
    assert checked["faults"][0]["match"]["response"] is True
    checked = load(document(faults=[{"match": {"api": "Commit"}, "action": "drop"}]))
    assert checked["faults"][0]["match"]["response"] is False


def test_the_middleware_ignores_a_crafted_message_for_another_node() -> None:
    late = {"faults": crafted(actor="middleware", message={"api": "Commit", "tid": 1})}
    late["faults"][0]["at"] = 10_000
    simulation = Simulation(load(document(**late)), watching="recorded")
    steps = list(iter(simulation.step, None))
    assert [step.key for step in steps if step.at > 10_000] == ["network.delivered"]
