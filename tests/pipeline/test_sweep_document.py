"""A sweep document is checked to its last path before Spark is started."""

from pathlib import Path

import pytest

from eosviz.pipeline.bad_sweep import BadSweep
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.opening import document_of_run
from eosviz.pipeline.sweep_document import parse_sweep
from eosviz.walkthroughs.messages import Problem

GOOD = (Path(__file__).parents[2] / "docs" / "examples" / "first-sweep.toml").read_text()


def test_cells_run_through_the_last_axis_fastest() -> None:
    sweep = parse_sweep(GOOD)
    assert sweep.cells[:2] == [{"idempotence": False, "retries": 0}, {"idempotence": False, "retries": 1}]
    assert (len(sweep.cells), sweep.runs) == (12, 1200)


def test_the_settings_of_a_run_are_paths_of_the_scenario() -> None:
    sweep = parse_sweep(GOOD)
    settings = sweep.settings(sweep.cells[-1], 99)
    assert settings["seed"] == 99
    assert settings["producers.p1.settings.retries"] == 10
    assert sweep.scenario_of(sweep.cells[-1], 99)["faults"][0]["match"]["rate"] == 0.3


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"SC-02"', '"SC-99"', "no such scenario"),
        ("seeds = 100", "seeds = 0", "seeds: 0"),
        ("seeds = 100", "seeds = true", "seeds: true"),
        ("seeds = 100", "seeds = 1000000", "12000000 runs"),
        ("seeds = 100", "sedes = 100", "sedes: unknown key"),
        ("seeds = 100", 'seeds = 100\nvariant = "none"', "no variant 'none'"),
        ('path = "producers.p1.settings.retries"', 'path = "producers.p9.settings.retries"', "no 'p9' here"),
        ('path = "producers.p1.settings.retries"', "path = 3", "axes.1.path: 3"),
        ("[0, 1, 2, 3, 5, 10]", "[1, 1]", "axes.1.values"),
        ("[0, 1, 2, 3, 5, 10]", "[]", "axes.1.values"),
        ("[0, 1, 2, 3, 5, 10]", "[[1]]", "axes.1.values"),
        ('name = "retries"', 'name = "idempotence"', "axes.1.name"),
        ('name = "retries"', 'name = "<b>"', "axes.1.name"),
        ("match.rate", "match.chance", "chance"),
        ('zh-Hans = "', 'zh = "', "title"),
    ],
)
def test_a_mistake_names_its_place_and_what_is_allowed(old: str, new: str, told: str) -> None:
    assert old in GOOD
    with pytest.raises(BadSweep) as caught:
        parse_sweep(GOOD.replace(old, new))
    assert told in str(caught.value) and "; allowed: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("written", "place"),
    [("seeds = 4", "scenario"), ('scenario = "GONE"', "GONE"), ("axes = 3 3", "document")],
)
def test_runs_of_a_sweep_that_another_release_wrote_are_refused_with_the_place(
    written: str, place: str
) -> None:
    with pytest.raises(Problem) as refused:
        document_of_run(Sweep(document=written), 0, 1)
    assert (refused.value.key, refused.value.params) == ("problem.sweep_unreadable", {"place": place})
