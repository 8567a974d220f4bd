"""The first sweep: the engine on executors, the table of its runs, the files and the page."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pyspark.sql import Row, SparkSession

from engine.scenario import load
from engine.simulation import Simulation
from eosviz.pipeline import actions
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.sweep_document import parse_sweep
from eosviz.pipeline.sweep_runs import COUNTS, RUNS_SCHEMA, run_once, run_sweep
from eosviz.pipeline.sweep_table import TABLE_SCHEMA, table

FIRST_SWEEP = Path(__file__).parents[2] / "docs" / "examples" / "first-sweep.toml"
SMALL = FIRST_SWEEP.read_text().replace("seeds = 100", "seeds = 4").replace("[0, 1, 2, 3, 5, 10]", "[0, 3]")
pytestmark = pytest.mark.spark


def runs_frame(spark: SparkSession, *rows: dict[str, Any]) -> Any:
    blank = {"rule": None, "steps": 10, "outcome": "complete", "partition": "t-0", "settings": "{}"}
    blank |= dict.fromkeys(COUNTS, 0)
    made = [Row(**{name: (blank | row)[name] for name in RUNS_SCHEMA.fieldNames()}) for row in rows]
    return spark.createDataFrame(made, RUNS_SCHEMA)


def new_epoch_before_duplicate(settings: dict[str, Any], seed: int) -> bool:
    """Whether the producer had renumbered what was in flight: a copy under new numbers is no repeat for a
    broker (SC-08 tells why). It is the one way to a duplicate that idempotence leaves open in 2.8.
    """
    sweep = parse_sweep(FIRST_SWEEP.read_text())
    simulation = Simulation(load(sweep.document, sweep.variant, sweep.settings(settings, seed)))
    renumbered = False
    while (step := simulation.step()) is not None:
        renumbered = renumbered or step.key == "client.epoch_bumped"
        if any(broken["guarantee"] == "duplicated" for broken in step.broken):
            return renumbered
    raise AssertionError(f"{settings}, seed {seed}: here nothing is stored twice")


class TestTable:
    def test_runs_are_counted_once_and_records_over_all_partitions(self, spark: SparkSession) -> None:
        runs = runs_frame(
            spark,
            {"run": 0, "cell": 0, "seed": 0, "duplicates": 2, "stored": 5},
            {"run": 0, "cell": 0, "seed": 0, "partition": "t-1", "duplicates": 1, "stored": 4},
            {"run": 1, "cell": 0, "seed": 1, "lost": 1, "stored": 3},
        )
        (row,) = [row.asDict() for row in table(runs).collect()]
        assert (row["runs"], row["runs_duplicates"], row["duplicates"], row["stored"]) == (2, 1, 3, 12)
        assert (row["runs_lost"], row["lost"], row["runs_failed"], row["refused"]) == (1, 1, 0, 0)

    def test_refused_and_unfinished_runs_stand_apart(self, spark: SparkSession) -> None:
        nothing = dict.fromkeys(COUNTS)
        refused = {"outcome": "refused", "rule": "CFG-2", "partition": None, **nothing}
        runs = runs_frame(
            spark,
            {"run": 0, "cell": 1, "seed": 0, **refused},
            {"run": 1, "cell": 1, "seed": 1, **refused},
            {"run": 2, "cell": 0, "seed": 0, "outcome": "step_limit"},
        )
        first, second = (row.asDict() for row in table(runs).collect())
        assert (first["cell"], first["unfinished"], first["refused"]) == (0, 1, 0)
        assert (second["cell"], second["refused"], second["rule"], second["stored"]) == (1, 2, "CFG-2", 0)

    def test_the_schema_is_what_stands_beside_the_transform(self, spark: SparkSession) -> None:
        made = table(runs_frame(spark, {"run": 0, "cell": 0, "seed": 0})).schema
        assert [(field.name, field.dataType) for field in made] == [
            (field.name, field.dataType) for field in TABLE_SCHEMA
        ]


class TestRuns:
    def test_executors_give_what_the_engine_gives_here(self, spark: SparkSession) -> None:
        sweep = parse_sweep(SMALL)
        expected = [
            row
            for run in range(sweep.runs)
            for cell, seed in [divmod(run, sweep.seeds)]
            for row in run_once(sweep, run, cell, sweep.cells[cell], seed)
        ]
        found = [row.asDict() for row in run_sweep(spark, sweep).orderBy("run", "partition").collect()]
        assert found == [{name: row.get(name) for name in RUNS_SCHEMA.fieldNames()} for row in expected]

    def test_the_seed_makes_the_difference_and_nothing_else_does(self) -> None:
        sweep = parse_sweep(SMALL)
        cell = {"idempotence": False, "retries": 3}

        def duplicates(seed: int) -> int:
            return sum(row["duplicates"] for row in run_once(sweep, 0, 0, cell, seed))

        assert [duplicates(seed) for seed in range(10)] == [duplicates(seed) for seed in range(10)]
        assert len({duplicates(seed) for seed in range(10)}) > 1


@pytest.mark.django_db
class TestFirstSweep:
    def test_retries_duplicate_without_idempotence_and_with_it_only_after_a_new_epoch(
        self, spark: SparkSession, tmp_path: Path, client: Client
    ) -> None:
        text = FIRST_SWEEP.read_text()
        sweep = actions.sweep(spark, parse_sweep(text), text, tmp_path)
        rows = {tuple(json.loads(row["settings"]).values()): row for row in sweep.table}
        assert len(rows) == 12 and {row["runs"] for row in rows.values()} == {100}
        assert rows[True, 0]["refused"] == 100 and rows[True, 0]["rule"] == "CFG-2"
        for retries in (1, 2, 3, 5, 10):
            without, with_it = rows[False, retries], rows[True, retries]
            assert (with_it["lost"], with_it["reordered"]) == (0, 0)
            assert with_it["runs_duplicates"] < 10
            assert without["duplicates"] > 0 and without["runs_duplicates"] > 50
        assert rows[False, 0]["duplicates"] == 0
        assert rows[False, 1]["duplicates"] < rows[False, 3]["duplicates"]
        # Only answers are lost, so whatever was sent is stored, whatever its producer was told.
        assert {row["lost"] + row["failed"] for row in rows.values()} == {0}

        stored = spark.read.parquet(f"{sweep.folder}/runs")
        assert stored.schema.fieldNames() == RUNS_SCHEMA.fieldNames()
        assert stored.select("run").distinct().count() == 1200
        repeated = stored.where("duplicates > 0").select("settings", "seed").distinct().collect()
        with_it = [
            (json.loads(row.settings), row.seed) for row in repeated if '"idempotence": true' in row.settings
        ]
        assert len(with_it) == sum(row["runs_duplicates"] for key, row in rows.items() if key[0])
        assert all(new_epoch_before_duplicate(settings, seed) for settings, seed in with_it)
        page = client.get(reverse("pipeline:index")).content.decode()
        assert str(rows[False, 10]["duplicates"]) in page and sweep.title["en"] in page
        assert client.get(reverse("pipeline:sweep", args=[sweep.id])).status_code == 200

    def test_a_job_that_fails_leaves_nothing(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(runs: object) -> None:
            raise RuntimeError("no table today")

        monkeypatch.setattr(actions, "table", broken)
        with pytest.raises(RuntimeError, match="no table today"):
            actions.sweep(spark, parse_sweep(SMALL), SMALL, tmp_path)
        assert not list(tmp_path.iterdir())
        assert not Sweep.objects.exists()

    def test_an_empty_page_says_how_to_start(self, client: Client) -> None:
        assert "manage.py sweep" in client.get(reverse("pipeline:index")).content.decode()


@pytest.mark.parametrize("text", ["", "scenario = 3", "scenario = [", 'scenario = "SC-02"\nnew = 1'])
def test_the_command_refuses_a_bad_document_before_spark_starts(text: str, tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(text)
    with pytest.raises(CommandError, match="allowed: "):
        call_command("sweep", str(file))


def test_the_command_says_where_a_document_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"first-sweep\.toml"):
        call_command("sweep", str(tmp_path / "nothing.toml"))
