"""Every refusal of the engine has texts in both languages, for reason and remedy, and all parameters that they name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.explain.sentences import catalogue, sentence
from tests.syntax_tree import parsed

ENGINE = Path(__file__).parents[2] / "engine"
CJK = re.compile("[\u4e00-\u9fff]")


def _refusals() -> Iterator[tuple[str, ast.Call, ast.Module]]:
    for file in sorted(ENGINE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "Refused(" not in text:
            continue
        module = parsed(text)
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused":
                yield f"{file.relative_to(ENGINE)}:{node.lineno}", node, module


def _keys(call: ast.Call, module: ast.Module) -> list[str]:
    """Return the catalogue keys that the third argument can name: itself, those that match an f-string, or those that
    a variable can have.
    """
    known = [key for key in catalogue() if key.startswith("refused.") and not key.endswith(".remedy")]
    what = call.args[2]
    if isinstance(what, ast.Name):
        fitting = [
            one
            for node in ast.walk(module)
            if isinstance(node, ast.Call | ast.Assign)
            for one in _texts(node)
        ]
        found = [key for pattern in fitting for key in known if re.fullmatch(pattern, key)]
    else:
        found = [
            key for pattern in _patterns(what) for key in known if re.fullmatch(pattern, key)
        ] or _patterns(what)
    return sorted(set(found))


def _texts(node: ast.Call | ast.Assign) -> list[str]:
    given = [node.value] if isinstance(node, ast.Assign) else node.args
    return [pattern for one in given for pattern in _patterns(one)]


def _patterns(what: ast.expr) -> list[str]:
    if isinstance(what, ast.IfExp):
        return [*_patterns(what.body), *_patterns(what.orelse)]
    if isinstance(what, ast.Constant) and isinstance(what.value, str):
        return [re.escape(f"refused.{what.value}")]
    if isinstance(what, ast.JoinedStr) and isinstance(what.values[0], ast.Constant):
        parts = [
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in what.values
        ]
        return [re.escape("refused.") + "".join(parts)]
    return []


REFUSALS = list(_refusals())


@pytest.mark.parametrize(("place", "call", "module"), REFUSALS, ids=[place for place, _, _ in REFUSALS])
def test_a_refusal_has_reason_and_remedy_with_all_that_they_name(
    place: str, call: ast.Call, module: ast.Module
) -> None:
    keys = _keys(call, module)
    assert keys, f"{place} names no sentence"
    given = {one.arg for one in call.keywords}
    for key in keys:
        for name in (key, f"{key}.remedy"):
            words = catalogue()[name]
            needed = words.slots("en") | words.slots("zh-Hans")
            # A variable may also name sentences of other calls, which have other parameters.
            assert needed <= given or isinstance(call.args[2], ast.Name), f"{place}: {name} needs {needed}"


def test_no_words_are_left_over() -> None:
    used = {key for _, call, module in REFUSALS for key in _keys(call, module)}
    known = {key.removesuffix(".remedy") for key in catalogue() if key.startswith("refused.")}
    assert known == used


def test_a_refusal_speaks_the_readers_language() -> None:
    refused = Refused("GEN-6", "actor", "actor_down", actor="broker-1")
    assert str(refused) == "GEN-6: actor: broker-1 is down; restart it"
    params = {
        "action": "crash",
        "place": refused.place,
        **refused.sentences,
        "remedy": refused.sentences["allowed"],
    }
    assert "broker-1 is down" in sentence("fault.impossible", params)
    said = sentence("fault.impossible", params, "zh-Hans")
    assert "broker-1 已停机" in said and "重新启动它" in said


def test_reasons_are_chinese_where_they_say_more_than_names() -> None:
    only_names = {"refused.no_such_path.remedy", "refused.no_error_answer.remedy"}
    for key, words in catalogue().items():
        if key.startswith("refused.") and key not in only_names:
            assert CJK.search(words.zh), key
