"""A request that is refused again and again."""

from __future__ import annotations

from typing import Any

from engine.view.beat_step import BeatStep
from engine.view.repeats import (
    ROUNDS_FROM,
    RecentSentences,
    Repeat,
    lengths_of,
    repeats_in,
    title_params,
)


def step(number: int, actor: str, key: str, refusal: str | None = None, **params: Any) -> BeatStep:
    return BeatStep(
        number=number,
        time=10 * number,
        actor=actor,
        key=key,
        said=frozenset((key,)),
        params=params,
        stands_out=refusal is not None,
        refusal=refusal,
        sentences=((key, params),),
    )


def taken(steps: list[BeatStep]) -> list[BeatStep]:
    recent = RecentSentences()
    for one in steps:
        recent.take(one)
    return steps


def run(rounds: int) -> list[BeatStep]:
    """Return the steps of a client's request that is refused in each of these rounds and accepted after them."""
    steps = []
    for first in range(1, 2 * rounds, 2):
        steps.append(step(first, "p1", "client.transactional_sent", client="p1", api="EndTxn", until=first))
        steps.append(step(first + 1, "broker-1", "coordinator.busy", "CONCURRENT_TRANSACTIONS"))
    return taken([*steps, step(2 * rounds + 1, "broker-1", "coordinator.decides_commit")])


def test_rounds_that_differ_only_in_time_are_a_stretch() -> None:
    steps = run(ROUNDS_FROM + 1)
    first, last = 2, 2 * ROUNDS_FROM + 2
    repeats = repeats_in(steps)
    assert repeats.stretches == [Repeat(first, last, ROUNDS_FROM, "coordinator.busy")]
    assert repeats.within == [first <= index < last for index in range(len(steps))]
    params = title_params(steps, repeats.stretches[0])
    assert (params["client"], params["api"], params["count"], params["ms"]) == (
        "p1",
        "EndTxn",
        ROUNDS_FROM,
        230,
    )


def test_few_rounds_are_no_stretch_and_neither_is_one_without_a_refusal() -> None:
    assert repeats_in(run(ROUNDS_FROM)).stretches == []
    fetches = taken([step(number, "c1", "consumer.fetches", offset=3) for number in range(1, 40)])
    assert repeats_in(fetches).stretches == []


def test_a_stretch_is_as_long_as_one_of_its_rounds() -> None:
    assert lengths_of(8, [Repeat(1, 7, 3, "")]) == [0, 1, 2, 3, 3, 3, 3, 3, 4]


def test_the_title_of_two_clients_requests_names_neither() -> None:
    steps = run(ROUNDS_FROM + 1)
    others = [step(0, "p2", "client.transactional_sent", client="p2", api="EndTxn")]
    params = title_params([*others, *steps], Repeat(0, len(steps), ROUNDS_FROM, "coordinator.busy"))
    assert (params["client"], params["actor"], params["error"]) == (
        None,
        "broker-1",
        "CONCURRENT_TRANSACTIONS",
    )


def test_requests_without_a_response_are_a_stretch_with_the_clients_that_wait() -> None:
    steps = []
    for first in range(1, 2 * ROUNDS_FROM + 2, 2):
        steps.append(step(first, "p1", "client.transactional_sent", client="p1", api="EndTxn"))
        steps.append(step(first + 1, "p1", "client.request_timed_out", client="p1", attempts=first))
    (repeat,) = repeats_in(taken(steps)).stretches
    assert (repeat.rounds, repeat.ends) == (ROUNDS_FROM, "client.request_timed_out")
    assert title_params(steps, repeat) == {"clients": ["p1"], "count": ROUNDS_FROM, "ms": 230}
