"""Invariants of worlds whose controller has a log of its own, and a check that the faults of such a controller were
tried.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.engine.search import worlds
from tests.engine.search.hunt import Hunt

SOMETIMES = (
    "quorum.broker_fenced",
    "quorum.broker_unfenced",
    "quorum.registration_refused",
    "quorum.isr_grown",
    "quorum.isr_shrunk",
    "quorum.controller_elected",
    "quorum.block_allocated",
    "lifecycle.metadata_read",
    "lifecycle.stops_as_asked",
    "broker.isr_answer_old",
)
STEPS, STEPS_LONG = 5_000, 200_000
DONE = ("fault lose_heartbeats", "fault fail_controller", "fault shrink_isr", "fault crash")


def never_in(steps: int, folder: Path) -> list[str]:
    """Return what happened in no world of a search with so many steps. If a property is violated, Hunt raises."""
    made, seed = 0, 0
    said: Counter[str] = Counter()
    done: Counter[str] = Counter()
    while made < steps:
        generator = Random(seed)
        document = worlds.honest(generator, worlds.Version("k39"))
        watching = "recorded" if seed % 3 == 2 else "judged"
        hunt = Hunt(document, folder / str(seed), watching=watching)
        made += hunt.run(generator)
        said.update(hunt.said)
        done.update(hunt.done)
        seed += 1
    return [key for key in SOMETIMES if not said[key]] + [one for one in DONE if not done[one]]


def test_nothing_is_broken_without_zookeeper(tmp_path: Path) -> None:
    assert len(never_in(STEPS, tmp_path)) < len(SOMETIMES + DONE)


@pytest.mark.slow
def test_everything_is_tried_without_zookeeper(tmp_path: Path) -> None:
    assert never_in(STEPS_LONG, tmp_path) == []
