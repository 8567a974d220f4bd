"""Sweeps: the engine on executors, chunks that are written once, and the table of the runs."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pyspark.sql import Row, SparkSession

from engine.judge.bench import DATABASE_GUARANTEES
from engine.scenario.document import load
from engine.simulation import Simulation
from eosviz.pipeline import actions, sweep_chunks, sweep_document, sweep_job
from eosviz.pipeline.facts import FACTS_SCHEMA
from eosviz.pipeline.models import State, Sweep
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_chunks import (
    NotShared,
    Stopped,
    _once,
    missing,
    read_runs,
    spans_done,
    write_chunks,
)
from eosviz.pipeline.sweep_document import SweepDocument
from eosviz.pipeline.sweep_measures import JUDGED
from eosviz.pipeline.sweep_runs import RUNS_SCHEMA, Player, runs_of, timed_batches
from eosviz.pipeline.sweep_table import DISTRIBUTION_SCHEMA, TABLE_SCHEMA, distributions, rows_of, table
from tests.setup.test_private import open_to_others

FIRST_SWEEP = Path(__file__).parents[2] / "docs" / "examples" / "first-sweep.toml"
SMALL = FIRST_SWEEP.read_text().replace("seeds = 100", "seeds = 4").replace("[0, 1, 2, 3, 5, 10]", "[0, 3]")
ROOT = Path(__file__).parents[2]
DRIVER = """
import sys
from pathlib import Path
from eosviz.pipeline.spark import start_session
from eosviz.pipeline.sweep_chunks import write_chunks
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_document import SweepDocument
text, folder = sys.argv[1].replace("seeds = 4", "seeds = 100"), Path(sys.argv[2])
write_chunks(start_session("local[1]", folder / "work"), parse_sweep(text), folder)
"""
"""A sweep in a process of its own, which the test kills."""
pytestmark = pytest.mark.spark


def runs_frame(spark: SparkSession, *rows: dict[str, Any]) -> Any:
    blank: dict[str, Any] = dict.fromkeys(RUNS_SCHEMA.fieldNames())
    blank |= {"steps": 10, "outcome": "complete", "settings": "{}"}
    made = [Row(**{name: (blank | row)[name] for name in blank}) for row in rows]
    return spark.createDataFrame(made, RUNS_SCHEMA)


@pytest.mark.parametrize(
    ("runs", "seconds", "following"),
    [(64, 1.0, 640), (64, 30.0, 64), (10, 10.0, 60), (1, 100.0, 1), (64, 0.0, sweep_chunks.CHUNK_RUNS_MAX)],
)
def test_the_next_chunk_fills_its_time_and_is_worth_starting(
    runs: int, seconds: float, following: int
) -> None:
    pace = sweep_chunks._Pace(10.0)
    pace.measure(runs, seconds)
    assert pace.next_size(left=1_000_000) == following


class TestTable:
    def test_runs_are_counted_beside_records(self, spark: SparkSession) -> None:
        runs = runs_frame(
            spark,
            {"run": 0, "cell": 0, "seed": 7, "duplicates": 3, "stored": 9, "broken_duplicated": 40},
            {
                "run": 1,
                "cell": 0,
                "seed": 6,
                "duplicates": 1,
                "stored": 3,
                "broken_duplicated": 50,
                "failed": 1,
            },
            {"run": 2, "cell": 0, "seed": 8, "stored": 3},
        )
        (row,) = rows_of(runs)
        assert (row["runs"], row["runs_duplicated"], row["duplicates"], row["stored"]) == (3, 2, 4, 15)
        assert (row["runs_lost"], row["lost"], row["runs_failed"], row["refused"]) == (0, 0, 1, 0)
        assert row["example_duplicated"] == {"seed": 6, "step": 50} and row["example_lost"] is None
        assert row["distributions"] == {
            "steps": [[10, 3]],
            "duplicates": [[1, 1], [3, 1]],
            "stored": [[3, 2], [9, 1]],
            "failed": [[1, 1]],
        }

    def test_refused_and_unfinished_runs_are_counted_separately(self, spark: SparkSession) -> None:
        refused = {"outcome": "refused", "rule": "CFG-2", "steps": None}
        runs = runs_frame(
            spark,
            {"run": 0, "cell": 1, "seed": 0, **refused},
            {"run": 1, "cell": 1, "seed": 1, **refused},
            {"run": 2, "cell": 0, "seed": 0, "outcome": "step_limit"},
        )
        first, second = rows_of(runs)
        assert (first["cell"], first["unfinished"], first["refused"]) == (0, 1, 0)
        assert (second["cell"], second["refused"], second["rule"], second["stored"]) == (1, 2, "CFG-2", 0)
        assert second["distributions"] == {}

    def test_distributions_keep_five_bits_of_a_value(self, spark: SparkSession) -> None:
        exact = [0, 1, 31, 32, 33, 34, 1000, 2**31 - 1]
        runs = runs_frame(
            spark, *({"run": at, "cell": 0, "seed": at, "steps": value} for at, value in enumerate(exact))
        )
        (row,) = rows_of(runs)
        kept = [[0, 1], [1, 1], [31, 1], [32, 2], [34, 1], [992, 1], [2**31 - 2**26, 1]]
        assert row["distributions"]["steps"] == kept

    def test_the_schemas_are_what_stands_beside_the_transforms(self, spark: SparkSession) -> None:
        runs = runs_frame(spark, {"run": 0, "cell": 0, "seed": 0})
        for made, declared in ((table(runs), TABLE_SCHEMA), (distributions(runs), DISTRIBUTION_SCHEMA)):
            assert [(field.name, field.dataType) for field in made.schema] == [
                (field.name, field.dataType) for field in declared
            ]


class TestRuns:
    def test_executors_give_what_the_engine_gives_here(self, spark: SparkSession) -> None:
        sweep = parse_sweep(SMALL)
        player = Player(sweep)
        expected = [player.play(run) for run in range(sweep.runs)]
        found = [row.asDict() for row in runs_of(spark, sweep, 0, sweep.runs - 1).orderBy("run").collect()]
        assert found == [{name: row.get(name) for name in RUNS_SCHEMA.fieldNames()} for row in expected]
        assert len({row["digest"] for row in found if row["outcome"] != "refused"}) > 4

    def test_the_seed_makes_the_difference_and_nothing_else_does(self) -> None:
        player, other = Player(parse_sweep(SMALL)), Player(parse_sweep(SMALL))
        assert [player.play(4 + at) for at in range(4)] == [other.play(4 + at) for at in range(4)]
        assert len({player.play(4 + at)["digest"] for at in range(4)}) > 1

    def test_a_row_says_what_a_recorded_run_shows(self) -> None:
        """The first broken step, at which a cell opens as a session, and the waiting times in virtual time."""
        sweep = parse_sweep(SMALL)
        row = next(
            row for row in (Player(sweep).play(run) for run in range(4, 8)) if row["broken_duplicated"]
        )
        document = sweep.scenario_of(sweep.cells[row["cell"]], row["seed"]).source
        simulation = Simulation(load(document))
        steps = []
        while (step := simulation.step()) is not None:
            steps.append(step)
        broken = next(step for step in steps if step.broken)
        assert broken.number == row["first_broken"] == row["broken_duplicated"]
        assert (len(steps), simulation.now) == (row["steps"], row["duration_ms"])
        assert 0 < row["reported_ms"] <= row["reported_ms_max"] <= row["duration_ms"]
        assert 0 < row["delivered_ms"] <= row["delivered_ms_max"]

    def test_rows_are_handed_on_by_time(self) -> None:
        class Slow:
            at = 0.0

            def play(self, run: int) -> dict[str, Any]:
                self.at += 0.2
                return {"run": run}

        slow = Slow()
        batches = [len(rows) for rows in timed_batches(slow, range(8), lambda: slow.at)]  # type: ignore[arg-type]
        assert batches == [3, 3, 2]

    def test_every_guarantee_of_the_strip_is_counted(self) -> None:
        counted = set()
        for named in ('scenario = "SC-88"\nvariant = "nobody-silent"', 'scenario = "SC-159"'):
            counted |= set(Simulation(load(parse_sweep(named).document)).judges.guarantees)
        assert counted == set(JUDGED)

    def test_each_order_of_a_dual_write_has_the_losses_that_it_does_not_survive(self) -> None:
        sample = Path(sweep_document.__file__).parent / "samples" / "what-a-dual-write-loses.toml"
        sweep = parse_sweep(sample.read_text(encoding="utf-8").replace("seeds = 20", "seeds = 4"))
        player, found = Player(sweep), dict[tuple[str, str], set[str]]()
        for run in range(sweep.runs):
            row = player.play(run)
            settings = json.loads(row["settings"])
            broken = {name for name in DATABASE_GUARANTEES if row[f"broken_{name}"] is not None}
            found.setdefault((settings["approach"], settings["lost_place"]), set()).update(broken)
        assert {place: broken for place, broken in found.items() if broken} == {
            ("row_then_record", "CommitRows answer"): {"record_missing"},
            ("row_then_record", "Produce"): {"record_missing"},
            ("record_then_row", "WriteRows"): {"row_missing"},
            ("record_then_row", "CommitRows"): {"row_missing"},
            ("record_before_commit", "CommitRows"): {"row_missing"},
        }

    def test_a_row_has_what_the_database_has(self) -> None:
        row = Player(parse_sweep('scenario = "SC-159"\nvariant = "row-first"')).play(0)
        assert (row["rows"], row["stored"]) == (2, 1)
        assert row["broken_record_missing"] == row["first_broken"] > 0
        assert row["broken_row_missing"] is None


class TestChunks:
    def test_runs_that_did_not_arrive_in_the_drivers_folder_are_not_counted(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """This happens on a cluster whose machines do not share the folder: every executor has written its runs, and
        reports it.
        """
        runs = tmp_path / "runs"
        with pytest.raises(
            NotShared, match=r"of 3 runs that were played 0 are in .* do not share this folder"
        ):
            _once(
                lambda: spark.createDataFrame([], RUNS_SCHEMA), runs / "first=0-last=2", threading.Event(), 3
            )
        assert not list(runs.iterdir())

    def test_what_has_no_chunk_is_missing(self) -> None:
        assert missing([], 10) == [(0, 9)]
        assert missing([(0, 3), (6, 7)], 10) == [(4, 5), (8, 9)]
        assert missing([(0, 9)], 10) == []

    def test_the_last_chunks_are_small_and_cover_what_is_left(self) -> None:
        pace = sweep_chunks._Pace(seconds=10)
        pace.measure(runs=500, seconds=2)
        sizes = [last - first + 1 for first, last in sweep_chunks._spans([(64, 10_063)], pace)]
        assert sizes[:2] == [2_500, 2_500] and sizes == sorted(sizes, reverse=True)
        assert max(sizes[-2:]) <= 250 and len(sizes) < 12
        gaps = [(64, 9_063), (20_000, 20_999)]
        assert [run for first, last in sweep_chunks._spans(gaps, pace) for run in range(first, last + 1)] == [
            *range(64, 9_064),
            *range(20_000, 21_000),
        ]

    def test_a_stopped_sweep_goes_on_where_it_was(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sweep_chunks, "FIRST_CHUNK_RUNS", 4)
        sweep = parse_sweep(SMALL)
        stop = threading.Event()

        def stop_early(done: int) -> None:
            if done:
                stop.set()

        with pytest.raises(Stopped):
            write_chunks(spark, sweep, tmp_path, stop_early, stop)
        (tmp_path / "runs" / ".first=000000004-last=000000007.killed.part").mkdir()
        before = spans_done(tmp_path)
        assert before and sum(last - first + 1 for first, last in before) < sweep.runs
        reported: list[int] = []
        write_chunks(spark, sweep, tmp_path, reported.append)
        assert (
            reported[0] >= 4
            and reported[-1] == sweep.runs
            and missing(spans_done(tmp_path), sweep.runs) == []
        )
        assert set(before) <= set(spans_done(tmp_path))
        assert sorted(row.run for row in read_runs(spark, tmp_path).collect()) == list(range(sweep.runs))
        assert not list((tmp_path / "runs").glob(".*"))

    def test_facts_stand_beside_their_runs(self, spark: SparkSession, tmp_path: Path) -> None:
        sweep = parse_sweep(SMALL.replace("seeds = 4", "seeds = 1"))
        left_over = tmp_path / "facts" / "first=000000000-last=000000063"
        left_over.mkdir(parents=True)
        (left_over / "part-0.parquet").write_bytes(b"of a killed driver")
        write_chunks(spark, sweep, tmp_path, facts=True)
        facts = spark.read.schema(FACTS_SCHEMA).parquet(*map(str, (tmp_path / "facts").glob("first=*")))
        facts_stored = facts.where("kind = 'append' AND leading").selectExpr(
            "session", "size(serials) AS records"
        )
        stored = {
            row["session"]: row["sum(records)"]
            for row in facts_stored.groupBy("session").sum("records").collect()
        }
        runs = read_runs(spark, tmp_path).where("outcome != 'refused'").collect()
        assert stored == {f"run-{row.run}": row.stored for row in runs} and len(runs) == 3
        assert open_to_others(tmp_path / "runs") == [], "Hadoop has a umask of its own"

    @pytest.mark.slow
    def test_a_killed_driver_goes_on_and_counts_nothing_twice(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        sweep = parse_sweep(SMALL.replace("seeds = 4", "seeds = 100"))
        driver = subprocess.Popen([sys.executable, "-c", DRIVER, SMALL, str(tmp_path)], cwd=ROOT)
        try:
            while not spans_done(tmp_path):
                assert driver.poll() is None, "ended before its first chunk"
                time.sleep(0.02)
        finally:
            driver.kill()
            driver.wait()
        before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/first=*/*.parquet")}
        assert 0 < sum(last - first + 1 for first, last in spans_done(tmp_path)) < sweep.runs
        write_chunks(spark, sweep, tmp_path)
        assert before == {path: path.stat().st_mtime_ns for path in before}
        runs = read_runs(spark, tmp_path)
        assert sorted(row.run for row in runs.select("run").collect()) == list(range(sweep.runs))
        player = Player(sweep)
        for row in runs.where("run % 97 = 3").collect():
            assert row.digest == player.play(row.run).get("digest")

    def test_a_killed_executor_changes_nothing(self, spark: SparkSession, tmp_path: Path) -> None:
        sweep = parse_sweep(SMALL.replace("seeds = 4", "seeds = 60"))
        whole, hurt = tmp_path / "whole", tmp_path / "hurt"
        write_chunks(spark, sweep, whole)
        killed: list[int] = []
        ended = threading.Event()

        def kill_one() -> None:
            while not ended.is_set() and not killed:
                for worker in python_workers(spark):
                    if processor_ticks(worker) > 5:
                        os.kill(worker, signal.SIGKILL)
                        killed.append(worker)
                        return
                time.sleep(0.02)

        killer = threading.Thread(target=kill_one)
        killer.start()
        try:
            write_chunks(spark, sweep, hurt)
        finally:
            ended.set()
            killer.join()
        assert killed
        ordered = [sorted(read_runs(spark, folder).collect()) for folder in (whole, hurt)]
        assert ordered[0] == ordered[1] and len(ordered[0]) == sweep.runs


def python_workers(spark: SparkSession) -> list[int]:
    """Return the processes in which this session's executor runs Python: children of its own daemon."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    java = gateway.proc.pid
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
    daemons = {pid for pid, parent in parents.items() if parent == java}
    return [pid for pid, parent in parents.items() if parent in daemons]


