"""The coordinator against what Kafka's own coordinator answered, wrote and sent, in 2.0 and 2.8."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.vectors import marker_responses
from engine.vectors.run import Report, run_case

VECTORS = Path(__file__).parents[2] / "oracles" / "vectors"
CASES = [
    case
    for name in (
        "coordinator_matrix",
        "coordinator_scenarios",
        "marker_responses",
        "partition_for",
        "group_txn_offsets",
    )
    for case in json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["vectors"]
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case):
    report = Report()
    run_case(case, report)
    assert not report.failures, list(report.lines())


def test_most_cases_apply():
    report = Report()
    for case in CASES:
        run_case(case, report)
    assert len(report.passed) == 244
    reasons = {reason for _, reason in report.skipped}
    assert all("only" in reason or "record keys" in reason for reason in reasons), reasons


@pytest.mark.parametrize("version", ["2.0", "2.8"])
@pytest.mark.parametrize(
    ("given", "action"),
    [
        ({"lookup": "NOT_COORDINATOR"}, "cancel_transaction_markers"),
        ({"lookup": "COORDINATOR_LOAD_IN_PROGRESS"}, "cancel_transaction_markers"),
        ({"disconnected": True, "lookup": "NOT_COORDINATOR"}, "cancel_transaction_markers"),
        ({"disconnected": True, "coordinator_epoch": "changed"}, "cancel_transaction_markers"),
        ({"disconnected": True, "lookup": "none"}, "illegal_state"),
    ],
)
def test_who_owns_the_id_is_asked_before_anything_else(given, action, version):
    """``TransactionMarkerRequestCompletionHandler.onComplete``, for answers and for ended connections alike."""
    assert marker_responses.run({"input": given, "expected": {"action": action}}, version) is None
