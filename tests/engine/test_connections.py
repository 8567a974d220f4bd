"""A broker processes one request of a connection at a time, and a response is lost only with its connection
(GEN-11).
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Refused
from engine.scenario.document import load
from engine.simulation import Simulation

IDEMPOTENT = {"enable_idempotence": True, "retry_backoff_ms": 20}


def run(*sends: tuple[int, str], faults: list[dict[str, Any]] = [], **settings: Any) -> Simulation:  # noqa: B006
    """One producer sends a record to a partition at each given time. ``t-0`` and ``t-1`` have different leaders."""
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
    """Return the time, partition and first sequence of each append of a client's batch."""
    return [
        (step.at, step.params["partition"], step.params["first_sequence"])
        for step in steps(simulation)
        if step.key.startswith("broker.appended")
    ]


THREE = ((20, "t-0"), (21, "t-0"), (22, "t-0"))
LOSE_FIRST_ANSWER = {"match": {"api": "Produce", "response": True}, "action": "drop"}


@pytest.mark.requirement("GEN-11")
def test_the_next_request_is_taken_when_the_one_before_it_is_answered() -> None:
    """With acks=all, a request is answered when its records are replicated: here at 35 and 45 ms."""
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
    """At 37 ms, the first response is under way, the second request is being processed, and the third waits.
    ``taken``: how many of the waiting requests the broker still processes.
    """
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


@pytest.mark.parametrize(
    ("sends", "said"),
    [([(20, "t-0")], "fault.message_not_overtaken"), ([(20, "t-0"), (21, "t-0")], "fault.message_reordered")],
    ids=["alone", "followed"],
)
def test_only_a_message_that_another_follows_is_overtaken(sends: list[tuple[int, str]], said: str) -> None:
    made = steps(run(*sends, faults=[{"match": {"api": "Produce", "nth": 1}, "action": "reorder"}]))
    assert [step.key for step in made if step.key.startswith("fault.message_")] == [said]


def test_an_intervention_lets_no_message_overtake_the_last_one() -> None:
    simulation = run((20, "t-0"), (21, "t-0"))
    while len(simulation.world.network.under_way) < 2:
        assert simulation.step() is not None
    first, last = sorted(simulation.world.network.under_way)
    with pytest.raises(Refused, match="no later message is in transit"):
        simulation.intervene({"action": "reorder_message", "message": last})
    simulation.intervene({"action": "reorder_message", "message": first})
    assert simulation.step().key == "fault.message_reordered"  # type: ignore[union-attr]


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


# Which connection a message uses ---------------------------------------------------------------------


def grouped(*faults: dict[str, Any]) -> Simulation:
    """A consumer whose group coordinator also leads the partition that it reads; two records are read and committed
    from 100 ms on.
    """
    return Simulation(
        load(
            {
                "id": "T-1",
                "title": {"en": "a test", "zh-Hans": "测试"},
                "topics": [
                    {"name": "in", "partitions": 1, "leaders": [1]},
                    {"name": "out", "partitions": 1, "leaders": [2]},
                ],
                "producers": [
                    {"name": "source", "settings": {**IDEMPOTENT}},
                    {"name": "p1", "settings": {**IDEMPOTENT}},
                ],
                "consumers": [
                    {"name": "c1", "partitions": ["in-0"], "isolation": "read_uncommitted", "group": "g"}
                ],
                "applications": [
                    {
                        "name": "app-s",
                        "client": "source",
                        "calls": [{"at": 20, "do": "send", "partition": "in-0", "records": 2}],
                    }
                ],
                "switches": {"offsets_in_transaction": False},
                "loops": [{"name": "app-1", "producer": "p1", "consumer": "c1", "output": ["out-0"]}],
                "faults": list(faults),
            }
        )
    )


def until(simulation: Simulation, key: str) -> Any:
    """Step until this sentence and return its step. Fails if it does not occur."""
    while (step := simulation.step()) is not None:
        if step.key == key:
            return step
    raise AssertionError(f"{key} never came")


