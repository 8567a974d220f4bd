"""Audits: the engine's judges and the rules of the audit come to the same verdicts, and a changed fact is found."""

import gzip
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.errors import Refused
from engine.judge.bench import DATABASE_GUARANTEES
from engine.scenario.document import Scenario
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from eosviz.pipeline import command_session, sweep_document
from eosviz.pipeline.audit import RULES, Outcome, Rule, audit
from eosviz.pipeline.audit_sources import (
    ENDING,
    DamagedReplay,
    NothingToAudit,
    facts_of,
    facts_of_replay,
)
from eosviz.pipeline.facts import ARROW_SCHEMA, FACTS_SCHEMA, FactReader
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_facts import facts_of as swept
from eosviz.replays import format
from eosviz.replays.management.commands import audit as audit_command
from eosviz.replays.parquet_steps import parquet_file
from eosviz.replays.reading import read
from eosviz.replays.writing import write
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.actions import create_session
from eosviz.walkthroughs.models import Branch
from eosviz.walkthroughs.simulations import scenario_of, simulate
from eosviz.walkthroughs.walking import Goal, next_steps, store_steps
from tests.rotation import part

pytestmark = pytest.mark.spark

SAMPLES = Path(sweep_document.__file__).with_name("samples")

Change = dict[str, Any]
Step = dict[str, Any]


def scenario(name: str) -> Scenario:
    identifier, _, variant = name.partition("/")
    return entry(identifier).scenario(variant or None)


def recorded(played: Scenario) -> tuple[dict[str, Any], dict[str, Any], list[Step], str | None]:
    """Return the header, first view, steps and end of a run, as JSON of their own. Raises Refused."""
    simulation = Simulation(played)
    header: dict[str, Any] = {**simulation.header()}
    view = json.loads(json.dumps(simulation.view()))
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(json.loads(json.dumps(step.to_json())))
    return header, view, steps, simulation.finished


def facts_of_runs(runs: list[tuple[str, Scenario]]) -> Iterator[dict[str, Any]]:
    for name, played in runs:
        try:
            header, view, steps, finished = recorded(played)
        except Refused:
            continue  # a configuration that every client refuses has no run
        reader = FactReader(name, header, view)
        yield from reader.first()
        for step in steps:
            yield from reader.take(step)
        yield from reader.last(finished)


def frame(spark: SparkSession, folder: Path, runs: list[tuple[str, Scenario]]) -> DataFrame:
    table = pa.Table.from_pylist(list(facts_of_runs(runs)), schema=ARROW_SCHEMA)
    parquet.write_table(table, folder / "facts.parquet")
    return spark.read.schema(FACTS_SCHEMA).parquet(str(folder / "facts.parquet"))


def whole_library() -> list[tuple[str, Scenario]]:
    names = [f"{one.id}/{name}" for one in library() for name in one.variants or ("",)]
    runs = []
    for name in names:
        try:
            runs.append((name, scenario(name)))
        except Refused:
            continue
    return runs


def with_databases() -> list[tuple[str, Scenario]]:
    """Return every run of the library in which services write to a database."""
    return [(f"{name} ", played) for name, played in whole_library() if played["services"]]


BY_CHANCE = {
    "SC-159/row-first": ("row_then_record", "record_then_row", "record_before_commit"),
    "SC-160/offsets-after-rows": ("offsets_after_rows", "offsets_before_rows", "offsets_with_rows"),
    "SC-162/relay-crashes": ("relay",),
    "SC-171/highest-finished": ("workers_highest_finished", "workers_lowest_unfinished", "workers_polled"),
}
"""Name of a run → the approaches that its last service may have."""


def crashed_at_random() -> list[tuple[str, Scenario]]:
    """Return, for each approach, runs in which the service crashes and loses messages at random."""
    lost = [
        {
            "match": {"api": api, "response": response, "rate": 0.2, "times": 1_000},
            "action": "drop",
            "taken": 9,
        }
        for api in ("WriteRows", "CommitRows", "InsertRow", "Produce")
        for response in (False, True)
    ]
    runs = []
    for name, approaches in BY_CHANCE.items():
        identifier, _, variant = name.partition("/")
        service = scenario(name)["services"][-1]["name"]
        crashes = [{"at": at, "action": "crash", "actor": service, "for_ms": 30} for at in (75, 130, 420)]
        for approach in approaches:
            for seed in range(6):
                changed = {
                    "seed": seed,
                    f"services.{service}.approach": approach,
                    f"services.{service}.rounds": 4,
                    "faults": [*lost, *crashes],
                }
                if approach == "offsets_with_rows":
                    changed["consumers"] = [{"name": "c1", "partitions": ["in-0"]}]
                runs.append((f"{name} {approach} {seed}", entry(identifier).scenario(variant, changed)))
    return runs


