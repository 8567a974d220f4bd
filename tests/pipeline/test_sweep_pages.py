"""The pages of sweeps: building, starting, cancelling, resuming, heat maps, cells that open, files to take along."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from PIL import Image
from pyspark.sql import SparkSession

from engine.scenario import library, load
from eosviz.pipeline import actions, runner, tasks
from eosviz.pipeline.models import Shrink, State, Sweep
from eosviz.pipeline.shrinking import breaks_at
from eosviz.pipeline.sweep_document import parse_sweep
from eosviz.pipeline.sweep_figures import panels_of, quantile, read_look, together, wilson
from eosviz.pipeline.sweep_form import sections_of
from eosviz.pipeline.sweep_measures import JUDGED
from eosviz.pipeline.views import samples
from eosviz.scenarios.actions import load_library
from eosviz.walkthroughs.models import Branch, Session

pytestmark = pytest.mark.django_db

TINY = """
scenario = "SC-02"
seeds = 6

[set]
"faults.0.match.rate" = 0.6
"faults.0.match.times" = 1000000

[[axes]]
name = "idempotence"
path = "producers.p1.settings.enable_idempotence"
values = [false, true]

[[axes]]
name = "retries"
path = "producers.p1.settings.retries"
values = [0, 3]
"""


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often the process for jobs was asked for; the tests take its part themselves."""
    asked: list[int] = []
    monkeypatch.setattr(tasks, "start_process", lambda: asked.append(1))
    return asked


@pytest.fixture(autouse=True)
def _library(db: None) -> None:
    load_library()


def row(cell: int, settings: dict[str, Any], runs: int = 10, **counted: Any) -> dict[str, Any]:
    """A row of the table as `rows_of` makes it."""
    blank: dict[str, Any] = {
        "refused": 0,
        "rule": None,
        "unfinished": 0,
        "first_seed": 0,
        "distributions": {},
    }
    blank |= dict.fromkeys(("stored", "duplicates", "lost", "failed", "reordered"), 0)
    blank |= dict.fromkeys(("committed", "aborted", "open"), 0)
    blank |= {f"runs_{name}": 0 for name in (*JUDGED, "failed", "aborted")}
    blank |= {f"example_{name}": None for name in JUDGED}
    return {"cell": cell, "settings": json.dumps(settings), "runs": runs, **blank, **counted}


AXES = [
    {"name": "a", "path": "x", "values": [1, 2]},
    {"name": "b", "path": "y", "values": [False, True]},
    {"name": "c", "path": "z", "values": ["p", "q", "r"]},
]


def grid() -> list[dict[str, Any]]:
    cells = [(a, b, c) for a in (1, 2) for b in (False, True) for c in ("p", "q", "r")]
    return [
        row(
            at,
            {"a": a, "b": b, "c": c},
            12,
            runs_duplicated=at,
            distributions={"steps": [[at, 4], [at + 2, 6]]},
        )
        for at, (a, b, c) in enumerate(cells)
    ]


class TestFigures:
    @pytest.mark.parametrize(
        ("hits", "runs", "low", "high"),
        # The values of Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
    )
    def test_wilsons_interval(self, hits: int, runs: int, low: float, high: float) -> None:
        assert wilson(hits, runs) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))

    def test_distributions_add_up(self) -> None:
        assert together([[[1, 2], [5, 1]], [[5, 3], [9, 4]]]) == [[1, 2], [5, 4], [9, 4]]
        assert [quantile([[1, 2], [5, 4], [9, 4]], share) for share in (0.05, 0.5, 0.6, 0.61, 1)] == [
            1,
            5,
            5,
            9,
            9,
        ]
        assert quantile([], 0.5) is None

    def test_the_longest_axis_runs_across_and_the_rest_are_facets(self) -> None:
        look = read_look(AXES, grid(), QueryDict())
        assert (look.measure, look.across, look.down, look.facets) == ("duplicated", "c", "a", ("b",))
        first, second = panels_of(AXES, grid(), look)
        assert (first.names, second.names) == ((("b", "false"),), (("b", "true"),))
        assert first.columns == ["p", "q", "r"] and [name for name, _ in first.rows] == ["1", "2"]
        assert [[mark.hits for mark in marks] for _, marks in second.rows] == [[3, 4, 5], [9, 10, 11]]

    def test_values_are_filtered_and_taken_together(self) -> None:
        look = read_look(AXES, grid(), QueryDict("across=a&down=c&only.b=&only.c=%22q%22"))
        (panel,) = panels_of(AXES, grid(), look)
        assert [name for name, _ in panel.rows] == ["q"]
        marks = panel.rows[0][1]
        assert [(mark.hits, mark.runs, mark.cell) for mark in marks] == [(1 + 4, 24, 4), (7 + 10, 24, 10)]
        look = read_look(AXES, grid(), QueryDict("measure=steps&across=a&down=c&only.b=&only.c=%22q%22"))
        ((_, marks),) = panels_of(AXES, grid(), look)[0].rows
        # 1, 3, 4 and 6 steps with 4, 6, 4 and 6 runs: the tenth of twenty is a 3.
        assert (marks[0].shown, marks[0].low, marks[0].high) == (3, 1, 6)

    def test_colours_are_of_one_scale_and_nothing_is_pale(self) -> None:
        rows = grid()
        rows[0]["refused"], rows[0]["rule"] = 12, "CFG-2"
        panels = panels_of(AXES, rows, read_look(AXES, rows, QueryDict()))
        heats = {mark.cell: mark.heat for panel in panels for _, marks in panel.rows for mark in marks}
        assert (heats[0], heats[1], heats[5], heats[10]) == (0, 1, 4, 8)
        refused = panels[0].rows[0][1][0]
        assert (refused.shown, refused.rule, refused.runs) == (None, "CFG-2", 0)

    @pytest.mark.parametrize(
        "query", ["across=nothing&down=c&measure=x", "only.a=9&only.z=1", "across=c&down=c"]
    )
    def test_an_address_that_names_nothing_known_shows_what_is_usual(self, query: str) -> None:
        assert read_look(AXES, grid(), QueryDict(query)).across == "c"
        assert panels_of(AXES, grid(), read_look(AXES, grid(), QueryDict(query)))


