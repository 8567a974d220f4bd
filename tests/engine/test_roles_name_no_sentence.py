"""Roles report happenings and name no sentence: only engine/telling contains keys of the catalogue.

Rows of tables contain words and codes, which the tables of engine/telling translate into keys.
"""

from __future__ import annotations

import ast
from pathlib import Path

from engine.explain.sentences import catalogue
from engine.happenings.base import Fact, Happening
from engine.telling.tellings import TELLINGS
from tests.syntax_tree import tree_of

ENGINE = Path(__file__).parents[2] / "engine"
ROOMS = ("broker", "client", "coordinator", "happenings", "middleware", "network")

TELLS = {"say", "note", "lead", "decide", "refuse", "transition", "fact"}


def named_in(path: Path, known: frozenset[str]) -> set[str]:
    """Return the keys that a file names, whole or by their beginning."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known:
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            first = node.values[0]
            begins = first.value if isinstance(first, ast.Constant) else None
            if isinstance(begins, str) and "." in begins and begins.partition(".")[0] in _beginnings(known):
                found.add(begins)
    return found


def _beginnings(known: frozenset[str]) -> set[str]:
    return {key.partition(".")[0] for key in known}


def test_no_role_names_a_sentence() -> None:
    known = frozenset(key for key in catalogue() if "." in key)
    files = {
        f"{room}/{path.name}": bool(named_in(path, known))
        for room in ROOMS
        for path in sorted((ENGINE / room).rglob("*.py"))
    }
    assert [name for name, names in files.items() if names] == []


def test_no_role_tells_anything() -> None:
    """Roles only report happenings and touch parts; engine/telling makes the sentences of a step, and no role imports
    it.
    """
    for room in ROOMS:
        for path in sorted((ENGINE / room).rglob("*.py")):
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.ImportFrom):
                    assert not (node.module or "").startswith("engine.telling"), path
                if isinstance(node, ast.Attribute) and node.attr in TELLS:
                    of = ast.unparse(node.value)
                    assert not of.endswith("watch"), f"{path}: {of}.{node.attr}"


def kinds(of: type[Happening] = Happening) -> set[type[Happening]]:
    return {kind for below in of.__subclasses__() for kind in (below, *kinds(below))}


def test_every_happening_has_one_sentence() -> None:
    with_sentence = {
        kind for kind in kinds() if hasattr(kind, "__dataclass_fields__") and not issubclass(kind, Fact)
    }
    assert with_sentence == TELLINGS.keys()


def test_no_happening_takes_the_parameter_of_its_batch() -> None:
    """A step stores the id of its batch as ``batch_id`` (recording.py), so a happening's own field with this name
    would be lost.
    """
    both = {kind.__name__ for kind in TELLINGS if {"batch", "batch_id"} <= set(kind.__annotations__)}
    assert both == set()