@pytest.mark.requirement("GEN-11")
def test_a_consumer_has_a_connection_of_its_own_to_its_group_coordinator() -> None:
    simulation = grouped()
    steps(simulation)
    connections = simulation.view()["consumers"]["c1"]["connections"]
    assert connections["1"]["state"] == connections["1-group"]["state"] == "connected"
    assert "2-group" not in connections


@pytest.mark.requirement("GEN-11")
def test_a_late_fetch_holds_up_no_commit_and_its_connection_ends_alone() -> None:
    late = {"match": {"api": "Fetch", "response": True, "nth": 2}, "action": "delay", "by_ms": 500}
    simulation = grouped(late)
    asked = until(simulation, "group_session.asks_committed").at
    assert until(simulation, "consumer.begins_at").at == asked + 10
    commit = {"match": {"api": "OffsetCommit", "response": True}, "action": "disconnect"}
    cut = grouped(commit)
    until(cut, "fault.disconnected")
    connections = cut.view()["consumers"]["c1"]["connections"]
    assert (connections["1-group"]["state"], connections["1"]["state"]) == ("disconnected", "connected")


@pytest.mark.requirement("GEN-11")
def test_markers_one_way_and_markers_the_other_way_are_two_connections() -> None:
    """Each broker coordinates one transaction and leads the partition of the other; one connection for markers is
    cut.
    """
    document = {
        "id": "T-1",
        "title": {"en": "a test", "zh-Hans": "测试"},
        "producers": [
            {"name": f"p{number}", "settings": {"transactional_id": name}}
            for number, name in ((1, "txn-1"), (2, "txn-3"))
        ],
        "applications": [
            {
                "name": f"app-{number}",
                "client": f"p{number}",
                "calls": [
                    {"at": 0, "do": "init_transactions"},
                    {"at": 300, "do": "begin_transaction"},
                    {"at": 300, "do": "send", "partition": partition},
                    {"at": 500, "do": "commit_transaction"},
                ],
            }
            for number, partition in ((1, "t-0"), (2, "t-1"))
        ],
        "faults": [{"match": {"api": "WriteTxnMarkers", "from": "broker-2"}, "action": "disconnect"}],
    }
    simulation = Simulation(load(document))
    opposite = [
        (message.source, message.destination)
        for step in iter(simulation.step, None)
        if step.key == "fault.disconnected"
        for message in simulation.world.network.under_way.values()
        if message.body.api == "WriteTxnMarkers"  # type: ignore[attr-defined]
    ]
    assert opposite == [("broker-1", "broker-2")]
    sent_again = simulation.world.brokers["broker-1"].transactions
    assert sent_again is not None
    assert not sent_again.markers.in_flight
    assert {line.stored for line in simulation.verdicts()} == {1}


# Requests that outlive their connection --------------------------------------------------------------


@pytest.mark.requirement("GEN-11")
@pytest.mark.parametrize("taken", [0, 1, 2])
def test_a_paused_broker_reads_of_an_ended_connection_what_had_arrived(taken: int) -> None:
    """Three requests arrive at a paused broker, and the connection ends before it resumes. None is sent again."""
    simulation = run(
        *THREE,
        enable_idempotence=False,
        acks="all",
        retries=0,
        faults=[{"at": 22, "action": "pause", "actor": "broker-1", "for_ms": 100}],
    )
    simulation.run(until=28)
    messages = simulation.world.network.under_way
    waiting = [message.id for message in messages.values() if message.destination == "broker-1"]
    with pytest.raises(Refused, match="waits in its connection"):
        simulation.intervene({"action": "drop_message", "message": waiting[0]})
    simulation.intervene({"action": "disconnect_message", "message": waiting[0], "taken": taken})
    assert len(appends(simulation)) == taken
    assert simulation.world.network.connections.ended == []


