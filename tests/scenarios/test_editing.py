"""Editing a value changes the text only at its place."""

from __future__ import annotations

import copy
import random
import tomllib
from typing import Any

import pytest

from engine.scenario.shelf import library
from eosviz.scenarios.editing import CannotEdit, Edit, edited, written

TEXT = """\
# What this is about.
id = "MY-1"   # the name
profile = "k28"

[title]
en = "A title"
zh-Hans = "标题"

[[producers]]
name = "p1"  # the only one
settings = { enable_idempotence = true, linger_ms = 5 }

# The application comes second.
[[applications]]
name = "app-1"
client = "p1"
calls = [
    { at = 10, do = "send", partition = "t-0" },  # first
    # then
    { at = 20, do = "flush" },
]

[[faults]]  # loses it
match = { api = "Produce", response = true }
action = "drop"

[[faults]]
at = 30
action = "crash"
actor = "broker-1"
"""


def comments(text: str) -> list[str]:
    return [line[line.index("#") :] for line in text.splitlines() if "#" in line]


@pytest.mark.parametrize(
    "edit",
    [
        Edit("set", ["profile"], "k20"),
        Edit("set", ["seed"], 7),
        Edit("set", ["title", "en"], 'Quotes " and\nlines'),
        Edit("set", ["limits", "steps"], 50),
        Edit("set", ["producers", 0, "settings", "acks"], "all"),
        Edit("remove", ["producers", 0, "settings", "linger_ms"]),
        Edit("set", ["applications", 0, "calls", 1, "at"], 25),
        Edit("add", ["applications", 0, "calls"], {"at": 30, "do": "close"}),
        Edit("set", ["faults", 0, "match", "nth"], 2),
        Edit("add", ["faults"], {"match": {"api": "EndTxn"}, "action": "delay", "by_ms": 9}),
        Edit("add", ["consumers"], {"name": "c1"}),
        Edit("add", ["producers"], {"name": "p2", "settings": {"acks": 1}}),
        Edit("set", ["switches", "sequence_check"], False),
        Edit("add", ["expect", "verdicts"], {"partition": "t-0", "stored": 1}),
        Edit("move", ["faults", 0], by=1),
        Edit("set", ["overrides"], [{"set": "log_start", "partition": "t-0", "offset": 3}]),
    ],
    ids=lambda edit: f"{edit.do}-{'.'.join(map(str, edit.path))}",
)
def test_an_edit_changes_what_it_says_and_loses_no_comment(edit: Edit) -> None:
    text = edited(TEXT, [edit])
    assert sorted(comments(text)) == sorted(comments(TEXT))
    assert tomllib.loads(text) != tomllib.loads(TEXT)
    kept = [line for line in TEXT.splitlines() if line in text.splitlines()]
    assert len(kept) >= len(TEXT.splitlines()) - 3


def test_a_removed_row_takes_its_own_lines_along_and_no_others() -> None:
    text = edited(TEXT, [Edit("remove", ["faults", 1]), Edit("remove", ["applications", 0, "calls", 1])])
    assert tomllib.loads(text)["faults"] == tomllib.loads(TEXT)["faults"][:1]
    assert "# loses it" in text and "# first" in text and "# The application comes second." in text


def test_a_row_keeps_its_spacing_when_a_key_goes_and_comes() -> None:
    calls = 'calls = [\n    { at = 10, do = "send", partition = "t-0" }, # First.\n    { at = 20, do = "flush" },\n]\n'
    edit = Edit(do="remove", path=["calls", 0, "partition"])
    without = calls.replace(', partition = "t-0"', "")
    assert edited(calls, [edit]) == without
    back = Edit(do="set", path=["calls", 0, "partition"], value="t-0")
    assert edited(without, [back]) == calls
    match = 'faults = 1\nmatch = { api = "Produce", nth = 2 } # Which.\n'
    edit = Edit(do="remove", path=["match", "nth"])
    assert edited(match, [edit]) == match.replace(", nth = 2", "")


def test_the_last_row_leaves_no_empty_list() -> None:
    text = edited(TEXT, [Edit("remove", ["faults", 0]), Edit("remove", ["faults", 0])])
    assert "faults" not in tomllib.loads(text)


@pytest.mark.parametrize(
    "edit",
    [
        Edit("set", ["producers", 4, "name"], "x"),
        Edit("remove", ["nothing"]),
        Edit("move", ["faults", 0], by=-1),
        Edit("set", ["profile", "deeper"], 1),
        Edit("set", ["seed"], float("nan")),
        Edit("add", ["profile"], {}),
    ],
)
def test_what_cannot_be_edited_is_refused(edit: Edit) -> None:
    with pytest.raises(CannotEdit):
        edited(TEXT, [edit])


def test_values_of_the_library_can_be_set_and_documents_be_written() -> None:
    chance = random.Random(5)
    for entry in library()[::9]:
        assert tomllib.loads(written(entry.document)) == entry.document
        way = list(_paths(entry.document))
        for path in chance.sample(way, min(4, len(way))):
            same = edited(entry.text, [Edit("set", path, _at(entry.document, path))])
            assert tomllib.loads(same) == entry.document
            assert len(comments(same)) == len(comments(entry.text))
            removed = edited(entry.text, [Edit("remove", path)])
            expected = copy.deepcopy(entry.document)
            del _at(expected, path[:-1])[path[-1]]
            assert tomllib.loads(removed) == expected


def _paths(node: Any, way: tuple[Any, ...] = ()) -> Any:
    for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(inner, dict | list):
            yield from _paths(inner, (*way, key))
        elif isinstance(key, str):
            yield [*way, key]


def _at(node: Any, path: list[Any]) -> Any:
    for key in path:
        node = node[key]
    return node
