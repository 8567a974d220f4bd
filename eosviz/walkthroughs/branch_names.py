"""Names the branches of a session: the original run, and changed and new runs with a letter or with the name that a
person gave them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple, TypedDict

from engine.shapes.words import JsonObject

LETTERS = re.compile(r"[a-z]{1,2}")
"""The names that branches have before a person renames them."""


class BranchName(TypedDict):
    """The name of a branch within a sentence: its key in the catalogue and its parameters."""

    key: str
    params: JsonObject


class Run(NamedTuple):
    """The facts that the name of a branch depends on. `is_changed`: whether there is an intervention on the way to
    its end."""

    id: str
    name: str
    is_changed: bool


def names_of(runs: Sequence[Run]) -> dict[str, BranchName]:
    """Id → name, of all branches of a session. `runs`: in the order in which they began."""
    original = original_of(runs)
    names: dict[str, BranchName] = {}
    for run in runs:
        is_lettered = LETTERS.fullmatch(run.name) is not None
        name = run.name if is_lettered else f"“{run.name}”"
        if run.is_changed:
            key = "branch.changed"
        elif run is not original:
            key = "branch.unchanged"
        else:
            key = "branch.original" if is_lettered else "branch.original_named"
        names[run.id] = BranchName(key=key, params={"name": name})
    return names


def original_of(runs: Sequence[Run]) -> Run | None:
    """The first branch without a change; None if all are changed."""
    return next((run for run in runs if not run.is_changed), None)


def next_letters(runs: Sequence[Run]) -> str:
    """The letters for another changed or new run. The original run shows none, so those that it is stored with are
    free."""
    original = original_of(runs)
    taken = [run.name for run in runs if run is not original and LETTERS.fullmatch(run.name)]
    last = max(map(_rank, taken), default=(0, ""))
    return next(letters for letters in map(letters_at, count()) if _rank(letters) > last)


def letters_at(position: int) -> str:
    """The letters at a position, which counts from 0: a, b, … z, aa, ab, …"""
    letters = ""
    position += 1
    while position:
        position, letter = divmod(position - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def _rank(letters: str) -> tuple[int, str]:
    return len(letters), letters
