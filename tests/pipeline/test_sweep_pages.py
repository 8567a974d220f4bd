"""The pages of sweeps: building, starting, cancelling, resuming, heat maps, cells that open, files to download."""

import csv
import errno
import io
import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils.module_loading import import_string
from PIL import Image
from pyspark.sql import SparkSession

from engine.generations.generation import GENERATIONS
from engine.scenario.document import load
from engine.scenario.shelf import LibraryEntry, entry, library
from eosviz.pipeline import actions, runner, tasks
from eosviz.pipeline.apps import LOOK_SECONDS, take_what_waits
from eosviz.pipeline.build_views import samples
from eosviz.pipeline.management.commands.sweep import _lines
from eosviz.pipeline.models import Shrink, State, Sweep
from eosviz.pipeline.shrinking import breaks_at
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_figures import Mark, around, panels_of, quantile, read_look, together, wilson
from eosviz.pipeline.sweep_generations import generation_axis
from eosviz.pipeline.sweep_measures import JUDGED
from eosviz.pipeline.sweep_parameters import sections_of
from eosviz.pipeline.waiting import kinds
from eosviz.scenarios.actions import load_library
from eosviz.walkthroughs.models import Branch, Session
from tests.rotation import in_turn

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


FILLED = {
    "scenario": "SC-02",
    "producers.p1.settings.retries": "0, 3",
    "producers.p1.settings.acks": "all",
    "choices.0.name": "producer",
    "choices.0.path.0": "producers.p1.settings.enable_idempotence",
    "choices.0.path.1": "producers.p1.settings.transactional_id",
    "choices.0.0.name": "plain",
    "choices.0.0.value.0": "false",
    "choices.0.0.value.1": "",
    "choices.0.1.name": "exact",
    "choices.0.1.value.0": "true",
    "choices.0.1.value.1": "tx-1",
    "faults.0.name": "fault_1",
    "faults.0.kinds": ["drop", "delay"],
    "faults.0.places": ["Produce", "Produce answer"],
    "faults.0.rates": "0.1, 0.3",
    "faults.0.by_ms": "100",
    "faults.0.error": "",
    "faults.1.name": "late",
    "faults.1.kinds": "delay",
    "faults.1.places": "Fetch",
    "faults.1.rates": "0, 0.5",
    "faults.1.by_ms": "30",
    "faults.1.error": "",
    "seeds": "7",
}
"""Fields of the builder's form: a value, an axis, combined settings, two random faults."""


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list with an element for each start of the process for jobs; in its place, the tests run the jobs
    themselves.
    """
    asked: list[int] = []
    monkeypatch.setattr(tasks, "start_process", lambda: asked.append(1))
    return asked


@pytest.fixture(autouse=True)
def _library(db: None) -> None:
    load_library()


def name_of(entry: LibraryEntry) -> str:
    return entry.id


def row(cell: int, settings: dict[str, Any], runs: int = 10, **counted: Any) -> dict[str, Any]:
    """Return a row of the table as `rows_of` makes it."""
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


AXES: list[dict[str, Any]] = [
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


def there(mark: Mark | None) -> Mark:
    assert mark is not None
    return mark


class TestFigures:
    @pytest.mark.parametrize(
        ("hits", "runs", "low", "high"),
        # The values are from Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
    )
    def test_wilsons_interval(self, hits: int, runs: int, low: float, high: float) -> None:
        assert wilson(hits, runs) == pytest.approx((low, high), abs=5e-5)

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

    def test_a_mean_has_the_interval_of_its_variance(self) -> None:
        # Of 0, 0, 2, 2, the variance is 4/3, so half of the interval is 1.96 times the square root of a third.
        assert around(1.0, [[0, 2], [2, 2]]) == pytest.approx((0.0, 1 + 1.959964 / 3**0.5))
        assert around(3.0, [[3, 5]]) == (3.0, 3.0) and around(3.0, [[3, 1]]) == (None, None)
        rows = [row(0, {"a": 1}, 4, duplicates=4, distributions={"duplicates": [[0, 2], [2, 2]]})]
        look = read_look([{"name": "a", "path": "x", "values": [1]}], rows, QueryDict("measure=duplicates"))
        ((_, (mark,)),) = panels_of([{"name": "a", "path": "x", "values": [1]}], rows, look)[0].rows
        assert mark is not None and mark.high is not None
        assert mark.shown == 1.0 and mark.low == pytest.approx(0.0) and mark.high > 2

    def test_the_longest_axis_runs_across_and_the_rest_are_facets(self) -> None:
        look = read_look(AXES, grid(), QueryDict())
        assert (look.measure, look.across, look.down, look.facets) == ("duplicated", "c", "a", ("b",))
        first, second = panels_of(AXES, grid(), look)
        assert (first.names, second.names) == ((("b", "false"),), (("b", "true"),))
        assert first.columns == ["p", "q", "r"] and [name for name, _ in first.rows] == ["1", "2"]
        assert [[there(mark).hits for mark in marks] for _, marks in second.rows] == [[3, 4, 5], [9, 10, 11]]

    def test_values_are_filtered_and_taken_together(self) -> None:
        look = read_look(AXES, grid(), QueryDict("across=a&down=c&only.b=&only.c=%22q%22"))
        (panel,) = panels_of(AXES, grid(), look)
        assert [name for name, _ in panel.rows] == ["q"]
        marks = [there(mark) for mark in panel.rows[0][1]]
        assert [(mark.hits, mark.runs, mark.cell) for mark in marks] == [(1 + 4, 24, 4), (7 + 10, 24, 10)]
        look = read_look(AXES, grid(), QueryDict("measure=steps&across=a&down=c&only.b=&only.c=%22q%22"))
        ((_, found),) = panels_of(AXES, grid(), look)[0].rows
        first = there(found[0])
        # There are 1, 3, 4 and 6 steps in 4, 6, 4 and 6 runs: the tenth of the twenty values is a 3.
        assert (first.shown, first.low, first.high) == (3, 1, 6)

    def test_colours_are_of_one_scale_and_nothing_is_pale(self) -> None:
        rows = grid()
        rows[0]["refused"], rows[0]["rule"] = 12, "CFG-2"
        panels = panels_of(AXES, rows, read_look(AXES, rows, QueryDict()))
        marks = [there(mark) for panel in panels for _, row in panel.rows for mark in row]
        heats = {mark.cell: mark.heat for mark in marks}
        assert (heats[0], heats[1], heats[5], heats[10]) == (0, 1, 4, 8)
        refused = there(panels[0].rows[0][1][0])
        assert (refused.shown, refused.rule, refused.runs, refused.is_refused) == (None, "CFG-2", 0, True)

    def test_runs_without_a_value_are_not_called_refused_beside_refused_ones(self) -> None:
        rows = [
            row(0, {"a": 1, "b": False, "c": "p"}, refused=10, rule="CFG-2"),
            row(1, {"a": 1, "b": True, "c": "p"}),
            row(2, {"a": 2, "b": True, "c": "p"}, distributions={"steps": [[5, 10]]}),
        ]
        look = read_look(AXES, rows, QueryDict("measure=steps&across=a&down=c&only.b="))
        mark = panels_of(AXES, rows, look)[0].rows[0][1][0]
        assert mark is not None
        assert (mark.shown, mark.refused, mark.runs, mark.is_refused) == (None, 10, 10, False)

    @pytest.mark.parametrize(
        "query", ["across=nothing&down=c&measure=x", "only.a=9&only.z=1", "across=c&down=c"]
    )
    def test_an_address_that_names_nothing_known_shows_what_is_usual(self, query: str) -> None:
        assert read_look(AXES, grid(), QueryDict(query)).across == "c"
        assert panels_of(AXES, grid(), read_look(AXES, grid(), QueryDict(query)))


class TestBuilding:
    @pytest.mark.parametrize(
        "entry", in_turn(library(), 40, "engine", "eosviz/pipeline", name=name_of), ids=name_of
    )
    def test_every_scenario_has_parameters_that_exist(self, entry: Any) -> None:
        """Every parameter in the form can be set: a document in which each path has its own value is valid."""
        variants = [variant["name"] for variant in entry.document.get("variants", ())] or [None]
        scenario = load(entry.document, variants[0], source=entry.id)
        parameters = [one for section in sections_of(scenario) for one in section.parameters]
        settings = {one.path: one.now for one in parameters if one.now is not None}
        again = load(entry.document, variants[0], settings, source=entry.id)
        assert parameters and again["faults"] == scenario["faults"]

    @pytest.mark.parametrize("profile", ["k20", "k28", "k39", "k41"])
    def test_only_what_the_cluster_s_version_has_may_vary(self, profile: str) -> None:
        scenario = entry("SC-03").scenario(None, {"profile": profile})
        offered = {one.path: one.allowed for section in sections_of(scenario) for one in section.parameters}
        levels = offered.get("cluster.transaction_version")
        assert levels == ("0 … 2" if profile == "k41" else None)
        assert ("switches.zookeeper_version_check" in offered) == (profile in ("k20", "k28"))

    def test_an_idempotent_producer_has_the_settings_of_idempotence(self) -> None:
        offered = {
            one.path: one.shown
            for section in sections_of(entry("SC-04").scenario(None))
            for one in section.parameters
        }
        of_producer = {name: offered[f"producers.p1.settings.{name}"] for name in ("acks", "retries")}
        assert of_producer == {"acks": "all", "retries": "2147483647"}

    def test_a_filled_form_becomes_a_document(self, client: Client) -> None:
        page = client.post(reverse("pipeline:build"), {**FILLED, "write": "1"})
        text = page.context["document"]
        sweep = parse_sweep(text)
        assert page.status_code == 200 and sweep.runs == 2 * 2 * 2 * 2 * 2 * 2 * 7
        names = ["retries", "producer", "fault_1_kind", "fault_1_place", "fault_1_rate", "late_rate"]
        assert sorted(axis.name for axis in sweep.axes) == sorted(names)
        scenario = sweep.scenario_of(sweep.cells[-1], 3)
        settings_of = scenario["producers"][0]["settings"]
        assert (settings_of["acks"], settings_of["transactional_id"]) == ("all", "tx-1")
        assert [fault["action"] for fault in scenario["faults"][-2:]] == ["delay", "delay"]
        assert scenario["faults"][-2]["match"]["response"] is True and scenario["seed"] == 3
        # There is an empty line above every heading.
        assert re.findall(r"[^\n]\n\[", text) == []

    def test_form_and_document_say_the_same(self, client: Client) -> None:
        """A written document is read back as it was typed, and writing it again changes nothing."""
        text = client.post(reverse("pipeline:build"), {**FILLED, "write": "1"}).context["document"]
        read = client.post(reverse("pipeline:build"), {"read": "1", "document": text}).context
        assert read["filled"].values == {
            "producers.p1.settings.retries": "0, 3",
            "producers.p1.settings.acks": "all",
        }
        assert [choice.rows for choice in read["filled"].choices] == [
            [("plain", ["false", ""]), ("exact", ["true", "tx-1"])]
        ]
        assert [fault.name for fault in read["filled"].faults] == ["fault_1", "late"] and read["kept"] == []
        again = client.post(reverse("pipeline:build"), {**FILLED, "write": "1", "document": text})
        assert again.context["document"] == text

    def test_writing_leaves_comments_order_and_what_the_form_cannot_show(self, client: Client) -> None:
        (sample,) = (one for one in samples() if one["name"] == "what-keeps-order")
        page = client.get(reverse("pipeline:build"), {"sample": "what-keeps-order"})
        assert page.context["kept"] == ["set.applications.app-1.calls", "set.faults"]
        fields = {"scenario": "SC-29", "seeds": "40", "document": sample["text"]}
        fields |= page.context["filled"].values
        fields |= {"faults.0.name": "fault", "faults.0.kinds": ["inject_error", "drop"]}
        fields |= {"faults.0.places": "Produce", "faults.0.rates": "0.05, 0.2, 0.4"}
        fields |= {"faults.0.error": "NOT_ENOUGH_REPLICAS"}
        same = client.post(reverse("pipeline:build"), {**fields, "write": "1"})
        assert same.context["document"] == sample["text"]
        fields["producers.p1.settings.max_in_flight"] = "1, 5"
        changed = client.post(reverse("pipeline:build"), {**fields, "write": "1"}).context["document"]
        assert changed == sample["text"].replace("values = [1, 2, 3, 5]", "values = [1, 5]")
        del fields["producers.p1.settings.max_in_flight"]
        gone = client.post(reverse("pipeline:build"), {**fields, "write": "1"}).context["document"]
        assert "max_in_flight" not in gone and gone.startswith("# Requests are lost") and parse_sweep(gone)

    def test_what_was_changed_in_the_form_alone_is_not_started(self, client: Client) -> None:
        written = client.post(reverse("pipeline:build"), {**FILLED, "write": "1"}).context
        start = {"start": "1", "document": written["document"], "written": written["written"]}
        changed = {**FILLED, **start, "seeds": "8"}
        assert client.post(reverse("pipeline:build"), changed).status_code == 422
        assert client.post(reverse("pipeline:build"), {**FILLED, **start}).status_code == 302
        assert Sweep.objects.get().seeds == 7

    def test_fields_are_added(self, client: Client) -> None:
        page = {**FILLED, "more": "choices"}
        assert len(client.post(reverse("pipeline:build"), page).context["choices"]) == 2
        extended = client.post(reverse("pipeline:build"), {**FILLED, "more": "column.0"}).context["choices"][
            0
        ]
        assert len(extended["paths"]) == 3 and {len(cells) for _, _, cells in extended["rows"]} == {3}
        assert (
            len(client.post(reverse("pipeline:build"), {**FILLED, "more": "faults"}).context["faults"]) == 3
        )

    def test_all_mistakes_of_the_form_stand_at_their_fields(self, client: Client) -> None:
        wrong: dict[str, tuple[Any, str]] = {
            "producers.p1.settings.retries": ("often", "0 … 2147483647"),
            "faults.0.rates": ("much", "0 到 1 的数"),
            "faults.0.kinds": ([], "至少一种故障"),
            "faults.1.name": ("fault_1", "互不相同的名称"),
            "choices.0.path.1": ("p1.transactional_id", "某个配置项的路径"),
            "choices.0.1.value.0": ("perhaps", "true | false"),
            "seeds": ("-1", "一个整数"),
        }
        asked = {**FILLED, "write": "1", **{field: value for field, (value, _) in wrong.items()}}
        page = client.post(reverse("pipeline:build"), asked, headers={"accept-language": "zh-hans"})
        text = page.content.decode()
        assert page.status_code == 422 and set(page.context["mistakes"]) == set(wrong)
        for field, (_, sentence) in wrong.items():
            assert sentence in page.context["mistakes"][field]["sentence"]
            assert (
                f'id="wrong-{field}"' in text and f'id="at-{field}"' in text and f'href="#at-{field}"' in text
            )

    @pytest.mark.parametrize(
        ("field", "value", "sentence"),
        [
            ("producers.p1.settings.retries", "1, 1", "different plain values"),
            ("consumers.c1.isolation", "read_all", "read_uncommitted, read_committed"),
            ("faults.1.error", "NO_SUCH", "NOT_ENOUGH_REPLICAS"),
            ("seeds", "9999999", "a whole number from 1 to 1000000"),
        ],
    )
    def test_a_mistake_of_the_document_stands_at_its_field(
        self, client: Client, field: str, value: str, sentence: str
    ) -> None:
        asked = {**FILLED, "write": "1", field: value, "faults.1.kinds": "inject_error"}
        page = client.post(reverse("pipeline:build"), asked)
        assert page.status_code == 422 and sentence in page.context["mistakes"][field]["sentence"]

    def test_a_ready_document_is_pasted_without_a_scenario(self, client: Client, started: list[int]) -> None:
        page = client.get(reverse("pipeline:build"))
        assert not page.context["sections"] and 'name="document"' in page.content.decode()
        read = client.post(reverse("pipeline:build"), {"document": TINY, "read": "1", "scenario": ""})
        assert (read.context["chosen"], read.context["filled"].seeds) == ("SC-02", "6")
        client.post(reverse("pipeline:build"), {"document": TINY, "start": "1", "scenario": ""})
        assert Sweep.objects.count() == len(started) == 1

    def test_a_setting_that_no_scenario_has_starts_nothing(self, client: Client) -> None:
        wrong = TINY.replace("settings.retries", "settings.retrys")
        for language, near in (
            ("en", "Did you mean producers.p1.settings.retries?"),
            ("zh-hans", "是不是想写"),
        ):
            asked = {"start": "1", "document": wrong}
            page = client.post(reverse("pipeline:build"), asked, HTTP_ACCEPT_LANGUAGE=language)
            assert page.status_code == 422 and near in page.content.decode()
        assert not Sweep.objects.exists()

    def test_a_fault_offers_the_messages_of_its_scenario(self, client: Client) -> None:
        page = client.get(reverse("pipeline:build"), {"scenario": "SC-02"}).content.decode()
        assert "<option>Produce answer</option>" in page
        assert not any(f"<option>{name}" in page for name in ("ZooKeeperRead", "Prepare", "ReplicaFetch"))

    @pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample["name"])
    def test_every_sample_is_a_good_document_with_a_lesson(
        self, client: Client, sample: dict[str, Any]
    ) -> None:
        sweep = parse_sweep(sample["text"])
        assert set(sweep.lesson) == {"en", "zh-Hans"} and sweep.runs <= actions.PAGE_RUNS_MAX
        page = client.get(reverse("pipeline:build"), {"sample": sample["name"]}).content.decode()
        assert sample["lesson"]["en"][:40] in page


class TestCommand:
    def test_its_table_says_which_rule_refused_a_combination(self) -> None:
        axes = [{"name": "a", "path": "x", "values": [1, 2]}]
        swept = Sweep(axes=axes, table=[row(0, {"a": 1}), row(1, {"a": 2}, refused=10, rule="CFG-2")])
        head, first, second = (line.split() for line in _lines(swept))
        assert head[:4] == ["a", "runs", "refused", "rule"]
        assert (first[:4], second[:4]) == (["1", "10", "0", "-"], ["2", "10", "10", "CFG-2"])
        swept.table = swept.table[:1]
        assert "rule" not in _lines(swept)[0]


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

    def test_a_worker_that_starts_takes_what_was_asked_for_before_it(
        self, client: Client, started: list[int]
    ) -> None:
        client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        started.clear()
        called: list[float] = []
        consumer = SimpleNamespace(
            timer=SimpleNamespace(call_repeatedly=lambda seconds, ask: called.append(seconds))
        )
        take_what_waits(consumer)
        assert (called, len(started)) == ([LOOK_SECONDS], 1)
        client.post(reverse("pipeline:cancel", args=[Sweep.objects.get().id]))
        take_what_waits(consumer)
        assert len(started) == 1

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
        # A sweep whose process has ended does not count as waiting.
        lost = Sweep.objects.recent()[0]
        Sweep.objects.filter(id=lost.id).update(state=State.RUNNING, beat=datetime(2020, 1, 1, tzinfo=UTC))
        client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        assert Sweep.objects.count() == actions.WAITING_MAX + 1

    def test_the_csv_file_holds_its_texts_as_they_are_and_no_formula(self, client: Client) -> None:
        client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        sweep = Sweep.objects.get()
        sweep.axes = [{"name": name, "path": name, "values": []} for name in ("text", "number", "=1")]
        values: tuple[Any, ...] = ("没有", "=2", "")
        sweep.table = [row(at, {"text": one, "number": -1, "=1": None}) for at, one in enumerate(values)]
        sweep.save()
        text = client.get(reverse("pipeline:csv", args=[sweep.id])).content.decode()
        head, *lines = [line[:3] for line in csv.reader(io.StringIO(text))]
        assert head == ["text", "number", "'=1"]
        assert lines == [["没有", "-1", "null"], ["'=2", "-1", "null"], ["", "-1", "null"]]

    def test_its_files_are_counted_as_exports_and_its_page_is_not(
        self, client: Client, started: list[int], settings: Any
    ) -> None:
        settings.RATES = {**settings.RATES, "export.person": (1, 600)}
        client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        sweep = Sweep.objects.get()
        asked = [client.get(reverse(f"pipeline:{file}", args=[sweep.id])) for file in ("csv", "csv", "png")]
        assert [answer.status_code for answer in asked] == [200, 429, 429]
        assert 590 < int(asked[1]["Retry-After"]) <= 600
        assert client.get(reverse("pipeline:sweep", args=[sweep.id])).status_code == 200

    def test_another_engines_sweep_is_not_gone_on_with(self, client: Client) -> None:
        client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
        Sweep.objects.update(state=State.CANCELLED, engine="0")
        page = client.post(reverse("pipeline:resume", args=[Sweep.objects.get().id]))
        assert page.status_code == 409 and "engine 0" in page.content.decode()


class Lent:
    """The tests' Spark session, which the jobs cannot end."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    def stop(self) -> None:
        pass


