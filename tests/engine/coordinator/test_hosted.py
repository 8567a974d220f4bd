"""The coordinator inside a broker: lookup, log, markers and completion, over simulated connections and logs."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Error, Refused
from engine.messages import AddPartitionsToTxnRequest, FindCoordinatorRequest, InitProducerIdRequest
from engine.scenario.document import load
from engine.simulation import Simulation
from tests.engine.coordinator.hand_made import Stage


@pytest.mark.parametrize("profile", ["k20", "k28"])
@pytest.mark.parametrize("committed", [True, False])
def test_a_whole_transaction_over_two_partitions(profile: str, committed: bool) -> None:
    stage = Stage(profile=profile)
    at = stage.coordinator()
    assert at == 10 % 3 + 1, "partition 10 of 50 is led by the (10 mod 3)-th broker (FND-4)"
    producer = stage.init(at)
    assert (producer.error, producer.producer_id, producer.producer_epoch) == (
        Error.NONE,
        at * 1000 - 1000,
        0,
    )
    assert stage.add(at, producer, "t-0", "t-1").errors == {"t-0": Error.NONE, "t-1": Error.NONE}
    assert stage.write("t-0", producer).error is Error.NONE
    assert stage.write("t-1", producer).error is Error.NONE
    assert stage.log("t-0").last_stable_offset == 0, "an open transaction holds the last stable offset"
    assert stage.end(at, producer, committed).error is Error.NONE
    assert stage.metadata().state == ("PrepareCommit" if committed else "PrepareAbort"), "decided is not done"
    assert stage.markers("t-0") == [], "EndTxn is answered before any marker exists (TXC-17)"
    stage.play()
    result = "COMMIT" if committed else "ABORT"
    word = "Commit" if committed else "Abort"
    assert stage.markers("t-0") == stage.markers("t-1") == [result]
    assert stage.log("t-0").last_stable_offset == 2
    assert stage.metadata().state == f"Complete{word}"
    assert stage.images() == ["Empty", "Ongoing", f"Prepare{word}", f"Complete{word}"]
    for broker in (1, 2, 3):
        assert len(stage.log("__transaction_state-10", broker).batches) == 4, "images are replicated"
    assert stage.simulation.finished == "complete"


def test_the_next_transaction_goes_on_with_the_sequence() -> None:
    stage = Stage()
    at = stage.coordinator()
    producer = stage.init(at)
    for number in range(3):
        stage.add(at, producer, "t-0")
        assert stage.write("t-0", producer, sequence=number).error is Error.NONE
        stage.end(at, producer)
        stage.play(lambda: stage.metadata().pending_state is None)
    assert stage.markers("t-0") == ["COMMIT"] * 3
    assert stage.metadata().producer_epoch == 0


def test_an_internal_topic_is_created_at_the_first_request_for_it() -> None:
    stage = Stage(cluster={"internal_topics": False})
    asked = FindCoordinatorRequest(key="txn-1", key_type="TRANSACTION")
    assert stage.call(2, asked).error is Error.COORDINATOR_NOT_AVAILABLE
    stage.play()
    assert stage.simulation.now == 5 + 5 + 20, "the request, the wish to the controller, the creation (FND-4)"
    answer = stage.call(2, asked)
    assert (answer.error, answer.node) == (Error.NONE, 2)
    assert "controller.topic_created" in stage.said()
    lookup = stage.simulation.view()["brokers"]["2"]["lookups"]["TRANSACTION txn-1"]
    assert (lookup["partition"], lookup["leader"]) == (10, 2)


def test_fewer_brokers_than_replicas_wanted_create_no_internal_topic() -> None:
    stage = Stage(cluster={"internal_topics": False, "brokers": 1})
    asked = FindCoordinatorRequest(key="txn-1", key_type="TRANSACTION")
    for _ in range(2):
        assert stage.call(1, asked).error is Error.COORDINATOR_NOT_AVAILABLE
        stage.play()
    assert stage.said().count("controller.topic_too_wide") == 2
    assert "controller.topic_created" not in stage.said()


def test_only_used_partitions_of_internal_topics_are_in_the_view() -> None:
    stage = Stage()
    assert not [name for name in stage.simulation.view()["partitions"] if name.startswith("__")]
    stage.coordinator()
    shown = [name for name in stage.simulation.view()["partitions"] if name.startswith("__")]
    assert shown == ["__transaction_state-10"]


def test_a_broker_that_does_not_lead_the_partition_sends_the_client_on() -> None:
    stage = Stage()
    at = stage.coordinator()
    other = at % 3 + 1
    assert stage.init(other).error is Error.NOT_COORDINATOR
    assert "NOT_COORDINATOR" in stage.error_keys()


def test_partitions_that_cannot_be_added_keep_the_others_from_being_tried() -> None:
    stage = Stage()
    at = stage.coordinator()
    producer = stage.init(at)
    answer = stage.call(
        at,
        AddPartitionsToTxnRequest(
            transactional_id="txn-1",
            producer_id=producer.producer_id,
            producer_epoch=0,
            partitions=("t-0", "nowhere-0"),
        ),
    )
    assert answer.errors == {
        "t-0": Error.OPERATION_NOT_ATTEMPTED,
        "nowhere-0": Error.UNKNOWN_TOPIC_OR_PARTITION,
    }
    *_, refusal = (step["refusal"] for step in stage.steps if step["refusal"])
    assert refusal["next"] == "refusal.client_asks_again", "a topic may still be created"


@pytest.mark.parametrize(
    ("name", "timeout", "error"),
    [("", 60_000, "INVALID_REQUEST"), ("txn-1", 0, "INVALID_TRANSACTION_TIMEOUT")],
)
def test_init_is_refused(name: str, timeout: int, error: str) -> None:
    stage = Stage()
    at = stage.coordinator()
    request = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=timeout)
    assert stage.call(at, request).error.name == error


def at_coordinator(stage: Stage, at: int) -> dict[str, Any]:
    shown: dict[str, Any] = stage.simulation.view()["brokers"][str(at)]
    return shown


@pytest.mark.requirement("FND-8")
def test_a_lookup_shows_its_chain_and_a_creation_when_it_is_done() -> None:
    stage = Stage(cluster={"internal_topics": False})
    asked = FindCoordinatorRequest(key="payments", key_type="TRANSACTION")
    stage.call(1, asked)
    absent = at_coordinator(stage, 1)["lookups"]["TRANSACTION payments"]
    assert (absent["partition"], absent["leader"]) == (None, None)
    stage.play()
    stage.call(1, asked)
    found = at_coordinator(stage, 1)["lookups"]["TRANSACTION payments"]
    assert found == {
        "key": "payments",
        "topic": "__transaction_state",
        "hash": 1382682413,
        "partition": 13,
        "leader": 2,
    }


@pytest.mark.requirement("TXC-24", "MRK-12", "FEN-8")
def test_a_transaction_shows_what_counts_what_is_pending_and_which_markers_are_missing() -> None:
    stage = Stage()
    at = stage.coordinator()
    producer = stage.init(at)
    stage.add(at, producer, "t-0", "t-1")
    stage.write("t-0", producer)
    shown = at_coordinator(stage, at)["transactions"]["txn-1"]
    assert (shown["state"], shown["pending_state"], shown["partitions"]) == ("Ongoing", None, ["t-0", "t-1"])
    assert shown["times_out_at"] == shown["started_at"] + 60_000
    assert (shown["producer_epoch"], shown["coordinator_epoch"], shown["log_partition"]) == (0, 0, 10)
    stage.end(at, producer)
    shown = at_coordinator(stage, at)["transactions"]["txn-1"]
    assert (shown["state"], shown["pending_state"]) == ("PrepareCommit", "CompleteCommit")
    board = at_coordinator(stage, at)["markers"]
    assert board["waiting"] == {
        "txn-1": {"result": "COMMIT", "remaining": ["t-0", "t-1"], "retries": 0, "passed_over": []}
    }
    assert sorted(board["in_flight"]) == ["1", "2"]
    stage.play()
    assert "markers" not in at_coordinator(stage, at)
    entry = stage.simulation.view()["partitions"]["t-0"]["replicas"]["1"]["producers"][
        str(producer.producer_id)
    ]
    assert (entry["producer_epoch"], entry["coordinator_epoch"]) == (0, 0)
    tape = stage.simulation.view()["partitions"]["__transaction_state-10"]["replicas"]["2"]["batches"]
    assert [batch["content"]["values"][0]["state"] for batch in tape.values()] == [
        "Empty",
        "Ongoing",
        "PrepareCommit",
        "CompleteCommit",
    ]


def decided_but_held(**document: Any) -> Stage:
    """Return a run with a decided transaction whose marker for t-0 cannot be sent, because t-0's leader is
    unreachable.
    """
    stage = Stage(topics=[{"name": "t", "partitions": 2, "leaders": [1, 3]}], **document)
    at = stage.coordinator()
    producer = stage.init(at)
    stage.add(at, producer, "t-0")
    stage.write("t-0", producer)
    stage.simulation.world.controller.make_unavailable(1, False, stage.simulation.now)
    stage.simulation.ask("controller")
    stage.end(at, producer)
    return stage


def test_a_parked_marker_waits_for_metadata_and_keeps_no_run_going() -> None:
    stage = decided_but_held()
    stage.play()
    assert stage.simulation.finished == "complete"
    assert stage.simulation.now < 1_000, "nobody asks again and again"
    assert at_coordinator(stage, 2)["markers"]["unknown_broker"][0]["partitions"] == ["t-0"]
    stage.simulation.world.controller.make_unavailable(1, True, stage.simulation.now)
    stage.simulation.ask("controller")
    stage.play(lambda: stage.metadata().state == "CompleteCommit")
    assert stage.markers("t-0") == ["COMMIT"]


@pytest.mark.parametrize("action", ["duplicate_message", "delay_message"])
def test_a_request_that_waits_at_a_paused_broker_has_arrived(action: str) -> None:
    stage = Stage()
    at = stage.coordinator()
    stage.simulation.intervene({"action": "pause", "actor": f"broker-{at}"})
    number = stage.ask(at, InitProducerIdRequest(transactional_id="txn-1", transaction_timeout_ms=60_000))
    stage.ask(at % 3 + 1, FindCoordinatorRequest(key="txn-1", key_type="TRANSACTION"))
    stage.play()
    held = next(iter(stage.simulation.world.network.under_way))
    done = {"action": action, "message": held}
    with pytest.raises(Refused, match="waits in its connection"):
        stage.simulation.intervene({**done, "by": 1} if action == "delay_message" else done)
    stage.simulation.intervene({"action": "resume", "actor": f"broker-{at}"})
    stage.play(lambda: number in stage.hand.answers)


def test_a_new_coordinator_goes_on_where_the_old_one_crashed() -> None:
    stage = Stage(cluster={"broker": {"session_timeout_ms": 40}}, topics=[{"name": "t", "leaders": [1, 3]}])
    at = stage.coordinator()
    producer = stage.init(at)
    stage.add(at, producer, "t-0", "t-1")
    stage.write("t-0", producer)
    stage.end(at, producer)
    stage.simulation.intervene({"action": "crash", "actor": f"broker-{at}"})
    stage.play(lambda: "coordinator.resumes_markers" in stage.said())
    stage.play()
    assert stage.metadata().state == "CompleteCommit"
    assert stage.log("t-0").last_stable_offset == 2
    successor = stage.simulation.world.controller.partitions["__transaction_state-10"]
    assert (successor.leader, successor.leader_epoch) == (3, 1)
    assert [batch.coordinator_epoch for batch in stage.log("t-0").batches if batch.is_control] == [1]


def test_an_id_that_cannot_be_forgotten_waits_for_the_next_scan() -> None:
    """The id's tombstone is refused while too few replicas are in sync. The coordinator tries again at the next scan,
    not immediately.
    """
    document = {
        "id": "EXPIRES",
        "title": {"en": "Expires", "zh-Hans": "过期"},
        "limits": {"steps": 2000},
        "cluster": {
            "broker": {
                "transaction_state_partitions": 1,
                "transactional_id_expiration_ms": 1000,
                "transactional_id_scan_interval_ms": 500,
            }
        },
        "topics": [{"name": "t", "partitions": 1, "leaders": [1]}],
        "producers": [{"name": "p1", "settings": {"transactional_id": "txn-1"}}],
        "applications": [
            {
                "name": "app-1",
                "client": "p1",
                "calls": [
                    {"at": 0, "do": "init_transactions"},
                    {"at": 4000, "do": "begin_transaction"},
                    {"at": 4001, "do": "abort_transaction"},
                ],
            }
        ],
        "faults": [{"at": 500, "action": "crash", "actor": f"broker-{number}"} for number in (2, 3)],
    }
    simulation = Simulation(load(document))
    refused = []
    while (step := simulation.step()) is not None:
        if any(note["key"] == "broker.too_few_in_sync" for note in step.notes):
            refused.append(step.at)
    assert simulation.finished == "complete"
    assert refused == [1500, 2000, 2500, 3000, 3500, 4000]
