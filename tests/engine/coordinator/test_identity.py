"""Which earlier identity a coordinator remembers, and for how long (TXC-9, KIP-360).

Expected responses follow ``TransactionMetadata.completeTransitionTo`` and ``prepareIncrementProducerEpoch`` of 2.8.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.coordinator.coordinator_effects import Answer
from engine.errors import Error
from engine.vectors import coordinator
from engine.vectors.coordinator import Stage

TX = frozenset({"tx"})
VECTORS = Path(__file__).parents[2] / "oracles" / "vectors"
EXHAUSTED = 32766
OLD, NEW = 10, 100


def stage_at(epoch: int, last_epoch: int) -> Stage:
    stage = Stage({"start_ms": 1000, "next_pid": NEW}, "2.8", TX)
    known = {"pid": OLD, "epoch": epoch, "last_epoch": last_epoch, "last_pid": OLD}
    stage.do(
        {"op": "set", "tid": "tx", "state": "Empty", "timeout_ms": 60_000, "last_update_ms": 1000, **known}
    )
    return stage


def init(stage: Stage, producer_id: int, epoch: int) -> Answer:
    stage.responses.clear()
    stage.do({"op": "init_pid", "tid": "tx", "timeout_ms": 60_000, "pid": producer_id, "epoch": epoch})
    ((_, answer),) = stage.responses
    return answer


def test_a_repeated_rotation_is_answered_after_a_whole_transaction() -> None:
    stage = stage_at(EXHAUSTED, EXHAUSTED - 1)
    assert init(stage, OLD, EXHAUSTED).producer_id == NEW
    named = {"tid": "tx", "pid": NEW, "epoch": 0}
    stage.do({"op": "add_partitions", "partitions": ["a-0"], **named})
    stage.do({"op": "end_txn", "result": "COMMIT", "tv": 0, **named})
    stage.do({"op": "complete_markers", "tid": "tx"})
    hidden = stage.hidden_state()["tx"]
    assert (hidden["last_pid"], hidden["last_epoch"]) == (OLD, EXHAUSTED)
    again = init(stage, OLD, EXHAUSTED)
    assert (again.error, again.producer_id, again.producer_epoch) == (Error.NONE, NEW, 0)


@pytest.mark.parametrize("named", [EXHAUSTED - 1, 3])
def test_an_older_epoch_of_a_used_up_producer_id_is_an_internal_error(named: int) -> None:
    """This holds even for the previous epoch, which would be a repeat if there were epochs left."""
    stage = stage_at(EXHAUSTED, EXHAUSTED - 1)
    answer = init(stage, OLD, named)
    assert (answer.error, answer.thrown) == (Error.UNKNOWN_SERVER_ERROR, True)
    assert stage.writes == []
    assert stage.state()["tx"]["epoch"] == EXHAUSTED
    assert init(stage_at(7, 6), OLD, 6).producer_epoch == 7


def test_a_wrong_earlier_identity_fails() -> None:
    cases = json.loads((VECTORS / "coordinator_scenarios.json").read_text())["vectors"]
    case = next(found for found in cases if found["id"].endswith("/bump_with_current"))
    assert coordinator.run(case, "2.8") is None
    case["expected"][0]["aux_state"]["2.8"][1]["tx"]["last_epoch"] += 1
    failure = coordinator.run(case, "2.8")
    assert failure is not None
    assert failure.step == "ops[1] init_pid aux_state tx"


def play(
    *operations: dict[str, Any], start: str = "Ongoing", epoch: int = 0
) -> tuple[Stage, dict[int, tuple[Error, bool]]]:
    """Carry out operations on the id ``tx``, whose transaction with one partition is open. Returns the stage, and
    number of an operation → its error and whether Kafka throws.
    """
    stage = Stage({"start_ms": 1000}, "2.8", TX)
    known = {"pid": OLD, "epoch": epoch, "partitions": ["a-0"], "start_ms": 500, "timeout_ms": 60_000}
    stage.do({"op": "set", "tid": "tx", "state": start, "last_update_ms": 600, **known})
    for number, operation in enumerate(operations):
        stage.operation = number
        stage.writes = []
        stage.do({"tid": "tx", "pid": OLD, "epoch": epoch, **operation})
    return stage, {index: (answer.error, answer.thrown) for index, answer in stage.responses}


COMMIT = {"op": "end_txn", "result": "COMMIT", "tv": 0}
HOLD, ACKNOWLEDGED = {"op": "hold_appends"}, {"op": "complete_markers"}


@pytest.mark.parametrize("error", ["NOT_ENOUGH_REPLICAS", "REQUEST_TIMED_OUT", "NONE"])
def test_a_transaction_whose_markers_stand_has_no_partition_left(error: str) -> None:
    """This does not depend on whether the log takes the completion: the coordinator knows that the markers are
    written.
    """
    stage, _ = play(
        {"op": "end_txn", "result": "COMMIT"},
        {"op": "append_error", "error": error},
        {"op": "complete_markers"},
    )
    shown = stage.state()["tx"]
    assert shown["partitions"] == []
    assert shown["state"] == ("CompleteCommit" if error == "NONE" else "PrepareCommit")


def test_a_completion_is_written_once_however_often_it_is_acknowledged() -> None:
    release = {"op": "release_append", "error": "NONE"}
    stage, responses = play(COMMIT, HOLD, ACKNOWLEDGED, ACKNOWLEDGED, release)
    assert responses == {0: (Error.NONE, False), 2: (Error.NONE, False)}
    assert stage.state()["tx"]["state"] == "CompleteCommit"


@pytest.mark.parametrize(
    ("appended", "answer"),
    [("NONE", Error.NOT_COORDINATOR), ("NOT_ENOUGH_REPLICAS", Error.COORDINATOR_NOT_AVAILABLE)],
)
def test_a_failed_append_keeps_its_error_when_the_coordinator_moved(appended: str, answer: Error) -> None:
    """``appendTransactionToLog`` checks who owns the id only after a successful append."""
    release = {"op": "release_append", "error": appended}
    _, responses = play(HOLD, COMMIT, {"op": "resign"}, release)
    assert responses == {1: (answer, False)}


def test_a_completion_that_waits_to_be_written_is_not_the_next_elections() -> None:
    """``tryAppendToLog`` drops the completion because its coordinator epoch is another; the markers have to be sent
    again first.
    """
    short = {"op": "append_error", "error": "NOT_ENOUGH_REPLICAS"}
    enough = {"op": "append_error", "error": "NONE"}
    stage, _ = play(COMMIT, short, ACKNOWLEDGED, enough)
    assert stage.coordinator.completions_to_retry == ["tx"]
    for number in (1, 2):
        stage.do({"op": "resign"})
        stage.do({"op": "elect", "coordinator_epoch": number})
    stage.coordinator.retry_completions()
    stage.settle()
    assert (stage.state()["tx"]["state"], stage.writes) == ("PrepareCommit", [])
    assert [marker.coordinator_epoch for marker in stage.markers] == [0, 1, 2]


def test_a_scan_that_cannot_fence_throws() -> None:
    _, responses = play({"op": "advance", "ms": 70_000}, {"op": "expire_timed_out"}, epoch=32767)
    assert responses == {1: (Error.UNKNOWN_SERVER_ERROR, True)}
