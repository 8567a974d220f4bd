"""Which rows of the profiles make a difference between two generations: found by exchange.

A generation is a value for every row of two profiles, the brokers' and the clients'. Rows of one generation are put
into the other, and the run is made again. The rows that remain necessary when all others went back are those that
decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from engine.generations.generation import Generation
from engine.profile import Profile
from engine.scenario.document import Scenario

BROKERS: Literal["brokers"] = "brokers"
CLIENTS: Literal["clients"] = "clients"


@dataclass(frozen=True, slots=True)
class Row:
    """A field of the profile, and whose: its value here and in the generation before."""

    side: Literal["brokers", "clients"]
    field: str
    value: Any
    before: Any


def rows_between(before: Generation, generation: Generation) -> list[Row]:
    """The rows in which two generations differ, clients' first."""
    sides: tuple[tuple[Literal["brokers", "clients"], Profile, Profile], ...] = (
        (CLIENTS, before.client, generation.client),
        (BROKERS, before.cluster, generation.cluster),
    )
    return [
        Row(side, field.name, getattr(new, field.name), getattr(old, field.name))
        for side, old, new in sides
        for field in fields(Profile)
        if field.name not in ("name", "version") and getattr(old, field.name) != getattr(new, field.name)
    ]


def with_rows(scenario: Scenario, generation: Generation, rows: Sequence[Row]) -> Scenario:
    """A scenario, loaded for ``generation``, with these rows as they are in another. The cluster stays at the highest
    level of ``transaction.version`` that it knows."""
    document = dict(scenario.document)
    document["profile"] = BROKERS
    document["cluster"] = {**document["cluster"], "transaction_version": None}
    for section in ("producers", "consumers"):
        document[section] = [{**row, "profile": CLIENTS} for row in document[section]]
    versions = {
        BROKERS: replace(generation.cluster, **{row.field: row.value for row in rows if row.side == BROKERS}),
        CLIENTS: replace(generation.client, **{row.field: row.value for row in rows if row.side == CLIENTS}),
    }
    return replace(scenario, document=document, versions=versions)


def least(rows: Sequence[Row], suffices: Callable[[Sequence[Row]], bool]) -> list[Row]:
    """Rows of which none can be left out: with them the difference is there, without any one of them it is not.
    All rows together must suffice. Halves go first, so few runs are made where one row decides."""
    kept = list(rows)
    size = max(1, len(kept) // 2)
    while kept:
        index = 0
        while index < len(kept):
            rest = kept[:index] + kept[index + size :]
            if suffices(rest):
                kept = rest
            else:
                index += size
        if size == 1:
            break
        size //= 2
    return kept
