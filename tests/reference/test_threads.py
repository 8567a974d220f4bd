"""The questions of public threads (``threads.toml``) find their lessons. The floors are a little below what was
measured when the tables were last changed."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from eosviz.reference import search_index
from eosviz.reference.views import QUESTION_LENGTH

THREADS: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("threads.toml").read_text(encoding="utf-8")
)["threads"]


def is_found(thread: dict[str, Any], words: str) -> bool:
    question = thread[words][:QUESTION_LENGTH]
    found = search_index.find(question, "en") or search_index.closest(question, "en")
    return any(row.identifier in thread["lessons"] for row in found.get("scenario", [])[:3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("apart", "words", "floor"),
    [
        (False, "title", 0.92),
        (False, "symptom", 0.95),
        (True, "title", 0.84),
        (True, "symptom", 0.87),
    ],
)
def test_a_lesson_is_among_the_first_three(apart: bool, words: str, floor: float) -> None:
    threads = [thread for thread in THREADS if thread.get("apart", False) == apart and words in thread]
    missed = [thread["of"] for thread in threads if not is_found(thread, words)]
    assert 1 - len(missed) / len(threads) >= floor, missed
