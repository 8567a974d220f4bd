"""Rate limits: buckets refill evenly. All processes share them; while Redis is down, each process has its own."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from typing import Any

import pytest
from django.core.cache import cache
from redis.exceptions import RedisError

from eosviz import buckets
from eosviz.buckets import Buckets, Rate

RATE = Rate("test.person", 3, 30)
NOWHERE = "unix:///nowhere/redis.sock"


@pytest.fixture(autouse=True)
def _none_of_another_test() -> None:
    cache.clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [1_700_000_000.0]
    monkeypatch.setattr(buckets, "now", lambda: at[0])
    return at


@pytest.fixture(params=["Redis", "alone"])
def counts(request: pytest.FixtureRequest, settings: Any) -> Buckets:
    """Buckets with the same rules, whose numbers are in Redis or, if it cannot be reached, in the process."""
    if request.param == "alone":
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": NOWHERE}}
    return Buckets()


def test_a_bucket_holds_so_many_and_fills_evenly(counts: Buckets, clock: list[float]) -> None:
    assert [counts.take(RATE, "ada") for _ in range(4)] == [0, 0, 0, 10]
    assert counts.take(RATE, "bob") == 0, "another caller has a bucket of their own"
    clock[0] += 9
    assert counts.take(RATE, "ada") == pytest.approx(1)
    clock[0] += 1
    assert [counts.take(RATE, "ada") for _ in range(2)] == [0, 10]
    clock[0] += 1_000
    assert [counts.take(RATE, "ada") for _ in range(4)] == [0, 0, 0, 10]


def test_what_costs_more_waits_longer_and_what_did_not_count_comes_back(
    counts: Buckets, clock: list[float]
) -> None:
    assert counts.take(RATE, "ada", 2) == 0
    assert counts.take(RATE, "ada", 2) == 10
    counts.give_back(RATE, "ada", 1)
    assert counts.take(RATE, "ada", 2) == 0
    assert counts.take(RATE, "bob", 100) == 0, "more than a bucket holds costs all of it"
    assert counts.take(RATE, "bob") == 10


def test_asking_how_long_to_wait_takes_nothing(counts: Buckets, clock: list[float]) -> None:
    assert [counts.wait(RATE, "ada", 100) for _ in range(2)] == [0, 0]
    assert [counts.take(RATE, "ada") for _ in range(3)] == [0, 0, 0]
    assert [counts.wait(RATE, "ada") for _ in range(2)] == [10, 10]
    clock[0] += 10
    assert [counts.wait(RATE, "ada"), counts.take(RATE, "ada")] == [0, 0]


def test_a_clock_that_is_set_back_shuts_no_one_out_for_longer(counts: Buckets, clock: list[float]) -> None:
    for _ in range(3):
        counts.take(RATE, "ada")
    clock[0] -= 86_400
    assert counts.take(RATE, "ada") == 10


def test_processes_count_together(clock: list[float]) -> None:
    one, other = Buckets(), Buckets()
    assert [process.take(RATE, "ada") for process in (one, other, one, other)] == [0, 0, 0, 10]
    leased = Rate("test.person", 10, 100, lease=4)
    taken = [process.take(leased, "bob") == 0 for _ in range(10) for process in (one, other)]
    assert sum(taken) == 10, "leases are parts of the one bucket"


def test_who_always_loses_to_others_waits_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count(1)

    def another_takes(*asked: Any) -> buckets.Granted:
        Buckets().client().set(buckets._key(RATE, "ada"), next(numbers))
        return buckets.Granted(1, 0.0)

    monkeypatch.setattr(buckets, "grant", another_takes)
    assert Buckets().take(RATE, "ada") == buckets.LOST_SECONDS


def test_what_one_process_remembers_is_bounded(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": NOWHERE}}
    monkeypatch.setattr(buckets, "CALLERS_MAX", 2)
    counts = Buckets()
    once = Rate("test.person", 1, 30)
    assert [counts.take(once, name) == 0 for name in ("a", "a", "b", "c", "a")] == [
        True,
        False,
        True,
        True,
        True,
    ]
    assert counts.remembered == 2


def test_a_strict_rate_is_not_counted_by_one_process_alone(settings: Any) -> None:
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": NOWHERE}}
    with pytest.raises(RedisError):
        Buckets().take(Rate("test.person", 3, 30, strict=True), "ada")


def test_a_store_of_counts_holds_no_person_s_key() -> None:
    counts = Buckets()
    counts.take(RATE, "a" * 48)
    stored = [*counts.client().scan_iter("eosviz:bucket:*")]
    assert len(stored) == 1 and b"a" * 48 not in stored[0]


def test_rates_are_set_by_name() -> None:
    def settings_with(value: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from eosviz.settings.rates import RATES; print(RATES['sign_up.address'])"],
            env={**os.environ, "EOSVIZ_RATES": value}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert settings_with("sign_up.address=7/9,create.person=1/2").stdout == "(7, 9)\n"
    for wrong in ("sign_up=7/9", "sign_up.address=7", "sign_up.address=0/9", "sign_up.address=7/x"):
        assert f"EOSVIZ_RATES: {wrong.partition('=')[0]}=" in settings_with(wrong).stderr, wrong
