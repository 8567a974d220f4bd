"""The order of a document's keys must not matter: a replay sorts them, and its run must be the same."""

from __future__ import annotations

import hashlib
from random import Random
from typing import Any

import pytest

from engine.scenario.document import load, parse
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import canonical
from tests.engine.every_run import WITH_DOCUMENTS
from tests.engine.search.worlds import world
from tests.rotation import part

QUICK = 12
"""How many runs the quick tests play, each with the keys in every order."""
SEEDS = 4
"""How many random worlds are played, each with its first steps only."""
SEARCHED_STEPS = 400


def sorted_keys(value: Any) -> Any:
    return _in_order(value, sorted)


def reversed_keys(value: Any) -> Any:
    return _in_order(value, lambda names: sorted(names, reverse=True))


def shuffled_keys(value: Any) -> Any:
    generator = Random(0)
    return _in_order(value, lambda names: sorted(names, key=lambda name: generator.random()))


def _in_order(value: Any, ordered: Any) -> Any:
    if isinstance(value, dict):
        return {name: _in_order(value[name], ordered) for name in ordered(value)}
    return [_in_order(one, ordered) for one in value] if isinstance(value, list) else value


ORDERS = (sorted_keys, reversed_keys, shuffled_keys)


def run_of(document: dict[str, Any], variant: str | None, steps_max: int = 20_000) -> list[str]:
    """Return digests of what a replay of the run contains: the header with the first view, then each step."""
    simulation = Simulation(load(document, variant))
    made = [_digest([simulation.header(), simulation.view()])]
    while len(made) <= steps_max and (step := simulation.step()) is not None:
        made.append(_digest(step.to_json()))
    return made


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def check_orders(document: dict[str, Any], variant: str | None, steps_max: int = 20_000) -> None:
    made = run_of(document, variant, steps_max)
    assert len(made) > 1
    for order in ORDERS:
        assert run_of(order(document), variant, steps_max) == made, order.__name__


WRITTEN = """
id = "T-01"
title = { en = "Any order", zh-Hans = "任意顺序" }
[[topics]]
name = "t"
partitions = 12
[[producers]]
name = "p1"
settings = { transactional_id = "txn-1", linger_ms = 5, acks = "all" }
[[applications]]
name = "app-1"
client = "p1"
calls = [
    { at = 0, do = "init_transactions" },
    { at = 60, do = "begin_transaction" },
    { at = 70, do = "send", partition = "t-0", records = 2 },
    { at = 80, do = "send_offsets", group = "g", offsets = { t-10 = 4, t-2 = 3, t-0 = 1 } },
    { at = 200, do = "commit_transaction" },
]
[[faults]]
at = 150
action = "craft_request"
message = { producer_epoch = 0, api = "EndTxn", committed = false, transactional_id = "txn-1", producer_id = 1000 }
[[faults]]
at = 100
action = "crash"
actor = "broker-3"
[[variants]]
name = "later"
title = { en = "Later", zh-Hans = "稍后" }
set = { "faults.1.at" = 130, "faults.1" = { at = 90, action = "pause", actor = "broker-1" } }
"""
"""Tables with unordered keys, of each kind that a document may contain."""


@pytest.mark.parametrize("variant", [None, "later"])
def test_keys_written_in_no_order_tell_the_same_run(variant: str | None) -> None:
    check_orders(parse(WRITTEN), variant)


def test_a_made_up_request_shows_its_fields_in_the_order_of_the_request() -> None:
    simulation = Simulation(load(parse(WRITTEN)))
    steps = iter(simulation.step, None)
    crafted = next(step for step in steps if step is not None and step.key == "fault.crafted_request")
    fields = ["transactional_id txn-1", "producer_id 1000", "producer_epoch 0", "committed false"]
    assert crafted.params["fields"] == fields


def test_a_variant_sets_a_path_before_those_inside_it() -> None:
    fault = load(parse(WRITTEN), "later")["faults"][1]
    assert (fault["action"], fault["at"]) == ("pause", 130)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_random_world_is_the_same_in_every_order_of_its_keys(seed: int) -> None:
    document, _ = world(seed)
    check_orders(document, None, SEARCHED_STEPS)


@pytest.mark.parametrize(("scenario", "variant"), part(WITH_DOCUMENTS, QUICK, "engine"))
def test_a_run_is_the_same_in_every_order_of_its_keys(scenario: str, variant: str | None) -> None:
    check_orders(entry(scenario).document, variant)


@pytest.mark.slow
def test_every_run_is_the_same_in_every_order_of_its_keys() -> None:
    for scenario, variant in WITH_DOCUMENTS:
        check_orders(entry(scenario).document, variant)
    assert len(WITH_DOCUMENTS) > 250
