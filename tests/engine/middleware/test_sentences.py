"""What the middleware's sentences say in less usual runs."""

from __future__ import annotations

from typing import Any

from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.simulation import Simulation


def sentences(name: str, variant: str, **changes: Any) -> dict[str, dict[str, Any]]:
    """Run the variant with these changed settings. Returns, for every sentence of the run, its key → its parameters."""
    simulation = Simulation(load(entry(name).scenario(variant).source, settings=changes))
    found: dict[str, dict[str, Any]] = {}
    while (step := simulation.step()) is not None:
        found |= {said["key"]: said["params"] for said in (step.to_json(), *step.to_json()["notes"])}
    return found


def test_a_late_answer_beside_the_manager_ends_nothing() -> None:
    """The transaction manager has taken the transaction over, so the middleware waits for no response of a node."""
    late = {"match": {"api": "CommitOk", "from": "participant-3"}, "action": "delay", "by_ms": 5_000}
    said = sentences("SC-83", "transaction-manager-a", faults=[late])
    assert said["middleware.answer_ends_nothing"]["answer"] == "CommitOk"


def test_a_failed_local_transaction_may_store_no_message_id() -> None:
    said = sentences("SC-86", "id-not-stored", **{"middleware.local_succeeds": False})
    assert "business.local_failed_untraceably" in said
    assert "business.local_failed" not in said


def test_only_the_strategy_with_a_manager_lacks_one() -> None:
    """A strategy that allows no attempt gives up because of its limit, and not because a manager is missing."""
    said = sentences("SC-83", "queue-retry-limit", **{"middleware.max_retries": 0})
    assert said["middleware.needs_a_person"]["tries"] == 0
    assert "middleware.no_manager" not in said
    assert "middleware.no_manager" in sentences("SC-83", "transaction-manager-none")


def test_the_window_of_an_only_participant_closes_as_it_opens() -> None:
    said = sentences("SC-80", "one-node", **{"middleware.participants": [{"name": "participant-1"}]})
    assert "middleware.window_opens_alone" in said
    assert not {"middleware.window_opens", "middleware.window_closes"} & set(said)


def test_a_participant_whose_vote_was_lost_rolls_back_too_but_nothing_waits_for_it() -> None:
    said = sentences("SC-81", "vote-lost")
    assert said["middleware.answer_not_awaited"]["sender"] == "participant-2"
    done = said["middleware.all_rolled_back"]
    assert (done["asked"], done["rolled_back"]) == (
        ["participant-1", "participant-3"],
        ["participant-1", "participant-2", "participant-3"],
    )
