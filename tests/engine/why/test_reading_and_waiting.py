"""Why a consumer lacks something, why nothing happens, why something was refused or is in its state.

Each sentence occurs in a scenario of the library and is compared with the view at that step.
"""

from __future__ import annotations

import pytest

from engine.record_names import record_names
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why
from tests.engine.why.held_to_the_view import (
    Json,
    Row,
    committed,
    due,
    fate,
    hold_to_the_view,
    is_down,
    lane,
    leader_of,
    stored_at,
)


def head_of(view: Json, partition: str) -> Json:
    client = view["clients"]["p1"]
    head: Json = client["batches"][client["queues"][partition]["batches"][0]]
    return head


ROWS: list[Row] = [
    # -- consumers
    (
        "unseen.undecided_own",
        "SC-75/wall",
        "unseen",
        "c-committed/t-0/1",
        lambda p, v: fate(p, v) == "undecided" and stored_at(v, "t-0", 1)["outcome"] == "open",
    ),
    (
        "unseen.undecided_behind",
        "SC-75/wall",
        "unseen",
        "c-committed/t-0/3",
        lambda p, v: fate(p, v) == "undecided" and not stored_at(v, "t-0", 3)["transactional"],
    ),
    (
        "unseen.marker_waits",
        "SC-44/k28",
        "unseen",
        "c-committed/t-0/0",
        lambda p, v: fate(p, v) == "undecided" and stored_at(v, "t-0", 0)["outcome"] == "committed",
    ),
    ("unseen.aborted", "SC-75/timeout", "unseen", "c-committed/t-0/1", lambda p, v: fate(p, v) == "aborted"),
    (
        "unseen.aborted_entry",
        "SC-75/timeout",
        "unseen",
        "c-committed/t-0/1",
        lambda p, v: (
            [p["producer_id"], p["first"], p["marker"], p["stable"]] in leader_of(v, "t-0")["aborted_index"]
        ),
    ),
    (
        "unseen.control",
        "SC-75/timeout",
        "unseen",
        "c-committed/t-0/5",
        lambda p, v: fate(p, v) == "control" and p["result"] == "ABORT",
    ),
    (
        "unseen.delivered",
        "SC-75/wall",
        "unseen",
        "c-uncommitted/t-0/1",
        lambda p, v: fate(p, v) == "delivered",
    ),
    (
        "unseen.not_replicated",
        "SC-75/wall",
        "unseen",
        "c-uncommitted/t-0/1",
        lambda p, v: fate(p, v) == "not_replicated",
    ),
    (
        "unseen.not_fetched",
        "SC-75/wall",
        "unseen",
        "c-uncommitted/t-0/1",
        lambda p, v: fate(p, v) == "not_fetched",
    ),
    ("unseen.beyond_end", "SC-75/wall", "unseen", "c-uncommitted/t-0/9", lambda p, v: p["log_end"] <= 9),
    ("unseen.compacted", "SC-77/compact", "unseen", "c1/t-0/0", lambda p, v: fate(p, v) == "compacted"),
    ("unseen.deleted", "SC-77/delete-segment", "unseen", "c1/t-0/0", lambda p, v: fate(p, v) == "deleted"),
    ("unseen.sought", "SC-77/seek", "unseen", "c1/t-0/0", lambda p, v: fate(p, v) == "sought"),
    (
        "unseen.not_subscribed",
        "SC-77/one-partition",
        "unseen",
        "c1/t-1/0",
        lambda p, v: fate(p, v) == "not_subscribed",
    ),
    ("unseen.unserved", "SC-08/k28", "unseen", "c1/t-0/4", lambda p, v: is_down("broker-1", v)),
    ("reader.rewinds", "SC-50", "nothing", "c1", lambda p, v: v["consumers"]["c1"]["rewinding"]),
    (
        "reader.buffered",
        "SC-51/abort",
        "nothing",
        "c1",
        lambda p, v: v["consumers"]["c1"]["buffered"] == p["count"],
    ),
    (
        "lag.position",
        "SC-75/wall",
        "lag",
        "c-committed/t-0",
        lambda p, v: (
            p["lag"]
            == leader_of(v, "t-0")["high_watermark"] - v["consumers"]["c-committed"]["positions"]["t-0"]
        ),
    ),
    ("lag.wall", "SC-75/wall", "lag", "c-committed/t-0", lambda p, v: p["last_stable_offset"] < p["end"]),
    (
        "lag.committed",
        "SC-51/next-offset",
        "lag",
        "c1/in-0",
        lambda p, v: p["committed"] in committed(v, "g", "in-0"),
    ),
    (
        "lag.markers_between",
        "SC-74/moves",
        "lag",
        "c1/t-0",
        lambda p, v: all(stored_at(v, "t-0", offset)["control"] for offset in p["offsets"]),
    ),
    ("lag.markers_passed", "SC-75/timeout", "lag", "c-committed/t-0", lambda p, v: p["offsets"] == ["5"]),
    (
        "lag.aborted_passed",
        "SC-75/timeout",
        "lag",
        "c-committed/t-0",
        lambda p, v: p["offsets"] == ["1–2"] and p["count"] == 2,
    ),
    (
        "lag.compacted_passed",
        "SC-77/compact",
        "lag",
        "c1/t-0",
        lambda p, v: any(word == "compacted" for _, _, word in lane(p, v)),
    ),
    # -- batches and messages
    (
        "batch.queued",
        "SC-01",
        "unsent",
        "p1/b1",
        lambda p, v: v["clients"]["p1"]["queues"][p["partition"]]["batches"][0] == "b1",
    ),
    (
        "batch.behind",
        "SC-03",
        "unsent",
        "p1/b2",
        lambda p, v: p["head"] == record_names(head_of(v, p["partition"])["serials"]),
    ),
    ("batch.drained", "SC-01", "unsent", "p1/b1", lambda p, v: v["clients"]["p1"].get("requests", {}) == {}),
    (
        "batch.in_flight",
        "SC-02",
        "unsent",
        "p1/b1",
        lambda p, v: any(
            one["batches"] == ["b1"] and one["deadline"] == p["until"]
            for one in v["clients"]["p1"]["requests"].values()
        ),
    ),
    (
        "batch.leaves_next",
        "SC-01",
        "unsent",
        "p1/b1",
        lambda p, v: p["left"] >= 0 and v["clients"]["p1"]["queues"][p["partition"]]["batches"] == ["b1"],
    ),
    (
        "batch.over",
        "SC-02",
        "unsent",
        "p1/b1",
        lambda p, v: v["clients"]["p1"]["batches"]["b1"]["state"] == p["state"],
    ),
    ("message.arrives", "SC-02", "unsent", "p1/b1", lambda p, v: p["at"] == v["time"] + p["left"]),
    (
        "message.waits_for_replicas",
        "SC-75/wall",
        "nothing",
        "p2",
        lambda p, v: any(one["client"] == "p2" for one in leader_of(v, "t-0")["waiting"]),
    ),
    (
        "message.nobody_has_it",
        "SC-78/k28",
        "unsent",
        "p1/b1",
        lambda p, v: p["until"] == v["time"] + p["left"] and not v["network"]["messages"],
    ),
    (
        "message.at_broker",
        "SC-20",
        "nothing",
        "p1",
        lambda p, v: all(m["from"] != "p1" for m in v["network"]["messages"].values()),
    ),
    (
        "client.awaits",
        "SC-02",
        "nothing",
        "p1",
        lambda p, v: any(one["deadline"] == p["until"] for one in v["clients"]["p1"]["requests"].values()),
    ),
    (
        "client.memory",
        "SC-11/waits",
        "nothing",
        "p1",
        lambda p, v: v["clients"]["p1"]["pool"]["waiters"][0]["size"] == p["size"],
    ),
    (
        "client.looks_for",
        "SC-43",
        "nothing",
        "p1",
        lambda p, v: v["clients"]["p1"]["transaction_manager"]["in_flight_request"] is None,
    ),
    ("client.sleeps", "SC-43", "nothing", "p1", lambda p, v: p["until"] == v["time"] + p["left"] > v["time"]),
    (
        "next.call",
        "SC-75/wall",
        "nothing",
        "app-1",
        lambda p, v: v["applications"]["app-1"]["next_at"] == p["at"],
    ),
    ("next.pass", "SC-02", "nothing", "p1", lambda p, v: due(v, "p1", "pass") == p["at"]),
    (
        "next.message",
        "SC-02",
        "nothing",
        "broker-1",
        lambda p, v: any(
            m["to"] == "broker-1" and m["arrives_at"] == p["at"] for m in v["network"]["messages"].values()
        ),
    ),
    ("next.timer", "SC-02", "nothing", "c1", lambda p, v: due(v, "c1", "timer") == p["at"]),
    (
        "next.connection",
        "SC-08/k28",
        "nothing",
        "p2",
        lambda p, v: due(v, "p2", f"connection to {p['peer']}") == p["at"],
    ),
    (
        "next.fault",
        "SC-61/k28",
        "nothing",
        "run",
        lambda p, v: any(one["class"] == "fault" and one["at"] == p["at"] for one in v["pending"].values()),
    ),
    (
        "nothing.idle",
        "SC-75/wall",
        "nothing",
        "broker-1",
        lambda p, v: all(one["actor"] != "broker-1" for one in v.get("pending", {}).values()),
    ),
    ("nothing.others", "SC-75/wall", "nothing", "run", lambda p, v: len(v["pending"]) >= p["count"] > 0),
    (
        "message.waits_behind",
        "SC-28",
        "nothing",
        "p1",
        lambda p, v: any(m.get("waits_behind") == p["behind"] for m in v["network"]["messages"].values()),
    ),
    (
        "message.held",
        "SC-69",
        "unended",
        "txn-1",
        lambda p, v: any(
            m["held"] and m["to"] == p["destination"] for m in v["network"]["messages"].values()
        ),
    ),
    (
        "next.phase",
        "SC-14",
        "nothing",
        "run",
        lambda p, v: any(batch["state"] != "ACKED" for batch in v["clients"]["p1"]["batches"].values()),
    ),
    ("next.loop", "SC-51/next-offset", "nothing", "app-1", lambda p, v: due(v, "app-1", "loop") == p["at"]),
    ("nothing.run_over", "SC-24/exhausted", "nothing", "run", lambda p, v: v.get("pending", {}) == {}),
    # -- refusals and states
    ("refused.compared", "SC-28", "refused", "", lambda p, v: p["error"] == "OUT_OF_ORDER_SEQUENCE_NUMBER"),
    (
        "refused.checks",
        "SC-28",
        "refused",
        "",
        lambda p, v: p["machine"] == "producer_append" and p["place"] <= p["count"],
    ),
    ("refused.error", "SC-28", "refused", "t-0", lambda p, v: p["since"] == "0.11"),
    (
        "refused.row",
        "SC-41/tour",
        "refused",
        "",
        lambda p, v: p["machine"] == "client_transactions" and len(p["on"]) == 1,
    ),
    ("state.since", "SC-75/timeout", "state", "txn-1", lambda p, v: p["at"] <= v["time"]),
    (
        "state.initial",
        "SC-08/k20",
        "state",
        "p1",
        lambda p, v: v["clients"]["p1"]["transaction_manager"]["state"] == p["state"],
    ),
    (
        "state.given",
        "SC-27/between-batches",
        "state",
        "p1",
        lambda p, v: v["clients"]["p1"]["transaction_manager"]["state"] == p["state"] == "READY",
    ),
    (
        "refused.row_silent",
        "SC-74/disorder",
        "refused",
        "",
        lambda p, v: p["machine"] == "group_pending_offset",
    ),
    (
        "state.ways_out",
        "SC-75/wall",
        "state",
        "p1",
        lambda p, v: v["clients"]["p1"]["transaction_manager"]["state"] == p["state"],
    ),
    (
        "state.last",
        "SC-75/timeout",
        "state",
        "txn-1",
        lambda p, v: p["state"] in ("Done", "PrepareEpochFence"),
    ),
    (
        "state.error",
        "SC-24/asked-again",
        "state",
        "p2",
        lambda p, v: v["clients"]["p2"]["transaction_manager"]["last_error"] == p["error"],
    ),
]


@pytest.mark.requirement("SND-15", "CON-12", "UIV-3")
@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_a_sentence_says_what_is(row: Row) -> None:
    hold_to_the_view(row, ROWS)


def test_an_application_whose_client_is_down_makes_no_call_at_its_time() -> None:
    run = Simulation(entry("SC-153").scenario(None))
    run.run(steps=12)
    run.intervene({"action": "crash", "actor": "p2"})
    run.run(steps=10)
    assert run.view()["applications"]["app-2"]["next_at"] > run.view()["time"]
    keys = [one.key for one in why(run, "nothing", "app-2")]
    assert keys == ["why.application.client_down", "why.actor_down"]
