"""The answer about a refusal names the state or the fence that caused it, and no later one."""

from __future__ import annotations

import pytest

from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why
from engine.why.links import Link
from tests.engine.why.test_what_a_step_is_about import stopped_at


def refused_in(chain: tuple[Link, ...]) -> list[object]:
    return [link.params["source"] for link in chain if link.key == "why.refused.row"]


def entered(chain: tuple[Link, ...]) -> list[object]:
    return [link.params["target"] for link in chain if link.key == "why.state.since"]


@pytest.mark.parametrize(
    ("name", "refused", "states"),
    [
        ("SC-41/tour", "client.call_in_error", ["ABORTABLE_ERROR"]),
        # in FATAL_ERROR, but refused because the producer is closed
        ("SC-41/tour", "client.call_after_close", []),
        ("SC-164/k41", "client.record_too_large", []),  # this call itself leads to ABORTABLE_ERROR
    ],
)
def test_an_error_state_is_a_reason_only_if_it_refused(name: str, refused: str, states: list[str]) -> None:
    assert entered(why(stopped_at(name, refused), "refused", "")) == states


def test_an_earlier_refusal_keeps_its_state() -> None:
    """commitTransaction() is refused in ABORTING_TRANSACTION; the next step leads to INITIALIZING."""
    simulation = stopped_at("SC-41/impatient", "client.call_not_in_state", 8)
    step = simulation.step()
    assert step is not None
    assert step.transition is not None
    assert step.transition["to"] == "INITIALIZING"
    chain = why(simulation, "refused", "p1")
    assert refused_in(chain) == ["ABORTING_TRANSACTION"]


@pytest.mark.parametrize(
    ("name", "state"), [("SC-89/stopped-halfway", "CONTROLLED_SHUTDOWN"), ("SC-89", "UNFENCED")]
)
def test_a_registration_is_refused_in_its_own_state(name: str, state: str) -> None:
    chain = why(stopped_at(name, "quorum.registration_refused"), "refused", "")
    assert refused_in(chain) == [state]


def test_an_earlier_registration_is_given_no_later_state() -> None:
    simulation = stopped_at("SC-89/stopped-halfway", "quorum.registration_refused")
    while simulation.view()["quorum"]["brokers"]["2"]["state"] == "CONTROLLED_SHUTDOWN":
        assert simulation.step() is not None
    chain = why(simulation, "refused", "controller")
    assert chain[0].key == "quorum.registration_refused"
    assert refused_in(chain) == []


def test_a_fence_is_a_reason_only_if_it_came_before() -> None:
    """broker-1 refuses a request because of its epoch; a later request raises the epoch again."""
    chain = why(stopped_at("SC-93/at-rest", "coordinator.aborts_nothing", 2), "refused", "broker-1")
    refused = chain[0]
    assert refused.key == "coordinator.epoch_of_another_transaction"
    assert refused.step is not None
    assert [link.key for link in chain if link.step is not None and link.step > refused.step] == []


@pytest.mark.parametrize(("carried", "is_fenced"), [(0, True), (9, False)])
def test_a_fence_is_a_reason_only_for_a_lower_epoch(carried: int, is_fenced: bool) -> None:
    """p2 has taken the transactional id over with epoch 2. Then an injected request names another epoch."""
    document = entry("SC-61").document
    claim = {"transactional_id": "txn-1", "producer_id": 1000, "producer_epoch": carried, "committed": True}
    fault = {"at": 5_000, "action": "craft_request", "message": {"api": "EndTxn", **claim}}
    simulation = Simulation(load({**document, "faults": [*document.get("faults", ()), fault]}, "k28"))
    while (step := simulation.step()) is not None and (step.at < 5_000 or step.refusal is None):
        pass
    fences = [link for link in why(simulation, "refused", "") if link.key == "coordinator.epoch_goes_up"]
    assert bool(fences) is is_fenced
