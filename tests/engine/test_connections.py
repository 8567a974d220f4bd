"""A broker takes one request of a connection at a time, and an answer is lost only with its connection (GEN-11)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Refused
from engine.scenario.document import load
from engine.simulation import Simulation

IDEMPOTENT = {"enable_idempotence": True, "retry_backoff_ms": 20}


def run(*sends: tuple[int, str], faults: list[dict[str, Any]] = [], **settings: Any) -> Simulation:  # noqa: B006
    """One producer that sends a record to a partition at each time. ``t-0`` and ``t-1`` have different leaders."""
    calls = [{"at": at, "do": "send", "partition": partition} for at, partition in sends]
    return Simulation(
        load(
            {
                "id": "T-1",
                "title": {"en": "a test", "zh-Hans": "测试"},
                "producers": [{"name": "p1", "settings": {**IDEMPOTENT, **settings}}],
                "applications": [{"name": "app-1", "client": "p1", "calls": calls}],
                "faults": faults,
            }
        )
    )


def steps(simulation: Simulation) -> list[Any]:
    made = []
    while (step := simulation.step()) is not None:
        made.append(step)
    return made


def appends(simulation: Simulation) -> list[tuple[int, str, int]]:
    """Time, partition and first sequence of each append of a client's batch."""
    return [
        (step.at, step.params["partition"], step.params["first_sequence"])
        for step in steps(simulation)
        if step.key.startswith("broker.appended")
    ]


THREE = ((20, "t-0"), (21, "t-0"), (22, "t-0"))
LOSE_FIRST_ANSWER = {"match": {"api": "Produce", "response": True}, "action": "drop"}


@pytest.mark.requirement("GEN-11")
def test_the_next_request_is_taken_when_the_one_before_it_is_answered() -> None:
    """With acks=all that is when its records are replicated: at 35, at 45."""
    assert appends(run(*THREE)) == [(25, "t-0", 0), (35, "t-0", 1), (45, "t-0", 2)]


@pytest.mark.requirement("GEN-11")
def test_requests_of_other_connections_are_not_held() -> None:
    assert appends(run((20, "t-0"), (21, "t-0"), (22, "t-1"))) == [
        (25, "t-0", 0),
        (27, "t-1", 0),
        (35, "t-0", 1),
    ]


@pytest.mark.requirement("GEN-11")
@pytest.mark.parametrize("acks", [0, 1])
def test_what_waits_for_no_replica_holds_nothing_up(acks: int) -> None:
    times = [at for at, _, _ in appends(run(*THREE, enable_idempotence=False, acks=acks))]
    assert times == [25, 26, 27]


@pytest.mark.requirement("GEN-11")
def test_a_view_names_what_waits_and_behind_which_request() -> None:
    simulation = run(*THREE)
    while (step := simulation.step()) is not None and step.key != "network.request_waits":
        pass
    assert step is not None
    messages = simulation.view()["network"]["messages"].values()
    (waiting,) = [message for message in messages if "waits_behind" in message]
    first = next(iter(simulation.view()["clients"]["p1"]["requests"]))
    assert (waiting["from"], waiting["to"], waiting["waits_behind"]) == ("p1", "broker-1", int(first))


@pytest.mark.requirement("GEN-11")
def test_what_waits_has_arrived_and_only_its_connection_can_end() -> None:
    simulation = run(*THREE)
    while (step := simulation.step()) is not None and step.key != "network.request_waits":
        pass
    messages = simulation.view()["network"]["messages"].values()
    waiting = next(message["id"] for message in messages if "waits_behind" in message)
    for action in ("drop_message", "duplicate_message", "reorder_message"):
        with pytest.raises(Refused, match="waits in its connection"):
            simulation.intervene({"action": action, "message": waiting})
    simulation.intervene({"action": "disconnect_message", "message": waiting})
    assert simulation.step().key == "fault.disconnected"  # type: ignore[union-attr]
    assert simulation.world.network.connections.waiting == {}


@pytest.mark.requirement("GEN-11")
@pytest.mark.parametrize(("taken", "stored_on_the_old_one"), [(0, [0, 1]), (1, [0, 1, 2])])
def test_an_answer_is_lost_with_its_connection(taken: int, stored_on_the_old_one: list[int]) -> None:
    """The first answer is on its way at 37, the second request is taken, the third waits: it is processed or not."""
    simulation = run(*THREE, faults=[{**LOSE_FIRST_ANSWER, "taken": taken}])
    made = steps(simulation)
    again = next(step.at for step in made if step.key == "client.drained_again")
    on_the_old_one = [
        step.params["first_sequence"]
        for step in made
        if step.key.startswith("broker.appended") and step.at < again
    ]
    assert on_the_old_one == stored_on_the_old_one
    nowhere = [note for step in made for note in step.notes if note["key"] == "network.answer_goes_nowhere"]
    assert len(nowhere) == 1 + taken
    duplicates = [step.params["first_sequence"] for step in made if step.key == "broker.duplicate_found"]
    assert duplicates == stored_on_the_old_one
    assert simulation.verdicts()[0].line().endswith("stored=3 duplicates=0 lost=0 failed=0 reordered=0")


@pytest.mark.requirement("GEN-11")
def test_a_fault_that_no_real_connection_has_says_so() -> None:
    simulation = run(*THREE, faults=[{**LOSE_FIRST_ANSWER, "action": "drop_alone"}], request_timeout_ms=500)
    made = steps(simulation)
    (lost,) = [step for step in made if step.key == "fault.answer_dropped_alone"]
    assert "client.disconnected" not in {note["key"] for note in lost.notes}
    assert [step.params["first_sequence"] for step in made if step.key == "broker.duplicate_found"] == [0]


@pytest.mark.requirement("GEN-11")
def test_a_broker_that_crashes_answers_nothing_that_it_had_taken() -> None:
    simulation = run(*THREE, faults=[{"at": 30, "action": "crash", "actor": "broker-1", "for_ms": 100}])
    steps(simulation)
    connections = simulation.world.network.connections
    assert (connections.taken, connections.waiting, connections.ended) == ({}, {}, [])
    assert simulation.verdicts()[0].line().endswith("stored=3 duplicates=0 lost=0 failed=0 reordered=0")


@pytest.mark.requirement("GEN-11")
def test_a_run_goes_on_alike_from_a_copy_while_requests_wait() -> None:
    simulation = run(*THREE, faults=[{**LOSE_FIRST_ANSWER, "taken": 1}])
    while (step := simulation.step()) is not None and step.key != "fault.answer_dropped":
        pass
    copy = simulation.fork()
    assert [step.key for step in steps(copy)] == [step.key for step in steps(simulation)]
    assert copy.digest() == simulation.digest()
