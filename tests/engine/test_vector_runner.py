"""How the runner of vectors treats cases that it does not know: told one by one, never in the way of others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.vectors import run_files
from engine.vectors.run import TOPICS

VECTORS = Path(__file__).parents[1] / "oracles" / "vectors"
WITH_OPERATIONS = ("producer_state", "coordinator_scenarios", "sender", "accumulator", "group_txn_offsets")


def first_case(topic):
    return json.loads((VECTORS / f"{topic}.json").read_text())["vectors"][0]


def report_of(*cases):
    return run_files([("cases.json", {"vectors": list(cases)})])


@pytest.mark.parametrize("topic", WITH_OPERATIONS)
def test_an_unknown_operation_is_skipped_by_name(topic):
    case = first_case(topic)
    case["ops"][0]["op"] = "levitate"
    report = report_of(case)
    assert report.skipped == [(case["id"], "the engine has no operation 'levitate'")]


@pytest.mark.parametrize("topic", WITH_OPERATIONS)
def test_a_case_that_leaves_out_what_it_needs_fails_alone(topic):
    broken, whole = first_case(topic), first_case(topic)
    broken["id"] = "broken"
    del broken["ops"]
    report = report_of(broken, whole)
    assert {case for case, _, _ in report.failures} == {"broken"}
    assert "KeyError: 'ops'" in str(report.failures[0][2].got)
    assert report.passed == [whole["id"]]


def test_sizes_that_a_case_of_the_accumulator_leaves_out_are_the_documented_ones():
    cases = json.loads((VECTORS / "accumulator.json").read_text())["vectors"]
    case = next(found for found in cases if found["id"] == "accumulator/fill_69_records")
    for operation in case["ops"]:
        for field, value in (("key_bytes", 3), ("value_bytes", 5)):
            assert operation.pop(field, value) == value
    del case["config"]["batch_size"]
    assert report_of(case).passed == [case["id"]]


def test_every_topic_has_a_module():
    known = {path.stem for path in VECTORS.glob("*.json")}
    assert known - set(TOPICS) == {"endtxn_tv2_ga"}, "the one topic of a version that no profile has"