class TestBuilding:
    @pytest.mark.parametrize("entry", library(), ids=lambda entry: entry.id)
    def test_every_scenario_has_parameters_that_exist(self, entry: Any) -> None:
        """What the form offers can be set: a document with each path at its own value is a good one."""
        variants = [variant["name"] for variant in entry.document.get("variants", ())] or [None]
        scenario = load(entry.document, variants[0], source=entry.id)
        parameters = [one for section in sections_of(scenario) for one in section.parameters]
        settings = {one.path: one.now for one in parameters if one.now is not None}
        again = load(entry.document, variants[0], settings, source=entry.id)
        assert parameters and again["faults"] == scenario["faults"]

    def test_a_filled_form_becomes_a_document(self, client: Client) -> None:
        asked = {
            "write": "1",
            "scenario": "SC-02",
            "producers.p1.settings.retries": "0, 3",
            "producers.p1.settings.enable_idempotence": "false,true",
            "producers.p1.settings.acks": "all",
            "kinds": ["drop", "delay"],
            "places": ["Produce", "Produce answer"],
            "rates": "0.1, 0.3",
            "seeds": "7",
        }
        page = client.post(reverse("pipeline:build"), asked)
        text = page.context["document"]
        sweep = parse_sweep(text)
        assert page.status_code == 200 and sweep.runs == 2 * 2 * 2 * 2 * 2 * 7
        names = ["retries", "enable_idempotence", "fault_kind", "fault_place", "fault_rate"]
        assert sorted(axis.name for axis in sweep.axes) == sorted(names)
        scenario = sweep.scenario_of(sweep.cells[-1], 3)
        assert scenario["producers"][0]["settings"]["acks"] == "all"
        assert scenario["faults"][-1]["match"]["response"] is True and scenario["seed"] == 3

    @pytest.mark.parametrize(
        ("field", "value", "told"),
        [
            ("producers.p1.settings.retries", "often", "producers.p1.settings.retries"),
            ("rates", "much", "rates"),
            ("seeds", "-1", "seeds"),
            ("producers.p1.settings.enable_idempotence", "yes", "true | false"),
        ],
    )
    def test_a_mistake_in_the_form_names_its_field(
        self, client: Client, field: str, value: str, told: str
    ) -> None:
        asked = {
            "write": "1",
            "scenario": "SC-02",
            "kinds": "drop",
            "places": "Produce",
            "rates": "0.1",
            field: value,
        }
        page = client.post(reverse("pipeline:build"), asked)
        assert page.status_code == 422 and told in page.content.decode()

    @pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample["name"])
    def test_every_sample_is_a_good_document_with_a_lesson(
        self, client: Client, sample: dict[str, Any]
    ) -> None:
        sweep = parse_sweep(sample["text"])
        assert set(sweep.lesson) == {"en", "zh-Hans"} and sweep.runs <= actions.PAGE_RUNS_MAX
        page = client.get(reverse("pipeline:build"), {"sample": sample["name"]}).content.decode()
        assert sample["lesson"]["en"][:40] in page


