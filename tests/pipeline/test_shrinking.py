"""Shrinking: a smaller fault script that still breaks the same guarantee."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.shrinking import (
    CannotShrink,
    breaks_at,
    shrink,
    trying_here,
    trying_on,
    what_fell,
    with_faults,
)
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_runs import Player

FIRST_SWEEP = Path(__file__).parents[2] / "docs" / "examples" / "first-sweep.toml"
SAMPLES = Path(__file__).parents[2] / "eosviz" / "pipeline" / "samples"


def broken_run(text: str, guarantee: str) -> tuple[dict[str, Any], int]:
    """Return the scenario document of the first run of a sweep that breaks the guarantee, and the step."""
    sweep = parse_sweep(text)
    player = Player(sweep)
    for run in range(sweep.runs):
        row = player.play(run)
        if row.get(f"broken_{guarantee}") is not None:
            return sweep.scenario_of(sweep.cells[row["cell"]], row["seed"]).source, row[f"broken_{guarantee}"]
    raise AssertionError("nothing broke")


@pytest.fixture(scope="module")
def duplicated() -> tuple[dict[str, Any], int]:
    text = FIRST_SWEEP.read_text().replace("[0, 1, 2, 3, 5, 10]", "[10]")
    return broken_run(text.replace('rate" = 0.3', 'rate" = 0.7'), "duplicated")


def test_what_fell_by_chance_falls_again_without_it(duplicated: tuple[dict[str, Any], int]) -> None:
    document, step = duplicated
    entries = what_fell(document)
    assert len(entries) > 2 and all("rate" not in entry["match"] for entry in entries)
    certain = with_faults({**document, "seed": 987}, entries)
    assert breaks_at(certain, "duplicated") == step
    assert what_fell(certain) == entries


def test_two_rules_on_the_same_messages_fall_again() -> None:
    """Messages that an earlier rule has taken are not seen by a later one."""
    text = (SAMPLES / "what-keeps-order.toml").read_text()
    second = '\n[[faults]]\nname = "other"\nkinds = ["drop"]\nplaces = ["Produce"]\nrates = [0.3]\n'
    document, step = broken_run(text.replace("[1, 2, 3, 5]", "[5]") + second, "reordered")
    entries = what_fell(document)
    assert breaks_at(with_faults(document, entries), "reordered") == step


def test_what_is_left_breaks_and_nothing_less_does(duplicated: tuple[dict[str, Any], int]) -> None:
    document, _ = duplicated
    found = shrink(document, "duplicated", trying_here(document, "duplicated"))
    # A producer without idempotence needs only one lost response to store a record twice.
    assert len(found.after) == 1 < len(found.before) and found.tries > 2
    assert breaks_at(with_faults(document, found.after), "duplicated") == found.step
    assert breaks_at(with_faults(document, []), "duplicated") is None


def test_faults_that_only_work_together_stay_together() -> None:
    def test(scripts: list[list[dict[str, Any]]]) -> list[int | None]:
        needed = {3, 11, 17}
        return [7 if needed <= {entry["by_ms"] for entry in script} else None for script in scripts]

    document, _ = broken_run(FIRST_SWEEP.read_text(), "duplicated")
    faults = [
        {"action": "delay", "match": {"api": "Produce", "nth": 99}, "by_ms": number} for number in range(20)
    ]
    found = shrink(with_faults(document, faults), "duplicated", test)
    assert [entry["by_ms"] for entry in found.after] == [3, 11, 17] and found.step == 7


def test_a_run_that_breaks_nothing_is_refused(duplicated: tuple[dict[str, Any], int]) -> None:
    document = with_faults(duplicated[0], [])
    with pytest.raises(CannotShrink, match="not_broken"):
        shrink(document, "duplicated", trying_here(document, "duplicated"))


@pytest.mark.spark
def test_executors_find_what_is_found_here(
    spark: SparkSession, duplicated: tuple[dict[str, Any], int]
) -> None:
    document, _ = duplicated
    here = shrink(document, "duplicated", trying_here(document, "duplicated"))
    assert shrink(document, "duplicated", trying_on(spark, document, "duplicated")) == here
