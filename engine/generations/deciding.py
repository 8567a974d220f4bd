"""Finds the fields of the profiles that cause a difference between the runs of two generations, by exchanging
their values.

A generation has two profiles, one for the brokers and one for the clients. A :class:`Row` is a field in which
the profiles of two generations differ. Some rows of one generation get the values of the other, and the run
is made again. The deciding rows are those that are still needed for the difference after all others were
changed back.
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
    """A field of a profile in which two generations differ. ``side``: whether the profile is that of the
    brokers or of the clients. ``value``: the field's value in this generation. ``before``: its value in the
    earlier one."""

    side: Literal["brokers", "clients"]
    field: str
    value: Any
    before: Any


def rows_between(before: Generation, generation: Generation) -> list[Row]:
    """The fields in which the profiles of two generations differ, those of the clients' profiles first."""
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
    """The scenario with the profiles of ``generation``, in which the fields of ``rows`` have the values that
    they have in another generation. ``scenario`` was loaded for ``generation``."""
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
    """The rows that together cause the difference, in the order of ``rows``, without rows that can be left out. All
    of ``rows`` together must cause it. ``suffices`` says whether some rows cause it."""
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
