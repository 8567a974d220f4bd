"""A sweep document is checked completely before Spark is started."""

from pathlib import Path

import pytest

from eosviz.pipeline.bad_sweep import BadSweep
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.opening import document_of_run
from eosviz.pipeline.sweep_checks import BUILT_MAX, parse_sweep
from eosviz.pipeline.sweep_document import read_sweep
from eosviz.pipeline.sweep_form import of_document
from eosviz.pipeline.sweep_places import places_of
from eosviz.refusals import Problem

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
    ("old", "new", "sentence"),
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
def test_a_mistake_names_its_place_and_what_is_allowed(old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    with pytest.raises(BadSweep) as caught:
        parse_sweep(GOOD.replace(old, new))
    assert sentence in str(caught.value) and "; instead: " in str(caught.value)
    assert "\n" not in str(caught.value)


FAULT = """
[[faults]]
kinds = ["drop"]
places = ["Produce"]
rates = [0.1]
"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("settings.retries", "settings.retrys", "nearest: producers.p1.settings.retries;"),
        ("producers.p1.settings.retries", "producers.p9.settings.retries", "nearest: producers.p1.settings."),
        ("producers.p1.settings.retries", "cluster.latency", "nearest: cluster.latency_ms;"),
        ("producers.p1.settings.retries", "cluster.broker.loading", "nearest: cluster.broker.loading_ms;"),
        ("producers.p1.settings.retries", "switches.epoch_chek", "nearest: switches.epoch_check;"),
        ("producers.p1.settings.retries", "consumers.c7.isolation", "nearest: consumers.c2.isolation;"),
        ("[0, 1, 2, 3, 5, 10]", '["x"]', "producers.p1.settings.retries: 'x'"),
        ("[0, 1, 2, 3, 5, 10]", "[0, 1.5]", "producers.p1.settings.retries: 1.5"),
        ("[0, 1, 2, 3, 5, 10]", "[0, -1]", "producers.p1.settings.retries: -1"),
        ("[0, 1, 2, 3, 5, 10]", "[0, 9999999999]", "producers.p1.settings.retries: 9999999999"),
        ("[set]", '[set]\n"producers.p1.settings.ack" = 1', "nearest: producers.p1.settings.acks;"),
        ("seeds = 100", "sedes = 100", "nearest: seeds;"),
        ('"SC-02"', '"SC-020"', "nearest: SC-20;"),
        ('"SC-02"', '"SC-19"\nvariant = "k20-nod"', "nearest: k20-node;"),
        ('["drop"]', '["dorp"]', 'faults.0.kinds: "dorp"; nearest: drop;'),
        ('["Produce"]', '["Produse answer"]', "nearest: Produce answer;"),
        ('["Produce"]', '["Zzz answer"]', 'faults.0.places: "Zzz answer"; instead: a message'),
        ('["Produce"]', '["Prepare"]', 'faults.0.places: "Prepare"; instead: Metadata, '),
        ("[0.1]", "[2.5]", "faults.0.rates: 2.5; instead: a number from 0 to 1"),
        ('["drop"]', '["delay"]', "faults.0.by_ms: missing"),
        ('["drop"]', '["delay"]\nby_ms = "x"', "faults.0.by_ms: 'x'"),
        ('["drop"]', '["inject_error"]\nerror = "NOPE"', "faults.0.error: 'NOPE'"),
        ('["drop"]', '["drop"]\nby = 1', "faults.0.by: unknown key"),
        ('["drop"]', '["drop"]\nmatch = { chance = 1 }', "faults.0.match.chance"),
        ('["drop"]', '["drop"]\nmatch = { from = "p9" }', 'faults.0.match.from: "p9"; instead: p1, broker-1'),
        ('["drop"]', '["drop"]\nmatch = { to = "brokr-1" }', "nearest: broker-1;"),
        ('["drop"]', '["drop"]\nmatch = { partition = "t-7" }', "faults.0.match.partition"),
    ],
)
def test_what_no_scenario_has_is_refused_before_anything_runs(old: str, new: str, sentence: str) -> None:
    text = GOOD + FAULT
    assert parse_sweep(text).cells
    with pytest.raises(BadSweep) as caught:
        parse_sweep(text.replace(old, new, 1))
    assert sentence in str(caught.value)


def test_the_form_leaves_out_what_is_no_word() -> None:
    text = (
        'scenario = "SC-29"\n[[faults]]\nplaces = ["Produce", ["x"], { a = 1 }]\nkinds = [[1], 3, "drop"]\n'
    )
    [fault] = of_document(text, []).faults
    assert (fault.places, fault.kinds) == (["Produce"], ["drop"])


def test_a_combination_that_kafka_refuses_is_a_result_and_no_mistake() -> None:
    sweep = parse_sweep(GOOD.replace("[0, 1, 2, 3, 5, 10]", "[0, 1]"))
    assert {"idempotence": True, "retries": 0} in sweep.cells


def test_of_a_large_grid_every_value_is_tried() -> None:
    values = ", ".join(str(number) for number in range(49))
    large = GOOD.replace("[0, 1, 2, 3, 5, 10]", f"[{values}, -5]")
    large += '[[axes]]\nname = "far"\npath = "cluster.latency_ms"\nvalues = [1, 2, 3, 4]\n'
    assert len(read_sweep(large).cells) > BUILT_MAX
    with pytest.raises(BadSweep, match=r"producers\.p1\.settings\.retries: -5"):
        parse_sweep(large)


@pytest.mark.parametrize(
    ("scenario", "there", "not_there"),
    [
        ("SC-02", ["Produce", "Produce answer", "Fetch"], ["ZooKeeperRead", "Prepare", "EndTxn"]),
        ("SC-44", ["EndTxn", "WriteTxnMarkers answer"], ["ZooKeeperRead", "Prepare"]),
        ("SC-20", ["ZooKeeperRead", "ZooKeeperReply answer"], ["Prepare", "Fetch"]),
        ("SC-81", ["Prepare", "CheckReply"], ["Produce", "Metadata", "ZooKeeperRead", "Prepare answer"]),
    ],
)
def test_a_scenario_offers_its_own_messages(scenario: str, there: list[str], not_there: list[str]) -> None:
    places = places_of(scenario, None)
    assert set(there) <= set(places)
    assert not set(not_there) & set(places)


@pytest.mark.parametrize(
    ("written", "place"),
    [("seeds = 4", "scenario"), ('scenario = "GONE"', "GONE"), ("axes = 3 3", "document:1")],
)
def test_runs_of_a_sweep_that_another_release_wrote_are_refused_with_the_place(
    written: str, place: str
) -> None:
    with pytest.raises(Problem) as refused:
        document_of_run(Sweep(document=written), 0, 1)
    assert (refused.value.key, refused.value.params) == ("problem.sweep_unreadable", {"place": place})
