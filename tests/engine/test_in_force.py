"""What is listed beside a run exists in its versions and at its transaction version: rows of machines, and lines of
pseudocode.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.errors import Refused
from engine.explain.in_force import needs_of
from engine.explain.machines import machine_json, machines
from engine.profile import Profile
from engine.profiles import K20, K28, K39, K41, PROFILES
from engine.pseudocode.documents import Line, components, place_of_sentence, read_component, to_json
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from engine.step import Step
from engine.view.level import level_in_force
from tests.rotation import part

RUNS = [(found.id, variant) for found in library() for variant in found.variants or (None,)]
FORCED = ["SC-61", "SC-75", "SC-104", "SC-26", "SC-35"]
"""Scenarios that are played in every version that can run them; the runs of the library are played in their own
versions.
"""


def simulations(run: tuple[str, str | None], profile: str | None, level: int | None) -> Iterator[Simulation]:
    change: dict[str, Any] = {} if profile is None else {"profile": profile}
    if level is not None:
        cluster = entry(run[0]).scenario(run[1]).document["cluster"]
        change["cluster"] = {**cluster, "transaction_version": level}
    try:
        yield Simulation(entry(run[0]).scenario(run[1], change))
    except Refused:
        return


def steps(simulation: Simulation) -> Iterator[tuple[Step, Profile]]:
    """Yield each step with the version of the component that acts, at the highest level so far: a request of a client
    that has not noticed a lower level may still be under way.
    """
    world, highest = simulation.world, 0
    for _ in range(2_000):
        step = simulation.step()
        if step is None:
            return
        levels = {"quorum": {"controller": _level(world)}, "clients": _levels(world)}
        highest = max(highest, level_in_force(levels))
        client = world.clients.get(step.actor)
        profile = world.profile if client is None else client.profile
        yield step, profile.at_level(highest)


def _level(world: Any) -> dict[str, int]:
    return {"transaction_version": world.controller.transaction_version} if world.brokers else {}


def _levels(world: Any) -> dict[str, Any]:
    managers = {name: client.memory.transactions for name, client in world.clients.items() if client.memory}
    return {
        name: {"transaction_manager": {"transaction": {"transaction_version": manager.version}}}
        for name, manager in managers.items()
        if manager is not None
    }


def wrong_lines(simulation: Simulation) -> dict[tuple[str, str], str]:
    """Return (key of a sentence, version) → the line of pseudocode to which the sentence belongs, for lines that the
    version does not have.
    """
    wrong = {}
    for step, profile in steps(simulation):
        decided = () if step.decision is None else step.decision["rows"]
        said = [step.key, *(note["key"] for note in step.notes), *(row["key"] for row in decided)]
        for key in said:
            place = place_of_sentence(key)
            line = None if place is None else components()[place[0]].lines[place[1]]
            if line is not None and not line.exists_in(profile):
                wrong[key, f"{profile.name}/{profile.transaction_version}"] = line.text
    return wrong


@pytest.mark.parametrize("run", part(RUNS, 40, "engine"), ids=lambda run: f"{run[0]}/{run[1] or ''}")
def test_no_step_is_at_a_line_that_its_version_does_not_have(run: tuple[str, str | None]) -> None:
    for simulation in simulations(run, None, None):
        assert wrong_lines(simulation) == {}


@pytest.mark.parametrize(
    ("profile", "level"), [("k20", None), ("k28", None), ("k39", None), ("k41", 0), ("k41", 2)]
)
@pytest.mark.parametrize("name", FORCED)
def test_nor_in_another_version_of_the_same_scenario(name: str, profile: str, level: int | None) -> None:
    found = list(simulations((name, next(iter(entry(name).variants), None)), profile, level))
    assert [wrong_lines(simulation) for simulation in found] == [{}] * len(found)


def shown(component: str, profile: Profile) -> str:
    return "\n".join(line.text for line in components()[component].lines if line.exists_in(profile))


def test_the_code_of_a_version_has_its_own_mechanisms_alone() -> None:
    assert "verify(partitions, batch):" not in shown("produce_request", K28)
    assert "verify(partitions, batch):" in shown("produce_request", K39)
    assert "end_transaction, version 2" not in shown("coordinator", K41.at_level(0))
    assert "end_transaction, version 2" in shown("coordinator", K41)
    assert "UNKNOWN_PRODUCER_ID" in shown("producer_state", K20)
    assert "UNKNOWN_PRODUCER_ID" not in shown("producer_state", K28)
    assert "zookeeper.get" in shown("producer_ids", K28) and "zookeeper" not in shown("producer_ids", K39)
    assert shown("quorum_controller", K28).strip() == "" != shown("quorum_controller", K39)


def events(machine: str, profile: Profile) -> set[str]:
    return {row.on for row in machines()[machine].rows if row.exists_in(profile)}


@pytest.mark.parametrize("profile", [K20, K28, K39, K41.at_level(0), K41.at_level(1)])
def test_only_level_2_decides_and_raises_at_once(profile: Profile) -> None:
    raising = {"end_commit_raising_epoch", "end_abort_raising_epoch", "coordinator_aborts_raising_epoch"}
    assert raising & events("transaction_states", profile) == set()
    assert raising <= events("transaction_states", K41)


def test_machines_of_a_quorum_and_of_zookeeper_exclude_each_other() -> None:
    of_quorum = ("broker_lifecycle", "broker_registration", "producer_id_allocation")
    for profile in (K20, K28, K39, K41):
        assert {name: bool(events(name, profile)) for name in of_quorum} == dict.fromkeys(
            of_quorum, profile.quorum_controller
        )
        assert bool(events("producer_id_block", profile)) != profile.quorum_controller


def test_pages_receive_what_a_row_and_a_line_need() -> None:
    assert needs_of("", "") == {}
    assert needs_of("verifies_partitions", "") == {"versions": ["3.9", "4.1"]}
    assert needs_of("epoch_for_each_transaction", "") == {"versions": ["4.1"], "level": 2}
    rows = machine_json(machines()["transaction_states"])["rows"]
    assert isinstance(rows, list)
    assert {row.get("level") for row in rows if "raising" in row["on"]} == {2}
    lines = to_json()["components"]["produce_request"]["lines"]
    verify = next(index for index, line in enumerate(lines) if line.get("text", "").startswith("verify("))
    assert {tuple(line["versions"]) for line in lines[verify : verify + 3]} == {("3.9", "4.1")}


def line(*body: str) -> list[Line]:
    return list(read_component("mine", "kafka Log\nmachines\n---\n" + "\n".join(body) + "\n").lines)


def test_what_stands_under_a_line_exists_where_the_line_does() -> None:
    outer, inner, beside = line(
        "verify():  @ only_if:verifies_partitions", "  again()  @ unless:quorum_controller", "append()"
    )
    having = {
        one.text: [name for name, found in PROFILES.items() if one.exists_in(found)]
        for one in (outer, beside)
    }
    assert having == {"verify():": ["k39", "k41"], "append()": list(PROFILES)}
    assert (inner.only_if, inner.unless) == (("verifies_partitions",), ("quorum_controller",))
    assert not any(inner.exists_in(profile) for profile in PROFILES.values())