class TestJobs:
    def test_a_page_starts_cancels_resumes_and_deletes(self, client: Client, started: list[int]) -> None:
        page = client.post(reverse("pipeline:build"), {"start": "1", "document": TINY.replace("\n", "\r\n")})
        sweep = Sweep.objects.get()
        assert page["Location"] == reverse("pipeline:sweep", args=[sweep.id]) and len(started) == 1
        assert (sweep.state, sweep.runs) == (State.WAITING, 24)
        client.post(reverse("pipeline:cancel", args=[sweep.id]))
        sweep.refresh_from_db()
        assert sweep.state == State.CANCELLED and not actions.claim(sweep)
        client.post(reverse("pipeline:resume", args=[sweep.id]))
        sweep.refresh_from_db()
        assert sweep.state == State.WAITING and len(started) == 2
        assert client.post(reverse("pipeline:resume", args=[sweep.id])).status_code == 409
        assert client.post(reverse("pipeline:delete", args=[sweep.id])).status_code == 409
        client.post(reverse("pipeline:cancel", args=[sweep.id]))
        client.post(reverse("pipeline:delete", args=[sweep.id]))
        assert not Sweep.objects.exists()

    def test_a_bad_document_is_shown_again_with_its_mistake(self, client: Client) -> None:
        page = client.post(reverse("pipeline:build"), {"start": "1", "document": "scenario = 3"})
        assert (
            page.status_code == 422 and "scenario = 3" in page.content.decode() and not Sweep.objects.exists()
        )

    def test_a_browser_has_few_jobs_and_none_too_large(self, client: Client) -> None:
        large = TINY.replace("seeds = 6", "seeds = 100000")
        page = client.post(reverse("pipeline:build"), {"start": "1", "document": large})
        assert page.status_code == 422 and "400000" in page.content.decode()
        for _ in range(actions.WAITING_MAX):
            client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        page = client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        assert page.status_code == 422 and Sweep.objects.count() == actions.WAITING_MAX

    def test_another_engines_sweep_is_not_gone_on_with(self, client: Client) -> None:
        client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        Sweep.objects.update(state=State.CANCELLED, engine="0")
        page = client.post(reverse("pipeline:resume", args=[Sweep.objects.get().id]))
        assert page.status_code == 409 and "engine 0" in page.content.decode()


class Lent:
    """The tests' session, which does not end with the jobs."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    def stop(self) -> None:
        pass


@pytest.fixture
def done(client: Client, spark: SparkSession, transactional_db: None) -> Iterator[Sweep]:
    """A sweep that the page started and the jobs' process ran."""
    load_library()
    client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
    assert runner.run_jobs(0, lambda: Lent(spark)) == 1  # type: ignore[arg-type, return-value]
    yield Sweep.objects.get()


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_from_a_sweep_to_a_broken_step_to_fewer_faults(
    client: Client, spark: SparkSession, done: Sweep
) -> None:
    """The walk of somebody who wonders, page by page; `tests/e2e` does it in a browser."""
    assert (done.state, done.done, done.error) == (State.DONE, 24, "")
    page = client.get(reverse("pipeline:sweep", args=[done.id])).content.decode()
    cells = re.findall(r"/pipeline/sweeps/[^/]+/cells/(\d+)/", page)
    assert sorted(cells) == ["0", "1", "2", "3"] and "CFG-2" in page
    broken = next(row for row in done.table if row["runs_duplicated"])

    page = client.get(reverse("pipeline:cell", args=[done.id, broken["cell"]])).content.decode()
    assert "<rect" in page and f"step {broken['example_duplicated']['step']}" in page
    opened = client.post(
        reverse("pipeline:open", args=[done.id, broken["cell"]]), {"guarantee": "duplicated"}
    )
    branch = Branch.objects.get()
    assert opened["Location"].endswith(f"branch={branch.id}&step={broken['example_duplicated']['step']}")
    frame = client.get(
        f"/api/sessions/{branch.session_id}/branches/{branch.id}/steps",
        {"from": branch.newest, "to": branch.newest},
    )
    assert '"duplicated"' in frame.content.decode()

    client.post(reverse("pipeline:shrink_new", args=[done.id, broken["cell"]]), {"guarantee": "duplicated"})
    assert runner.run_jobs(0, lambda: Lent(spark)) == 1  # type: ignore[arg-type, return-value]
    job = Shrink.objects.get()
    assert (job.state, len(job.after)) == (State.DONE, 1) and len(job.before) >= 1
    page = client.get(reverse("pipeline:shrink", args=[job.id])).content.decode()
    assert "Produce answer" in page
    text = client.get(reverse("pipeline:shrink_toml", args=[job.id])).content.decode()
    from engine.scenario import parse

    assert breaks_at(parse(text), "duplicated") == job.step
    client.post(reverse("pipeline:shrink_open", args=[job.id]))
    assert Session.objects.count() == 2 and Branch.objects.order_by("id").last().newest == job.step

    text = client.get(reverse("pipeline:csv", args=[done.id])).content.decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["runs"] for line in lines] == ["6"] * 4 and lines[broken["cell"]]["runs_duplicated"] != "0"
    picture = Image.open(io.BytesIO(client.get(reverse("pipeline:png", args=[done.id])).content))
    assert picture.format == "PNG" and picture.width > 200
    assert Path(done.folder).is_dir()


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_a_job_whose_session_cannot_start_says_why(client: Client) -> None:
    def no_session() -> SparkSession:
        raise RuntimeError("no Java today")

    client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
    assert runner.run_jobs(0, no_session) == 1
    sweep = Sweep.objects.get()
    assert (sweep.state, sweep.error) == (State.FAILED, "no Java today")
    assert "no Java today" in client.get(reverse("pipeline:sweep", args=[sweep.id])).content.decode()