@pytest.mark.requirement("GEN-11")
def test_what_a_broker_kept_of_one_connection_is_not_lost_with_the_next() -> None:
    """The followers are paused: the first request is not answered, and the second is kept although two connections
    end.
    """
    stall = [{"at": 22, "action": "pause", "actor": name, "for_ms": 200} for name in ("broker-2", "broker-3")]
    cut = {"match": {"api": "Produce", "nth": 3}, "action": "disconnect", "taken": 1, "after_ms": 4}
    again = {"match": {"api": "Produce", "nth": 3}, "action": "disconnect"}
    simulation = run(*THREE, faults=[*stall, cut, again])
    made = steps(simulation)
    assert [step.key for step in made].count("fault.disconnected") == 2
    nowhere = [note for step in made for note in step.notes if note["key"] == "network.answer_goes_nowhere"]
    assert len(nowhere) == 2
    assert simulation.verdicts()[0].line().endswith("stored=3 duplicates=0 lost=0 failed=0 reordered=0")


@pytest.mark.requirement("GEN-11")
def test_a_broker_that_stops_loses_what_it_kept_of_ended_connections() -> None:
    stall = [{"at": 22, "action": "pause", "actor": name, "for_ms": 200} for name in ("broker-2", "broker-3")]
    cut = {"match": {"api": "Produce", "nth": 3}, "action": "disconnect", "taken": 1, "after_ms": 4}
    crash = {"at": 40, "action": "crash", "actor": "broker-1", "for_ms": 50}
    simulation = run(*THREE, faults=[*stall, cut, crash])
    until(simulation, "fault.crashed")
    network = simulation.world.network
    assert network.connections.ended == []
    assert not [one for one in network.under_way.values() if one.destination == "broker-1"]


@pytest.mark.requirement("GEN-11")
def test_no_number_of_a_request_comes_twice_not_even_after_a_crash() -> None:
    """The broker still processes a request from before the crash; its response must not be taken for one to the new
    request.
    """
    stall = [{"at": 22, "action": "pause", "actor": name, "for_ms": 400} for name in ("broker-2", "broker-3")]
    crash = {"at": 26, "action": "crash", "actor": "p1", "for_ms": 10}
    simulation = run((20, "t-0"), (300, "t-0"), faults=[*stall, crash])
    seen: dict[int, int] = {}
    for step in iter(simulation.step, None):
        for message in simulation.world.network.under_way.values():
            if message.source == "p1":
                assert seen.setdefault(message.correlation_id, message.id) == message.id, step.number
    assert len(seen) >= 4
    assert simulation.verdicts()[0].line().endswith("stored=2 duplicates=0 lost=0 failed=0 reordered=0")


@pytest.mark.requirement("GEN-11")
def test_a_view_names_the_connection_and_says_when_it_has_ended() -> None:
    simulation = run(*THREE, faults=[{**LOSE_FIRST_ANSWER, "taken": 1}])
    until(simulation, "fault.answer_dropped")
    (left,) = [one for one in simulation.view()["network"]["messages"].values() if "waits_behind" in one]
    assert left["connection_ended"]
    with pytest.raises(Refused, match="has already ended"):
        simulation.intervene({"action": "disconnect_message", "message": left["id"]})
    grouping = grouped()
    until(grouping, "group_session.asks_committed")
    named = {one["api"]: one.get("connection") for one in grouping.view()["network"]["messages"].values()}
    assert named["OffsetFetch"] == "group"


@pytest.mark.requirement("GEN-5")
def test_a_connection_that_was_given_up_while_it_was_made_does_not_open() -> None:
    """A crash ends the old process's attempt to connect: the new process is connected only when its own attempt is
    over.
    """
    slow = {"at": 0, "action": "connect_slowly", "actor": "broker-1", "by_ms": 60}
    crashes = [{"at": at, "action": "crash", "actor": "p1", "for_ms": 10} for at in (40, 80)]
    made = steps(run((1, "t-0"), (300, "t-0"), faults=[slow, *crashes]))
    assert [step.at for step in made if step.key == "client.connects"] == [50, 90]
    assert [step.at for step in made if step.key == "client.control_sent"] == [0, 90 + 60 + 10]
