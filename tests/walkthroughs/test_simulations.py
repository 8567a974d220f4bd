"""Kept simulations: whether a simulation is kept or made again, its steps are the same; and the kept ones are
bounded.
"""

from __future__ import annotations

import random
import tracemalloc

import pytest

from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import simulations
from eosviz.walkthroughs.actions import create_session
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.simulations import (
    RecentSimulations,
    at_earlier,
    earlier,
    kilobytes_of,
    recent,
    simulate_to,
)
from tests.walkthroughs.conftest import BROWSER, carry_out, root, version


@pytest.fixture
def line(session: Session) -> list[Branch]:
    """A line of seventy steps: a broker is crashed at step 20 and restarted at step 45, the latter on a branch."""
    branch = root(session)
    carry_out(session, "advance", branch, after=0, count=20)
    carry_out(session, "intervene", branch, after=20, intervention={"action": "crash", "actor": "broker-2"})
    carry_out(session, "advance", branch, after=21, count=40)
    carry_out(session, "intervene", branch, after=45, intervention={"action": "restart", "actor": "broker-2"})
    child = Branch.objects.of_session(session.id)[1]
    carry_out(session, "advance", child, after=46, count=24)
    child.refresh_from_db()
    return Branch.objects.line(child)


def test_wherever_a_reader_goes_the_run_is_the_one_of_that_step(line: list[Branch]) -> None:
    generator = random.Random(7)
    numbers = [0, 20, 21, 44, 45, 46, 70, 45, 20, *(int(generator.random() * 71) for _ in range(25))]
    for number in numbers:
        found = at_earlier(line, number, lambda simulation: (simulation.number, simulation.digest()))
        assert found == (number, simulate_to(line, number).digest())


def test_going_on_makes_only_the_steps_between(line: list[Branch], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def noted(line: list[Branch], number: int) -> Simulation:
        made.append(number)
        return simulate_to(line, number)

    monkeypatch.setattr(simulations, "simulate_to", noted)
    for number in (22, 30, 30, 44, 45, 46, 60):
        at_earlier(line, number, Simulation.digest)
    assert made == [22]


def test_what_is_tried_on_a_copy_leaves_the_kept_run_alone(line: list[Branch]) -> None:
    copy = at_earlier(line, 30, Simulation.fork)
    copy.intervene({"action": "crash", "actor": "broker-1"})
    copy.run(steps=5)
    assert at_earlier(line, 30, Simulation.digest) == simulate_to(line, 30).digest()
    assert at_earlier(line, 40, Simulation.digest) == simulate_to(line, 40).digest()


def test_what_fails_is_not_kept(line: list[Branch]) -> None:
    def break_it(simulation: Simulation) -> None:
        simulation.run(steps=3)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        at_earlier(line, 30, break_it)
    assert at_earlier(line, 33, Simulation.digest) == simulate_to(line, 33).digest()
    with earlier.of(line[-1].id) as slot:
        assert slot.simulation is not None


def test_long_runs_make_room_for_others(line: list[Branch]) -> None:
    runs = {branch_id: simulate_to(line, 40) for branch_id in (1, 2, 3)}
    kept = RecentSimulations(capacity=10, kilobytes=2 * kilobytes_of(runs[1]))
    for branch_id, simulation in runs.items():
        with kept.of(branch_id) as slot:
            slot.simulation = simulation
    held = []
    for branch_id in (3, 2, 1):
        with kept.of(branch_id) as slot:
            held.append(slot.simulation is runs[branch_id])
    assert held == [True, True, False]


def test_what_was_dropped_or_failed_takes_no_room(line: list[Branch]) -> None:
    runs = {branch_id: simulate_to(line, 40) for branch_id in (1, 2, 3, 4)}
    kept = RecentSimulations(capacity=10, kilobytes=2 * kilobytes_of(runs[1]))
    for branch_id in (1, 2, 3):  # the third one removes the first
        with kept.of(branch_id) as slot:
            slot.simulation = runs[branch_id]
    with pytest.raises(ZeroDivisionError), kept.of(3):
        raise ZeroDivisionError
    with kept.of(4) as slot:
        slot.simulation = runs[4]
    for branch_id in (2, 4):
        with kept.of(branch_id) as slot:
            assert slot.simulation is runs[branch_id]


def test_a_kept_world_counts_at_least_what_it_takes() -> None:
    """A stranger's scenario may have 16 topics of 64 partitions with 9 replicas each, which take about 30 MB for each
    branch.
    """
    document = entry("SC-01").document | {
        "cluster": {"brokers": 9},
        "topics": [{"name": f"t{number}", "partitions": 64, "replication": 9} for number in range(4)],
    }
    scenario = load({name: document[name] for name in ("id", "title", "cluster", "topics")})
    tracemalloc.start()
    simulation = Simulation(scenario)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 3_000 < taken / 1024 < kilobytes_of(simulation) < 10 * taken / 1024


def test_one_run_may_be_longer_than_the_room(line: list[Branch]) -> None:
    kept = RecentSimulations(capacity=10, kilobytes=10)
    for _ in range(3):
        with kept.of(1) as slot:
            slot.simulation = slot.simulation or simulate_to(line, 40)
            assert slot.simulation.number == 40
            found = slot.simulation
        with kept.of(1) as slot:
            assert slot.simulation is found


def test_what_is_done_after_the_end_happens_right_after_the_last_step(db: None) -> None:
    """When a run that had ended was asked for one more step, its virtual time advanced; when it was made again, it did
    not."""
    document = version("SC-03").document
    document["applications"][0]["calls"] = [{"at": at, "do": "send", "partition": "t-0"} for at in (10, 900)]
    document["faults"] = [{"at": 300, "action": "crash", "actor": "p1"}]
    del document["expect"]
    session = create_session(BROWSER, ScenarioVersion.objects.of_document("ENDED", document))
    branch = root(session)
    carry_out(session, "run_until", branch, after=0, until="end")
    branch.refresh_from_db()
    assert branch.finished == "complete"
    restart = {"action": "restart", "actor": "p1"}
    carry_out(session, "intervene", branch, after=branch.newest, intervention=restart)
    carry_out(session, "run_until", branch, after=branch.newest + 1, until="end")
    branch.refresh_from_db()
    made_again = simulate_to([branch], branch.newest)
    with recent.of(branch.id) as slot:
        assert slot.at_newest(branch).digest() == made_again.digest()
