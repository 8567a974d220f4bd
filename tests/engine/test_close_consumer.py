"""An application closes its consumer: which members leave the group, and the error of late commits (OFS-2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from engine.simulation import Simulation
from engine.step import Step
from tests.engine.narrowing import present
from tests.engine.test_poll_limit import DOCUMENT, group, keys, run

CLOSE: dict[str, Any] = {"at": 700, "action": "close_consumer", "actor": "c1"}
STATIC: dict[str, Any] = {"id": "m1", "generation": 4, "instance": "i1"}
SLOW = {"before_end_ms": 1000}


def closed(
    member: dict[str, Any] | None = None,
    faults: Sequence[dict[str, Any]] = (CLOSE,),
    **changes: Any,
) -> tuple[Simulation, list[Step]]:
    consumer = {
        key: value for key, value in DOCUMENT["consumers"][0].items() if key != "max_poll_interval_ms"
    }
    consumer["member"] = member or consumer["member"]
    members = [{"id": "m1", **({"instance": "i1"} if member else {})}, {"id": "m2"}]
    override = {**DOCUMENT["overrides"][0], "members": members}
    return run(loop=SLOW, faults=faults, consumers=[consumer], overrides=[override], **changes)


def test_a_dynamic_member_leaves_its_group() -> None:
    simulation, steps = closed()
    assert {"group_session.closed", "group_session.leaves", "consumer.left_group_at_close"} <= set(
        keys(steps)
    )
    assert group(simulation).members == {"m2": None}
    assert group(simulation).generation == 5


def test_a_lost_leave_request_is_not_sent_again() -> None:
    simulation, steps = closed(faults=(CLOSE, {"match": {"api": "LeaveGroup"}, "action": "disconnect"}))
    assert keys(steps).count("group_session.leaves") == 1
    assert group(simulation).members == {"m1": None, "m2": None}


def test_a_leave_request_to_a_former_coordinator_is_not_sent_again() -> None:
    moved = {
        "match": {"api": "LeaveGroup"},
        "action": "change_leader",
        "partition": "__consumer_offsets-3",
    }
    _, steps = closed(faults=(CLOSE, moved))
    refused = next(step.refusal for step in steps if step.key == "group.not_coordinator")
    assert present(refused)["next"] == "refusal.group_is_refused"
    assert keys(steps).count("group_session.leaves") == 1


@pytest.mark.parametrize("profile", ["k28", "k39", "k41"])
def test_its_late_offsets_are_refused(profile: str) -> None:
    simulation, steps = closed(profile=profile)
    assert {"group.member_unknown", "client.transaction_aborted"} <= set(keys(steps))
    assert group(simulation).committed("in-0") == -1


def test_a_static_member_stays_and_its_late_offsets_are_accepted() -> None:
    simulation, steps = closed(STATIC)
    assert "group_session.closed_static" in keys(steps)
    assert "group_session.leaves" not in keys(steps)
    assert group(simulation).members == {"m1": "i1", "m2": None}
    assert group(simulation).committed("in-0") == 2


def test_a_closed_consumer_neither_goes_back_nor_reads_on() -> None:
    simulation, steps = closed()
    at = next(number for number, step in enumerate(steps) if step.key == "group_session.closed")
    later = set(keys(steps[at:]))
    assert "client.transaction_aborted" in later
    assert (
        not {"loop.rewinds", "consumer.rewinds", "consumer.fetches", "group_session.asks_committed"} & later
    )
    assert simulation.world.consumers["c1"].handover.delivered_count == 2


def test_its_own_commit_is_not_sent() -> None:
    idempotent = [DOCUMENT["producers"][0], {"name": "p1", "settings": {"enable_idempotence": True}}]
    simulation, steps = closed(producers=idempotent)
    assert "consumer.commits_after_close" in keys(steps)
    assert "group_session.commits" not in keys(steps)
    assert group(simulation).committed("in-0") == -1


def test_a_restarted_process_reads_again() -> None:
    crash = {"at": 2400, "action": "crash", "actor": "c1"}
    restart = {"at": 2500, "action": "restart", "actor": "c1"}
    _, steps = closed(faults=[CLOSE, crash, restart])
    at = next(number for number, step in enumerate(steps) if step.at >= 2500)
    assert "consumer.fetches" in keys(steps[at:])


BEFORE_THE_OFFSETS = {**CLOSE, "at": 1}


@pytest.mark.parametrize("faults", [[BEFORE_THE_OFFSETS], [CLOSE, {**CLOSE, "at": 800}]])
def test_what_cannot_be_closed_is_refused(faults: list[dict[str, str | int]]) -> None:
    _, steps = closed(faults=faults)
    assert (
        next(step for step in steps if step.key == "fault.impossible").params["reason"]["key"]
        == "refused.not_closable"
    )
