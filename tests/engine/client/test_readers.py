"""Records that a consumer gets, and records hidden from it, in runs of the library and with hand-made responses
(section 17).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.client.handover import Handover
from engine.client.reading import STRETCHES_MAX, Reading, Stretch, Taken
from engine.scenario.document import BadScenario, load
from engine.scenario.shelf import library
from engine.simulation import Simulation
from engine.watching import Watch


def played(scenario_id: str, variant: str | None = None) -> dict[str, Any]:
    (entry,) = [found for found in library() if found.id == scenario_id]
    simulation = Simulation(entry.scenario(variant))
    while simulation.step() is not None:
        pass
    return simulation.view()


def lane(view: dict[str, Any], consumer: str = "c1", partition: str = "t-0") -> dict[str, Any]:
    found: dict[str, Any] = view["consumers"][consumer]["lanes"][partition]
    return found


def fates(shown: dict[str, Any]) -> list[str]:
    return [fate for first, last, fate in shown["stretches"] + shown["ahead"] for _ in range(first, last + 1)]


@pytest.mark.requirement("CON-12", "LOG-14", "OFS-6")
def test_every_offset_of_a_lane_has_exactly_one_fate() -> None:
    for name, variant in (("SC-75", "wall"), ("SC-77", "compact"), ("SC-46", None), ("SC-50", None)):
        view = played(name, variant)
        for consumer in view["consumers"].values():
            for partition, shown in consumer["lanes"].items():
                replicas = view["partitions"][partition]["replicas"]
                end = replicas[str(view["partitions"][partition]["leader"])]["log_end"]
                expected = 0
                for first, last, _ in shown["stretches"] + shown["ahead"]:
                    assert first == expected, (name, partition, shown)
                    expected = last + 1
                assert expected == end, (name, partition, shown)


@pytest.mark.requirement("CON-12")
def test_the_wall_of_an_open_transaction() -> None:
    view = played("SC-75", "wall")
    held = lane(view, "c-committed")
    assert held["bound"] == 1
    assert held["held_by"] == {"producer_id": 1000, "first_offset": 1}
    assert held["ahead"] == [[1, 4, "undecided"]]
    free = lane(view, "c-uncommitted")
    assert (free["bound"], free["ahead"], free["held_by"]) == (5, [], None)


def test_the_four_reasons() -> None:
    compacted = lane(played("SC-77", "compact"))
    assert fates(compacted) == [
        "compacted", "delivered", "compacted", "delivered", "control", "delivered", "delivered", "control"
    ]  # fmt: skip
    assert fates(lane(played("SC-77", "delete-segment")))[:4] == [
        "deleted",
        "deleted",
        "deleted",
        "delivered",
    ]
    assert fates(lane(played("SC-77", "seek")))[:4] == ["sought", "sought", "sought", "delivered"]
    other = lane(played("SC-77", "one-partition"), partition="t-1")
    assert set(fates(other)) == {"not_subscribed"}
    assert other["position"] is None


def test_aborted_records_stay_in_the_log_and_say_so() -> None:
    view = played("SC-46")
    (reader,) = [name for name, shown in view["consumers"].items() if shown["isolation"] == "read_committed"]
    hidden = {fate for shown in view["consumers"][reader]["lanes"].values() for fate in fates(shown)}
    assert hidden == {"aborted", "control"}
    outcomes = {
        batch["outcome"]
        for partition in view["partitions"].values()
        for replica in partition["replicas"].values()
        for batch in replica["batches"].values()
        if "outcome" in batch
    }
    assert outcomes == {"aborted"}


@pytest.mark.requirement("OFS-6")
def test_a_batch_of_an_aborted_transaction_that_compaction_emptied_is_not_skipped_as_aborted() -> None:
    (entry,) = [found for found in library() if found.id == "SC-77"]
    calls = [
        {"at": 0, "do": "init_transactions"},
        {"at": 200, "do": "begin_transaction"},
        {"at": 200, "do": "send", "partition": "t-0", "key": "a", "records": 2},
        {"at": 400, "do": "abort_transaction"},
    ]
    applications = [{"name": "app-1", "client": "p1", "calls": calls}]
    simulation = Simulation(load({**entry.document, "variants": [], "applications": applications}))
    while simulation.step() is not None:
        pass
    assert fates(lane(simulation.view())) == ["compacted", "compacted", "control"]


def test_a_group_s_offsets_are_shown_at_its_coordinator() -> None:
    view = played("SC-74", "moves")
    assert "g" not in view["brokers"]["1"].get("groups", {})
    group = view["brokers"]["2"]["groups"]["g"]
    assert group["committed"]["t-0"]["offset"] == 2
    assert group["pending"] == {}
    assert view["consumers"]["c1"]["group"]["committed"] == {"t-0": 2}


def test_stretches_join_and_old_ones_are_folded_and_counted() -> None:
    reading = Reading("t-0")
    for offset in range(STRETCHES_MAX + 10):
        reading.remember([Stretch(offset, offset, "delivered" if offset % 2 else "control")])
    assert (len(reading.stretches), reading.folded) == (STRETCHES_MAX, 10)
    reading = Reading("t-0")
    reading.remember([Stretch(0, 1, "delivered")])
    reading.remember([Stretch(2, 4, "delivered"), Stretch(5, 5, "control")])
    assert reading.stretches == [Stretch(0, 4, "delivered"), Stretch(5, 5, "control")]


def test_a_jump_ahead_hides_and_a_jump_back_forgets() -> None:
    reading = Reading("t-0")
    reading.remember([Stretch(0, 4, "delivered")])
    reading.position = 5
    reading.jump(8, "sought")
    assert reading.stretches[-1] == Stretch(5, 7, "sought")
    reading.jump(2, "sought")
    assert (reading.position, reading.stretches) == (2, [Stretch(0, 1, "delivered")])


def test_an_application_that_polls_stands_behind_what_it_took() -> None:
    handover = Handover("c1", "read_committed", False, True, Watch())
    reading = Reading("t-0")
    reading.position = 13
    handover.bring(reading, Taken([1, 2, 3], [10, 11, 12], [Stretch(10, 12, "delivered")], 13))
    assert handover.next_offset(reading) == 10
    assert [record.serial for record in handover.poll({"t-0": reading}, 2)] == [1, 2]
    assert handover.next_offset(reading) == 12
    assert handover.delivered_count == 2
    handover.forget("t-0")
    assert handover.next_offset(reading) == 13


def test_a_group_needs_a_profile_that_coordinates_groups() -> None:
    document = {
        "id": "X",
        "title": {"en": "x", "zh-Hans": "x"},
        "profile": "k010",
        "consumers": [{"name": "c1", "group": "g"}],
    }
    with pytest.raises(BadScenario, match=r"consumers\.c1\.group.*k010; instead: k20, k28"):
        Simulation(load(document))


def test_a_seek_that_cannot_be_done_is_said_and_the_run_goes_on() -> None:
    document = {
        "id": "X",
        "title": {"en": "x", "zh-Hans": "x"},
        "consumers": [{"name": "c1", "partitions": ["t-0"]}],
        "faults": [{"at": 5, "action": "seek", "actor": "c1", "partition": "t-1", "to": 3}],
    }
    simulation = Simulation(load(document))
    said = []
    while (step := simulation.step()) is not None:
        said.append(step.key)
    assert said == ["fault.impossible"]


def fetches_of(simulation: Simulation) -> Iterator[list[list[str]]]:
    """Yield, after each step, the partitions of each Fetch request that a consumer has in flight."""
    while simulation.step() is not None:
        under_way = simulation.view()["network"].get("messages", {}).values()
        yield [message["partitions"] for message in under_way if message["api"] == "Fetch"]


@pytest.mark.requirement("CON-1")
def test_one_fetch_at_a_time_carries_all_partitions_of_its_leader() -> None:
    calls = [
        {"at": at, "do": "send", "partition": f"t-{number}"} for at in (0, 40, 41, 42) for number in range(3)
    ]
    simulation = Simulation(
        load(
            {
                "id": "FETCH",
                "title": {"en": "Three partitions, one leader", "zh-Hans": "三个分区，一个 leader"},
                "profile": "k28",
                "cluster": {"brokers": 1},
                "topics": [{"name": "t", "partitions": 3, "replication": 1, "min_isr": 1}],
                "producers": [{"name": "p1"}],
                "consumers": [{"name": "c1", "partitions": ["t-0", "t-1", "t-2"]}],
                "applications": [{"name": "app", "client": "p1", "calls": calls}],
            }
        )
    )
    seen = list(fetches_of(simulation))
    assert all(len(under_way) <= 1 for under_way in seen), "a request and its response are never two"
    assert max(len(partitions) for under_way in seen for partitions in under_way) == 3
    read = simulation.view()["consumers"]["c1"]["lanes"]
    assert [fates(read[f"t-{number}"]) for number in range(3)] == [["delivered"] * 4] * 3


@pytest.mark.requirement("CON-1")
@pytest.mark.parametrize(
    ("error", "key"),
    [
        ("NOT_LEADER_OR_FOLLOWER", "consumer.fetch_refused"),
        ("UNKNOWN_SERVER_ERROR", "consumer.fetch_repeated"),
    ],
)
def test_a_consumer_asks_for_metadata_if_the_leader_may_have_changed(error: str, key: str) -> None:
    """After any other error, the consumer only fetches again. In both cases, it gets the record."""
    document = {
        "id": "own",
        "title": {"en": "a refused Fetch", "zh-Hans": "被拒绝的 Fetch"},
        "topics": [{"name": "t", "partitions": 1, "leaders": [1]}],
        "producers": [{"name": "p1"}],
        "consumers": [{"name": "c1", "partitions": ["t-0"]}],
        "applications": [
            {"name": "app-1", "client": "p1", "calls": [{"at": 10, "do": "send", "partition": "t-0"}]}
        ],
        "faults": [{"match": {"api": "Fetch"}, "action": "inject_error", "error": error}],
    }
    simulation = Simulation(load(document), watching="recorded")
    keys = []
    while (step := simulation.step()) is not None:
        keys.append(step.key)
    assert key in keys
    assert ("consumer.metadata_requested" in keys) == (key == "consumer.fetch_refused")
    assert simulation.world.consumers["c1"].handover.delivered_count == 1
