"""Why a node of the middleware waits: until when, or that no component will repeat the message that it waits for."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why

PREPARE = {"after": 4, "action": "drop_message", "message": 4}
CONFIRM = {"after": 14, "action": "drop_message", "message": 12}


def run_to(step: int, *done: dict[str, Any], name: str = "SC-80/two-nodes") -> Simulation:
    scenario, _, variant = name.partition("/")
    run = Simulation(entry(scenario).scenario(variant), list(done))
    while run.number < step and run.step() is not None:
        pass
    return run


def said(run: Simulation, question: str, subject: str) -> dict[str, dict[str, Any]]:
    return {one.key: one.params for one in why(run, question, subject)}


@pytest.mark.parametrize(
    ("question", "subject"), [("gone", ""), ("came", "5"), ("nothing", "business"), ("nothing", "run")]
)
def test_a_lost_prepare_is_what_no_component_sends_again(question: str, subject: str) -> None:
    answer = said(run_to(99, PREPARE), question, subject)
    assert answer["why.two_phase.not_again"] == {"tid": 1, "api": "Prepare"}
    assert answer["why.two_phase.no_limit"]["api"] in ("Prepare", "PrepareAck")
    assert "why.nothing.idle" not in answer


def test_a_lost_confirm_is_answered_by_when_the_middleware_asks() -> None:
    run = run_to(15, CONFIRM)
    for question, subject in (("gone", ""), ("nothing", "business"), ("nothing", "participant-1")):
        assert said(run, question, subject)["why.two_phase.until_check"] == {"tid": 1, "until": 4105}
    assert "why.two_phase.reserved" in said(run, "nothing", "participant-1")
    (answer,) = [one for one in why(run, "gone", "") if one.answers]
    assert answer.key == "why.two_phase.until_check"


def test_at_the_end_the_fault_led_to_a_longer_time_in_which_the_nodes_differ() -> None:
    chain = why(run_to(99, CONFIRM), "came", "15")
    assert [(one.key, one.step) for one in chain if one.answers] == [("fault.message_dropped", 15)]
    apart = next(one for one in chain if one.key == "why.came.apart")
    assert apart.params == {"tid": 1, "now": 4035, "before": 45}


def test_what_led_to_a_repair_begins_at_the_loss() -> None:
    """SC-80: Commit is dropped, and the compensation sends it again."""
    dropped = {"action": "drop_message", "message": 13, "after": 15}
    chain = why(run_to(24, dropped), "here", "")
    assert [(one.key, one.step) for one in chain if one.answers] == [("fault.message_dropped", 16)]
    steps = [one.step for one in chain if one.step is not None]
    assert steps[:5] == [16, 21, 22, 23, 24] == sorted(steps)[:5]


@pytest.mark.parametrize(
    ("step", "name", "key"),
    [
        (6, "SC-80/two-nodes", "why.two_phase.until_votes"),
        (16, "SC-80/two-nodes", "why.two_phase.until_answers"),
        (23, "SC-83/queue-retry-b", "why.two_phase.until_attempt"),
    ],
)
def test_the_middleware_waits_until_its_time_limit(step: int, name: str, key: str) -> None:
    assert key in said(run_to(step, name=name), "nothing", "middleware")
