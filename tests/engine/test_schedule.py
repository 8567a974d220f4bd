"""The calls and faults that two runs of one scenario schedule differently."""

from __future__ import annotations

from typing import Any

from engine.scenario.schedule import rescheduled
from engine.scenario.shelf import entry


def between(scenario: str, left: str | None, right: str | None) -> list[Any]:
    held = entry(scenario)
    return list(rescheduled(held.scenario(left).document, held.scenario(right).document))


def test_a_call_that_a_variant_makes_later_is_named_with_both_times() -> None:
    assert between("SC-61", None, "epoch-and-sequence-checks-off") == [
        {"kind": "call", "who": "p2", "what": "commit_transaction", "left": [750], "right": [1000]}
    ]


def test_rows_that_only_one_run_has_have_no_time_in_the_other() -> None:
    found = between("SC-61", None, "asks-the-coordinator-first")
    assert found
    assert all(one["left"] != one["right"] for one in found)
    back = between("SC-61", "asks-the-coordinator-first", None)
    assert [(one["right"], one["left"]) for one in found] == [(one["left"], one["right"]) for one in back]


def test_a_fault_without_a_time_is_not_taken_for_an_absent_one() -> None:
    document = entry("SC-03").scenario(None).document
    found = rescheduled({"faults": []}, {"faults": document["faults"][:1]})
    assert [(one["who"], one["what"], one["left"], one["right"]) for one in found] == [
        ("Produce", "drop", [], [None])
    ]


def test_two_runs_with_one_schedule_differ_in_nothing() -> None:
    assert between("SC-61", "epoch-check-off", "epoch-and-sequence-checks-off") == []
