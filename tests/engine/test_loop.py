"""The consume-transform-produce loop as scenarios play it: exactly once, whenever the application crashes, with all
mechanisms; and not without them.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.explain.sentences import catalogue
from engine.scenario.document import BadScenario, load
from engine.scenario.loop import MACHINE
from engine.simulation import Simulation
from engine.telling.rows import row_key

WORDS = {"en": "a loop", "zh-Hans": "循环"}
DOCUMENT: dict[str, Any] = {
    "id": "X-1",
    "title": WORDS,
    "topics": [
        {"name": "in", "partitions": 1},
        {"name": "out", "partitions": 1, "leaders": [2]},
    ],
    "producers": [
        {"name": "source", "settings": {"enable_idempotence": True, "linger_ms": 5}},
        {"name": "p1", "settings": {"transactional_id": "txn-1"}},
    ],
    "consumers": [
        {"name": "c1", "partitions": ["in-0"], "isolation": "read_committed", "group": "g"},
        {"name": "reader", "partitions": ["out-0"], "isolation": "read_committed"},
    ],
    "applications": [
        {
            "name": "app-source",
            "client": "source",
            "calls": [{"at": 20, "do": "send", "partition": "in-0", "records": 4}],
        }
    ],
    "loops": [{"name": "app-1", "producer": "p1", "consumer": "c1", "output": ["out-0"], "batch": 2}],
}


def crash(at: int, after: int = 60) -> list[dict[str, str | int]]:
    """Faults that crash the whole application, producer and consumer, for a while."""
    return [
        {"at": moment, "action": action, "actor": actor}
        for moment, action in ((at, "crash"), (at + after, "restart"))
        for actor in ("p1", "c1")
    ]


def run(**changes: Any) -> Simulation:
    document = {**copy.deepcopy(DOCUMENT), **changes}
    simulation = Simulation(load(document), watching="judged")
    simulation.run()
    assert simulation.finished == "complete"
    return simulation


def delivered(simulation: Simulation) -> int:
    return simulation.world.consumers["reader"].handover.delivered_count


@pytest.mark.parametrize(
    "error", ["REQUEST_TIMED_OUT", "COORDINATOR_LOAD_IN_PROGRESS", "GROUP_AUTHORIZATION_FAILED"]
)
def test_the_lookup_of_the_group_coordinator_is_repeated_after_a_retriable_error(error: str) -> None:
    """``AbstractCoordinator.ensureCoordinatorReady`` looks up again after any RetriableException."""
    denied = {"match": {"api": "FindCoordinator", "from": "c1"}, "action": "inject_error", "error": error}
    simulation = Simulation(load({**copy.deepcopy(DOCUMENT), "faults": [denied]}))
    said = []
    while (step := simulation.step()) is not None:
        said.append(step.key)
    gives_up = error == "GROUP_AUTHORIZATION_FAILED"
    assert ("group_session.give_up" in said) is gives_up
    assert (delivered(simulation) == 4) is not gives_up


def duplicates(simulation: Simulation) -> int:
    return sum(verdict.duplicates for verdict in simulation.verdicts())


@pytest.mark.parametrize("profile", ["k20", "k28"])
@pytest.mark.parametrize("at", range(40, 700, 30))
def test_a_committed_reader_gets_every_record_once_whenever_the_application_dies(
    at: int, profile: str
) -> None:
    simulation = run(profile=profile, faults=crash(at))
    assert (delivered(simulation), duplicates(simulation)) == (4, 0)


@pytest.mark.parametrize("at", [None, 200])
def test_a_group_is_asked_where_it_stands_when_the_producer_is_ready(at: int | None) -> None:
    """initTransactions() comes before the first poll(), at the beginning and after a restart."""
    faults = [] if at is None else crash(at)
    simulation = Simulation(load({**copy.deepcopy(DOCUMENT), "faults": faults}))
    ready = asked = 0
    while (step := simulation.step()) is not None:
        ready += step.key == "client.transactional_id_ready"
        asked += step.key == "group_session.asks_committed"
        assert asked <= ready
    assert (ready, asked) == (len(faults) // 4 + 1,) * 2


def test_positions_beside_the_transaction_repeat_output_for_some_death() -> None:
    repeated = [
        at
        for at in range(160, 400, 10)
        if duplicates(run(switches={"offsets_in_transaction": False}, faults=crash(at)))
    ]
    assert repeated


def test_an_abort_is_followed_by_the_same_records_again() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["loops"][0]["abort_rounds"] = [1, 2]
    simulation = run(loops=document["loops"])
    assert (delivered(simulation), duplicates(simulation)) == (4, 0)
    assert simulation.world.loops["app-1"].round == 3


def test_the_samples_position_reads_one_record_again() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["loops"][0] |= {"commits": "last", "batch": 10, "rounds": 2}
    simulation = run(loops=document["loops"], faults=crash(1000))
    assert (delivered(simulation), duplicates(simulation)) == (5, 1)


def test_a_fatal_error_stops_the_loop_and_closes_its_producer() -> None:
    simulation = run(
        faults=[{"match": {"api": "EndTxn"}, "action": "inject_error", "error": "PRODUCER_FENCED"}]
    )
    loop = simulation.world.loops["app-1"]
    assert (loop.state, loop.producer.closed, delivered(simulation)) == ("STOPPED", True, 0)


def test_an_abortable_error_aborts_rewinds_and_goes_on() -> None:
    fault = {
        "match": {"api": "AddPartitionsToTxn"},
        "action": "inject_error",
        "error": "TOPIC_AUTHORIZATION_FAILED",
    }
    simulation = run(faults=[fault])
    assert (delivered(simulation), duplicates(simulation)) == (4, 0)


PAIR = {"producer": "p2", "consumer": "c2"}
INSTANCES = {
    "producers": [
        *DOCUMENT["producers"],
        {"name": "p2", "settings": {"transactional_id": "txn-2"}},
    ],
    "consumers": [
        DOCUMENT["consumers"][0] | {"member": {"id": "m1", "generation": 4}},
        DOCUMENT["consumers"][0] | {"name": "c2", "member": {"id": "m2", "generation": 5}},
        DOCUMENT["consumers"][1],
    ],
    "overrides": [{"set": "group", "group": "g", "generation": 5, "members": [{"id": "m1"}, {"id": "m2"}]}],
    "loops": [
        DOCUMENT["loops"][0] | {"batch": 4, "rounds": 1, "before_end_ms": 800},
        DOCUMENT["loops"][0] | {"batch": 4, "rounds": 1, "at": 350, "name": "app-2"} | PAIR,
    ],
}


@pytest.mark.parametrize(("profile", "twice"), [("k20", 4), ("k28", 0), ("k39", 0), ("k41", 0)])
def test_an_instance_of_an_older_generation_repeats_only_what_no_check_stops(
    profile: str, twice: int
) -> None:
    """Both instances process the same inputs; their outputs for one input count as one record."""
    simulation = run(profile=profile, **INSTANCES)
    judged = simulation.judges.records["out-0"]
    assert (judged.stored, duplicates(simulation), len(judged.duplicated)) == (8, twice, twice)


def test_every_row_has_its_sentence() -> None:
    known = catalogue()
    assert [row.why for row in MACHINE.rows if row_key(row) not in known] == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"producer": "nobody"}, "loops.app-1.producer"),
        ({"consumer": "reader"}, "consumers.reader.group"),
        ({"output": ["in-0"]}, "loops.app-1.output"),
        ({"name": "app-source"}, "applications.app-source.name"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_place(change: dict[str, Any], place: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["loops"][0] |= change
    with pytest.raises(BadScenario) as refused:
        load(document)
    assert place in str(refused.value)