def with_seed(name: str, seed: int) -> Scenario:
    identifier, _, variant = name.partition("/")
    return entry(identifier).scenario(variant or None, {"seed": seed})


# -- a replay in which one fact was changed ---------------------------------------------------------------


def replay(name: str, tamper: "Tamper") -> bytes:
    """Return the replay file of a run in which one fact was changed; all digests are valid."""
    played = scenario(name)
    header, view, steps, finished = recorded(played)
    tamper.apply(steps)
    disagreements = {
        "type": "header",
        "schema": format.SCHEMA,
        "engine": header["engine"],
        "title": header["title"],
        "scenario": entry(name.partition("/")[0]).document,
        "variant": header["variant"],
        "profile": header["profile"],
        "header": header,
        "view": view,
        "branches": [
            {
                "id": "main",
                "name": "main",
                "parent": None,
                "leaves_at": 0,
                "newest": len(steps),
                "finished": finished,
                "interventions": [],
            }
        ],
    }
    return b"".join(write(format.convert(disagreements, format.Header), [("main", step) for step in steps]))


Fits = Callable[[list[str], Change], bool]
Edit = Callable[[Change], None]


@dataclass(frozen=True)
class Tamper:
    """Edits the ``number``-th change of a run that fits, counted from 1."""

    number: int
    fits: Fits
    edit: Edit

    def apply(self, steps: list[Step]) -> None:
        changes = (change for step in steps for change in step["changes"] if "after" in change)
        fitting = [change for change in changes if self.fits(change["path"], change)]
        self.edit(fitting[self.number - 1])


def stored(lane: str, replica: str, control: bool = False) -> Fits:
    """Return a function that recognises a batch of data, or with ``control`` a marker, that this replica stores."""

    def fits(path: list[str], change: Change) -> bool:
        if path[:5] != ["partitions", lane, "replicas", replica, "batches"] or len(path) != 6:
            return False
        batch = change["after"]
        return batch["producer_id"] >= 0 and (batch["control"] is not None) is control

    return fits


def at(*wanted: str) -> Fits:
    """Return a function that recognises a change of exactly this place; ``*`` stands for any word."""
    return lambda path, change: (
        len(path) == len(wanted) and all(want in ("*", word) for want, word in zip(wanted, path, strict=True))
    )


def message(api: str, response: bool = False) -> Fits:
    def fits(path: list[str], change: Change) -> bool:
        shown = change["after"]
        return path[:2] == ["network", "messages"] and (shown["api"], shown["is_response"]) == (api, response)

    return fits


def logged(state: str) -> Fits:
    """Return a function that recognises that a coordinator's log stores this state of an id."""

    def fits(path: list[str], change: Change) -> bool:
        if len(path) != 6 or not path[1].startswith("__transaction_state") or path[4] != "batches":
            return False
        return any(value["state"] == state for value in change["after"]["content"]["values"])

    return fits


def passed(fate: str, consumer: str) -> Fits:
    """Return a function that recognises that a consumer's lane gets a stretch with this fate."""

    def fits(path: list[str], change: Change) -> bool:
        if path[:3] != ["consumers", consumer, "lanes"] or path[4:] != ["stretches"]:
            return False
        return any(stretch[2] == fate for stretch in change["after"])

    return fits


def field(**values: Any) -> Edit:
    return lambda change: change["after"].update(values)


def to(value: Any) -> Edit:
    return lambda change: change.update(after=value)


def more(change: Change) -> None:
    change["after"] += 1


def next_numbers(change: Change) -> None:
    change["after"]["first_sequence"] += 1
    change["after"]["last_sequence"] += 1


def answered_elsewhere(change: Change) -> None:
    for answer in change["after"]["fields"]["partitions"].values():
        answer["base_offset"] += 1


def logged_as(state: str) -> Edit:
    def edit(change: Change) -> None:
        for value in change["after"]["content"]["values"]:
            value["state"] = state

    return edit


def passed_as(fate: str, instead: str) -> Edit:
    def edit(change: Change) -> None:
        for stretch in change["after"]:
            if stretch[2] == fate:
                stretch[2] = instead

    return edit


def ended(state: str) -> Fits:
    """Return a function that recognises that the middleware moves its transaction to this state."""
    place = at("middleware", "transactions", "1", "state")
    return lambda path, change: place(path, change) and change["after"] == state


