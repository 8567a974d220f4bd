"""The engine against outcomes of Kafka's own code: accumulator, decisions about produce errors, Sender, transaction
manager.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest import ParameterSet

from engine.errors import Error
from engine.explain.exceptions import exception_name
from engine.vectors import accumulator, client_txn_manager, produce_errors, sender
from engine.vectors.run import versions_played
from engine.vectors.sender import _Driver
from tests.engine.kafka_cases import cases_of

VECTORS = Path(__file__).parents[2] / "oracles" / "vectors"


def cases(topic: str) -> Iterator[ParameterSet]:
    for case in cases_of(topic):
        for version in versions_played(case):
            yield pytest.param(case, version, id=f"{case['id']}-{version}")


@pytest.mark.parametrize(("case", "version"), cases("accumulator"))
def test_accumulator(case: dict[str, Any], version: str) -> None:
    assert accumulator.run(case, version) is None


@pytest.mark.parametrize(("case", "version"), cases("produce_errors"))
def test_produce_errors(case: dict[str, Any], version: str) -> None:
    assert produce_errors.run(case, version) is None


@pytest.mark.parametrize(("case", "version"), cases("client_txn_manager"))
def test_client_txn_manager(case: dict[str, Any], version: str) -> None:
    assert client_txn_manager.run(case, version) is None


@pytest.mark.parametrize(("case", "version"), cases("sender"))
def test_sender(case: dict[str, Any], version: str) -> None:
    assert sender.run(case, version) is None


def test_a_wrong_expectation_is_reported() -> None:
    case = json.loads((VECTORS / "accumulator.json").read_text())["vectors"][0]
    for entry in case["expected"]:
        entry["results"][1]["next_ready_check_delay_ms"] = 11
    failure = accumulator.run(case, "2.8")
    assert failure is not None
    assert failure.step == "op 1 ready: next_ready_check_delay_ms"
    assert (failure.expected, failure.got) == (11, 10)


def answered(request: str, error: str, version: str) -> tuple[str, str]:
    """Return the state and the last error of a transactional client whose request was answered with this error."""
    driver = client_txn_manager._Driver(client_txn_manager._BY_VERSION[version])
    result = driver.bring_on_its_way(request)
    driver.answer(error)
    state = driver.state(result)
    return state["state"], state["last_error"]


@pytest.mark.parametrize("error", ["UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION"])
def test_a_group_that_moved_on_makes_the_commit_fail_by_that_name(error: str) -> None:
    """``TxnOffsetCommitHandler`` since KIP-447; 2.0 sends no member that could be compared, and does not expect these
    errors.
    """
    assert answered("TxnOffsetCommit", error, "2.8") == ("ABORTABLE_ERROR", "CommitFailedException")
    assert answered("TxnOffsetCommit", error, "2.0") == ("FATAL_ERROR", "KafkaException")


@pytest.mark.parametrize("version", ["2.0", "2.8"])
def test_a_forced_second_init_is_no_legal_edge(version: str) -> None:
    outcome = {"outcome": "KafkaException", "state_after": "INITIALIZING", "pending_requests": []}
    given = {"state": "INITIALIZING", "last_error": None, "call": "init_transactions"}
    case = {
        "subtopic": "api",
        "input": given,
        "expected": [{"versions": [version], "outcome": outcome}],
    }
    assert client_txn_manager.run(case, version) is None


INIT, BEGIN, ABORT = ({"op": kind} for kind in ("init_transactions", "begin", "abort"))
SEND, RUN = {"op": "send", "partition": "t-0", "n": 1}, {"op": "run", "times": 3}
ADD = {"op": "prepare", "response": "AddPartitionsToTxn", "partitions": ["t-0"]}
END = {"op": "prepare", "response": "EndTxn"}


@pytest.mark.parametrize(
    ("operations", "state", "errors"),
    [
        ((SEND, ABORT, END), "READY", ["TransactionAbortedException"]),
        ((SEND, ADD, RUN, SEND, ABORT, END), "ABORTING_TRANSACTION", [None, "TransactionAbortedException"]),
        (
            (SEND, {**ADD, "error": "TOPIC_AUTHORIZATION_FAILED"}),
            "ABORTABLE_ERROR",
            ["TopicAuthorizationException"],
        ),
        ((SEND, {**ADD, "error": "INVALID_TXN_STATE"}), "FATAL_ERROR", ["KafkaException"]),
    ],
)
def test_records_that_were_never_sent_fail_by_what_ended_their_transaction(
    operations: tuple[dict[str, Any], ...], state: str, errors: list[str | None]
) -> None:
    """``Sender.maybeSendAndPollTransactionalRequest``; records of an abort by the application fail with an exception
    of their own (KIP-654).
    """
    driver = sender._Driver({"config": {"transactional_id": "tid"}})
    for operation in (INIT, BEGIN, *operations, RUN):
        assert driver.do(operation) is None
    found = driver.state()
    assert found["state"] == state
    assert [future.get("error") for future in found["futures"]] == errors


@pytest.mark.parametrize(
    ("error", "exception"),
    [
        ("CORRUPT_MESSAGE", "CorruptRecordException"),
        ("KAFKA_STORAGE_ERROR", "KafkaStorageException"),
        ("RECORD_LIST_TOO_LARGE", "RecordBatchTooLargeException"),
        ("MESSAGE_TOO_LARGE", "RecordTooLargeException"),
        ("INVALID_TRANSACTION_TIMEOUT", "InvalidTxnTimeoutException"),
        ("NOT_ENOUGH_REPLICAS_AFTER_APPEND", "NotEnoughReplicasAfterAppendException"),
    ],
)
def test_errors_have_the_names_of_the_client_s_exceptions(error: str, exception: str) -> None:
    assert exception_name(Error[error]) == exception


def sent_ones(driver: _Driver) -> list[int]:
    return [shown["base_sequence"] for shown in driver.state()["in_flight"]]


def play(*operations: dict[str, Any], **config: Any) -> _Driver:
    driver = sender._Driver({"config": config})
    for operation in operations:
        assert driver.do(operation) is None, operation
    return driver


ONE_MORE = ({"op": "send", "partition": "t-0", "n": 1}, {"op": "run", "times": 1})


def test_the_mock_of_the_sender_s_cases_has_room_for_any_number_of_requests() -> None:
    assert sent_ones(play(*ONE_MORE * 7)) == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("waited", "in_flight"), [(1000, [0]), (1001, [])])
def test_a_request_that_waits_too_long_is_lost_with_its_connection(waited: int, in_flight: list[int]) -> None:
    driver = play(*ONE_MORE, {"op": "advance", "ms": waited}, {"op": "run", "times": 1})
    assert sent_ones(driver) == in_flight
    for operation in ({"op": "advance", "ms": 100}, {"op": "run", "times": 1}) * 2:
        driver.do(operation)
    assert sent_ones(driver) == [0], "and its batch goes again after the backoff"


def test_an_answer_that_comes_in_time_is_read_before_the_others_are_lost() -> None:
    late = {"op": "advance", "ms": 1001}
    driver = play(*ONE_MORE * 2, late, {"op": "respond", "error": "NONE", "base_offset": 0, "index": 0})
    assert [future["status"] for future in driver.state()["futures"]] == ["ok", "pending"]
    assert sent_ones(driver) == []


@pytest.mark.parametrize(
    ("error", "base_offset", "acknowledged"),
    [("NONE", 1, 1), ("DUPLICATE_SEQUENCE_NUMBER", -1, 1), ("NETWORK_EXCEPTION", -1, None)],
)
def test_a_late_success_of_a_batch_given_up_after_a_fatal_error_is_counted(
    error: str, base_offset: int, acknowledged: int | None
) -> None:
    """``Sender.completeBatch`` does not check whether the batch is done already: only its future ignores the second
    result.
    """
    refused = {"op": "respond", "error": "CLUSTER_AUTHORIZATION_FAILED", "base_offset": -1, "index": 0}
    stored = {"op": "respond", "error": error, "base_offset": base_offset, "index": 0}
    found = play(*ONE_MORE * 2, refused, {"op": "run", "times": 1}, stored).state()
    assert found["state"] == "FATAL_ERROR"
    assert [future["status"] for future in found["futures"]] == ["failed", "failed"]
    assert found["partitions"]["t-0"]["last_acked_sequence"] == acknowledged
