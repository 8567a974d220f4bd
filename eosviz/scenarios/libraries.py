"""Client libraries (``libraries.toml``), and what each of them does where Kafka leaves the behaviour to the
client.

A library's behaviour is computed from the versions of the requests that it sends. If no request shows a
behaviour, its row lists the libraries that have it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

Words = dict[str, str]
"""A text in each language. Dict of language → text."""


@dataclass(frozen=True, slots=True)
class Library:
    """One client library. ``name``: with its release. ``sent``: request → the highest version of it that the
    library sends to Kafka 4.1."""

    name: str
    sent: dict[str, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """Whether one library has one behaviour. ``version``: the highest version of the behaviour's request that
    the library sends; None if the row lists libraries."""

    library: str
    has: bool
    version: int | None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One behaviour, a row of the table. ``name``: a part of addresses. ``scenarios``: the identifiers of the
    scenarios in which it matters."""

    name: str
    title: Words
    has: Words
    lacks: Words
    source: str
    scenarios: tuple[str, ...]
    cells: tuple[Cell, ...]
    """Whether each library has the behaviour, in the order of the libraries."""
    request: str
    """The request that shows the behaviour, with the first version that does: ``EndTxn 5``. Empty if no
    request shows it."""

    @property
    def sides(self) -> tuple[tuple[tuple[str, ...], Words], ...]:
        """(names of libraries, what they do) for the libraries that have the behaviour, and for those that
        lack it. Left out if there are no such libraries."""
        sides = ((True, self.has), (False, self.lacks))
        named = ((tuple(cell.library for cell in self.cells if cell.has is has), text) for has, text in sides)
        return tuple((libraries, text) for libraries, text in named if libraries)


@cache
def client_libraries() -> tuple[Library, ...]:
    return tuple(Library(**row) for row in _table()["libraries"])


@cache
def behaviours() -> tuple[Behaviour, ...]:
    """All behaviours, in the order of the table."""
    return tuple(_behaviour(**row) for row in _table()["behaviours"])


def of_scenario(identifier: str) -> tuple[Behaviour, ...]:
    """The behaviours that matter in a scenario."""
    return tuple(one for one in behaviours() if identifier in one.scenarios)


def _behaviour(
    *, api: str = "", since: int = 0, libraries: list[str] | None = None, scenarios: list[str], **texts: Any
) -> Behaviour:
    if libraries is not None:
        cells = tuple(Cell(one.name, one.name in libraries, None) for one in client_libraries())
        return Behaviour(**texts, scenarios=tuple(scenarios), cells=cells, request="")
    cells = tuple(Cell(one.name, one.sent[api] >= since, one.sent[api]) for one in client_libraries())
    return Behaviour(**texts, scenarios=tuple(scenarios), cells=cells, request=f"{api} {since}")


def _table() -> dict[str, list[dict[str, Any]]]:
    text = resources.files("eosviz.scenarios").joinpath("libraries.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