TAMPERED: dict[str, tuple[str, Tamper]] = {
    "sequences": ("SC-38", Tamper(2, stored("t-0", "1"), next_numbers)),
    "cached_answers": ("SC-61/k28", Tamper(1, message("Produce", True), answered_elsewhere)),
    "epochs": ("SC-61/k28", Tamper(2, stored("t-0", "1"), field(producer_epoch=0))),
    "fenced": ("SC-61/k28", Tamper(2, stored("t-0", "1"), field(producer_epoch=1))),
    "stable_offset": (
        "SC-61/k28",
        Tamper(1, at("partitions", "t-0", "replicas", "1", "last_stable_offset"), more),
    ),
    "stable_offset_back": (
        "SC-61/k28",
        Tamper(2, at("partitions", "t-0", "replicas", "1", "last_stable_offset"), to(1)),
    ),
    "read_early": (
        "SC-61/k28",
        Tamper(1, passed("aborted", "c-committed"), passed_as("aborted", "delivered")),
    ),
    "read_all": (
        "SC-61/k28",
        Tamper(1, passed("delivered", "c-committed"), passed_as("delivered", "aborted")),
    ),
    "one_result": ("SC-44/k28", Tamper(1, stored("t-1", "2", control=True), field(control="ABORT"))),
    "offsets_with_outputs": (
        "SC-50",
        Tamper(1, stored("__consumer_offsets-3", "1", control=True), field(control="ABORT")),
    ),
    "marker_epochs": ("SC-61/k28", Tamper(2, stored("t-0", "1", control=True), field(coordinator_epoch=-1))),
    "marked_as_decided": ("SC-61/k28", Tamper(2, stored("t-0", "1", control=True), field(control="ABORT"))),
    "prepared_completes": ("SC-44/k28", Tamper(1, logged("CompleteCommit"), logged_as("PrepareCommit"))),
    "undecided_left_open": ("SC-44/k28", Tamper(1, stored("t-0", "1", control=True), field(producer_id=7))),
    "mixed": (
        "SC-80/two-nodes",
        Tamper(1, at("middleware", "participants", "*", "transactions", "1", "applied"), to(0)),
    ),
    "repeated": (
        "SC-80/two-nodes",
        Tamper(1, at("middleware", "participants", "*", "transactions", "1", "applied"), to(2)),
    ),
    "decision_sent": ("SC-80/two-nodes", Tamper(1, message("Commit"), field(to="middleware"))),
    "confirmed_last": (
        "SC-80/two-nodes",
        Tamper(1, ended("COMMITTED"), to("COMMITTING")),
    ),
    "compensated_whole": (
        "SC-80/two-nodes",
        Tamper(1, ended("COMMITTED"), to("COMPENSATED")),
    ),
    "row_missing": ("SC-160/offsets-with-rows", Tamper(1, at("database", "rows", "1"), field(copies=0))),
    "record_missing": ("SC-162/before-sending", Tamper(1, stored("orders-0", "1"), field(serials=[]))),
    "row_repeated": ("SC-161/unique-key", Tamper(1, at("database", "rows", "1"), field(copies=2))),
}
"""Rule → a scenario in which it holds, and the only fact that is changed so that it does not."""


def judges(rule: Rule) -> str:
    """Return the guarantee of the rule, or its name; rules with the same guarantee are compared with the engine
    together.
    """
    return rule.guarantee or rule.name


KINDS = list(dict.fromkeys(map(judges, RULES)))
KINDS_IN_TURN = part(KINDS, 6, "engine", "eosviz/pipeline")
IN_TURN = tuple(rule for rule in RULES if judges(rule) in KINDS_IN_TURN)
"""The rules that `make test` runs on Spark, about a third; which ones changes with the code. `make test-all` runs
all.
"""
IN_TURN_NAMES = {rule.name for rule in IN_TURN}


@pytest.fixture(scope="module")
def judged(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, takes_a_part: bool) -> Outcome:
    """One audit of about 200 unchanged runs (a variant of each scenario, and one scenario with many seeds), and of
    one replay for each rule, in which one fact was changed.
    """
    rules = IN_TURN if takes_a_part else RULES
    folder, replays = tmp_path_factory.mktemp("facts"), tmp_path_factory.mktemp("changed")
    first = {name.partition("/")[0]: (name, played) for name, played in reversed(whole_library())}
    # In this run, a broker is alive but unreachable: what is prepared for it waits for ever, and no component is at
    # fault.
    runs = [*first.values(), ("SC-88/silent-for-ever", scenario("SC-88/silent-for-ever"))]
    runs += with_databases()
    runs += [(f"SC-44 seed {seed}", with_seed("SC-44/k28", seed)) for seed in range(180 - len(runs))]
    for rule in (rule.name for rule in rules):
        name, tamper = TAMPERED[rule]
        (replays / f"changed {rule}{ENDING}").write_bytes(replay(name, tamper))
    with facts_of(spark, replays) as changed:
        return audit(frame(spark, folder, runs).unionByName(changed), rules)


