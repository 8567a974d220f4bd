"""What always holds in random worlds, together with what must sometimes happen for that to mean anything.

A failure prints the command that plays it again. ``make search`` looks for longer.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.__main__ import main
from tests.engine.search import worlds
from tests.engine.search.hunt import ABORT_HIDDEN, SOMETIMES, SOMETIMES_OVER_MIDDLEWARE, Found, Hunt

BOUNDED = settings(
    derandomize=True,
    deadline=None,
    database=None,
    # A world is a few hundred choices however small it is.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
RUNS = 60
"""Runs with plain seeds beside those that Hypothesis chooses: together about 100,000 steps."""


def hunted(make, generator: Random, folder: Path) -> Counter[str]:
    hunt = Hunt(make(generator), folder)
    hunt.run(generator)
    return hunt.said


@pytest.mark.parametrize(
    ("make", "sometimes"),
    [
        (worlds.kafka, {**SOMETIMES, ABORT_HIDDEN: ABORT_HIDDEN}),
        (worlds.middleware, SOMETIMES_OVER_MIDDLEWARE),
    ],
    ids=["kafka", "middleware"],
)
def test_nothing_is_broken_and_everything_is_tried(make, sometimes, tmp_path: Path) -> None:
    said: Counter[str] = Counter()

    @settings(BOUNDED, max_examples=60)
    @given(generator=st.randoms(use_true_random=False))
    def search(generator: Random) -> None:
        said.update(hunted(make, generator, tmp_path))

    search()
    for seed in range(RUNS):
        said.update(hunted(make, Random(seed), tmp_path))
    assert [what for what, key in sometimes.items() if not said[key]] == []


def test_what_is_found_plays_again_with_one_command(tmp_path: Path) -> None:
    """Without the duplicate lookup and the sequence check a repeated request is stored twice: it is found."""
    command = ""
    for seed in range(40):
        generator = Random(seed)
        document = {**worlds.kafka(generator), "profile": "k28"}
        document["switches"] = {"duplicate_lookup": False, "sequence_check": False}
        document["faults"] = [{"match": {"api": "Produce", "from": "p1"}, "action": "duplicate"}]
        hunt = Hunt(document, tmp_path)
        try:
            hunt.run(generator)
        except Found as found:
            command = str(found).splitlines()[-1]
            break
    else:
        pytest.fail("a broken mechanism was not found")
    words = command.split()
    assert words[:3] == ["python", "-m", "engine"]
    out = io.StringIO()
    assert main(words[3:], out) == 0
    shown = out.getvalue()
    assert f"{hunt.simulation.number:5d} " in shown
    assert "BROKEN duplicated" in shown
    assert json.loads((tmp_path / "found.json").read_text()) == hunt.simulation.interference.interventions
