"""Which sentence a step shows first: its outcome comes before the messages that caused it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.doer import doer
from engine.view.leading import following, leading
from engine.view.plan import RunPlan
from tests.engine.narrowing import present


@pytest.mark.parametrize(
    ("scenario", "number", "expected"),
    [
        ("SC-44", 44, "broker.readers_wait_for_transaction"),
        ("SC-44", 68, "broker.last_stable_offset_advanced"),
        ("SC-01", 4, "client.completed_unacknowledged"),
        ("SC-40", 15, "controller.leader_elected"),
        ("SC-01", 12, None),
        ("SC-61", 8, "coordinator.id_is_new"),
        ("SC-61", 44, "coordinator.fence_raises_epoch"),
        ("SC-61", 69, "coordinator.epoch_goes_up"),
        ("SC-58/leader-moves", 75, "markers.sent_before"),
        ("SC-54", 75, "coordinator.resumes_markers"),
        ("SC-75/timeout", 83, None),
        ("SC-37/new-record-waits", 33, "broker.unknown_producer_accepted"),
    ],
)
def test_an_outcome_goes_before_the_plumbing_that_brought_it(
    scenario: str, number: int, expected: str | None
) -> None:
    identifier, _, variant = scenario.partition("/")
    simulation = Simulation(entry(identifier).scenario(variant or None))
    while simulation.number < number:
        step = simulation.step()
        assert step is not None
    made = present(step).to_json()
    place = leading(made)
    assert (None if place is None else made["notes"][place]["key"]) == expected


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        ("SC-119/restart", "broker.log_loaded_from_snapshot"),
        ("SC-89/crash", "broker.log_replayed"),
        ("SC-40/acks-one", None),  # its log has no batch of a producer with an id
    ],
)
def test_what_a_broker_still_knows_follows_its_restart(scenario: str, expected: str | None) -> None:
    identifier, _, variant = scenario.partition("/")
    simulation = Simulation(entry(identifier).scenario(variant))
    while (step := simulation.step()) is not None and step.key != "fault.restarted":
        pass
    assert step is not None
    made = step.to_json()
    place = following(made)
    assert (None if place is None else made["notes"][place]["key"]) == expected


@pytest.mark.parametrize(
    ("scenario", "done", "lost"),
    [
        ("SC-03", [], ("network.requests_lost", {"receiver": "broker-1", "count": 1})),
        (
            "SC-19",
            [{"action": "drop_message", "message": 9, "after": 35}],
            ("network.responses_lost", {"receiver": "p1", "count": 1}),
        ),
    ],
)
def test_a_broken_connection_says_what_else_is_lost(
    scenario: str, done: list[dict[str, Any]], lost: tuple[str, dict[str, Any]]
) -> None:
    simulation = Simulation(entry(scenario).scenario(None), done)
    while (step := simulation.step()) is not None and step.key != "fault.answer_dropped":
        pass
    assert step is not None
    made = step.to_json()
    place = following(made)
    assert place is not None
    assert (made["notes"][place]["key"], made["notes"][place]["params"]) == lost


@pytest.mark.parametrize(("name", "done", "key", "named"), [
    ("SC-44/k28", [{"action": "drop_message", "message": 15, "after": 50}], "client.control_lost", ("api", "EndTxn")),
    ("SC-35/one-partition", [], "client.requeued", ("batch", ["r2"])),
])  # fmt: skip
def test_a_timeout_names_the_request_or_the_batch(
    name: str, done: list[dict[str, Any]], key: str, named: tuple[str, Any]
) -> None:
    identifier, _, variant = name.partition("/")
    simulation = Simulation(entry(identifier).scenario(variant), done)
    while (step := simulation.step()) is not None and step.key != "client.request_timed_out":
        pass
    assert step is not None
    made = step.to_json()
    place = following(made)
    assert place is not None
    note = made["notes"][place]
    assert (note["key"], note["params"][named[0]]) == (key, named[1])


@pytest.mark.parametrize(
    ("number", "by"),
    [(44, "broker-1"), (41, None)],
    ids=["the leader acts at a fetch", "the follower copies"],
)
def test_a_step_of_replication_names_the_leader_that_acts(number: int, by: str | None) -> None:
    simulation = Simulation(entry("SC-44").scenario("k28"))
    while simulation.number < number:
        step = simulation.step()
        assert step is not None
    made = present(step).to_json()
    assert made["kind"] == "replication"
    assert doer(made) == by


LEADING_BEATS = (
    "SC-75/timeout",
    "SC-140/k28",
    "SC-72/end-txn",
    "SC-143/no-seek",
    "SC-27/inside-a-batch",
    "SC-59/comes-back",
)
RELEASED, WAITS = "broker.last_stable_offset_advanced", "broker.readers_wait_for_transaction"
EVENTS = {
    "outcome_shows": RELEASED,
    "behind": WAITS,
    "readers_wait": WAITS,
    "wraps": "broker.sequence_wrapped",
    "markers_wait": "markers.parked",
}
"""Kind of a beat → the sentence from which its title is made."""


@pytest.mark.parametrize("name", LEADING_BEATS)
def test_what_stands_under_a_title_has_the_sentence_from_which_it_is_made(name: str) -> None:
    identifier, _, variant = name.partition("/")
    simulation = Simulation(entry(identifier).scenario(variant))
    plan = RunPlan(simulation.header(), simulation.view())
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(step.to_json())
        plan.take(steps[-1])
    beats = [beat for beat in plan.to_json(True)["beats"] if beat.get("kind") in EVENTS]
    assert beats
    for beat in beats:
        made = steps[beat["lands"] - 1]
        shown = [made["notes"][at]["key"] for at in (leading(made), following(made)) if at is not None]
        because = [beat["because"]["key"]] if "because" in beat else []
        assert EVENTS[beat["kind"]] in (made["key"], *shown, *because), beat
