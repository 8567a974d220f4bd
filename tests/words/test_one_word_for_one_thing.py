"""One word for one thing, in Chinese too: who met a coordinator as one word is not asked to know it by another."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from eosviz.launch.places import ROOT

CHINESE = "zh-Hans"
ROOMS = ("engine", "eosviz/catalogue", "eosviz/pipeline", "eosviz/reference")
ASKED = "asked.toml"
"""Holds what people search with, whatever they call a thing; no page says it."""
INSTEAD_OF = {
    "协调者": "协调器|coordinator epoch",
    "序列号": "(?<!列)序号",
    "偏移量": "位移|位点|(?<![_a-z.])offset(?![_a-z.])",
    "消费组": "消费者组",
    "恰好一次": "精确一次|恰一次",
    "生产者 ID": "(?<![_a-z])producer [iI][dD]|生产者 id",
    "事务 ID": "(?<![_a-z])transactional id",
    "生产者 epoch": "producer epoch",
    "号段": "区块",
    "响应": "答复",
    "leader": "领导者|首领",
    "崩溃": "宕机",
    "工作坊": "(?<!作)工坊",
    "教师": "老师",
    "账户": "账号",
    "你": "您",
}
"""The word that is used, and what else has been said for the same."""


def said(document: Any) -> Iterator[str]:
    """Every Chinese text in it, without the names of what is put in."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == CHINESE and isinstance(value, str):
                yield re.sub(r"\{[^}]*\}", "…", value)
            else:
                yield from said(value)
    elif isinstance(document, list):
        for value in document:
            yield from said(value)


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """File and text of everything that is said in Chinese."""
    found = (file for room in ROOMS for file in sorted((ROOT / room).rglob("*.toml")))
    files = [file for file in found if file.name != ASKED]
    return [(file.name, text) for file in files for text in said(tomllib.loads(file.read_text("utf-8")))]


@pytest.mark.parametrize(("word", "others"), INSTEAD_OF.items())
def test_a_thing_has_one_chinese_word(texts: list[tuple[str, str]], word: str, others: str) -> None:
    assert any(word in text for _, text in texts)
    assert [(file, text) for file, text in texts if re.search(others, text)] == []
