"""Which epochs of a producer id are fenced; pictures compare an epoch with the newest fenced one."""

from __future__ import annotations

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.derived import Derived
from engine.view.fenced import fenced


def fenced_in(name: str, variant: str | None) -> list[dict[str, int]]:
    """Return the values of `fenced` in ``derived`` after each step, without repetitions."""
    simulation = Simulation(entry(name).scenario(variant))
    derived = Derived(simulation.view())
    found: list[dict[str, int]] = []
    while (step := simulation.step()) is not None:
        derived.take(step.to_json())
        now = derived.view()["fenced"]
        if now != (found[-1] if found else {}):
            found.append(dict(now))
    return found


@pytest.mark.parametrize(
    ("name", "variant", "expected"),
    [
        ("SC-61", "k28", [{"1000": 0}]),
        ("SC-61", "epoch-and-sequence-checks-off", [{"1000": 0}]),
        ("SC-131", "while-open", [{"77": 32766}]),  # the new instance has another producer id
        ("SC-75", "timeout", [{"1000": 0}]),  # the timeout raises the epoch
        ("SC-149", "k41", []),  # each transaction raises the epoch of its only instance
        ("SC-03", None, []),
    ],
)
def test_the_epoch_of_an_older_instance_is_fenced(
    name: str, variant: str | None, expected: list[dict[str, int]]
) -> None:
    assert fenced_in(name, variant) == expected


def test_an_epoch_that_no_other_client_exceeds_is_not_fenced() -> None:
    old, new = ({"transaction_manager": {"producer_id": 5, "producer_epoch": epoch}} for epoch in (2, 3))
    none = {"transaction_manager": {"producer_id": -1, "producer_epoch": -1}}
    assert fenced({"clients": {"p1": old, "p2": none, "p3": {"transaction_manager": None}}}) == {}
    assert fenced({"clients": {"p1": old, "p2": new}}) == {"5": 2}
    assert fenced({"clients": {"p1": new, "p2": new}}) == {}


def test_the_epoch_is_fenced_when_the_coordinator_raises_it_for_a_newer_instance() -> None:
    simulation = Simulation(entry("SC-61").scenario("k28"))
    derived = Derived(simulation.view())
    while (step := simulation.step()) is not None:
        derived.take(step.to_json())
        if derived.view()["fenced"]:
            break
    assert step is not None and step.key == "coordinator.fences_open_transaction"
    assert simulation.view()["clients"]["p2"]["transaction_manager"]["producer_id"] is None


@pytest.mark.parametrize(
    ("state", "last", "expected"),
    [
        ("IN_TRANSACTION", None, {"5": 2}),
        ("COMMITTING_TRANSACTION", None, {"5": 2}),
        ("IN_TRANSACTION", 2, {"5": 2}),  # version 2 keeps the epoch at a timeout, too
        ("COMMITTING_TRANSACTION", 2, {}),
        ("INITIALIZING", 2, {}),
    ],
)
def test_an_epoch_that_its_client_raises_is_not_fenced(
    state: str, last: int | None, expected: dict[str, int]
) -> None:
    own = {"transactional_id": "x", "producer_id": 5, "producer_epoch": 2, "state": state}
    new = {"transactional_id": "x", "producer_id": None, "producer_epoch": None, "state": "INITIALIZING"}
    kept = {"producer_id": 5, "producer_epoch": 3, "last_producer_epoch": last}
    clients = {"p1": {"transaction_manager": own}}
    brokers = {"1": {"transactions": {"x": kept}}}
    assert fenced({"clients": clients, "brokers": brokers}) == expected
    both = {**clients, "p2": {"transaction_manager": new}}
    assert fenced({"clients": both, "brokers": brokers}) == expected
