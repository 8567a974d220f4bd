"""Which requests of a run are repetitions, and when a broker that is running is unreachable."""

from __future__ import annotations

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.run_ahead import plan_ahead


def resends(name: str) -> list[tuple[str, str, int]]:
    """Return the sender, the API and the number of each repeated request of the run, in order."""
    scenario, _, variant = name.partition("/")
    document = entry(scenario).scenario(variant or None)
    changes = [
        change for step in iter(Simulation(document).step, None) for change in step.to_json()["changes"]
    ]
    sent = {
        one["path"][2]: one
        for one in changes
        if one["path"][:2] == ["network", "messages"] and len(one["path"]) == 3 and "after" in one
    }
    again = plan_ahead(document).get("again", {})
    return [(sent[id_]["after"]["from"], sent[id_]["after"]["api"], resend) for id_, resend in again.items()]


def test_batches_whose_response_was_lost_are_resent_once() -> None:
    assert resends("SC-03") == [("p1", "Produce", 1)] * 2


def test_the_middleware_repeats_its_commit_to_the_participant_that_is_silent() -> None:
    assert resends("SC-88/silent-for-a-while") == [("middleware", "Commit", nth) for nth in (1, 2, 3)]


def test_equal_requests_after_a_success_are_no_repetition() -> None:
    """Consumers fetch again and again, and each broker gets its markers in a request of its own."""
    assert resends("SC-44/k28") == []


def test_a_broker_whose_address_is_unknown_is_cut_off_until_it_is_known_again() -> None:
    plan = plan_ahead(entry("SC-88").scenario("silent-for-a-while"))
    assert plan["cut_off"] == {"broker-1": [{"from": "brokers", "since": 73, "until": 96}]}
    for_ever = plan_ahead(entry("SC-88").scenario("silent-for-ever"))["cut_off"]["broker-1"]
    assert [one["until"] for one in for_ever] == [None]
