"""A sentence about fencing names the producer and the cause if the run knows them."""

from __future__ import annotations

from typing import Any

import pytest

from engine.explain.sentences import sentence
from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.simulation import Simulation

TWO: dict[str, Any] = {
    "id": "TWO",
    "title": {"en": "Two", "zh-Hans": "两个"},
    "profile": "k28",
    "producers": [{"name": name, "settings": {"transactional_id": "txn-1"}} for name in ("p1", "p2")],
    "applications": [
        {"name": "app-1", "client": "p1", "calls": [{"at": 0, "do": "init_transactions"}]},
        {"name": "app-2", "client": "p2", "calls": [{"at": 600, "do": "init_transactions"}]},
    ],
}


def said(simulation: Simulation, key: str) -> list[str]:
    """Return the first sentences with this key in a run, in English, nine at most."""
    found: list[str] = []
    while (step := simulation.step()) is not None and len(found) < 9:
        found += [sentence(key, step.params)] if step.key == key else []
    return found


def run(of: str) -> Simulation:
    name, _, variant = of.partition("/")
    return Simulation(entry(name).scenario(variant or None))


@pytest.mark.parametrize(
    ("faults", "calls", "fenced"),
    [
        ([], [], "p1 (epoch 0) is fenced"),
        ([], [{"at": 400, "do": "close"}], "An older producer with this id, if there is one, is fenced"),
        (
            [{"at": 400, "action": "crash", "actor": "p1"}],
            [],
            "An older producer with this id, if there is one, is fenced",
        ),
    ],
)
def test_the_older_producer_is_named_while_it_is_there(
    faults: list[Any], calls: list[Any], fenced: str
) -> None:
    first, second = TWO["applications"]
    applications = [{**first, "calls": [*first["calls"], *calls]}, second]
    ready = said(
        Simulation(load({**TWO, "faults": faults, "applications": applications})),
        "client.transactional_id_ready",
    )
    assert ready[-1] == f"p2 now has PID 1000, epoch 1, for txn-1. {fenced}."


def test_the_first_epoch_fences_nothing() -> None:
    ready = said(Simulation(load(TWO)), "client.transactional_id_ready")
    assert "Epoch 0 is the first epoch of this PID, so no older producer uses this PID" in ready[0]


@pytest.mark.parametrize(("of", "older"), [("SC-131/while-open", 77), ("SC-71", 1000)])
def test_a_producer_whose_id_has_a_new_pid_is_named_too(of: str, older: int) -> None:
    """The epoch of the old PID says nothing about the new one, so the producer is not called fenced."""
    ready = said(run(of), "client.transactional_id_ready")[-1]
    assert ready.endswith(f"p1 still has PID {older}, which the coordinator no longer accepts.")


@pytest.mark.parametrize(
    ("of", "cause"),
    [
        ("SC-61/k28", "p2 has since taken over the id with InitProducerId."),
        (
            "SC-153/timeout",
            "The coordinator has since raised the epoch, because the transaction exceeded its timeout.",
        ),
        ("SC-153/administrator", "An InitProducerId request for this id has since raised the epoch."),
    ],
)
def test_a_refused_epoch_says_what_raised_it(of: str, cause: str) -> None:
    assert said(run(of), "coordinator.stale_epoch")[-1].endswith(cause)


def test_an_epoch_that_the_leader_does_not_know_was_raised_by_the_end_of_a_transaction() -> None:
    """A late write goes to a partition that the producer has not written to, so its leader has to ask the
    coordinator.
    """
    late = {"transactional_id": "txn-1", "producer_id": 1000, "producer_epoch": 0, "first_sequence": 0}
    message = {**late, "transactional": True, "transaction_version": 2}
    craft = {"at": 800, "action": "craft_produce", "partition": "t-1", "message": message}
    document = {
        **entry("SC-91").document,
        "topics": [{"name": "t", "partitions": 2}],
        "faults": [craft],
        "variants": [],
        "variants_only": False,
        "expect": {},
    }
    refused = said(Simulation(load(document)), "coordinator.stale_epoch")
    assert refused[-1].endswith(
        "The end of a transaction has since raised the epoch (transaction version 2)."
    )


def test_a_number_that_says_nothing_is_left_out() -> None:
    assert said(run("SC-61/k28"), "client.batch_failed") == [
        "INVALID_PRODUCER_EPOCH: p1 gives up batch r3 of t-0 and reports 1 record as failed "
        "(this was the first attempt)."
    ]
    assert said(run("SC-61/k28"), "client.transactional_sent")[0] == (
        "p1 sends InitProducerId to broker-2. One transactional request is in flight at a time."
    )
    assert "has no unfinished batches to wait for" in said(run("SC-61/k28"), "client.commit_transaction")[0]
    assert "(1 batch not yet acknowledged)" in said(run("SC-61/k28"), "client.commit_transaction_waits")[0]


def test_a_call_that_the_state_does_not_allow_is_named_with_the_state() -> None:
    assert "abortTransaction() is refused with ILLEGAL_STATE, because p1 is in state READY." in said(
        run("SC-41/tour"), "client.call_not_in_state"
    )


def test_records_of_aborted_transactions_are_counted_separately() -> None:
    simulation = run("SC-61/k28")
    simulation.run()
    verdict = simulation.view()["verdicts"]["t-0"]
    assert (verdict["stored"], verdict["aborted"]) == (2, 1)


def test_a_timeout_names_no_epoch_that_a_failed_fence_has_raised() -> None:
    calls = [
        {"at": 0, "do": "init_transactions"},
        {"at": 300, "do": "begin_transaction"},
        {"at": 300, "do": "send", "partition": "t-0"},
    ]
    settings = {"transactional_id": "txn-1", "transaction_timeout_ms": 5000}
    document = {
        **TWO,
        "topics": [{"name": "t", "partitions": 1, "replication": 1}],
        "producers": [{"name": "p1", "settings": settings}],
        "applications": [{"name": "app-1", "client": "p1", "calls": calls}],
        "faults": [
            *({"at": at, "action": "shrink_isr", "partition": "__transaction_state-10"} for at in (340, 360)),
            {"at": 25000, "action": "restore_isr", "partition": "__transaction_state-10"},
        ],
    }
    scans = said(Simulation(load(document)), "coordinator.transaction_timed_out")
    assert len(scans) > 1
    assert len(set(scans)) == 1