def processor_ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


@pytest.mark.django_db(transaction=True)
class TestFirstSweep:
    def test_retries_duplicate_without_idempotence_and_never_with_it(
        self, spark: SparkSession, tmp_path: Path, client: Client
    ) -> None:
        text = FIRST_SWEEP.read_text().replace("seeds = 100", "seeds = 20")
        sweep = actions.add_sweep(parse_sweep(text), text, tmp_path)
        assert actions.claim(sweep) and not actions.claim(sweep)
        sweep_job.run_sweep(spark, sweep)
        assert (sweep.state, sweep.done) == (State.DONE, 240)
        rows = {tuple(json.loads(row["settings"]).values()): row for row in sweep.table}
        assert len(rows) == 12 and {row["runs"] for row in rows.values()} == {20}
        assert rows[True, 0]["refused"] == 20 and rows[True, 0]["rule"] == "CFG-2"
        for retries in (1, 2, 3, 5, 10):
            without, with_it = rows[False, retries], rows[True, retries]
            assert (with_it["lost"], with_it["reordered"]) == (0, 0)
            assert with_it["runs_duplicated"] == 0
            assert without["duplicates"] > 0 and without["runs_duplicated"] > 7
        assert rows[False, 0]["duplicates"] == 0
        assert rows[False, 1]["duplicates"] < rows[False, 3]["duplicates"]
        # A response is lost with its connection, and so is a request on the wire: without a retry, its record is
        # missing.
        missing = {key: row["lost"] + row["failed"] for key, row in rows.items() if key != (False, 0)}
        assert set(missing.values()) == {0} and rows[False, 0]["failed"] > 0

        rows_stored = [
            row.asDict(recursive=True) for row in spark.read.parquet(f"{sweep.folder}/table").collect()
        ]
        assert rows_stored == [{name: row[name] for name in TABLE_SCHEMA.fieldNames()} for row in sweep.table]

        stored = read_runs(spark, Path(sweep.folder))
        assert stored.schema.fieldNames() == RUNS_SCHEMA.fieldNames()
        assert stored.select("run").distinct().count() == 240
        repeated = stored.where("duplicates > 0").select("settings", "seed").distinct().collect()
        assert repeated and not any('"idempotence": true' in row.settings for row in repeated)
        assert sweep.title["en"] in client.get(reverse("pipeline:index")).content.decode()
        page = client.get(reverse("pipeline:sweep", args=[sweep.id]) + "?measure=duplicated").content.decode()
        assert f"{rows[False, 10]['runs_duplicated']}/20<" in page

    def test_a_job_that_fails_says_why_and_can_go_on(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(runs: object) -> None:
            raise RuntimeError("no table today")

        sweep = actions.add_sweep(parse_sweep(SMALL), SMALL, tmp_path)
        assert actions.claim(sweep)
        with monkeypatch.context() as patched, pytest.raises(RuntimeError):
            patched.setattr(sweep_job, "rows_of", broken)
            sweep_job.run_sweep(spark, sweep)
        assert (sweep.state, sweep.error, sweep.table) == (State.FAILED, "fault", [])
        written = {path: path.stat().st_mtime_ns for path in Path(sweep.folder).glob("runs/*/*.parquet")}
        actions.resume(sweep)
        sweep.refresh_from_db()
        assert sweep.state == State.WAITING and actions.claim(sweep)
        sweep_job.run_sweep(spark, sweep)
        assert sweep.state == State.DONE and sum(row["runs"] for row in sweep.table) == 16
        assert written == {path: path.stat().st_mtime_ns for path in written}

    def test_a_cancelled_sweep_tells_as_many_runs_as_it_has(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A chunk may end after a request to stop: it is stored, although no page has shown it."""

        def stopped(spark: SparkSession, document: SweepDocument, folder: Path, *_: object) -> None:
            chunk = folder / "runs" / "first=000000000-last=000000007"
            runs_of(spark, document, 0, 7).write.parquet(str(chunk))
            raise Stopped

        monkeypatch.setattr(sweep_job, "write_chunks", stopped)
        sweep = actions.add_sweep(parse_sweep(SMALL), SMALL, tmp_path)
        assert actions.claim(sweep)
        sweep_job.run_sweep(spark, sweep)
        assert (sweep.state, sweep.done, sweep.table_runs) == (State.CANCELLED, 8, 8)
        assert sum(row["runs"] for row in sweep.table) == 8

    def test_nothing_stays_of_a_sweep_that_is_deleted_while_it_runs(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sweep = actions.add_sweep(parse_sweep(SMALL), SMALL, tmp_path)

        def deleted(spark: SparkSession, document: SweepDocument, folder: Path, *_: object) -> None:
            actions.forget_sweep(Sweep.objects.get(id=sweep.id))
            chunk = folder / "runs" / "first=000000000-last=000000007"
            runs_of(spark, document, 0, 7).write.parquet(str(chunk))
            raise Stopped

        monkeypatch.setattr(sweep_job, "write_chunks", deleted)
        assert actions.claim(sweep)
        sweep_job.run_sweep(spark, sweep)
        assert not Path(sweep.folder).exists() and not Sweep.objects.exists()

    def test_an_empty_page_says_how_to_start(self, client: Client) -> None:
        assert "manage.py sweep" in client.get(reverse("pipeline:index")).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", "scenario = 3", "scenario = [", 'scenario = "SC-02"\nnew = 1'])
def test_the_command_refuses_a_bad_document_before_spark_starts(text: str, tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(text)
    with pytest.raises(CommandError, match="instead: "):
        call_command("sweep", str(file))


@pytest.mark.django_db
def test_the_command_says_where_a_document_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"first-sweep\.toml"):
        call_command("sweep", str(tmp_path / "nothing.toml"))
