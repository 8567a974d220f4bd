"""Every variant of every scenario of the library: its golden, its verdicts, and what its steps must say.

A golden contains keys, parameters and rules; the most instructive runs also have a transcript in words. ``REWRITE=1``
writes both, and the tables of docs/scenarios.md, anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Refused
from engine.explain.transcript import transcript_lines
from engine.scenario.document import acts, load, parse
from engine.scenario.expectations import shown_in, unmet
from engine.scenario.schema import SECTIONS
from engine.scenario.shelf import LibraryEntry, library
from engine.scenario.twins import are_twins
from engine.simulation import Simulation
from tests.engine.every_run import REFUSED, RUNS, Played, scenario_of
from tests.engine.golden import golden_lines

GOLDENS = Path(__file__).parent.parent / "goldens"
TRANSCRIPTS = Path(__file__).parent.parent / "transcripts"
PAGE = Path(__file__).parent.parent.parent / "docs" / "scenarios.md"
SHOWCASES = (
    "SC-01",
    "SC-03",
    "SC-08-k20",
    "SC-21-competing-writer",
    "SC-22",
    "SC-28",
    "SC-37-new-record-waits",
    "SC-41-tour",
    "SC-44-k28",
    "SC-46",
    "SC-52-separate",
    "SC-61-k28",
    "SC-66-stuck-2-0",
    "SC-67",
    "SC-69",
    "SC-74-disorder",
    "SC-74-moves",
    "SC-75-timeout",
    "SC-80-one-node",
    "SC-84-strays-around-compensation",
)
"""Runs with a transcript: together, their sentences are most of those that steps can say, in the best known
scenarios.
"""


def end_of(simulation: Simulation) -> list[str]:
    """Return the lines of a golden after those of its steps."""
    lines = [f"finished {simulation.finished}", *(verdict.line() for verdict in simulation.verdicts())]
    outcome = simulation.judges.outcome_verdict()
    lines += [] if outcome is None else outcome.lines()
    lines += [ended.line() for ended in simulation.judges.transaction_verdicts()]
    return lines


def heading(entry: LibraryEntry, variant: str | None) -> str:
    titles = {item["name"]: item["title"]["en"] for item in entry.document.get("variants", ())}
    title = entry.document["title"]["en"]
    return f"{entry.id}: {title}" if variant is None else f"{entry.id}/{variant}: {title}: {titles[variant]}"


def test_scenario_plays_as_its_golden_says(run: Played) -> None:
    assert "expect_refused" not in run.scenario.document, "the variant should have been refused"
    end = end_of(run.simulation)
    compare(GOLDENS / f"{run.name}.txt", run.entry.id, chain.from_iterable(map(golden_lines, run.steps)), end)
    if run.name in SHOWCASES:
        lines = chain.from_iterable(map(transcript_lines, run.steps))
        compare(TRANSCRIPTS / f"{run.name}.txt", heading(run.entry, run.variant), lines, end)
    expect_met(run.simulation, run.steps)


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_client_begins_is_refused_as_its_golden_says(name: str) -> None:
    scenario = scenario_of(name)
    with pytest.raises(Refused) as caught:
        Simulation(scenario)
    refused = caught.value
    assert refused.rule == scenario.document["expect_refused"], refused
    line = f"refused {refused.rule}: {refused.place}: {refused.reason}"
    compare(GOLDENS / f"{name}.txt", RUNS[name][0].id, [], [line])


def compare(path: Path, first: str, lines: Iterable[str], end: list[str]) -> None:
    text = "\n".join([first, *lines, *end, ""])
    if os.environ.get("REWRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{path.name} is missing; write it with REWRITE=1 and read it"
    assert text == path.read_text(encoding="utf-8")


def expect_met(simulation: Simulation, steps: list[dict[str, Any]]) -> None:
    expect = simulation.scenario["expect"]
    assert expect["verdicts"] or expect["transactions"], "every scenario states its verdict"
    assert unmet(simulation, shown_in(steps)) == []


UNSAID = {
    "concepts": "what the lessons tell; verdicts and lesson texts hold them",
    "model": "how every run goes, whatever its steps are; test_simulation holds it",
    "settings": "shown or refused before step 1, so no step can name it; the variants of SC-07 hold it",
    "display": "what a view shows; the tests of views and pages hold it",
    "contents": "which fields a message or batch has, and which phases a pass; the cases of Kafka hold it",
    "comparison": "only the variants of a scenario together show it; their verdicts hold it",
    "several": "this client never puts two batches of a partition into one append; the vectors hold it",
}
"""Requirement → why no step names it, although a scenario covers it."""
UNSAID_RULES = {
    **dict.fromkeys(("CPT-1", "CPT-3", "CPT-5", "CPT-7", "CPT-8"), "concepts"),
    **dict.fromkeys((f"GEN-{number}" for number in range(1, 11)), "model"),
    **dict.fromkeys(("CFG-1", "CFG-4", "CFG-6"), "settings"),
    **dict.fromkeys(("ACC-23", "ACC-24", "ACC-25", "SND-15", "PID-13", "SEQ-20", "LOG-14"), "display"),
    **dict.fromkeys(("TXM-18", "FND-8", "TXC-24", "OFS-6", "FEN-8", "CON-12", "MW-16"), "display"),
    **dict.fromkeys((f"UIV-{number}" for number in range(1, 7)), "display"),
    **dict.fromkeys(("MSG-1", "MSG-2", "ACC-6", "ACC-7", "SND-1"), "contents"),
    **dict.fromkeys(("ORD-7", "ORD-8"), "comparison"),
    "SEQ-16": "several",
}
UNSAID_IN = {
    ("SC-44", "MSG-4"): "nothing goes wrong, so no error is answered; SC-72 answers with all of them",
    ("SC-44", "TXM-6"): "a single transaction without input; the loop that it stands for goes round in SC-50",
    ("SC-55", "MRK-9"): "the coordinator that would have to notice is dead; SC-58/coordinator-moves shows it",
    ("SC-69", "MRK-9"): "the coordinator that would have to notice does not know yet; SC-58 shows it",
    ("SC-62", "TXC-8"): "while markers are under way a change is pending, and that is asked first (TXC-7)",
    ("SC-72", "MSG-4"): "the table of errors itself, which test_explain holds",
}
"""(Scenario, requirement) → why no step of this scenario names the requirement, although steps of others do."""


NAMED = re.compile(r"(?:\[|^ *refused )((?:[A-Z]+-\d+ ?)+)(?:\]$|[: ])")
"""Matches the requirements in a line of a golden: those of a step, a note, a row of a decision, or a refusal."""


def named_rules(name: str) -> Iterator[str]:
    """Yield every requirement that the steps of a run name, read from its golden."""
    for line in (GOLDENS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if found := NAMED.search(line):
            yield from found[1].split()


@pytest.mark.parametrize("entry", library(), ids=lambda entry: entry.id)
def test_steps_name_what_the_scenario_covers(entry: LibraryEntry) -> None:
    names = [name for name, (of, _) in RUNS.items() if of is entry]
    named = set(chain.from_iterable(map(named_rules, names)))
    unnamed = {rule for rule in entry.document["covers"] if (entry.id, rule) not in UNSAID_IN} - named
    assert unnamed <= set(UNSAID_RULES), sorted(unnamed - set(UNSAID_RULES))


def test_what_need_not_be_named_is_covered_and_has_a_reason() -> None:
    covered = {rule for entry in library() for rule in entry.document["covers"]}
    assert set(UNSAID_RULES) <= covered
    assert set(UNSAID_RULES.values()) == set(UNSAID)
    assert {(entry.id, rule) for entry in library() for rule in entry.document["covers"]} >= set(UNSAID_IN)


def test_a_run_without_a_variant_is_that_of_a_variant() -> None:
    """Otherwise, the texts, which describe the variants, would be shown with a run that has no golden."""
    for entry in library():
        if entry.variants and acts(entry.document):
            own = entry.scenario()
            assert any(are_twins(own, entry.scenario(name)) for name in entry.variants), entry.id


def test_no_golden_and_no_transcript_without_a_run() -> None:
    assert {path.stem for path in GOLDENS.glob("*.txt")} == set(RUNS)
    assert {path.stem for path in TRANSCRIPTS.glob("*.txt")} == set(SHOWCASES)


def fields() -> str:
    lines = []
    for section, known in SECTIONS.items():
        lines += [f"**{section}**", "", "| field | allowed | default |", "|---|---|---|"]
        for name, field in known.items():
            default = "required" if field.required else shown(field.default)
            allowed = str(field.allowed())
            if field.rows is not None:
                allowed += f": {field.rows}"
            lines.append(f"| `{name}` | {allowed} | {default} |")
        lines.append("")
    return "\n".join(lines)


def shown(default: object) -> str:
    if default is None or default == ():
        return "–"
    return str(default).lower() if isinstance(default, bool) else f"{default}"


def listed() -> str:
    lines = ["| | | what it shows | variants |", "|---|---|---|---|"]
    for entry in library():
        title, summary = entry.document["title"], entry.document["summary"]
        variants = ", ".join(f"`{name}`" for name in entry.variants) or "–"
        lines.append(
            f"| {entry.id} | {title['en']}<br>{title['zh-Hans']} "
            f"| {summary['en']}<br>{summary['zh-Hans']} | {variants} |"
        )
    return "\n".join(lines) + "\n"


def test_the_page_tells_what_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    wanted = text
    for name, table in (("fields", fields()), ("library", listed())):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = wanted.partition(begin)
        wanted = before + begin + table + end + rest.partition(end)[2]
    if os.environ.get("REWRITE"):
        PAGE.write_text(wanted, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == wanted, (
        "docs/scenarios.md: write its tables anew with REWRITE=1"
    )


def test_the_example_meets_its_expectation() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    document = parse(text)
    for variant in ("on", "off"):
        simulation = Simulation(load(document, variant, {}, text=text), watching="recorded")
        said = set()
        while (step := simulation.step()) is not None:
            said.add(step.to_json()["key"])
        assert simulation.finished == "complete"
        (wanted,) = simulation.scenario["expect"]["verdicts"]
        found = {verdict.partition: verdict for verdict in simulation.verdicts()}["t-0"]
        assert (found.stored, found.duplicates) == (wanted["stored"], wanted["duplicates"] or 0)
        assert set(simulation.scenario["expect"]["says"] or ()) <= said
