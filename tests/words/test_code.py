"""Comments, docstrings and names use the words of the documents: a component or a person is the subject."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from eosviz.launch.places import ROOT
from tests.syntax_tree import parsed

WORDS = "told|somebody|nobody|whoever|anybody|everybody|news|sights|bringing"
OLD = re.compile(rf"\b({WORDS})\b", re.IGNORECASE)
"""Words that comments must not use: a client receives, a page shows, a step names, and a certain component sends a
request.
"""
ANYWHERE = re.compile(rf"(?<![a-z])({WORDS})(?![a-z])", re.IGNORECASE)
"""Also matches inside a name, between underscores."""
IN_TEXT = ("engine", "eosviz", "tests", "benchmarks")
IN_NAMES = IN_TEXT
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.DOTALL)
MARKED = re.compile(r"`[^`]*`|<[^>]*>")
"""Matches code inside a comment."""
NOT_OURS = {"oracles", "generated", "migrations"}
HOLDS_THEM = "tests/words"


def python(*rooms: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the source of files that contain a forbidden word anywhere; the other files need not be
    parsed.
    """
    paths = [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]
    assert len(paths) > 300
    for path in paths:
        name, source = path.relative_to(ROOT), path.read_text("utf-8")
        if ANYWHERE.search(source) and not NOT_OURS & set(name.parts) and not name.is_relative_to(HOLDS_THEM):
            yield str(name), source


def said_in(source: str) -> Iterator[str]:
    """Yield the comments and docstrings of a source, including those of attributes."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(parsed(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value


def scripts() -> Iterator[tuple[str, str]]:
    """Yield the name of each script and style sheet of the front end with each of its comments."""
    for path in sorted((ROOT / "static").rglob("*")):
        name = path.relative_to(ROOT)
        if path.suffix in (".ts", ".css") and not {"dist", *NOT_OURS} & set(name.parts):
            yield from ((str(name), comment) for comment in COMMENT.findall(path.read_text("utf-8")))


def named_in(source: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.string.replace("_", " ")


def test_comments_and_docstrings_have_plain_words() -> None:
    found = [
        (name, text) for name, source in python(*IN_TEXT) for text in said_in(source) if OLD.search(text)
    ]
    assert found == []


def test_comments_of_the_front_end_have_plain_words() -> None:
    comments = list(scripts())
    assert len(comments) > 2500
    assert [one for one in comments if OLD.search(MARKED.sub("", one[1]))] == []


def test_names_have_plain_words() -> None:
    found = {
        (name, word) for name, source in python(*IN_NAMES) for word in named_in(source) if OLD.search(word)
    }
    assert found == set()


@pytest.mark.parametrize(
    "source",
    ['def f():\n    """It is told the error."""', "x = 1  # Whoever asks", 'x = 1\n"""Of nobody."""'],
)
def test_an_old_word_is_found(source: str) -> None:
    assert any(OLD.search(text) for text in said_in(source))
    assert not any(OLD.search(word) for word in named_in(source))


def test_a_name_is_read_by_its_words() -> None:
    assert [word for word in named_in("def is_told(retold): ...") if OLD.search(word)] == ["is told"]
