"""Every mistake of a document has texts in both languages, and all parameters that they name."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from engine.explain.sentences import catalogue, sentence
from engine.scenario.document import BadScenario, load, parse
from engine.scenario.phrases import NAMES_MAX, Phrase, any_of
from engine.scenario.schema import SECTIONS
from engine.scenario.toml_faults import ROWS
from engine.tool.command import ABORT, COMMANDS, Command, missing_option
from tests.syntax_tree import tree_of

ENGINE = Path(__file__).parents[2] / "engine"
CJK = re.compile("[\u4e00-\u9fff]")
PARTS = {"wrong", "allowed"}
THE_SAME = {"scenario.allowed.setting_path"}
"""Texts that consist of names only, apart from a placeholder, and so are the same in both languages."""
FIELDS = [field.allowed() for table in SECTIONS.values() for field in table.values()]


@cache
def _parts() -> list[tuple[str, str, set[str]]]:
    """Return, for each part of a sentence that the code names, its place in the code, its key, and the names of its
    parameters.
    """
    found = []
    for file in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(tree_of(file)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PARTS):
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                key = f"scenario.{node.func.id}.{node.args[0].value!s}"
                found.append((f"{file.name}:{node.lineno}", key, {one.arg or "" for one in node.keywords}))
    return found


def test_every_part_has_its_words_and_all_that_they_name() -> None:
    for place, key, given in _parts():
        words = catalogue()[key]
        assert words.slots("en") == words.slots("zh-Hans") == given, place


def test_what_a_field_allows_is_said_in_both_languages() -> None:
    for phrase in FIELDS:
        for language in ("en", "zh-Hans"):
            assert "[" not in sentence(phrase.key, phrase.params, language)


def demanded_options() -> set[str | None]:
    """Return every option whose absence a command of the operator's tool reports."""
    bare = [Command(name=name) for name in COMMANDS.values()]
    abort = Command(name=ABORT, partition="t-0")
    began = [replace(abort, producer_id=1), replace(abort, producer_id=1, producer_epoch=0)]
    ended = replace(abort, producer_epoch=0, coordinator_epoch=0)
    return {missing_option(command) for command in (*bare, abort, *began, ended)} - {None}


def test_no_words_are_left_over_and_chinese_ones_are_chinese() -> None:
    used = {key for _, key, _ in _parts()} | {phrase.key for phrase in FIELDS}
    used |= {f"scenario.wrong.{name}" for _, name in ROWS}
    used |= {f"scenario.allowed.option.{option}" for option in demanded_options()}
    known = {key: words for key, words in catalogue().items() if key.startswith("scenario.")}
    assert known.keys() == used
    assert [key for key, words in known.items() if not CJK.search(words.zh)] == []


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("id = 3\n]\n", "toml_statement", 2),
        ('id = "x" y\n', "toml_line_end", 1),
        ('id = "x\ny"\n', "toml_character", 1),
        ("id\n", "toml_equals", 1),
        ("[limits\nsteps = 3\n", "toml_table_end", 1),
        ("[[faults]\n", "toml_array_end", 1),
        ("id = 1\nid = 2\n", "toml_overwrites", 2),
        ("[limits]\n[limits]\n", "toml_twice", 2),
        ("id = [1, 2", "toml_array_open", None),
        ("id = {a = 1", "toml_table_open", None),
        ('id = """x', "toml_text_open", None),
        ("id = 'x\n", "toml_text_open", None),
        ('id = "\\y"\n', "toml_escape", 1),
        ("id = 2026-02-31\n", "toml_date", 1),
        ("id = yes\n", "toml_value", 1),
        ("id = [1,\ntitle = 2\n", "toml_value", 2),
        ("id = [1 2]\n", "toml_array_open", 1),
        ("id = {a = 1\n}\n", "toml_table_open", 1),
        ("id = {a = 1,}\n", "toml_statement", 1),
        ("[limits] x\n", "toml_line_end", 1),
    ],
)
def test_a_text_that_is_no_toml_is_explained_with_its_line(text: str, name: str, line: int | None) -> None:
    with pytest.raises(BadScenario) as refused:
        parse(text)
    assert refused.value.sentences["reason"]["key"] == f"scenario.wrong.{name}"
    assert (refused.value.place, refused.value.line) == ("document", line)


def test_a_mistake_speaks_the_readers_language() -> None:
    with pytest.raises(BadScenario) as refused:
        load({"id": "X", "title": {"en": "x", "zh-Hans": "x"}, "seed": "many"})
    bad = refused.value
    assert str(bad) == "scenario: seed: 'many'; instead: a whole number from 0 to 9007199254740992"
    said = sentence("fault.impossible", {"action": "set", "place": bad.place, **bad.sentences}, "zh-Hans")
    assert "'many'" in said


def test_a_long_list_of_names_tells_how_many_are_left_out() -> None:
    listed = any_of(range(NAMES_MAX + 7))
    assert isinstance(listed, Phrase) and str(listed).endswith("99 and 7 more")
    assert any_of([]) == Phrase("scenario.allowed.none_exist", {})
