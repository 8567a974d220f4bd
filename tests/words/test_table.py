"""Every text of catalogues, scenarios, samples and documents obeys the rules in `table.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.explain.sentences import fill, sentence
from eosviz.launch.places import ROOT
from tests.words import table
from tests.words.table import CHINESE, ENGLISH, RULES, Rule, Said

KEYED = re.compile(r"([a-z_]+\.[a-z_.0-9]+) (?=\{)")
"""Matches the key of a sentence in a golden, before its parameters."""
REQUIREMENT = r"\b(?:CTR|TXC|TXM|ACC|SEQ|LOG|FEN|CON|MRK|OFS|FND|ORD|SND|PID|CFG)-\d+"


@pytest.fixture(scope="module")
def texts() -> list[Said]:
    return table.texts()


@pytest.fixture(scope="module")
def texts_shown(texts: list[Said]) -> list[Said]:
    return [*texts, *table.lines(), *table.code()]


KEYS = ("some.key", "variants/title", "error.SOME.compared", "cost.some")
"""One key of each kind to which rules can be restricted."""


def name(rule: Rule) -> str:
    return f"{rule.language}: {rule.why}"


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_no_text_breaks_a_rule(texts_shown: list[Said], rule: Rule) -> None:
    assert table.broken(rule, texts_shown) == []


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_a_text_that_breaks_it_is_found_wherever_it_is(rule: Rule) -> None:
    key = next(key for key in KEYS if re.search(rule.keys, key))
    bad, good = (Said("sc-01", key, rule.language, text) for text in (rule.bad, rule.good))
    assert table.broken(rule, [good, bad]) == [bad]
    other = Said("sc-01", key, ENGLISH if rule.language == CHINESE else CHINESE, rule.bad)
    assert table.broken(rule, [other]) == []
    in_a_document = Said("frame.md", "line 1", rule.language, rule.bad)
    found = table.broken(rule, [in_a_document]) == [in_a_document]
    assert found is (rule.documents or rule.language == CHINESE)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.but], ids=name)
def test_every_exception_is_needed_and_has_its_reason(texts_shown: list[Said], rule: Rule) -> None:
    assert table.unneeded(rule, texts_shown) == []
    assert all(reason for reason in rule.but.values())
    excepted = Said("some", next(iter(rule.but)), rule.language, rule.bad)
    assert table.broken(rule, [excepted]) == []


@pytest.mark.parametrize("word", table.TERMS)
def test_the_one_word_is_the_one_that_is_used(texts: list[Said], word: str) -> None:
    assert any(word in one.text for one in texts if one.language == CHINESE)


def test_nothing_with_words_is_left_out(texts_shown: list[Said]) -> None:
    """Every file of these folders that has texts in both languages is among them."""
    both = {
        path.stem
        for room in ("engine", "eosviz", "docs")
        for path in (ROOT / room).rglob("*.toml")
        if path.name != table.ASKED and "zh-Hans = " in path.read_text("utf-8")
    }
    assert len(both) > 140
    assert both - {one.file for one in texts_shown} == set()
    assert len(texts_shown) > 15_000


def test_a_document_is_read_by_cells_and_without_its_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("It is told `told`.\n", encoding="utf-8")
    (tmp_path / "docs" / "a.md").write_text("| producer id | 生产者 ID<br>您 |\n", encoding="utf-8")
    monkeypatch.setattr(table, "ROOT", tmp_path)
    lines = [one for one in table.lines() if one.text]
    assert [(one.file, one.key, one.language, one.text) for one in lines] == [
        ("a.md", "line 1", ENGLISH, "producer id"),
        ("a.md", "line 1", CHINESE, "生产者 ID"),
        ("a.md", "line 1", CHINESE, "您"),
        ("README.md", "line 1", ENGLISH, "It is told …."),
    ]
    broken = {(one.file, one.text) for rule in RULES for one in table.broken(rule, lines)}
    assert broken == {("a.md", "您"), ("README.md", "It is told ….")}


def test_pseudocode_is_read_without_its_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    documents = tmp_path / "engine/pseudocode/documents"
    documents.mkdir(parents=True)
    (documents / "a.txt").write_text("if offset is old: raise it\n~ if offset 过时: 升高\n", encoding="utf-8")
    assert len(table.code()) > 400
    monkeypatch.setattr(table, "ROOT", tmp_path)
    assert table.code() == [Said("a.txt", f"{table.CODE}2", CHINESE, "~ … … 过时: 升高")]
    broken = [rule.why for rule in RULES if table.broken(rule, table.code())]
    assert broken == ["an epoch is raised: 提升"]


def test_sentences_of_runs_are_joined_with_chinese_marks() -> None:
    """For each key in `tests/goldens`, one sentence is filled with the parameters of a run."""
    given: dict[str, dict[str, Any]] = {}
    for golden in sorted((ROOT / "tests" / "goldens").glob("*.txt")):
        for line in golden.read_text("utf-8").splitlines():
            for keyed in KEYED.finditer(line):
                if keyed.group(1) not in given:
                    given[keyed.group(1)] = json.JSONDecoder().raw_decode(line, keyed.end())[0]
    filled = [(key, sentence(key, params, CHINESE)) for key, params in sorted(given.items())]
    assert len(filled) > 500
    assert [(key, text) for key, text in filled if re.search(table.HALF_WIDTH, text)] == []


def test_requirements_are_named_in_chips_and_not_in_lessons(texts: list[Said]) -> None:
    lessons = [one for one in texts if one.file.startswith("sc-")]
    assert len(lessons) > 1000
    assert [one for one in lessons if re.search(REQUIREMENT, one.text)] == []


COUNTED = re.compile(r"\{([a-z_0-9]+):[^{}|]*\|[^{}|]*\}")
PLURAL_AFTER_ONE = re.compile(r"(?<![\d.–])1 [^.;:]*\b(are|were|have|they|them|their)\b", re.IGNORECASE)
"""Matches a verb or pronoun in the plural after a count of one; it must be inside the braces."""


def with_counts_of(number: int, text: str, counts: frozenset[str]) -> str:
    """Return the text as it is shown if each of its counts is this number; every other slot is filled with a word."""
    slots = re.findall(r"\{([a-z_0-9]+)", text)
    return fill(text, {slot: number if slot in counts else "other" for slot in slots})


def counts_of(text: str) -> frozenset[str]:
    return frozenset(COUNTED.findall(text))


@pytest.fixture(scope="module")
def counts(texts: list[Said]) -> frozenset[str]:
    """Return the slots that have a singular and a plural form in some English text.

    Slots for limits are left out, because a limit is never 0 or 1.
    """
    named = frozenset(name for one in texts if one.language == ENGLISH for name in counts_of(one.text))
    return named - {"most", "least", "limit", "steps_max"}


def test_verbs_and_pronouns_agree_with_a_count_of_one(texts: list[Said]) -> None:
    counted = [one for one in texts if one.language == ENGLISH and COUNTED.search(one.text)]
    assert len(counted) > 250
    shown = [(one.file, one.key, with_counts_of(1, one.text, counts_of(one.text))) for one in counted]
    assert [one for one in shown if PLURAL_AFTER_ONE.search(one[2])] == []


@pytest.mark.parametrize(
    "bad",
    [
        "{client} loses {count:request|requests} and resends them.",
        "{count:record|records} of {partition} are kept.",
        "{count:record|records} in {batch} as soon as they arrive",
    ],
)
def test_a_plural_after_one_is_found(bad: str) -> None:
    assert PLURAL_AFTER_ONE.search(with_counts_of(1, bad, counts_of(bad)))


WRONG_COUNT = {
    (ENGLISH, 0): r"\b([Aa]ll|[Bb]oth|[Ee]ach of|[Ee]very one of|[Tt]h[eo]se) 0\b",
    (ENGLISH, 1): r"\b([Aa]ll|[Bb]oth|[Ee]ach of|[Tt]h[eo]se|[Ff]irst) 1\b|(?<![-\w.])1 (%s)\b",
    (ENGLISH, 2): r"\{|\b2 [a-z]+\|",
    (CHINESE, 0): r"(全部|所有|这|各|每) ?0",
    (CHINESE, 1): r"(全部|所有|这|各|每) ?1 ?[个条次步]|(?<![\d.–第]) 1 [个条次步][^，。；：]{0,6}[都各均]",
    (CHINESE, 2): r"\{",
}
"""What a text with this count must not contain: `all 0`, `all 1`, `1 records`; with 2, an unfilled slot."""
OF_THE_LIBRARY, OVER_A_LIMIT = "the library has many", "shown where there are more than a limit"
ALWAYS_SEVERAL = {
    "library.search.clear": OF_THE_LIBRARY,
    "front.map.all": OF_THE_LIBRARY,
    "generations.alike": "of five",
    "workshop.own.more": OVER_A_LIMIT,
    "search.more": OVER_A_LIMIT,
    "sweeps.more": OVER_A_LIMIT,
    "analytics.runs.more": OVER_A_LIMIT,
    "builder.point.left": OVER_A_LIMIT,
    "logs.scenario.not.": OVER_A_LIMIT,
    "problem.too_many_steps": OVER_A_LIMIT,
    "problem.link_too_long": OVER_A_LIMIT,
    "sweeps.refused.": OVER_A_LIMIT,
    "problem.difference_too_long": "a limit",
    "problem.window_too_wide": "a limit",
    "problem.search_too_wide": "a limit",
    "replays.log.bounds": "limits",
    "diagram.ledger.duplicated": "a duplicate is a second copy",
    "outcome.count": "a name before its number",
}
"""Key → why its count is never 0 or 1."""


def nouns_counted(texts: list[Said]) -> str:
    """Return the plurals of all nouns that are counted, as alternatives of a pattern."""
    plurals = [
        found
        for one in texts
        if one.language == ENGLISH
        for found in re.findall(r":[a-z]+\|([a-z]+s)\b", one.text)
    ]
    return "|".join(sorted(set(plurals)))


@pytest.mark.parametrize("language", [ENGLISH, CHINESE])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_text_with_a_count_reads_right_with_0_1_and_2(
    texts: list[Said], counts: frozenset[str], number: int, language: str
) -> None:
    pattern = WRONG_COUNT[language, number]
    wrong = re.compile(pattern % nouns_counted(texts) if "%s" in pattern else pattern)
    said = [
        one for one in texts if one.language == language and not one.key.startswith(tuple(ALWAYS_SEVERAL))
    ]
    shown = [(one.key, with_counts_of(number, one.text, counts)) for one in said]
    assert sum(f"{number} " in text for _, text in shown) > 100
    assert [one for one in shown if wrong.search(one[1])] == []