@pytest.fixture
def done(client: Client, spark: SparkSession, transactional_db: None) -> Iterator[Sweep]:
    """A sweep that was started on the page and run by the process for jobs."""
    load_library()
    client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
    assert runner.run_jobs(0, lambda: Lent(spark)) == 1  # type: ignore[arg-type, return-value]
    yield Sweep.objects.get()


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_from_a_sweep_to_a_broken_step_to_fewer_faults(
    client: Client, spark: SparkSession, done: Sweep
) -> None:
    """The way of one person through the pages; `tests/e2e` does the same in a browser."""
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
    assert "Produce response" in page
    text = client.get(reverse("pipeline:shrink_toml", args=[job.id])).content.decode()
    from engine.scenario.document import parse

    assert breaks_at(parse(text), "duplicated") == job.step
    client.post(reverse("pipeline:shrink_open", args=[job.id]))
    newest = Branch.objects.order_by("id").last()
    assert Session.objects.count() == 2
    assert newest is not None and newest.newest == job.step

    text = client.get(reverse("pipeline:csv", args=[done.id])).content.decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["runs"] for line in lines] == ["6"] * 4 and lines[broken["cell"]]["runs_duplicated"] != "0"
    picture = Image.open(io.BytesIO(client.get(reverse("pipeline:png", args=[done.id])).content))
    assert picture.format == "PNG" and picture.width > 200
    assert Path(done.folder).is_dir()


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_a_job_whose_session_cannot_start_names_a_code_and_the_log_has_the_reason(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    def no_session() -> SparkSession:
        raise RuntimeError("no Java at /srv/java today")

    client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
    assert runner.run_jobs(0, no_session) == 1
    sweep = Sweep.objects.get()
    assert (sweep.state, sweep.error) == (State.FAILED, "no_spark")
    for language in ("en", "zh-hans"):
        page = client.get(
            reverse("pipeline:sweep", args=[sweep.id]), headers={"accept-language": language}
        ).content.decode()
        assert "/srv/java" not in page and str(django_settings.DATA_DIR) not in page
        assert f"{sweep.folder_in_data}</code>" in page
        assert sweep.report in page
    assert "Spark could not be started" in client.get(sweep.get_absolute_url()).content.decode()
    logged = next(one for one in caplog.records if sweep.report in one.getMessage())
    assert logged.exc_text is not None and "/srv/java" in logged.exc_text


@pytest.mark.django_db(transaction=True)
def test_no_further_job_is_taken_once_the_parent_process_has_ended(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_session() -> SparkSession:
        parents.append(1)  # the parent ends during the first job
        raise RuntimeError("no Java")

    parents = [7]
    monkeypatch.setattr(os, "getppid", lambda: parents[-1])
    for _ in range(2):
        client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
    assert runner.run_jobs(0, no_session) == 1
    assert sorted(Sweep.objects.values_list("state", flat=True)) == [State.FAILED, State.WAITING]


@pytest.mark.parametrize(
    ("error", "failure", "sentence"),
    [
        (KeyError("/srv/data"), "fault", "the server&#x27;s log has the reason"),
        (OSError(errno.ENOSPC, "full", "/srv/data"), "no_room", "could not store anything"),
        (KeyboardInterrupt(), "stopped", "The server was stopped"),
    ],
)
def test_no_page_of_a_job_shows_what_an_exception_says(
    client: Client, error: BaseException, failure: str, sentence: str
) -> None:
    client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
    sweep = Sweep.objects.get()
    shrink = Shrink.objects.create(
        owner=sweep.owner, scenario="SC-02", guarantee="duplicated", document={}, seed=0
    )
    for job in (sweep, shrink):
        with pytest.raises(type(error)), actions.beating(job):
            raise error
        assert (job.state, job.error) == (State.FAILED, failure)
        page = client.get(job.get_absolute_url()).content.decode()
        assert sentence in page and "/srv/data" not in page


def test_the_text_that_an_earlier_release_stored_is_not_shown(client: Client) -> None:
    client.post(reverse("pipeline:build"), {"start": "1", "document": TINY})
    Sweep.objects.update(state=State.FAILED, error="RuntimeError: /srv/data is gone")
    page = client.get(Sweep.objects.get().get_absolute_url()).content.decode()
    assert "The job failed" in page and "/srv/data" not in page


def test_every_kind_of_job_that_may_wait_can_be_run() -> None:
    assert {kind.__name__ for kind in kinds()} == {"Sweep", "Shrink", "Analysis"}
    assert all(callable(import_string(kind.runner)) for kind in kinds())


class TestGenerations:
    def test_the_generations_become_an_axis_that_can_be_started(self, client: Client) -> None:
        build = reverse("pipeline:build")
        page = client.get(build, {"scenario": "SC-61", "variant": "k28", "generations": ""})
        choice = page.context["filled"].choices[0]
        assert [name for name, _ in choice.rows] == list(GENERATIONS)
        fields = {"scenario": "SC-61", "variant": "k28", "seeds": "1", "choices.0.name": choice.name}
        fields |= {f"choices.0.path.{column}": path for column, path in enumerate(choice.paths)}
        for row, (name, cells) in enumerate(choice.rows):
            fields[f"choices.0.{row}.name"] = name
            fields |= {f"choices.0.{row}.value.{column}": cell for column, cell in enumerate(cells)}
        written = client.post(build, {**fields, "write": "1"})
        assert written.context["problems"] == []
        sweep = parse_sweep(written.context["document"])
        versions = [
            (scenario["profile"], scenario["producers"][0]["profile"])
            for scenario in (sweep.scenario_of(cell, 1) for cell in sweep.cells)
        ]
        assert versions == [("k20", None), ("k28", None), ("k39", None), ("k41", "k39"), ("k41", None)]
        assert b'value="generations"' not in written.content, "there is one already"

    def test_a_generation_that_cannot_run_the_scenario_is_left_out(self) -> None:
        scenario = load(entry("SC-89").document, "heartbeats-lost")
        assert [name for name, _ in generation_axis(scenario).rows] == ["k39", "k41-k39", "k41"]
