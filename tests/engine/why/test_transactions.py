"""Why the last stable offset is where it is, and why a transaction does not end.

Each sentence occurs in a scenario of the library and is compared with the view at that step.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why
from tests.engine.why.held_to_the_view import (
    Row,
    board,
    committed,
    due,
    entry_of,
    hold_to_the_view,
    is_down,
    isr_short,
    leader_of,
    stored_at,
)

ROWS: list[Row] = [
    # -- the last stable offset
    ("lso.at", "SC-75/wall", "lso", "t-0", lambda p, v: leader_of(v, "t-0")["log_end"] == p["log_end"]),
    (
        "lso.free",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: leader_of(v, "t-0")["last_stable_offset"] == p["high_watermark"],
    ),
    ("lso.high_watermark_waits", "SC-75/wall", "lso", "t-0", lambda p, v: p["high_watermark"] < p["log_end"]),
    (
        "lso.first_offset",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: (
            leader_of(v, "t-0")["producers"][str(p["producer_id"])]["transaction_first_offset"] == p["offset"]
        ),
    ),
    (
        "lso.moved",
        "SC-75/timeout",
        "lso",
        "t-0",
        lambda p, v: (
            stored_at(v, "t-0", p["offset"])["control"] == p["result"]
            and p["before"] <= p["offset"] < leader_of(v, "t-0")["last_stable_offset"]
        ),
    ),
    (
        "open.until",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: (
            leader_of(v, "t-0")["producers"][str(p["producer_id"])]["transaction_first_offset"] == p["first"]
            and entry_of(v, p["end"]["params"])["times_out_at"] == p["end"]["params"]["until"]
        ),
    ),
    (
        "open.so_far",
        "SC-46",
        "lso",
        "t-0",
        lambda p, v: entry_of(v, p["because"]["params"])["pending_state"] is not None,
    ),
    (
        "lso.marker_not_replicated",
        "SC-75/timeout",
        "lso",
        "t-0",
        lambda p, v: (
            stored_at(v, "t-0", p["offset"])["control"] == p["result"] and p["offset"] >= p["high_watermark"]
        ),
    ),
    (
        "held.records",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: (
            p["others"]
            == sum(
                b["record_count"]
                for b in leader_of(v, "t-0")["batches"].values()
                if p["first"] <= b["base_offset"] <= p["last"] and not b["transactional"]
            )
            > 0
        ),
    ),
    ("held.own_records", "SC-75/wall", "lso", "t-0", lambda p, v: p["count"] == p["last"] - p["first"] + 1),
    (
        "held.reader",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: v["consumers"][p["consumer"]]["positions"]["t-0"] == p["position"],
    ),
    (
        "held.none",
        "SC-07/id-implies",
        "lso",
        "t-0",
        lambda p, v: (
            "consumers" not in v
            or all(one["isolation"] != "read_committed" for one in v["consumers"].values())
        ),
    ),
    (
        "held.group",
        "SC-74/moves",
        "lso",
        "t-0",
        lambda p, v: p["committed"] in committed(v, p["group"], "t-0"),
    ),
    # -- whose transaction it is, and which component should end it
    (
        "transaction.owner",
        "SC-75/timeout",
        "unseen",
        "c-committed/t-0/1",
        lambda p, v: any(
            one["transactions"][p["transactional_id"]]["producer_id"] == p["producer_id"]
            for one in v["brokers"].values()
            if p["transactional_id"] in one.get("transactions", {})
        ),
    ),
    (
        "transaction.nobody_owns",
        "SC-73/k28",
        "lso",
        "__consumer_offsets-3",
        lambda p, v: str(p["producer_id"]) in leader_of(v, p["partition"])["producers"],
    ),
    (
        "transaction.ended",
        "SC-75/timeout",
        "unended",
        "txn-1",
        lambda p, v: entry_of(v, p)["state"] == "CompleteAbort",
    ),
    (
        "transaction.never_began",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: entry_of(v, p)["state"] == "Empty",
    ),
    (
        "client.uses",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: v["clients"]["p1"]["transaction_manager"]["state"] == p["state"],
    ),
    ("client.down", "SC-51/next-offset", "unended", "txn-1", lambda p, v: is_down(p["client"], v)),
    ("client.paused", "SC-61/k28", "unended", "txn-1", lambda p, v: v["clients"][p["client"]]["paused"]),
    (
        "client.other_epoch",
        "SC-41/errors-on-the-way-out",
        "unended",
        "txn-3",
        lambda p, v: (
            v["clients"][p["client"]]["transaction_manager"]["producer_epoch"]
            == p["own_epoch"]
            != p["producer_epoch"]
        ),
    ),
    (
        "client.none",
        "SC-66/every-request",
        "unended",
        "txn-demo",
        lambda p, v: all(
            (c["configuration"].get("transactional_id") or {}).get("value") != "txn-demo"
            for c in v["clients"].values()
        ),
    ),
    (
        "client.asks",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: v["clients"]["p1"]["transaction_manager"]["in_flight_request"] == p["api"],
    ),
    (
        "client.will_ask",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: v["clients"]["p1"]["transaction_manager"]["requests"][0]["api"] == p["api"],
    ),
    (
        "client.error",
        "SC-41/tour",
        "unended",
        "txn-1",
        lambda p, v: v["clients"][p["client"]]["transaction_manager"]["last_error"] == p["error"],
    ),
    (
        "application.silent",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: v["applications"]["app-1"]["finished"],
    ),
    (
        "application.next",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: v["applications"]["app-1"]["next_at"] == p["at"] == v["time"] + p["left"],
    ),
    (
        "application.blocked",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: v["applications"]["app-1"]["blocked_by"] == p["call"],
    ),
    (
        "application.client_down",
        "SC-51/next-offset",
        "unended",
        "txn-1",
        lambda p, v: v["applications"]["app-1"]["loop"]["state"] == "DOWN",
    ),
    # -- the coordinator
    (
        "coordinator.in_force",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: entry_of(v, p)["state"] == p["state"] and p["at"] <= v["time"],
    ),
    (
        "coordinator.since",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: p["target"] in ("Empty", "Ongoing") and p["source"] != p["target"],
    ),
    (
        "coordinator.stayed",
        "SC-107/elected-again-2-8",
        "unended",
        "txn-1",
        lambda p, v: p["source"] == p["target"] == entry_of(v, {**p, "coordinator": "broker-2"})["state"],
    ),
    (
        "coordinator.undecided",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: entry_of(v, p)["partitions"] == p["partitions"],
    ),
    (
        "coordinator.times_out",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: entry_of(v, p)["times_out_at"] == p["until"] == v["time"] + p["left"],
    ),
    (
        "coordinator.times_out_at_scan",
        "SC-41/errors-on-the-way-out",
        "unended",
        "txn-1",
        lambda p, v: p["until"] <= v["time"],
    ),
    (
        "coordinator.writes",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: entry_of(v, p)["pending_state"] == p["pending_state"],
    ),
    (
        "coordinator.over_elsewhere",
        "SC-58/every-answer",
        "lso",
        "t-0",
        lambda p, v: entry_of(v, p)["state"].startswith("Complete"),
    ),
    (
        "coordinator.unknown",
        "SC-41/tour",
        "unended",
        "txn-1",
        lambda p, v: all(
            p["transactional_id"] not in one.get("transactions", {}) for one in v["brokers"].values()
        ),
    ),
    (
        "coordinator.none",
        "SC-42/leader-down",
        "unended",
        "txn-1",
        lambda p, v: v["partitions"][p["partition"]]["leader"] is None,
    ),
    (
        "coordinator.loads",
        "SC-42/leader-down",
        "unended",
        "txn-1",
        lambda p, v: v["brokers"][p["coordinator"][7:]]["coordinator"]["loading"]["10"] == p["until"],
    ),
    (
        "coordinator.knows_nothing",
        "SC-75/wall",
        "unended",
        "txn-1",
        lambda p, v: v["partitions"][p["partition"]]["leader"] == int(p["coordinator"][7:]),
    ),
    # -- markers
    (
        "marker.missing",
        "SC-75/timeout",
        "lso",
        "t-0",
        lambda p, v: p["result"] == "ABORT" and p["partitions"] == ["t-0"],
    ),
    (
        "marker.on_the_way",
        "SC-75/timeout",
        "lso",
        "t-0",
        lambda p, v: any(
            m["api"] == "WriteTxnMarkers" and not m["is_response"] for m in v["network"]["messages"].values()
        ),
    ),
    (
        "marker.answer_on_the_way",
        "SC-44/k28",
        "unended",
        "txn-1",
        lambda p, v: any(
            m["api"] == "WriteTxnMarkers" and m["is_response"] for m in v["network"]["messages"].values()
        ),
    ),
    (
        "marker.waits_for_replicas",
        "SC-75/timeout",
        "unended",
        "txn-1",
        lambda p, v: leader_of(v, "t-0")["waiting"] != [],
    ),
    ("marker.queued", "SC-41/tour", "lso", "t-0", lambda p, v: p["leader"][7:] in board(v, p)["queues"]),
    ("marker.next_pass", "SC-41/tour", "lso", "t-0", lambda p, v: p["at"] == v["time"] + p["left"]),
    (
        "marker.behind_request",
        "SC-58/leader-moves",
        "lso",
        "t-0",
        lambda p, v: p["leader"][7:] in board(v, p)["in_flight"],
    ),
    (
        "marker.connects",
        "SC-42/leader-down",
        "lso",
        "t-0",
        lambda p, v: due(v, p["coordinator"], f"connection to {p['leader']}") == v["time"] + p["left"],
    ),
    ("marker.retried", "SC-58/leader-moves", "lso", "t-0", lambda p, v: p["retries"] >= 1),
    (
        "marker.leader_unreachable",
        "SC-59/comes-back",
        "lso",
        "t-0",
        lambda p, v: board(v, p)["unknown_broker"] != [],
    ),
    ("marker.waits_for_news", "SC-59/comes-back", "lso", "t-0", lambda p, v: board(v, p)["queues"] == {}),
    ("marker.given_up", "SC-58/retry-off", "lso", "t-0", lambda p, v: board(v, p)["unknown_broker"] == []),
    (
        "marker.passed_over",
        "SC-58/storage-error-2-0",
        "lso",
        "t-0",
        lambda p, v: board(v, p)["waiting"]["txn-1"]["passed_over"] == p["partitions"],
    ),
    ("application.due", "SC-68", "unended", "txn-1", lambda p, v: v["clients"]["p1"]["paused"]),
    (
        "coordinator.stalled",
        "SC-107/elected-again-2-8",
        "unended",
        "txn-1",
        lambda p, v: (
            p["transactional_id"] not in board(v, p)["waiting"]
            and entry_of(v, p)["pending_state"] is not None
        ),
    ),
    (
        "marker.none_left",
        "SC-58/every-answer",
        "lso",
        "t-1",
        lambda p, v: p["partition"] not in board(v, p)["waiting"]["txn-1"]["remaining"],
    ),
    (
        "marker.none_waits",
        "SC-57/completion",
        "unended",
        "txn-1",
        lambda p, v: entry_of(v, p)["pending_state"] == "CompleteCommit",
    ),
    (
        "marker.at_leader",
        "SC-143/seek",
        "unended",
        "txn-1",
        lambda p, v: all(m["api"] != "WriteTxnMarkers" for m in v["network"]["messages"].values()),
    ),
    (
        "marker.unanswered",
        "SC-58/request-lost",
        "unended",
        "txn-1",
        lambda p, v: all(
            (m["api"], m["to"]) != ("WriteTxnMarkers", p["leader"])
            for m in v.get("network", {}).get("messages", {}).values()
        ),
    ),
    # -- brokers and replication
    (
        "follower_behind",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: (
            v["partitions"]["t-0"]["replicas"][p["actor"][7:]]["log_end"] == p["log_end"] < p["offset"]
        ),
    ),
    (
        "leader_learns_later",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: all(
            one["log_end"] >= p["offset"] for one in v["partitions"]["t-0"]["replicas"].values()
        ),
    ),
    (
        "next.fetch",
        "SC-75/wall",
        "lso",
        "t-0",
        lambda p, v: (
            due(v, p["actor"], "fetch t-0") == p["at"] == v["time"] + p["when"]["params"].get("left", 0)
        ),
    ),
    ("no_leader", "SC-13", "lso", "t-1", lambda p, v: v["partitions"]["t-1"]["leader"] is None),
    ("too_few_in_sync", "SC-57/completion", "unended", "txn-1", isr_short),
    (
        "partition_deleted",
        "SC-59/deleted-meanwhile",
        "unended",
        "txn-1",
        lambda p, v: v["partitions"][p["partition"]]["deleted"],
    ),
    (
        "broker_down_session",
        "SC-08/k28",
        "nothing",
        "broker-1",
        lambda p, v: v["zookeeper"]["sessions"]["1"]["expires_at"] == p["until"] == v["time"] + p["left"],
    ),
    ("broker_starting", "SC-08/k28", "nothing", "broker-1", lambda p, v: v["brokers"]["1"]["starting"]),
    ("actor_down", "SC-51/next-offset", "nothing", "p1", lambda p, v: is_down("p1", v)),
    ("actor_paused", "SC-61/k28", "nothing", "p1", lambda p, v: v["clients"]["p1"]["paused"]),
]


@pytest.mark.requirement("TXC-24", "LOG-14", "MRK-12")
@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_a_sentence_says_what_is(row: Row) -> None:
    hold_to_the_view(row, ROWS)


def test_a_step_that_is_named_is_the_one_that_did_it() -> None:
    """The step that an answer names for a state is the step with the transition to this state in the run itself."""
    scenario = entry("SC-75").scenario("timeout")
    run = Simulation(scenario)
    taken = []
    while (step := run.step()) is not None:
        moved = [*step.earlier_transitions, *([] if step.transition is None else [step.transition])]
        taken += [
            (step.number, one["to"])
            for one in moved
            if one["of"] == "txn-1" and one["machine"] == "transaction_states"
        ]
        if taken:
            since = next(
                one
                for one in why(run, "unended", "txn-1")
                if one.key in ("why.coordinator.since", "why.coordinator.stayed")
            )
            assert (since.step, since.params["target"]) == taken[-1]


def test_no_fetch_is_awaited_where_too_few_replicas_hold_the_high_watermark() -> None:
    """Since 3.7: only the leader is in sync and has the batch, but min.insync.replicas is 2."""
    run = Simulation(entry("SC-112").scenario("idempotent", {"profile": "k39"}))
    while (step := run.step()) is not None and step.key != "broker.appended_and_waits":
        pass
    for follower in (2, 3):
        run.intervene({"action": "shrink_isr", "partition": "t-0", "broker": follower})
    while run.view()["partitions"]["t-0"]["isr"] != [1]:
        assert run.step() is not None
    keys = [one.key for one in why(run, "lso", "t-0")]
    assert keys[-2:] == ["why.lso.high_watermark_waits", "why.too_few_in_sync"]


def test_a_leader_that_is_down_learns_of_no_replica() -> None:
    run = Simulation(entry("SC-112").scenario("idempotent"))
    while any(one["log_end"] < 1 for one in run.view()["partitions"]["t-0"]["replicas"].values()):
        assert run.step() is not None
    leader = f"broker-{run.view()['partitions']['t-0']['leader']}"
    assert "why.leader_learns_later" in [one.key for one in why(run, "lso", "t-0")]
    run.intervene({"action": "crash", "actor": leader})
    assert run.step() is not None
    keys = [one.key for one in why(run, "lso", "t-0")]
    assert "why.leader_learns_later" not in keys
    assert "why.broker_down_session" in keys


def test_a_broker_that_is_down_has_no_next_fetch() -> None:
    run = Simulation(entry("SC-41").scenario("impatient-2-0"))
    run.run(steps=12)
    run.intervene({"action": "crash", "actor": "broker-3"})
    assert run.step() is not None
    fetches = [one for one in why(run, "unended", "txn-1") if one.key == "why.next.fetch"]
    assert "broker-3" not in [one.params["actor"] for one in fetches]


def test_a_consumer_that_is_down_does_not_wait() -> None:
    run = Simulation(entry("SC-44").scenario("k20"))
    run.run(steps=34)
    run.intervene({"action": "crash", "actor": "c-committed"})
    run.run(steps=18)
    keys = [one.key for one in why(run, "lso", "t-0")]
    assert "why.held.reader" not in keys
    assert "why.held.none" in keys


def test_a_response_from_the_coordinators_own_broker_is_no_marker_on_its_way() -> None:
    """broker-2 coordinates the transaction and leads t-1, so a request with markers and its response have the same
    sender and receiver.
    """
    run = Simulation(entry("SC-44").scenario("k28"))
    said = []
    while run.step() is not None:
        for one in run.view()["network"]["messages"].values():
            if one["api"] == "WriteTxnMarkers" and one["from"] == one["to"] == "broker-2":
                links = [
                    link for link in why(run, "unended", "txn-1") if link.params.get("partition") == "t-1"
                ]
                on_the_way = [link.key for link in links if link.key.endswith("on_the_way")]
                said.append((one["is_response"], on_the_way))
    assert (False, ["why.marker.on_the_way"]) in said
    assert (True, ["why.marker.answer_on_the_way"]) in said
    assert len({str(one) for one in said}) == 2


@pytest.mark.parametrize("scenario, variant", [("SC-91", "last-epoch"), ("SC-131", "k41")])
def test_a_producer_with_a_new_id_after_its_last_epoch_ended_the_transaction_itself(
    scenario: str, variant: str
) -> None:
    run = Simulation(entry(scenario).scenario(variant))
    while (step := run.step()) is not None:
        if any(note["key"] == "client.next_id_given" for note in step.to_json()["notes"]):
            break
    assert step is not None
    assert "why.client.uses" in [one.key for one in why(run, "unended", "txn-1")]
    assert "why.client.other_epoch" not in [one.key for one in why(run, "unended", "txn-1")]


def test_no_producer_is_said_to_lack_the_epoch_of_an_id_that_is_not_written_yet() -> None:
    run = Simulation(entry("SC-149").scenario("k41"))
    while (step := run.step()) is not None:
        for one in why(run, "unended", "txn-1") if step.actor == "broker-2" else ():
            assert one.params.get("producer_epoch", 0) >= 0, (step.number, one)


def test_a_transaction_whose_marker_was_lost_waits_for_the_timeout_of_that_request() -> None:
    """The answer names the lost request and the time at which it is sent again. Once the marker is stored, its loss
    is the reason why the last stable offset moved so late.
    """
    run = Simulation(entry("SC-75").scenario("timeout"))
    while "WriteTxnMarkers" not in [one["api"] for one in messages_of(run)]:
        run.step()
    lost = next(one for one in messages_of(run) if one["api"] == "WriteTxnMarkers")
    drop = {"action": "drop_message", "message": lost["id"], "after": run.number}
    run = Simulation(entry("SC-75").scenario("timeout"), [drop])
    dropped = drop["after"] + 1
    while run.number <= dropped:
        run.step()
    answer = next(one for one in why(run, "lso", "t-0") if one.answers)
    assert (answer.params["because"]["key"], answer.params["end"]["key"]) == (
        "clause.open.marker_lost",
        "clause.open.marker_again",
    )
    assert answer.params["because"]["params"]["number"] == dropped
    assert answer.params["end"]["params"]["until"] == lost["sent_at"] + 30_000
    while not any(one.key == "why.lso.moved" for one in why(run, "lso", "t-0")):
        run.step()
    assert [one.step for one in why(run, "lso", "t-0") if one.key == "fault.message_dropped"] == [dropped]


def test_another_transaction_s_timeout_is_not_that_of_the_lost_marker() -> None:
    """Both transactional ids have one coordinator, whose next timer is the other transaction's."""
    document = copy.deepcopy(entry("SC-140").document)
    document["producers"][1]["settings"] = {"transactional_id": "txn-54", "transaction_timeout_ms": 5000}
    document["applications"][1]["calls"] = [
        {"at": 0, "do": "init_transactions"},
        {"at": 310, "do": "begin_transaction"},
        {"at": 310, "do": "send", "partition": "t-1"},
        {"at": 9000, "do": "commit_transaction"},
    ]
    document["faults"] = [{"match": {"api": "WriteTxnMarkers", "to": "broker-1"}, "action": "drop"}]
    for unused in ("variants", "checkpoints", "beats", "expect"):
        document.pop(unused, None)
    run = Simulation(load(document))
    ends = set()
    while run.step() is not None and run.now < 20_000:
        for one in why(run, "lso", "t-0"):
            end = one.params.get("end") if one.answers else None
            if end is not None and end["key"] == "clause.open.marker_again":
                ends.add(end["params"]["until"])
    assert ends == {30_515}


def messages_of(run: Simulation) -> list[dict[str, Any]]:
    return list(run.view()["network"]["messages"].values())
