"""What always holds where the controller has a log of its own, and that its own faults were tried."""

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
STEPS_MAX = 200_000
DONE = ("fault lose_heartbeats", "fault fail_controller", "fault shrink_isr", "fault crash")


@pytest.mark.parametrize("steps", [20_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_nothing_is_broken_without_zookeeper(tmp_path: Path, steps: int) -> None:
    made, seed, missing = 0, 0, ["not begun"]
    said: Counter[str] = Counter()
    done: Counter[str] = Counter()
    while made < steps or (missing and made < STEPS_MAX):
        generator = Random(seed)
        document = worlds.honest(generator, worlds.Version("k39"))
        watching = "recorded" if seed % 3 == 2 else "judged"
        hunt = Hunt(document, tmp_path / str(seed), watching=watching)
        made += hunt.run(generator)
        said.update(hunt.said)
        done.update(hunt.done)
        seed += 1
        missing = [key for key in SOMETIMES if not said[key]] + [one for one in DONE if not done[one]]
    assert missing == []