def test_a_changed_fact_is_reported_for_every_rule() -> None:
    assert set(TAMPERED) == {rule.name for rule in RULES}


@pytest.mark.parametrize(
    "rule",
    [rule if rule in IN_TURN_NAMES else pytest.param(rule, marks=pytest.mark.slow) for rule in TAMPERED],
)
def test_the_rule_finds_the_changed_fact(judged: Outcome, rule: str) -> None:
    session = f"changed {rule}#main"
    found = {one.rule for one in judged.disagreements if one.session == session}
    assert rule in found, f"{session}: {found}"


def test_a_changed_replay_has_right_digests() -> None:
    content = replay(*TAMPERED["fenced"])
    assert read(io.BytesIO(content)).steps > 0


# -- runs in which nothing was changed --------------------------------------------------------------------


def test_the_judges_agree_where_nothing_was_changed(judged: Outcome) -> None:
    assert [one for one in judged.disagreements if not one.session.startswith("changed ")] == []
    assert judged.sessions >= 190


def test_the_judges_agree_on_rows_and_records_in_both_directions(spark: SparkSession, tmp_path: Path) -> None:
    """Without the restriction to runs at rest, the rules find exactly what the engine found while the work was
    abandoned.
    """
    rules = tuple(replace(rule, at_rest=False) for rule in RULES if rule.guarantee in DATABASE_GUARANTEES)
    outcome = audit(frame(spark, tmp_path, [*with_databases(), *crashed_at_random()]), rules)
    assert outcome.disagreements == ()
    assert set(outcome.broken) == set(DATABASE_GUARANTEES)
    assert min(outcome.broken.values()) >= 4


@pytest.mark.slow
def test_the_whole_library(spark: SparkSession, tmp_path: Path) -> None:
    outcome = audit(frame(spark, tmp_path, whole_library()))
    assert outcome.disagreements == ()
    assert outcome.sessions > 250
    assert set(outcome.broken) >= {
        "sequences",
        "epochs",
        "fenced",
        "read_early",
        "one_result",
        "mixed",
        "repeated",
        *DATABASE_GUARANTEES,
    }


