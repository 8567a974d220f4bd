"""A member whose application does not poll in time leaves its group; and the error of its late commits (OFS-2)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import pytest

from engine.coordinator.group_offsets import Group
from engine.errors import Error
from engine.scenario.document import BadScenario, load
from engine.simulation import Simulation
from engine.step import Step
from tests.engine.narrowing import present
from tests.engine.test_loop import DOCUMENT as LOOP

LIMIT = 1000
DOCUMENT: dict[str, Any] = {
    **LOOP,
    "title": {"en": "a slow loop", "zh-Hans": "慢循环"},
    "consumers": [
        {
            "name": "c1",
            "partitions": ["in-0"],
            "group": "g",
            "member": {"id": "m1", "generation": 4},
            "max_poll_interval_ms": LIMIT,
        }
    ],
    "overrides": [{"set": "group", "group": "g", "generation": 4, "members": [{"id": "m1"}, {"id": "m2"}]}],
    "loops": [{**LOOP["loops"][0], "before_end_ms": 3 * LIMIT}],
}


def run(
    profile: str = "k28",
    loop: dict[str, int] | None = None,
    faults: Sequence[dict[str, Any]] = (),
    **changes: list[dict[str, Any]],
) -> tuple[Simulation, list[Step]]:
    document = {**copy.deepcopy(DOCUMENT), "profile": profile, "faults": list(faults), **changes}
    document["loops"][0].update(loop or {})
    simulation = Simulation(load(document), watching="recorded")
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(step)
    return simulation, steps


def group(simulation: Simulation) -> Group:
    return next(
        broker.groups.coordinator.groups["g"]
        for broker in simulation.world.brokers.values()
        if broker.groups is not None and "g" in broker.groups.coordinator.groups
    )


def keys(steps: list[Step]) -> list[str]:
    return [key for step in steps for key in (step.key, *(note["key"] for note in step.notes))]


@pytest.mark.parametrize("profile", ["k20", "k28", "k39", "k41"])
def test_the_member_leaves_when_the_time_since_the_poll_is_over(profile: str) -> None:
    simulation, steps = run(profile)
    polled = next(step.at for step in steps if step.key == "loop.polls")
    left = next(step.at for step in steps if step.key == "group_session.poll_timed_out")
    assert left == polled + LIMIT
    assert group(simulation).members == {"m2": None}
    assert group(simulation).generation == 5


@pytest.mark.parametrize("profile", ["k28", "k39", "k41"])
def test_late_offsets_of_a_transaction_name_a_member_that_is_gone(profile: str) -> None:
    simulation, steps = run(profile)
    assert "group.member_unknown" in keys(steps)
    assert "client.transaction_aborted" in keys(steps)
    assert group(simulation).committed("in-0") == -1


def test_before_kip_447_the_coordinator_accepts_them() -> None:
    simulation, steps = run("k20")
    assert "group.member_unknown" not in keys(steps)
    assert group(simulation).committed("in-0") == 2


@pytest.mark.parametrize("profile", ["k28", "k39", "k41"])
def test_a_static_member_stays_and_its_late_offsets_are_accepted(profile: str) -> None:
    static = {**DOCUMENT["consumers"][0], "member": {"id": "m1", "generation": 4, "instance": "i1"}}
    members = [{"id": "m1", "instance": "i1"}, {"id": "m2"}]
    simulation, steps = run(
        profile, consumers=[static], overrides=[{**DOCUMENT["overrides"][0], "members": members}]
    )
    assert "group_session.poll_timed_out_static" in keys(steps)
    assert "group_session.leaves" not in keys(steps)
    assert group(simulation).members == {"m1": "i1", "m2": None}
    assert group(simulation).committed("in-0") == 2


def test_a_commit_outside_a_transaction_is_not_sent() -> None:
    simulation, steps = run(
        producers=[DOCUMENT["producers"][0], {"name": "p1", "settings": {"enable_idempotence": True}}]
    )
    assert "consumer.commits_outside_group" in keys(steps)
    assert "group_session.commits" not in keys(steps)
    assert group(simulation).committed("in-0") == -1


def test_the_application_gets_no_further_records() -> None:
    simulation, _ = run("k20")
    assert simulation.world.consumers["c1"].handover.delivered_count == 2


def test_a_poll_in_time_starts_the_time_again() -> None:
    simulation, steps = run(loop={"before_end_ms": LIMIT * 3 // 4})
    assert sum(step.key == "loop.polls" for step in steps) == 2
    assert group(simulation).members == {"m1": None, "m2": None}


def test_a_paused_process_does_not_leave_before_it_resumes() -> None:
    faults = [{"at": 500, "action": "pause", "actor": "c1", "for_ms": 2 * LIMIT}]
    _, steps = run(faults=faults)
    assert next(step.at for step in steps if step.key == "group_session.poll_timed_out") == 500 + 2 * LIMIT


def test_a_new_coordinator_reads_the_remaining_members_from_the_log() -> None:
    simulation, _ = run()
    host = next(
        broker.groups
        for broker in simulation.world.brokers.values()
        if broker.groups is not None and "g" in broker.groups.coordinator.groups
    )
    number = host.coordinator.partition_of("g")
    log = host.replicas[f"__consumer_offsets-{number}"].log
    (found,) = host._new_coordinator().elect(number, log.batches, 1)
    assert (found.generation, found.members) == (5, {"m2": None})


def test_a_member_that_has_gone_cannot_leave_again() -> None:
    leave = {"api": "LeaveGroup", "group_id": "g", "member_id": "m9"}
    _, steps = run(faults=[{"at": 300, "action": "craft_request", "message": leave}])
    refused = next(step for step in steps if step.key == "group.member_was_gone")
    assert present(refused.refusal)["error"] == Error.UNKNOWN_MEMBER_ID.name


def test_only_a_member_has_a_limit() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["consumers"][0]["member"] = {"generation": 4}
    with pytest.raises(BadScenario, match="max_poll_interval_ms"):
        load(document)
