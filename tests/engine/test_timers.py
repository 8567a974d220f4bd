"""Every timer in a view has the same name in all roles, and ends at the time that it shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import timers
from engine.scenario.shelf import entry
from engine.simulation import Simulation

CASE = json.loads((Path(__file__).parent / "timers.json").read_text(encoding="utf-8"))


def test_timers_are_gathered_from_all_roles() -> None:
    assert [list(one) for one in timers.running(CASE["view"])] == CASE["running"]


def test_a_timer_is_found_by_its_name_and_a_name_without_one_keeps_its_actor() -> None:
    for actor, name, timer in CASE["running"]:
        assert timers.named(CASE["view"], f"{actor}/{name}") == (actor, timer)
    assert timers.named(CASE["view"], "broker-2/transaction_timeout txn-2") == ("broker-2", None)


WAITS_FOR_MORE = {"linger", "retry_backoff", "transaction_timeout"}
"""Timers whose effect comes later than their end, with a pass of the Sender or a scan of the coordinator."""


@pytest.mark.parametrize(
    ("scenario", "variant", "kinds"),
    [
        ("SC-75", "timeout", {"transaction_timeout", "replication_wait"}),
        ("SC-16", None, {"session", "request_timeout", "expiry"}),
        ("SC-85", "back-check", {"check_due", "local_work", "prepare_timeout"}),
        ("SC-83", "transaction-manager-a", {"ask_again", "answer_timeout"}),
        ("SC-171", "lowest-unfinished", {"work", "database_response"}),
    ],
)
def test_the_library_runs_them_and_none_outlives_its_time(
    scenario: str, variant: str | None, kinds: set[str]
) -> None:
    simulation = Simulation(entry(scenario).scenario(variant))
    seen: set[str] = set()
    while simulation.step() is not None:
        view = simulation.view()
        for actor, name, timer in timers.running(view):
            seen.add(timer["kind"])
            assert timer["since"] is None or timer["since"] <= view["time"]
            assert timer["kind"] in WAITS_FOR_MORE or timer["until"] >= view["time"], (actor, name)
    assert seen >= kinds, seen
    assert seen <= timers.KINDS.keys()


def test_the_first_timer_that_ends_a_wait_is_that_of_a_request() -> None:
    view = {
        "clients": {
            "p1": {
                "timers": {
                    "linger b1": {"kind": "linger", "subject": "b1", "since": 0, "until": 20},
                    "expiry b1": {"kind": "expiry", "subject": "b1", "since": 0, "until": 120_000},
                    "request_timeout 3": {"kind": "request_timeout", "subject": "3", "since": 5, "until": 30},
                }
            }
        }
    }
    first = timers.first_to_end_wait(view, ("p1",), 10)
    assert first is not None and first["kind"] == "request_timeout"
    assert timers.first_to_end_wait(view, ("p2",), 10) is None