@pytest.mark.slow
def test_ten_thousand_runs_of_sweeps(spark: SparkSession, tmp_path: Path) -> None:
    """Every cell of the sweeps that are lessons, with twice as many seeds."""
    runs = 0
    for path in sorted(SAMPLES.glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        more = re.sub(r"(?m)^seeds = (\d+)", lambda found_number: f"seeds = {int(found_number[1]) * 2}", text)
        document = parse_sweep(more)
        runs += document.runs
        facts = swept(spark, document, 0, document.runs - 1)
        facts = facts.withColumn("session", f.concat(f.lit(f"{path.stem} "), f.col("session")))
        facts.write.parquet(str(tmp_path / path.stem))
    with facts_of(spark, tmp_path) as facts:
        outcome = audit(facts)
    assert outcome.disagreements == ()
    assert runs >= 10_000 and outcome.sessions > 0.9 * runs  # some cells are refused


# -- files ------------------------------------------------------------------------------------------------


def exported(content: bytes) -> bytes:
    """Return a replay file as Parquet."""
    return b"".join(parquet_file(io.BytesIO(content), lambda: None))


class Kept:
    """The tests' Spark session, which a command cannot end."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    def stop(self) -> None:
        pass


FEW = tuple(rule for rule in RULES if rule.name in ("repeated", "confirmed_last"))
"""Rules that need one job each; they suffice for tests of files."""


@pytest.fixture
def command_spark(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_session, "start_session", lambda *_: Kept(spark))
    monkeypatch.setattr(audit_command, "audit", lambda facts: audit(facts, FEW))


def called(*words: Any) -> str:
    output = io.StringIO()
    call_command("audit", *words, stdout=output)
    return output.getvalue()


UNCHANGED = Tamper(1, lambda path, change: True, lambda change: None)


@pytest.mark.usefixtures("command_spark")
def test_a_folder_may_hold_every_form(spark: SparkSession, tmp_path: Path) -> None:
    changed = replay(*TAMPERED["confirmed_last"])
    for name, content in {
        f"first/a{ENDING}": replay("SC-01", UNCHANGED),
        f"second/a{ENDING}": changed,
        "second/a.parquet": exported(changed),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    frame(spark, tmp_path, [("swept", scenario("SC-01"))])
    parquet.write_table(pa.table({"run": [1]}), tmp_path / "runs.parquet")
    # A killed job leaves a file with a hidden name.
    (tmp_path / ".half.parquet").write_bytes(b"half")
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("audit", str(tmp_path), "--json", stdout=output)
    document = json.loads(output.getvalue())
    assert ended.value.code == 1 and not document["agreed"]
    assert document["sessions"] == 4
    found = {(one["session"], one["rule"]) for one in document["disagreements"]}
    assert ("second/a#main", "confirmed_last") in found
    # A run has the same results in each form.
    assert {session for session, _ in found} == {"second/a#main", "second/a.parquet#main"}
    assert document["disagreements_found"] == len(document["disagreements"])


@pytest.mark.usefixtures("command_spark")
@pytest.mark.parametrize("name", [f"torn{ENDING}", "torn.parquet"])
def test_a_file_that_cannot_be_read_is_named_with_a_remedy(tmp_path: Path, name: str) -> None:
    whole = replay("SC-01", UNCHANGED)
    torn = exported(whole) if name.endswith(".parquet") else whole
    (tmp_path / name).write_bytes(torn[: len(torn) // 2])
    with pytest.raises(CommandError, match=f"{name}.*anew") as refused:
        called(str(tmp_path))
    assert refused.value.returncode == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("command_spark")
@pytest.mark.slow
def test_finished_sessions_of_the_database() -> None:
    with pytest.raises(CommandError, match="no session of the database has ended") as refused:
        called("--sessions")
    assert refused.value.returncode == 2
    version = ScenarioVersion.objects.library().get(identifier="SC-01")
    session = create_session("somebody", version, None)
    branch = Branch.objects.of_session(session.id)[0]
    chunk = next_steps(simulate(scenario_of(version, None), []), branch, Goal("end", 0, 5_000, "limit"))
    with transaction.atomic():
        store_steps(branch, chunk)
    assert "1 sessions" in (output := called("--sessions")) and "agree" in output


@pytest.mark.slow
def test_many_sessions_are_judged_some_at_a_time(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(4):
        content = replay(*(TAMPERED["confirmed_last"] if number == 1 else ("SC-80/two-nodes", UNCHANGED)))
        (tmp_path / f"{number}{ENDING}").write_bytes(content)
    with facts_of(spark, tmp_path) as facts:
        at_once = audit(facts, FEW)
        assert at_once.found > 0 and at_once.sessions == 4
        assert audit(facts, FEW, facts_at_once=at_once.facts // 3) == at_once
        assert held(spark) == 1
    assert held(spark) == 0


def held(spark: SparkSession) -> int:
    """Return how many frames the session keeps in memory or on disk."""
    return len(spark.sparkContext._jsc.getPersistentRDDs())


def test_a_file_that_is_no_replay_is_named() -> None:
    with pytest.raises(DamagedReplay, match="my file"):
        list(facts_of_replay("my file", gzip.compress(b"{}\n")))
    with pytest.raises(DamagedReplay, match="my file"):
        list(facts_of_replay("my file", b"no gzip"))
    header = {"type": "header", "schema": format.SCHEMA, "branches": [{"id": "a"}]}
    lines = "\n".join(json.dumps(line) for line in (header, {"type": "end"}))
    with pytest.raises(DamagedReplay, match="my file"):
        list(facts_of_replay("my file", gzip.compress(lines.encode())))


def test_nothing_to_audit_is_said(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(NothingToAudit, match="no \\*"), facts_of(spark, tmp_path):
        pass
    parquet.write_table(pa.table({"run": [1]}), tmp_path / "runs.parquet")
    with pytest.raises(NothingToAudit, match="has no column"), facts_of(spark, tmp_path):
        pass
    with pytest.raises(NothingToAudit, match="does not exist"), facts_of(spark, tmp_path / "gone"):
        pass


def test_a_switch_that_is_set_to_its_default_explains_no_breach() -> None:
    header, view, _, finished = recorded(scenario("SC-21/version-check"))
    assert header["switches"] == {"zookeeper_version_check": True}
    session, *_ = FactReader("run", header, view).last(finished)
    assert session["items"] == []


def test_the_command_wants_a_place() -> None:
    with pytest.raises(CommandError, match="give a PATH"):
        call_command("audit")
