"""Beats of a run that would have the same title also name what only they are about."""

from __future__ import annotations

import pytest

from engine.scenario.shelf import entry
from engine.shapes.plans import Beat
from engine.view.listing import beat_title
from engine.view.run_ahead import plan_ahead
from engine.view.stops import stops_of


def beats_of(name: str) -> list[Beat]:
    scenario, _, variant = name.partition("/")
    return plan_ahead(entry(scenario).scenario(variant or None))["beats"]


@pytest.mark.parametrize(
    ("name", "title", "numbers"),
    [
        ("SC-48", "txn-1: commit is decided", [1, 2]),
        ("SC-150/k28", "Accepted now: AddPartitionsToTxn adds t-0", [2, 3]),
    ],
)
def test_they_name_their_transactions(name: str, title: str, numbers: list[int]) -> None:
    titles = [beat_title(beat, "en") for beat in stops_of(beats_of(name))]
    named = [one for one in titles if one.startswith(f"{title} (")]
    assert named == [f"{title} (transaction {number})" for number in numbers]


def test_they_name_their_producers() -> None:
    apart = [beat["apart"]["params"] for beat in beats_of("SC-24/asked-again") if "apart" in beat]
    assert apart == [{"name": "p2"}, {"name": "p3"}]


def test_one_with_a_title_of_its_own_names_nothing() -> None:
    assert not any("apart" in beat for beat in beats_of("SC-44/k28"))


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        (
            "SC-27/inside-a-batch",
            [
                "p1 resends the same batch (r4)",
                "Duplicate: not stored again (seq 1)",
                "p1 resends the same batch (r1–r3)",
                "Duplicate: not stored again (seq 2147483646)",
            ],
        ),
        (
            "SC-66/every-request",
            [
                "broker-2 refuses: UNKNOWN_SERVER_ERROR (step 8)",
                "An injected InitProducerId request goes to broker-2 (step 10)",
                "broker-2 refuses: UNKNOWN_SERVER_ERROR (step 20)",
                "An injected InitProducerId request goes to broker-2 (step 22)",
                "broker-2 refuses: UNKNOWN_SERVER_ERROR (step 26)",
                "broker-2 refuses: UNKNOWN_SERVER_ERROR (step 32)",
            ],
        ),
    ],
)
def test_they_name_their_records_or_their_steps(name: str, titles: list[str]) -> None:
    assert [beat_title(beat, "en") for beat in stops_of(beats_of(name)) if "apart" in beat] == titles
