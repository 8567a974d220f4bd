"""Services with worker threads: which offset each rule commits, and what remains after a crash or a lost connection."""

from __future__ import annotations

from typing import Any

import pytest

from engine.database.commit_rules import COMMIT_RULES, Progress
from engine.scenario.document import BadScenario, load
from engine.scenario.shelf import entry
from engine.simulation import Simulation


def document(**service: Any) -> dict[str, Any]:
    """Return SC-171 without its crash; ``service``: changed fields of its service."""
    text = {name: value for name, value in entry("SC-171").document.items() if name != "variants"}
    text["services"] = [text["services"][0] | service]
    return text | {"faults": [], "checkpoints": []}


def played(text: dict[str, Any], *faults: dict[str, Any]) -> tuple[Simulation, set[str]]:
    """Play the run to its end. Returns the simulation and the keys of all its sentences."""
    simulation = Simulation(load(text | {"faults": list(faults)}))
    said: set[str] = set()
    while (step := simulation.step()) is not None:
        made = step.to_json()
        said |= {made["key"], *(note["key"] for note in made["notes"])}
    return simulation, said


def verdict(simulation: Simulation) -> tuple[int, int, int]:
    """Return the numbers of rows, missing rows and repeated rows."""
    found = simulation.judges.database_verdict()
    assert found is not None
    return found.rows, found.row_missing, found.row_repeated


def committed(simulation: Simulation) -> int | None:
    return simulation.world.consumers["c1"].committed("in-0")


@pytest.mark.parametrize(
    ("taken", "finished", "highest", "lowest", "polled"),
    [
        ([], set(), 5, 5, 5),
        ([5, 6, 7], set(), 5, 5, 8),
        ([5, 6, 7], {5, 7}, 8, 6, 8),
        ([5, 6, 7], {6}, 7, 5, 8),
        ([5, 9], {5}, 6, 9, 10),
        ([5, 9], {5, 9}, 10, 10, 10),
    ],
)
def test_a_rule_chooses_the_offset_to_commit(
    taken: list[int], finished: set[int], highest: int, lowest: int, polled: int
) -> None:
    progress = Progress(5)
    progress.taken, progress.finished = taken, finished
    chosen = {name: rule.offset(progress) for name, rule in COMMIT_RULES.items()}
    assert chosen == {"highest_finished": highest, "lowest_unfinished": lowest, "polled": polled}


@pytest.mark.parametrize(
    "approach", ["workers_highest_finished", "workers_lowest_unfinished", "workers_polled"]
)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("waits", [True, False])
def test_without_a_fault_each_record_has_one_row_and_all_are_committed(
    approach: str, threads: int, waits: bool
) -> None:
    simulation, _ = played(document(approach=approach, threads=threads, waits=waits))
    assert simulation.finished == "complete"
    assert verdict(simulation) == (3, 0, 0)
    assert committed(simulation) == 3


def test_a_service_polls_on_while_a_record_is_unfinished_unless_it_waits() -> None:
    for waits, rounds in ((False, [100, 200]), (True, [100, 510])):
        simulation = Simulation(load(document(batch=2, every=100, waits=waits)))
        polls = []
        while (step := simulation.step()) is not None:
            if step.to_json()["key"] == "service.polls":
                polls.append(step.at)
        assert polls == rounds


@pytest.mark.parametrize(("unique", "rows"), [(False, 4), (True, 3)])
def test_a_lost_connection_makes_worker_threads_insert_again(unique: bool, rows: int) -> None:
    text = document() | {"database": {"unique_key": unique}}
    simulation, said = played(text, {"match": {"api": "InsertRow", "response": True}, "action": "drop"})
    assert "service.inserts_in_doubt" in said
    assert verdict(simulation) == (rows, 0, rows - 3)
    assert committed(simulation) == 3


def test_a_service_waits_no_longer_than_its_timeout_for_a_database_that_is_down() -> None:
    fault = {"at": 120, "action": "crash", "actor": "database", "for_ms": 1500}
    simulation, said = played(document(), fault)
    assert {"service.inserts_in_doubt", "service.timed_out"} <= said
    assert verdict(simulation) == (3, 0, 0)


def test_a_service_that_pauses_keeps_its_work() -> None:
    simulation, _ = played(document(), {"at": 160, "action": "pause", "actor": "sink", "for_ms": 500})
    assert verdict(simulation) == (3, 0, 0)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"threads": 0}, "services.sink.threads"),
        ({"work_ms": [-1]}, "services.sink.work_ms"),
        ({"approach": "offsets_after_rows"}, "services.sink.threads"),
        ({"approach": "offsets_after_rows", "threads": 1}, "services.sink.work_ms"),
        (
            {"approach": "offsets_after_rows", "threads": 1, "work_ms": [], "waits": True},
            "services.sink.waits",
        ),
    ],
)
def test_a_mistake_names_its_place(change: dict[str, Any], place: str) -> None:
    with pytest.raises(BadScenario) as refused:
        load(document(**change))
    assert refused.value.place == place


def test_only_a_service_that_waits_for_its_threads_can_outlast_the_poll_interval() -> None:
    consumer = {"name": "c1", "partitions": ["in-0"], "group": "g", "max_poll_interval_ms": 300}
    consumer["member"] = {"id": "m1", "generation": 4}
    load(document(waits=True) | {"consumers": [consumer]})
    with pytest.raises(BadScenario) as refused:
        load(document(waits=False) | {"consumers": [consumer]})
    assert refused.value.place == "consumers.c1.max_poll_interval_ms"
