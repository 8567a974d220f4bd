"""The metrics that an operator would see, computed from the steps alone."""

from __future__ import annotations

from engine.counters import COUNTED, FATES, REFUSALS
from engine.explain.sentences import catalogue
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from tests.engine.every_run import BEGUN, scenario_of
from tests.engine.narrowing import present


def counted(simulation: Simulation) -> dict[str, int]:
    simulation.run()
    found: dict[str, int] = simulation.view().get("counters", {})
    return found


def test_an_acknowledgement_that_is_lost_is_retried_once_and_answered_as_a_duplicate() -> None:
    assert counted(Simulation(entry("SC-03").scenario())) == {
        "messages_lost": 2,
        "retries": 2,
        "duplicates_answered": 1,
    }


def test_who_sends_again_is_counted_apart() -> None:
    """SC-150: until 3.9 the producer sends its request again; in 4.1 the leader asks the coordinator again. These are
    counted separately.
    """
    older, newer = (counted(Simulation(entry("SC-150").scenario(name))) for name in ("k39", "k41"))
    assert older["retries"] == 6 and "questions_repeated" not in older
    assert newer["questions_repeated"] == 6 and "retries" not in newer


def test_a_marker_is_counted_when_it_is_sent_again_and_not_when_it_is_refused() -> None:
    of = {name: counted(Simulation(entry("SC-58").scenario(name))) for name in ("answer-lost", "retry-off")}
    assert of["answer-lost"]["marker_retries"] == 1
    assert "marker_retries" not in of["retry-off"]


def test_nothing_is_counted_before_it_happens() -> None:
    simulation = Simulation(entry("SC-03").scenario())
    assert "counters" not in simulation.view()
    while "counters" not in simulation.view():
        step = simulation.step()
        assert step is not None
    assert any(message["event"] == "dropped" for message in present(step).messages)


def test_every_counter_is_moved_by_the_library_and_every_sentence_exists() -> None:
    counters = {*COUNTED.values(), *FATES.values(), REFUSALS}
    moved: set[str] = set()
    for run in BEGUN:
        moved |= counted(Simulation(scenario_of(run))).keys()
        if moved == counters:
            break
    assert moved == counters
    assert COUNTED.keys() <= catalogue().keys()


def test_a_digest_distinguishes_states_and_not_what_led_to_them() -> None:
    simulation = Simulation(entry("SC-03").scenario())
    simulation.run()
    digest = simulation.digest()
    simulation.watch.parts()[0].counts["retries"] += 1  # type: ignore[attr-defined]
    assert simulation.digest() == digest
