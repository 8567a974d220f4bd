"""Client libraries (``libraries.toml``): which of them does what where Kafka leaves it to the client.

What a library does follows from the versions of the requests that it sends, or, where no request shows it, from the
libraries that a row names.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

Words = dict[str, str]
"""Language to text."""


@dataclass(frozen=True, slots=True)
class Library:
    """``name``: with its release. ``sent``: request to the highest version that it sends to Kafka 4.1."""

    name: str
    sent: dict[str, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """One library in one row. ``version``: the highest version of the row's request that the library sends; None where
    the row names libraries."""

    library: str
    has: bool
    version: int | None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One row. ``name`` is part of addresses; ``scenarios``: the identifiers of those in which it matters."""

    name: str
    title: Words
    has: Words
    lacks: Words
    source: str
    scenarios: tuple[str, ...]
    cells: tuple[Cell, ...]
    """In the order of the libraries."""
    request: str
    """The request that shows it with the version that has it, ``EndTxn 5``; empty where none does."""

    @property
    def sides(self) -> tuple[tuple[tuple[str, ...], Words], ...]:
        """The libraries that have it and what they do; then the others."""
        sides = ((True, self.has), (False, self.lacks))
        named = ((tuple(cell.library for cell in self.cells if cell.has is has), text) for has, text in sides)
        return tuple((libraries, text) for libraries, text in named if libraries)


@cache
def libraries() -> tuple[Library, ...]:
    return tuple(Library(**row) for row in _table()["libraries"])


@cache
def behaviours() -> tuple[Behaviour, ...]:
    """Every row, in the order of the table."""
    return tuple(_behaviour(**row) for row in _table()["behaviours"])


def of_scenario(identifier: str) -> tuple[Behaviour, ...]:
    """The rows that matter in a scenario."""
    return tuple(one for one in behaviours() if identifier in one.scenarios)


def _behaviour(
    *, api: str = "", since: int = 0, libraries: list[str] | None = None, scenarios: list[str], **texts: Any
) -> Behaviour:
    if libraries is not None:
        cells = tuple(Cell(one.name, one.name in libraries, None) for one in _libraries())
        return Behaviour(**texts, scenarios=tuple(scenarios), cells=cells, request="")
    cells = tuple(Cell(one.name, one.sent[api] >= since, one.sent[api]) for one in _libraries())
    return Behaviour(**texts, scenarios=tuple(scenarios), cells=cells, request=f"{api} {since}")


_libraries = libraries


def _table() -> dict[str, list[dict[str, Any]]]:
    text = resources.files("eosviz.scenarios").joinpath("libraries.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
