"""``kafka-transactions.sh`` against brokers of each version (KIP-664).

What the tool prints depends only on the logs and the coordinators, by the rule of Kafka's find-hanging; and the tool
reacts to errors, lost connections and missing responses as Kafka's admin client does. The recordings of
``kafka-logs`` compare what a real tool printed.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Refused
from engine.explain.sentences import sentence
from engine.scenario.bad_scenario import BadScenario
from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import Step
from tests.engine.narrowing import present

LATE = 960_000
"""Sixteen minutes, in ms: more than the time that find-hanging allows a transaction."""
STRAY: dict[str, Any] = {
    "at": 400,
    "action": "craft_produce",
    "partition": "t-1",
    "message": {
        "transactional_id": "txn-1",
        "producer_id": 1000,
        "producer_epoch": 0,
        "first_sequence": 0,
        "transactional": True,
    },
}
"""A transactional write to a partition that belongs to no transaction."""
CALLS = [
    {"at": 0, "do": "init_transactions"},
    {"at": 200, "do": "begin_transaction"},
    {"at": 200, "do": "send", "partition": "t-0"},
]
COMMIT = {"at": 600, "do": "commit_transaction"}


def run(
    *commands: dict[str, Any],
    profile: str = "k39",
    faults: tuple[dict[str, Any], ...] = (STRAY,),
    calls: tuple[dict[str, Any], ...] = (*CALLS, COMMIT),
    **sections: Any,
) -> tuple[Simulation, list[Step]]:
    """Play a run with these commands. Returns it and its steps."""
    document = {
        "id": "tool",
        "title": {"en": "tool", "zh-Hans": "tool"},
        "profile": profile,
        "switches": {"partition_verification": False},
        "topics": [{"name": "t", "partitions": 2, "leaders": [1, 3]}],
        "producers": [
            {"name": "p1", "settings": {"transactional_id": "txn-1", "transaction_timeout_ms": 900_000}}
        ],
        "applications": [{"name": "app-1", "client": "p1", "calls": list(calls)}],
        "faults": [*faults, *commands],
        **sections,
    }
    simulation = Simulation(load(document), watching="recorded")
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(step)
    return simulation, steps


def tool(simulation: Simulation) -> dict[str, Any]:
    shown: dict[str, Any] = simulation.view()["tool"]
    return shown


def said(steps: list[Step]) -> list[str]:
    return [key for step in steps for key in (step.key, *(note["key"] for note in step.notes))]


FIND = {"at": LATE, "action": "find_hanging", "topic": "t"}


def test_a_partition_that_no_transaction_has_hangs_once_its_write_is_old_enough() -> None:
    early, _ = run({**FIND, "at": 10_000})
    assert (tool(early)["state"], tool(early)["rows"]) == ("done", [])
    late, steps = run(FIND)
    assert tool(late)["rows"] == [["t", 1, 1000, 0, -1, 0, 400, 15]]
    assert "tool.hanging_not_included" in said(steps)


def test_the_longest_transaction_timeout_is_an_option() -> None:
    simulation, _ = run({**FIND, "at": 70_000, "timeout_minutes": 1})
    assert [row[:3] for row in tool(simulation)["rows"]] == [["t", 1, 1000]]


def test_an_open_transaction_of_a_living_coordinator_does_not_hang() -> None:
    simulation, steps = run(
        {**FIND, "at": 120_000, "timeout_minutes": 1},
        faults=(),
        calls=tuple(CALLS),
        limits={"time_ms": 130_000},
    )
    assert tool(simulation)["rows"] == []
    assert "tool.marker_expected" in said(steps)


def test_a_producer_that_no_transactional_id_has_hangs() -> None:
    stranger = {**STRAY, "message": {**STRAY["message"], "transactional_id": "other", "producer_id": 77}}
    simulation, steps = run(FIND, faults=(stranger,))
    assert [row[:3] for row in tool(simulation)["rows"]] == [["t", 1, 77]]
    assert "tool.hanging_no_id" in said(steps)


def test_abort_ends_the_transaction_in_its_partition_alone() -> None:
    abort = {"at": LATE + 1000, "action": "abort_hanging", "partition": "t-1", "start_offset": 0}
    simulation, steps = run(FIND, abort, {**FIND, "at": LATE + 2000})
    assert said(steps).count("tool.abort_done") == 1
    assert tool(simulation)["rows"] == []
    assert (said(steps).count("tool.candidates_chosen"), said(steps).count("tool.none_open")) == (1, 1)
    log = simulation.world.brokers["broker-3"].replicas["t-1"].log
    assert (log.last_stable_offset, [batch.control_type for batch in log.batches]) == (2, [None, "ABORT"])
    assert log.batches[-1].coordinator_epoch == 0, "no marker came before: the tool writes 0"


def test_abort_needs_an_offset_at_which_a_transaction_begins() -> None:
    simulation, steps = run({"at": LATE, "action": "abort_hanging", "partition": "t-1", "start_offset": 1})
    assert tool(simulation)["state"] == "failed"
    assert "tool.no_open_transaction" in said(steps)


LIST = {"at": LATE, "action": "list_transactions"}
DESCRIBE = {"at": LATE, "action": "describe_transaction", "transactional_id": "txn-1"}
DESCRIBE_PRODUCERS = {"at": LATE, "action": "describe_producers", "partition": "t-1"}
ABORT = {"at": LATE, "action": "abort_hanging", "partition": "t-1", "start_offset": 0}


@pytest.mark.parametrize(
    ("profile", "commands"),
    [("k20", (FIND, LIST, DESCRIBE, DESCRIBE_PRODUCERS, ABORT)), ("k28", (FIND, LIST, DESCRIBE))],
)
def test_a_command_ends_at_the_first_request_that_brokers_do_not_know(
    profile: str, commands: tuple[dict[str, Any], ...]
) -> None:
    for command in commands:
        simulation, steps = run(command, profile=profile, switches={})
        refused = [step.refusal["error"] for step in steps if step.refusal is not None]
        assert (tool(simulation)["state"], refused) == ("failed", ["UNSUPPORTED_VERSION"])


def test_brokers_of_2_8_describe_producers_so_abort_needs_no_identity() -> None:
    early, _ = run({**FIND, "at": 10_000}, profile="k28", switches={})
    assert (tool(early)["state"], tool(early)["rows"]) == ("done", []), (
        "without a candidate no id is looked up"
    )
    simulation, _ = run(DESCRIBE_PRODUCERS, {**ABORT, "at": LATE + 1000}, profile="k28", switches={})
    assert tool(simulation)["state"] == "done"
    assert simulation.world.brokers["broker-3"].replicas["t-1"].log.last_stable_offset == 2


@pytest.mark.parametrize("profile", ["k20", "k28"])
def test_abort_by_identity_needs_no_request_but_the_marker(profile: str) -> None:
    identity = {"producer_id": 1000, "producer_epoch": 0, "coordinator_epoch": -1}
    abort = {"at": LATE, "action": "abort_hanging", "partition": "t-1", **identity}
    simulation, _ = run(abort, profile=profile, switches={})
    assert tool(simulation)["state"] == "done"
    assert simulation.world.brokers["broker-3"].replicas["t-1"].log.last_stable_offset == 2


def test_a_list_may_leave_out_what_is_not_open_for_long() -> None:
    every, _ = run({"at": 5000, "action": "list_transactions"})
    assert tool(every)["rows"] == [["txn-1", 2, 1000, "CompleteCommit"]]
    long, _ = run({"at": 5000, "action": "list_transactions", "duration_ms": 4000})
    assert [row[0] for row in tool(long)["rows"]] == ["txn-1"]
    longer, _ = run({"at": 5000, "action": "list_transactions", "duration_ms": 5000})
    assert tool(longer)["rows"] == []


def test_a_description_shows_the_partitions_that_still_need_a_marker() -> None:
    held = {"match": {"api": "WriteTxnMarkers", "to": "broker-3", "nth": 1}, "action": "delay", "by_ms": 3000}
    calls = (*CALLS, {"at": 200, "do": "send", "partition": "t-1"}, COMMIT)
    describe = {"at": 2000, "action": "describe_transaction", "transactional_id": "txn-1"}
    simulation, _ = run(describe, faults=(held,), calls=calls)
    ((coordinator, name, *_, partitions),) = tool(simulation)["rows"]
    assert (coordinator, name, partitions) == (2, "txn-1", "t-1")
    assert tool(simulation)["rows"][0][4] == "PrepareCommit"


def test_an_unknown_transactional_id_is_an_error_for_describe() -> None:
    simulation, steps = run({"at": LATE, "action": "describe_transaction", "transactional_id": "nobody"})
    assert tool(simulation)["state"] == "failed"
    assert "broker.description_of_unknown" in said(steps)


def test_commands_run_one_after_the_other() -> None:
    at = {"at": LATE}
    _, steps = run(at | {"action": "list_transactions"}, FIND, at | {"action": "list_transactions"})
    begun = [step.params["name"] for step in steps if step.key == "tool.begins"]
    assert begun == ["list", "find-hanging", "list"]
    assert said(steps).count("tool.waits") == 2
    waiting = [change for step in steps if step.key == "tool.waits" for change in step.changes]
    assert any(path[0] == "tool" for path, _, _ in waiting), "the view tells it in the same step"


@pytest.mark.parametrize(
    ("api", "error", "again"),
    [
        ("ListTransactions", "COORDINATOR_LOAD_IN_PROGRESS", "tool.asks_again"),
        ("DescribeTransactions", "NOT_COORDINATOR", "tool.looks_up_again"),
        ("DescribeProducers", "NOT_LEADER_OR_FOLLOWER", "tool.looks_up_again"),
        ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE", "tool.looks_up_again"),
    ],
)
def test_errors_that_pass_are_asked_again(api: str, error: str, again: str) -> None:
    fault = {"match": {"api": api, "from": "kafka-transactions"}, "action": "inject_error", "error": error}
    simulation, steps = run(FIND, faults=(STRAY, fault))
    assert again in said(steps)
    assert len(tool(simulation)["rows"]) == 1


def test_any_other_error_ends_the_command() -> None:
    fault = {
        "match": {"api": "ListTransactions"},
        "action": "inject_error",
        "error": "COORDINATOR_NOT_AVAILABLE",
    }
    simulation, steps = run(FIND, faults=(STRAY, fault))
    assert (tool(simulation)["state"], "tool.fails" in said(steps)) == ("failed", True)


def test_a_lost_connection_is_made_again_at_another_broker() -> None:
    lost = {"match": {"api": "Metadata", "from": "kafka-transactions"}, "action": "disconnect"}
    simulation, steps = run(FIND, faults=(STRAY, lost))
    assert "tool.connection_lost" in said(steps)
    assert len(tool(simulation)["rows"]) == 1
    asked = [step.actor for step in steps if step.key == "broker.metadata_answered" and step.at >= LATE]
    assert asked[0] == "broker-2", "the first one is not asked again at once"


def test_a_broker_that_never_answers_ends_the_command_after_a_minute() -> None:
    asleep = {"at": LATE, "action": "pause", "actor": "broker-3"}
    describe = {"at": LATE + 1, "action": "describe_producers", "partition": "t-1", "broker": 3}
    simulation, steps = run(describe, faults=(STRAY, asleep))
    (failed,) = [step for step in steps if "tool.fails" in said([step])]
    assert (tool(simulation)["state"], failed.at) == ("failed", LATE + 1 + 60_000)
    assert said(steps).count("tool.request_overdue") == 1, (
        "after 30 s; the second request is as old at the end"
    )


def test_a_backoff_that_ends_after_the_call_names_no_time() -> None:
    down = [{"at": LATE, "action": "crash", "actor": f"broker-{number}"} for number in (1, 2, 3)]
    _, steps = run({"at": LATE + 1, "action": "list_transactions"}, faults=(STRAY, *down))
    again = [step for step in steps if step.key == "tool.connection_lost"]
    assert again and all(step.params["at"] < LATE + 60_001 for step in again)
    assert said(steps)[-3:].count("tool.connects_no_more") == 1


def test_a_search_at_a_broker_without_replicas_says_that_it_has_nothing_to_search() -> None:
    topics = [{"name": "t", "partitions": 2, "leaders": [1, 3], "replication": 1}]
    _, steps = run({**FIND, "broker": 2}, topics=topics)
    assert "tool.no_partition_to_search" in said(steps)
    assert "tool.partitions_to_search" not in said(steps)


def test_after_the_last_topic_is_deleted_the_brokers_name_one_removal_and_no_leaders() -> None:
    deletion = {"at": 700, "action": "delete_topic", "topic": "t"}
    _, steps = run({"at": LATE, "action": "list_transactions"}, faults=(STRAY, deletion))
    read = [step.params["records"] for step in steps if step.key == "lifecycle.metadata_read"]
    assert ["RemoveTopicRecord t"] in read
    assert not any("RemoveTopicRecord t-1" in records for records in read)
    assert "broker.metadata_without_topics" in said(steps)


def test_a_command_that_finds_no_broker_says_what_it_asked_for_in_both_languages() -> None:
    asleep = [{"at": LATE, "action": "pause", "actor": f"broker-{number}"} for number in (1, 2, 3)]
    _, steps = run({"at": LATE + 1, "action": "list_transactions"}, faults=(STRAY, *asleep))
    (failed,) = [step for step in steps if step.key == "tool.fails"]
    assert "REQUEST_TIMED_OUT for the list of brokers" in sentence(failed.key, failed.params)
    assert "对 broker 列表的请求失败" in sentence(failed.key, failed.params, "zh-Hans")


def test_without_a_search_or_an_identity_a_command_is_refused_before_the_run() -> None:
    for command, place in (
        ({"at": 1, "action": "find_hanging"}, "faults.0.broker"),
        ({"at": 1, "action": "describe_transaction"}, "faults.0.transactional_id"),
        ({"at": 1, "action": "abort_hanging", "partition": "t-0"}, "faults.0.start_offset"),
        (
            {"at": 1, "action": "abort_hanging", "partition": "t-0", "producer_id": 1},
            "faults.0.producer_epoch",
        ),
    ):
        with pytest.raises(BadScenario) as caught:
            run(command, faults=())
        assert caught.value.place == place


def test_a_learner_runs_the_tool_too() -> None:
    simulation, _ = run()
    assert simulation.fork().digest() == simulation.digest()
    simulation.intervene({"action": "find_hanging", "partition": "t-1", "timeout_minutes": 0})
    while simulation.step() is not None:
        assert simulation.fork().digest() == simulation.digest()
    assert [row[:2] for row in tool(simulation)["rows"]] == [["t", 1]]


def test_a_run_without_brokers_refuses_the_tool() -> None:
    simulation = Simulation(entry("SC-80").scenario("one-node"))
    with pytest.raises(Refused, match="this run has no brokers"):
        simulation.intervene({"action": "list_transactions"})


def test_a_refusal_of_the_tool_says_what_the_tool_does() -> None:
    denied = {"at": 900_000, "action": "deny", "operation": "Describe", "resource": "transactional_id:txn-1"}
    _, steps = run(DESCRIBE, faults=(denied,))
    assert [step.refusal["next"] for step in steps if step.refusal] == ["refusal.tool_ends"]


def test_an_unknown_id_ends_describe() -> None:
    unknown = {"at": LATE, "action": "describe_transaction", "transactional_id": "other"}
    _, steps = run(unknown)
    assert [step.refusal["next"] for step in steps if step.refusal] == ["refusal.tool_finds_no_id"]


def test_the_tool_ends_when_its_marker_is_denied() -> None:
    denied = {"at": LATE, "action": "deny", "operation": "ClusterAction", "resource": "cluster"}
    simulation, steps = run(denied, {**ABORT, "at": LATE + 1})
    (refused,) = (step.refusal for step in steps if step.key == "broker.markers_denied")
    assert present(refused)["next"] == "refusal.tool_ends"
    assert tool(simulation)["state"] == "failed"
