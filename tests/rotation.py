"""Chooses which of many similar cases the quick tests take; `make test-all` takes all. The choice depends only on the
code that is tested: it changes with this code, and is the same on every machine until then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

_ROOT = Path(__file__).parents[1]
Case = TypeVar("Case")


@cache
def content_of(*folders: str) -> str:
    """Return the SHA-256 of every Python file and every scenario below these folders of the project."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((_ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def part(cases: Sequence[Case], count: int, *folders: str, name: Callable[[Case], str] = repr) -> list[Case]:
    """Return `count` of the `cases` in their order, chosen by the content of `folders`. `name`: a function that gives
    a case a name, the same on every machine.
    """
    content = content_of(*folders)

    def drawn(position: int) -> str:
        return hashlib.sha256(f"{content} {name(cases[position])}".encode()).hexdigest()

    chosen = sorted(range(len(cases)), key=drawn)[:count]
    return [cases[position] for position in sorted(chosen)]


def is_drawn(case: str, one_in: int, *folders: str) -> bool:
    """Whether the quick tests take this case, for cases that are not known beforehand: they take one in `one_in`,
    chosen by the content of `folders`.
    """
    drawn = hashlib.sha256(f"{content_of(*folders)} {case}".encode()).digest()
    return int.from_bytes(drawn) % one_in == 0


def in_turn(
    cases: Sequence[Case], count: int, *folders: str, name: Callable[[Case], str] = repr
) -> list[Any]:
    """Return all `cases` for `parametrize`, in their order; all but a `part` of them are marked as slow."""
    names = {name(case) for case in part(cases, count, *folders, name=name)}
    return [case if name(case) in names else pytest.param(case, marks=pytest.mark.slow) for case in cases]
