"""The coordinator, compared with what Kafka's own coordinator answered, wrote and sent, from 2.0 to 4.0."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Error
from engine.vectors import marker_responses
from engine.vectors.coordinator import Stage
from engine.vectors.run import Report, run_case, versions_of
from tests.engine.kafka_cases import cases_of

CASES = [
    case
    for name in (
        "coordinator_matrix",
        "coordinator_scenarios",
        "endtxn_tv2_ga",
        "marker_responses",
        "partition_for",
        "group_txn_offsets",
    )
    for case in cases_of(name)
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    report = Report()
    run_case(case, report)
    assert not report.failures, list(report.lines())


def test_most_cases_apply() -> None:
    report = Report()
    for case in CASES:
        run_case(case, report)
    assert len(report.passed) == 304
    reasons = {reason for _, reason in report.skipped}
    assert all("advisory" in reason for reason in reasons), reasons


def test_every_case_of_3_9_is_played() -> None:
    report = Report()
    named = [case for case in CASES if "3.9-like" in versions_of(case)]
    for case in named:
        run_case(case, report)
    assert len(named) == 198
    assert report.passed == [case["id"] for case in named]


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
def test_who_owns_the_id_is_asked_before_anything_else(
    given: dict[str, str | bool], action: str, version: str
) -> None:
    """``TransactionMarkerRequestCompletionHandler.onComplete`` checks this first, for responses and for lost
    connections.
    """
    assert marker_responses.run({"input": given, "expected": {"action": action}}, version) is None


@pytest.mark.parametrize("version", ["2.0", "2.8"])
def test_a_transaction_cannot_begin_under_an_epoch_that_no_producer_received(version: str) -> None:
    """The first InitProducerId could not be written: its producer id stays, with epoch -1, and Kafka's
    ``prepareTransitionTo`` throws if a new state would have that epoch.
    """
    stage = Stage({}, version, frozenset({"tx"}))
    add = {"op": "add_partitions", "tid": "tx", "pid": 0, "epoch": -1, "partitions": ["a-0"]}
    for operation in (
        {"op": "append_error", "error": "NOT_ENOUGH_REPLICAS"},
        {"op": "init_pid", "tid": "tx", "timeout_ms": 60_000},
        {"op": "append_error", "error": "NONE"},
        add,
    ):
        stage.do(operation)
    answers = [answer for _, answer in stage.responses]
    assert [answer.error for answer in answers] == [
        Error.COORDINATOR_NOT_AVAILABLE,
        Error.UNKNOWN_SERVER_ERROR,
    ]
    assert answers[-1].thrown
    assert (stage.writes, stage.state()["tx"]["state"]) == ([], "Empty")
