"""Every text of catalogues, scenarios and documents keeps to Kafka's terms and to the marks of its language.

The terms: docs/glossary.md.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from engine.explain.sentences import sentence
from eosviz.launch.places import ROOT

ROOMS = (
    "engine/explain/catalogue",
    "engine/scenario",
    "eosviz/catalogue",
    "eosviz/pipeline",
    "eosviz/reference",
)
ASKED = "asked.toml"
"""Holds what people search with, and what scenarios were called before."""
STEPS = ("application", "broker", "client", "consumer", "coordinator", "group", "log_readers", "middleware")
"""The catalogue's files of what steps say."""
NOT_IN_STEPS = {
    "the component is the subject": r"\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ee]verybody|the one who)\b",
    "a broker responds; an answer is what a person gives": r"\b([Aa]nswers?|answered|answering)\b",
    "Kafka's verb": r"\b(crosses off|off the queues|nothing stands against|asks for patience|is told)\b",
    "a state is, it does not stand or lie": r"\b(stands|lies)\b",
    "the setting's real name": r"\b(max_block_ms|max_in_flight|max_request_size|linger_ms)\b",
    "the offset after the last is not in a range": r"offsets? \{[a-z_]+\} up to \{",
    "a consumer, by its isolation level": r"\b[Rr]eaders?\b",
}
"""Why English sentences of steps do not say it, and what they do not say."""
NOT_IN_TITLES = {
    "a title says the concept or the question": r"\b([Tt]win|[Ww]all|[Mm]emory survives|vetoes|[Nn]obody|asleep)\b",
}
NOT_IN_CHINESE = {
    "副本 is a replica only": "第二份副本|旧副本|副本会被存储",
    "a consumer": "读者",
    "a new instance": "双胞胎",
    "the producer of a transaction": "主人",
    "暂停发送": "静音|静默",
    "暂停": "沉睡|停顿",
    "ms, as everywhere": r"[\d}] ?毫秒",
}
CHINESE = "[\u3400-\u9fff]"
HALF_WIDTH = rf"{CHINESE}[,:;!?(]|[,:;!?)]{CHINESE}"
"""A mark of English beside a Chinese character."""
IN_CODE = re.compile(r"`[^`]*`")
KEYED = re.compile(r"([a-z_]+\.[a-z_.0-9]+) (?=\{)")
"""A sentence of a golden, before its parameters."""
UNSPACED = rf"{CHINESE}[A-Za-z0-9]|[A-Za-z0-9]{CHINESE}"
RULE = r"\b(?:CTR|TXC|TXM|ACC|SEQ|LOG|FEN|CON|MRK|OFS|FND|ORD|SND|PID|CFG)-\d+"
CHANGING = re.compile(r"sc-(03|28|30|31|37)-")
"""Scenarios whose lessons are being written anew for one request at a time (GEN-11)."""
NOT_IN_DOCUMENTS = {
    "the component, the page or the person is the subject": r"\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ee]verybody)\b",
    "what is said, shown, sent or computed says which of them": r"\b([Tt]old|[Nn]ews)\b",
    "Kafka's verb": NOT_IN_STEPS["Kafka's verb"],
    **NOT_IN_CHINESE,
    "marks of Chinese": HALF_WIDTH,
    "spaces beside Latin": UNSPACED,
}
"""Of docs/ and the README, but for names in code."""
PAGE_READERS = ("share.language", "builder.group.lesson", "form.field.scenario.checkpoints")
"""Keys about people who read a page."""

LISTS = ("search.suggestions",)
"""Parted by commas when they are read, not said as they are."""

Text = tuple[str, str, str]


