"""What a read_committed consumer would get of a log case."""

from __future__ import annotations

from typing import Any

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.derived import Derived
from engine.view.possible import LISTED, possible


def batch(last: int, **fields: Any) -> dict[str, Any]:
    return {
        "last_offset": last, "producer_id": 7, "producer_epoch": 0, "transactional": True, "control": None,
        "outcome": "committed", **fields,
    }  # fmt: skip


def case(**fields: Any) -> dict[str, Any]:
    batches = {
        "0": batch(1),
        "2": batch(2, control="COMMIT"),
        "3": batch(4, outcome="aborted"),
        "5": batch(5, control="ABORT"),
        "6": batch(9, outcome="open"),
    }
    log = {"log_start": 0, "last_stable_offset": 6, "high_watermark": 10, "batches": batches, **fields}
    return {"partitions": {"orders-0": {"leader": None, "replicas": {"0": log}}}}


def test_it_reads_to_the_last_stable_offset_and_waits_for_the_transaction_that_begins_there() -> None:
    lane = possible(case(), "orders-0")
    assert lane is not None
    assert lane["stretches"] == [(0, 1, "delivered"), (2, 2, "control"), (3, 4, "aborted"), (5, 5, "control")]
    assert (lane["position"], lane["ahead"]) == (6, [(6, 9, "undecided")])
    assert lane["held_by"] == {"producer_id": 7, "first_offset": 6}


def test_nothing_waits_where_the_log_holds_nothing_back() -> None:
    lane = possible(case(last_stable_offset=10), "orders-0")
    assert lane is not None and (lane["ahead"], lane["held_by"]) == ([], None)


def test_of_a_long_log_the_newest_batches_are_listed_and_the_others_counted() -> None:
    many = {str(offset): batch(offset) for offset in range(500)}
    lane = possible(case(batches=many, last_stable_offset=500, high_watermark=500), "orders-0")
    assert lane is not None and (lane["stretches"], lane["folded"]) == (
        [(500 - LISTED, 499, "delivered")],
        500 - LISTED,
    )


def test_a_run_has_consumers_of_its_own_and_internal_topics_none() -> None:
    assert possible({**case(), "clients": {}}, "orders-0") is None
    assert (
        possible(
            {"partitions": {"__transaction_state-1": case()["partitions"]["orders-0"]}},
            "__transaction_state-1",
        )
        is None
    )
    assert "possible" not in Derived(Simulation(entry("SC-03").scenario()).view()).view()


def test_it_follows_the_steps_of_a_log_case() -> None:
    derived = Derived(case())
    path = ["partitions", "orders-0", "replicas", "0", "last_stable_offset"]
    step: dict[str, Any] = {
        "number": 1, "actor": "broker-0", "kind": "append", "key": "", "params": {}, "notes": [],
        "broken": [], "messages": [],
        "decision": None, "refusal": None, "changes": [{"path": path, "before": 6, "after": 10}],
    }  # fmt: skip
    (change,) = [one for one in derived.take(step)["changes"] if one["path"][1] == "possible"]
    assert change["path"] == ["derived", "possible", "orders-0"] and change["after"]["position"] == 10
