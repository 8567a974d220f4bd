"""An answer names the intervention that caused what it is about, and no other fault."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import moment_of, why
from engine.why.links import Link
from engine.why.moment import Moment

DROP_R1 = {"action": "drop_message", "message": 3, "after": 9}


def end_of(name: str, *interventions: dict[str, Any], step: int = 700) -> Moment:
    scenario, _, variant = name.partition("/")
    run = Simulation(entry(scenario).scenario(variant or None), interventions)
    while run.number < step and run.step() is not None:
        pass
    return moment_of(run)


def steps(chain: tuple[Link, ...]) -> list[tuple[int | None, str]]:
    return [(one.step, one.key) for one in chain]


def test_a_second_copy_leads_back_to_the_drop_and_the_refusal_between() -> None:
    links = steps(why(end_of("SC-03", DROP_R1), "twice", "2"))
    way = [
        (10, "fault.message_dropped"),
        (10, "why.came.not_without"),
        (25, "broker.unknown_producer_accepted"),
        (51, "fault.answer_dropped"),
        (97, "broker.stale_sequence_refused"),
        (99, "client.epoch_bumped"),
        (140, "broker.appended_and_waits"),
    ]
    assert [one for one in links if one in way] == way
    assert links[0] == (None, "why.twice.record"), "The outcome comes first."
    assert links[-1] == (None, "why.twice.other_epoch"), "The reason comes last."


def test_a_record_out_of_order_leads_back_to_the_drop() -> None:
    links = steps(why(end_of("SC-03", DROP_R1), "reordered", "1"))
    assert links.count((10, "fault.message_dropped")) == 1
    assert (99, "client.epoch_bumped") in links


def test_what_the_run_comes_to_anyhow_is_no_work_of_the_intervention() -> None:
    """SC-04 stores r1 twice because of a fault of its own, with or without the intervention."""
    plain = end_of("SC-04")
    serial = str(plain.part("guarantees")["duplicated"]["serials"][0])
    last = plain.lately.newest
    assert last is not None
    late = end_of("SC-04", {"action": "crash", "actor": "p1", "after": last.number - 2})
    assert late.part("guarantees")["duplicated"]["count"] > 0
    assert "why.came.not_without" not in [key for _, key in steps(why(late, "twice", serial))]


@pytest.mark.parametrize(
    ("name", "one", "question", "subject"),
    [
        ("SC-79", {"action": "delay_message", "message": 7, "after": 27, "by": 400}, "lost", "3"),
        ("SC-79", {"action": "delay_message", "message": 7, "after": 27, "by": 400}, "state", "txn-1"),
        ("SC-102", {"action": "crash", "actor": "broker-3", "after": 29}, "state", "txn-1"),
    ],
)
def test_lost_and_aborted_lead_back_to_the_intervention(
    name: str, one: dict[str, Any], question: str, subject: str
) -> None:
    links = steps(why(end_of(name, one), question, subject))
    assert (one["after"] + 1, "why.came.not_without") in links


@pytest.mark.parametrize("question", ["early", "torn"])
def test_a_record_that_came_early_leads_back_also_if_others_come_early_without_it(question: str) -> None:
    one = {"action": "drop_message", "message": 8, "after": 30}
    links = steps(why(end_of("SC-61/epoch-and-sequence-checks-off", one), question, "1"))
    assert (31, "why.came.not_without") in links


def test_mixed_outcomes_lead_back_to_the_crash_also_after_a_restart_that_came_too_late() -> None:
    crash = {"action": "crash", "actor": "participant-3", "after": 15}
    restart = {"action": "restart", "actor": "participant-3", "after": 28}
    chain = why(end_of("SC-80", crash, restart), "mixed", "1")
    assert [one for one in steps(chain) if one[0] is not None] == [
        (16, "fault.crashed"),
        (21, "middleware.answers_missing"),
        (22, "middleware.compensation_acts"),
        (28, "middleware.needs_a_person"),
    ]
    assert [one.key for one in chain if one.answers] == ["middleware.needs_a_person"]
    assert "why.mixed.waits_for_operator" in [one.key for one in chain]


def test_a_record_that_a_zombie_stores_came_of_the_lost_marker() -> None:
    marker = {"action": "drop_message", "message": 15, "after": 48}
    assert (75, "broker.appended_outdated") in came_of("SC-61", "49", marker)


def came_of(name: str, subject: str, *interventions: dict[str, Any]) -> list[tuple[int | None, str]]:
    return [one for one in steps(why(end_of(name, *interventions), "came", subject)) if one[0] is not None]


def test_what_comes_in_a_run_without_any_fault_is_no_work_of_a_drop() -> None:
    """The coordinator aborts txn-1 at 20,000 ms with and without the lost response."""
    drop = {"action": "drop_message", "message": 24, "after": 76}
    assert came_of("SC-75/timeout", "77", drop) == [
        (77, "fault.answer_dropped"),
        (89, "client.drained_again"),
        (91, "broker.duplicate_found"),
    ]


@pytest.mark.parametrize(
    ("name", "fault", "comes", "comes_anyhow"),
    [
        ("SC-39", "15", (38, "broker.duplicate_found"), (30, "controller.leader_elected")),
        ("SC-54", "60", None, (74, "coordinator.begins_loading")),
        ("SC-56/weak", "57", (69, "coordinator.transaction_timed_out"), None),
        ("SC-78/k20", "27", (42, "coordinator.transaction_timed_out"), None),
        ("SC-105/timeout", "40", (70, "client.batch_failed"), (42, "coordinator.transaction_timed_out")),
    ],
)
def test_a_fault_of_the_scenario_has_no_consequence_that_comes_without_it(
    name: str, fault: str, comes: tuple[int, str] | None, comes_anyhow: tuple[int, str] | None
) -> None:
    came = came_of(name, fault)
    assert came == sorted(came, key=lambda one: one[0] or 0)
    assert comes is None or comes in came
    assert comes_anyhow not in came
    assert came[0][0] == int(fault)


def test_guarantees_that_break_without_the_fault_are_not_counted_as_its_work() -> None:
    keys = [key for _, key in steps(why(end_of("SC-118"), "came", "33"))]
    assert keys[-1] == "why.came.broken_anyhow"


@pytest.mark.parametrize(
    ("step", "question", "subject"), [(66, "came", "60"), (66, "nothing", "run"), (60, "came", "60")]
)
def test_records_that_a_lost_marker_hides_are_what_waits_for_its_second_copy(
    step: int, question: str, subject: str
) -> None:
    marker = {"action": "drop_message", "message": 19, "after": 59}
    chain = why(end_of("SC-44/k28", marker, step=step), question, subject)
    waits = [one for one in chain if one.key == "why.open.until"]
    assert [one.params["partition"] for one in waits] == ["t-0"]
    assert waits[0].params["end"]["params"]["until"] == 30_225


def test_a_fault_whose_message_is_still_missing_leads_to_a_client_that_waits() -> None:
    produce = {"action": "drop_message", "message": 10, "after": 36}
    chain = why(end_of("SC-44/k28", produce, step=40), "came", "37")
    assert [one.params["until"] for one in chain if one.key == "why.message.nobody_has_it"] == [30_190]


def test_a_client_that_waits_for_a_later_request_does_not_wait_for_the_lost_one() -> None:
    response = {"action": "drop_message", "message": 25, "after": 80}
    keys = [key for _, key in steps(why(end_of("SC-03", response, step=120), "came", "81"))]
    assert "why.message.nobody_has_it" not in keys and "broker.duplicate_found" in keys


def test_a_marker_that_the_coordinator_sent_to_itself_is_not_the_one_that_was_lost() -> None:
    """broker-2 coordinates txn-1 and leads t-1; the lost marker was for t-0 at broker-1."""
    marker = {"action": "drop_message", "message": 19, "after": 59}
    end = end_of("SC-44/k28", marker, step=66)
    assert [key for _, key in steps(why(end, "lso", "t-1"))] == [
        "why.lso.at",
        "why.lso.moved",
        "why.lso.free",
    ]