def pairs(document: Any, key: str = "") -> Iterator[tuple[str, str, str]]:
    """Key, English and Chinese of everything that is said in both."""
    if isinstance(document, dict):
        if isinstance(document.get("en"), str) and isinstance(document.get("zh-Hans"), str):
            yield key, document["en"], document["zh-Hans"]
        else:
            for name, value in document.items():
                yield from pairs(value, f"{key}/{name}" if key else name)
    elif isinstance(document, list):
        for value in document:
            yield from pairs(value, key)


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, Text]]:
    files = (file for room in ROOMS for file in sorted((ROOT / room).rglob("*.toml")) if file.name != ASKED)
    return [(file.stem, text) for file in files for text in pairs(tomllib.loads(file.read_text("utf-8")))]


def plain(text: str) -> str:
    """Without the names of what is put in, which may be words of either language."""
    return re.sub(r"\{[^}]*\}", "…", text)


@pytest.mark.parametrize("why", NOT_IN_STEPS)
def test_steps_speak_of_components_in_kafkas_words(texts: list[tuple[str, Text]], why: str) -> None:
    said = [(key, en) for file, (key, en, _) in texts if file in STEPS]
    spoken = [(key, plain(en) if "{" not in NOT_IN_STEPS[why] else en) for key, en in said]
    assert len(said) > 500
    assert [(key, en) for key, en in spoken if re.search(NOT_IN_STEPS[why], en)] == []


@pytest.mark.parametrize("why", NOT_IN_TITLES)
def test_titles_of_scenarios_say_the_concept(texts: list[tuple[str, Text]], why: str) -> None:
    said = [(file, en) for file, (key, en, _) in texts if file.startswith("sc-") and key == "title"]
    assert len(said) > 80
    assert [(file, en) for file, en in said if re.search(NOT_IN_TITLES[why], en)] == []


@pytest.mark.parametrize("why", NOT_IN_CHINESE)
def test_chinese_has_the_words_of_the_field(texts: list[tuple[str, Text]], why: str) -> None:
    said = [
        (file, key, zh)
        for file, (key, _, zh) in texts
        if not key.startswith(PAGE_READERS) and not CHANGING.match(file)
    ]
    assert [found for found in said if re.search(NOT_IN_CHINESE[why], found[2])] == []


def test_chinese_has_full_width_marks_and_spaces_beside_latin(texts: list[tuple[str, Text]]) -> None:
    said = [(file, key, plain(zh)) for file, (key, _, zh) in texts if key not in LISTS]
    assert [found for found in said if re.search(HALF_WIDTH, found[2])] == []
    assert [found for found in said if re.search(UNSPACED, found[2])] == []


@pytest.mark.parametrize("why", NOT_IN_DOCUMENTS)
def test_documents_keep_to_the_same_words(why: str) -> None:
    documents = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    lines = [
        (document.name, number, line)
        for document in documents
        for number, line in enumerate(document.read_text("utf-8").splitlines(), start=1)
    ]
    assert len(lines) > 1000
    assert [found for found in lines if re.search(NOT_IN_DOCUMENTS[why], IN_CODE.sub("…", found[2]))] == []


def test_sentences_of_runs_are_joined_with_chinese_marks() -> None:
    """One of each key of all runs in `tests/goldens`, filled with what the run gave it."""
    given: dict[str, dict[str, Any]] = {}
    for golden in sorted((ROOT / "tests" / "goldens").glob("*.txt")):
        for line in golden.read_text("utf-8").splitlines():
            for said in KEYED.finditer(line):
                if said.group(1) not in given:
                    given[said.group(1)] = json.JSONDecoder().raw_decode(line, said.end())[0]
    filled = [(key, sentence(key, params, "zh-Hans")) for key, params in sorted(given.items())]
    assert len(filled) > 500
    assert [(key, text) for key, text in filled if re.search(HALF_WIDTH, text)] == []


def test_rules_are_named_in_chips_and_not_in_lessons(texts: list[tuple[str, Text]]) -> None:
    said = [
        (file, key, text)
        for file, (key, en, zh) in texts
        if file.startswith("sc-") and not CHANGING.match(file)
        for text in (en, zh)
    ]
    assert [found for found in said if re.search(RULE, found[2])] == []
