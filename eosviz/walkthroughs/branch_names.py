"""Names the branches of a session. The first run without a change is the original run; changed runs and new
runs have a letter, or the name that the user gave them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple, TypedDict

from engine.shapes.words import JsonObject

LETTERS = re.compile(r"[a-z]{1,2}")
"""Matches the names that branches have before a user renames them."""


class BranchName(TypedDict):
    """How a sentence names a branch: the key in the catalogue, and the parameters."""

    key: str
    params: JsonObject


class Run(NamedTuple):
    """The facts from which the name of a branch follows. `is_changed`: whether the branch, or the part of an
    ancestor that it continues, contains an intervention."""

    id: str
    name: str
    is_changed: bool


def names_of(runs: Sequence[Run]) -> dict[str, BranchName]:
    """Returns a dict of branch id → name, for all branches of a session. `runs`: in the order in which the
    branches were created."""
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
    """Returns the first branch without a change; None if all branches are changed."""
    return next((run for run in runs if not run.is_changed), None)


def next_letters(runs: Sequence[Run]) -> str:
    """Returns the letters for one more changed or new run. The letters with which the original run is stored
    are not shown, so another run can have them."""
    original = original_of(runs)
    taken = [run.name for run in runs if run is not original and LETTERS.fullmatch(run.name)]
    last = max(map(_rank, taken), default=(0, ""))
    return next(letters for letters in map(letters_at, count()) if _rank(letters) > last)


def letters_at(position: int) -> str:
    """Returns the letters at a position (from 0): a, b, … z, aa, ab, …"""
    letters = ""
    position += 1
    while position:
        position, letter = divmod(position - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def _rank(letters: str) -> tuple[int, str]:
    return len(letters), letters
