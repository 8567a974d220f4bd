"""Sentences that depend on differences between variants and versions: each is true of the run that shows it."""

from __future__ import annotations

import json

import pytest

from engine.generations.generation import GENERATIONS, in_generation
from engine.scenario.document import load
from engine.simulation import Simulation
from tests.engine.every_run import play, scenario_of

CASES = [
    ("SC-21-no-version-check", "clause.block_unconditionally", "clause.block_if_unchanged"),
    ("SC-21-version-check", "clause.block_if_unchanged", "clause.block_unconditionally"),
    ("SC-08-k010", "broker.plain_log_opened", "broker.log_replayed"),
    ("SC-08-k010", "broker.became_leader_plain", "broker.became_leader"),
    ("SC-16", "broker.empty_log_opened", "broker.log_replayed"),
    ("SC-89-stopped-halfway", "quorum.idle_broker_may_stop", "refusal.broker_asks_again"),
    ("SC-89-orderly-stop", "quorum.shutdown_granted", "quorum.idle_broker_may_stop"),
    ("SC-150-k41", "refusal.leader_asks_again", "refusal.client_asks_again"),
    ("SC-149-k41", "refusal.client_aborts_and_raises", "refusal.client_aborts"),
    ("SC-08-other-faults", "fault.message_reordered", "fault.message_not_overtaken"),
]


OFFSETS = "broker.offsets_not_in_transaction"


def refusals(simulation: Simulation) -> list[tuple[str, str, str]]:
    """Run the simulation to its end. Returns, for each step that refuses something, its key, the error, and the key
    of the sentence about what follows.
    """
    found = []
    while (step := simulation.step()) is not None:
        if step.refusal is not None:
            found.append((step.key, step.refusal["error"], step.refusal["next"]))
    return found


@pytest.mark.parametrize(("run", "said", "other"), CASES, ids=lambda case: case)
def test_a_run_has_the_sentence_of_its_variant(run: str, said: str, other: str) -> None:
    steps = json.dumps(play(run).steps)
    assert f'"{said}"' in steps
    assert f'"{other}"' not in steps


def test_the_scan_for_timeouts_refuses_no_client() -> None:
    refused = [
        one["refusal"]
        for one in play("SC-65-k20-none-left").steps
        if one["key"] == "coordinator.no_epoch_left"
    ]
    assert [one["next"] for one in refused] == ["refusal.client_has_no_rule", "refusal.no_client_waits"]


def test_only_later_clients_retry_offsets_after_concurrent_transactions() -> None:
    simulation = Simulation(in_generation(scenario_of("SC-74-disorder"), GENERATIONS["k39"]))
    refused = refusals(simulation)
    assert {following for key, _, following in refused if key == OFFSETS} == {"refusal.offsets_retried"}


def test_a_client_looks_up_again_when_its_offsets_cannot_be_checked() -> None:
    """The transaction's coordinator is unreachable, so the group coordinator answers COORDINATOR_NOT_AVAILABLE."""
    document = {
        "id": "own",
        "profile": "k39",
        "title": {"en": "no check", "zh-Hans": "无法检查"},
        "topics": [{"name": "in", "partitions": 1}, {"name": "out", "partitions": 1, "leaders": [2]}],
        "producers": [{"name": "p1", "settings": {"transactional_id": "txn-1"}}],
        "consumers": [{"name": "c1", "partitions": ["in-0"], "group": "g"}],
        "applications": [
            {
                "name": "app-1",
                "client": "p1",
                "calls": [
                    {"at": 0, "do": "init_transactions"},
                    {"at": 200, "do": "begin_transaction"},
                    {"at": 200, "do": "send_offsets", "offsets": {"in-0": 1}, "group": "g"},
                    {"at": 900, "do": "commit_transaction"},
                ],
            }
        ],
        "faults": [
            {
                "match": {"api": "AddOffsetsToTxn", "response": True},
                "action": "make_unavailable",
                "actor": "broker-2",
            },
            {"at": 800, "action": "make_available", "actor": "broker-2"},
        ],
    }
    refused = refusals(Simulation(load(document)))
    assert {tuple(rest) for key, *rest in refused if key == OFFSETS} == {
        ("COORDINATOR_NOT_AVAILABLE", "refusal.client_looks_up_again")
    }


def test_the_coordinator_refuses_an_epoch_that_is_new_to_the_leader() -> None:
    """The fenced producer has written nothing, so the partition's log does not know the new epoch."""
    document = {
        "id": "own",
        "profile": "k41",
        "title": {"en": "fenced before the first write", "zh-Hans": "首次写入前已被隔离"},
        "topics": [{"name": "t", "partitions": 1}],
        "producers": [{"name": name, "settings": {"transactional_id": "txn-1"}} for name in ("p1", "p2")],
        "applications": [
            {
                "name": "app-1",
                "client": "p1",
                "calls": [
                    {"at": 0, "do": "init_transactions"},
                    {"at": 500, "do": "begin_transaction"},
                    {"at": 1500, "do": "send", "partition": "t-0"},
                ],
            },
            {"name": "app-2", "client": "p2", "calls": [{"at": 1000, "do": "init_transactions"}]},
        ],
    }
    assert refusals(Simulation(load(document))) == [
        ("coordinator.stale_epoch", "PRODUCER_FENCED", "refusal.leader_returns_stale_epoch"),
        ("broker.not_in_transaction", "INVALID_PRODUCER_EPOCH", "refusal.client_epoch_is_stale"),
    ]
