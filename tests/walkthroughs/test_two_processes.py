"""Two processes take turns on one branch: a kept run catches up with the other process's steps and is not made again
from its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import pytest

from tests.walkthroughs.stepping_process import SteppingProcess, environment_of

SCENARIO = "SC-08"
CLICKS = 100


@pytest.fixture(scope="module")
def processes(
    tmp_path_factory: pytest.TempPathFactory,
    site_database: Callable[[], dict[str, str]],
    redis_server: str,
) -> Iterator[list[SteppingProcess]]:
    folder: Path = tmp_path_factory.mktemp("turns")
    environment = environment_of(folder, REDIS_URL=redis_server, **site_database())
    started = [SteppingProcess(environment) for _ in range(2)]
    yield started
    for process in started:
        process.end()


def test_a_hundred_clicks_in_turns_cost_two_engine_steps_each(processes: list[SteppingProcess]) -> None:
    place = processes[0].ask(scenario=SCENARIO)
    costs = []
    for after, process in zip(range(CLICKS), cycle(processes)):
        answer = process.ask(**place, type="advance", after=after, count=1)
        assert (answer["type"], answer["newest"]) == ("done", after + 1)
        costs.append(answer["engine_steps"])
    assert sum(costs) <= 2 * CLICKS
    assert max(costs) <= 2


def test_a_held_run_catches_up_over_an_intervention(processes: list[SteppingProcess]) -> None:
    one, other = processes
    place = one.ask(scenario=SCENARIO)
    one.ask(**place, type="advance", after=0, count=20)
    other.ask(**place, type="advance", after=20, count=1)
    crash = {"action": "crash", "actor": "broker-2"}
    other.ask(**place, type="intervene", after=21, intervention=crash)
    assert one.ask(**place, type="advance", after=22, count=1)["engine_steps"] == 3
    # The process checks what it stores, and continues in the way of a process that has no kept run.
    again = other.ask(**place, type="advance", after=23, count=1)
    assert (again["type"], again["newest"], again["engine_steps"]) == ("done", 24, 2)


def test_a_process_that_was_overtaken_keeps_its_run(processes: list[SteppingProcess]) -> None:
    """Two pages of one session click at the same step; the step of the slower one is stored already."""
    one, other = processes
    place = one.ask(scenario=SCENARIO)
    one.ask(**place, type="advance", after=0, count=50)
    other.ask(**place, type="advance", after=50, count=1)
    late = one.ask(**place, type="advance", after=50, count=1)
    assert (late["newest"], late["engine_steps"]) == (51, 1)
    assert one.ask(**place, type="advance", after=51, count=1)["engine_steps"] == 1


def test_a_run_that_took_another_turn_is_made_again(processes: list[SteppingProcess]) -> None:
    """This process has made step 31 but could not store it, because the other process intervened at step 30."""
    one, other = processes
    place = one.ask(scenario=SCENARIO)
    one.ask(**place, type="advance", after=0, count=30)
    crash = {"action": "crash", "actor": "broker-1"}
    other.ask(**place, type="intervene", after=30, intervention=crash)
    answer = one.ask(**place, type="advance", after=30, count=2)
    assert (answer["type"], answer["newest"]) == ("done", 32)
    assert other.ask(**place, type="advance", after=32, count=1)["engine_steps"] == 2
