"""Client libraries (``libraries.toml``): what each of them does where Kafka leaves it to the client.

What a library does follows from the versions of the requests that it sends. Where no request shows it, a row
names the libraries.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

Words = dict[str, str]
"""Language → text."""


@dataclass(frozen=True, slots=True)
class Library:
    """One client library. ``name`` includes its release. ``sent``: each request, with the highest version
    that the library sends to Kafka 4.1."""

    name: str
    sent: dict[str, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """One library in one row. ``version``: the highest version of the row's request that the library sends.
    None if the row names libraries."""

    library: str
    has: bool
    version: int | None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One row. ``name`` is a part of addresses. ``scenarios``: the identifiers of the scenarios in which the
    behaviour matters."""

    name: str
    title: Words
    has: Words
    lacks: Words
    source: str
    scenarios: tuple[str, ...]
    cells: tuple[Cell, ...]
    """The cells, in the order of the libraries."""
    request: str
    """The request that shows the behaviour, with its first version that does so: ``EndTxn 5``. Empty if no
    request shows it."""

    @property
    def sides(self) -> tuple[tuple[tuple[str, ...], Words], ...]:
        """The libraries that have the behaviour, with what they do; then the other libraries, with what those do."""
        sides = ((True, self.has), (False, self.lacks))
        named = ((tuple(cell.library for cell in self.cells if cell.has is has), text) for has, text in sides)
        return tuple((libraries, text) for libraries, text in named if libraries)


@cache
def client_libraries() -> tuple[Library, ...]:
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
        cells = tuple(Cell(one.name, one.name in libraries, None) for one in client_libraries())
        return Behaviour(**texts, scenarios=tuple(scenarios), cells=cells, request="")
    cells = tuple(Cell(one.name, one.sent[api] >= since, one.sent[api]) for one in client_libraries())
    return Behaviour(**texts, scenarios=tuple(scenarios), cells=cells, request=f"{api} {since}")


def _table() -> dict[str, list[dict[str, Any]]]:
    text = resources.files("eosviz.scenarios").joinpath("libraries.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
