"""Computes the heat maps of a sweep's table for the page: one measure over two axes. The other axes are
facets, are filtered, or are aggregated.

To aggregate cells, their counts and distributions are added. This is why the table contains these and not
means.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from eosviz.pipeline.sweep_measures import COUNTED, JUDGED, MEASURES

Row = dict[str, Any]

SHARES = (*JUDGED, "failed", "aborted")
"""The measures that are shares of runs. Each has an interval."""
MEAN_OF = {"lost": "lost_records", "failed": "failed_records", "aborted": "aborted_transactions"}
"""Dict of counted column → the name of its mean, if the column's own name is that of a share."""
MEANS = tuple(MEAN_OF.get(name, name) for name in COUNTED)
"""The measures that are the mean of a count over the runs. From two runs on, each has an interval."""
_COLUMN = {mean: name for name, mean in MEAN_OF.items()}
CONFIDENCE_Z = 1.959964
"""The quantile of the normal distribution for 95 % intervals."""
HEATS = 10
FACETS_MAX = 50
TOGETHER = ""


def wilson(hits: int, runs: int) -> tuple[float, float]:
    """The 95 % interval of the share `hits / runs`, by Wilson's score; (0, 1) if there are no runs."""
    if runs == 0:
        return 0.0, 1.0
    share, square = hits / runs, CONFIDENCE_Z**2
    middle = (share + square / (2 * runs)) / (1 + square / runs)
    half = CONFIDENCE_Z * math.sqrt(share * (1 - share) / runs + square / (4 * runs**2)) / (1 + square / runs)
    return max(0.0, middle - half), min(1.0, middle + half)


def around(mean: float, distribution: list[list[int]]) -> tuple[float, float] | tuple[None, None]:
    """The 95 % interval of a mean, by the normal approximation; its lower end is at least 0.
    ``distribution``: [value, number of runs], by value. (None, None) if there are fewer than two runs."""
    runs = sum(count for _, count in distribution)
    if runs < 2:
        return None, None
    squares = sum(count * (value - mean) ** 2 for value, count in distribution)
    half = CONFIDENCE_Z * math.sqrt(squares / (runs - 1) / runs)
    return max(0.0, mean - half), mean + half


def together(distributions: Iterable[list[list[int]]]) -> list[list[int]]:
    """The sum of several distributions, as [value, number of runs], by value."""
    summed: dict[int, int] = {}
    for one in distributions:
        for value, runs in one:
            summed[value] = summed.get(value, 0) + runs
    return [[value, summed[value]] for value in sorted(summed)]


def quantile(distribution: list[list[int]], share: float) -> int | None:
    """The smallest value that is not exceeded in at least ``share`` (0 to 1) of the runs; None if there are
    no runs."""
    runs = sum(count for _, count in distribution)
    at = 0
    for value, count in distribution:
        at += count
        if at >= share * runs:
            return value
    return None


@dataclass(frozen=True, slots=True)
class Mark:
    """One square of a heat map. It shows one cell of the grid, or several that are aggregated."""

    cells: tuple[int, ...]
    shown: float | None
    """The value that determines the colour; None if nothing was measured."""
    low: float | None
    high: float | None
    hits: int | None
    runs: int
    refused: int
    rule: str | None
    heat: int = 0
    """How strong the colour is, from 0 to HEATS."""

    @property
    def cell(self) -> int:
        return self.cells[0]

    @property
    def is_refused(self) -> bool:
        """Whether rules refused all runs of the square."""
        return self.refused > 0 and not self.runs


@dataclass(frozen=True, slots=True)
class Panel:
    """One heat map. Each of its rows has a name, the value of the vertical axis, and its squares."""

    names: tuple[tuple[str, str], ...]
    """(axis, value) of each facet of this map."""
    columns: list[str]
    rows: list[tuple[str, list[Mark | None]]]


@dataclass(frozen=True, slots=True)
class Choice:
    """A field of the form above the maps."""

    name: str
    options: list[tuple[str, str]]
    chosen: str


@dataclass(frozen=True, slots=True)
class Look:
    """What the page of a sweep shows: the chosen measure, axes and filters."""

    measure: str
    across: str
    down: str
    facets: tuple[str, ...]
    only: dict[str, str] = field(default_factory=dict)
    """Dict of axis → the only value that is shown, as JSON. `TOGETHER` instead of a value aggregates all
    values."""


def measures_of(rows: list[Row]) -> list[str]:
    """The measures that have values in this sweep, shares first. If there is none, only `duplicated`."""
    found = [name for name in SHARES if any(row.get(f"runs_{name}") for row in rows)]
    found += [name for name in MEANS if any(row.get(_COLUMN.get(name, name)) for row in rows)]
    found += [name for name in MEASURES if any(row["distributions"].get(name) for row in rows)]
    return found or ["duplicated"]


def read_look(axes: list[dict[str, Any]], rows: list[Row], query: QueryDict) -> Look:
    """The measure, axes and filters that the parameters of an address choose. Unknown names are ignored."""
    known = measures_of(rows)
    names = [axis["name"] for axis in axes]
    # The axis with the most values is easiest to read from left to right, and the next one from top to
    # bottom.
    by_length = sorted(axes, key=lambda axis: -len(axis["values"]))
    usual = [axis["name"] for axis in by_length]
    across = _one_of(query.get("across"), names) or (usual[0] if usual else "")
    rest = [name for name in usual if name != across]
    down = _one_of(query.get("down"), rest) or (rest[0] if rest else "")
    only = {}
    for axis in axes:
        wanted = query.get(f"only.{axis['name']}")
        if wanted == TOGETHER or wanted in [json.dumps(value) for value in axis["values"]]:
            only[axis["name"]] = wanted
    facets = tuple(name for name in names if name not in (across, down) and name not in only)
    return Look(_one_of(query.get("measure"), known) or known[0], across, down, facets, only)


def _one_of(wanted: str | None, known: list[str]) -> str | None:
    return wanted if wanted in known else None


def choices_of(axes: list[dict[str, Any]], rows: list[Row], look: Look) -> list[Choice]:
    """The fields of the form: for the measure, for the horizontal and the vertical axis, and for each axis
    the choice of its values (`*`: all)."""
    names = [(axis["name"], axis["name"]) for axis in axes]
    found = [Choice("measure", [(name, name) for name in measures_of(rows)], look.measure)]
    if len(axes) > 1:
        found.append(Choice("across", names, look.across))
        found.append(Choice("down", [one for one in names if one[0] != look.across], look.down))
    for axis in axes:
        values = [(json.dumps(value), json.dumps(value, ensure_ascii=False)) for value in axis["values"]]
        chosen = look.only.get(axis["name"], "*")
        found.append(Choice(f"only.{axis['name']}", [("*", "*"), *values, (TOGETHER, TOGETHER)], chosen))
    return found


def panels_of(axes: list[dict[str, Any]], rows: list[Row], look: Look) -> list[Panel]:
    """The heat maps, at most `FACETS_MAX`. All have the same colour scale."""
    read = [(json.loads(row["settings"]), row) for row in rows]
    for name, wanted in look.only.items():
        if wanted != TOGETHER:
            read = [one for one in read if json.dumps(one[0].get(name)) == wanted]
    values = {axis["name"]: [json.dumps(value) for value in axis["values"]] for axis in axes}
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for settings, row in read:
        key = tuple(json.dumps(settings[name]) for name in (*look.facets, look.down, look.across) if name)
        groups.setdefault(key, []).append(row)
    marks = {key: _mark(group, look.measure) for key, group in groups.items()}
    top = _top(look.measure, marks.values())
    marks = {key: _heated(mark, top) for key, mark in marks.items()}
    facets = sorted(
        {key[: len(look.facets)] for key in marks}, key=lambda key: _order(key, look.facets, values)
    )
    return [_panel(facet, marks, look, values) for facet in facets[:FACETS_MAX]]


def _order(key: tuple[str, ...], names: tuple[str, ...], values: dict[str, list[str]]) -> list[int]:
    return [values[name].index(value) for name, value in zip(names, key, strict=True)]


def _panel(
    facet: tuple[str, ...], marks: dict[tuple[Any, ...], Mark], look: Look, values: dict[str, list[str]]
) -> Panel:
    def shown(name: str) -> list[str]:
        return [one for one in values.get(name, []) if look.only.get(name, one) in (one, TOGETHER)]

    columns = shown(look.across) if look.across else [""]
    rows = []
    for down in shown(look.down) if look.down else [""]:
        ends = [
            tuple(one for one, name in ((down, look.down), (column, look.across)) if name)
            for column in columns
        ]
        rows.append((_plain(down), [marks.get((*facet, *end)) for end in ends]))
    named = tuple((name, _plain(value)) for name, value in zip(look.facets, facet, strict=True))
    return Panel(named, [_plain(column) for column in columns], rows)


def _plain(value: str) -> str:
    if not value:
        return value
    read = json.loads(value)
    return read if isinstance(read, str) else value


def _mark(group: list[Row], measure: str) -> Mark:
    cells = tuple(row["cell"] for row in group)
    refused = sum(row["refused"] for row in group)
    runs = sum(row["runs"] for row in group) - refused
    rule = next((row["rule"] for row in group if row["rule"]), None)
    shown = low = high = None
    hits = None
    if measure in SHARES:
        hits = sum(row.get(f"runs_{measure}", 0) for row in group)
        cells = tuple(sorted(cells, key=lambda cell: -_hits_of(group, cell, measure)))
        if runs:
            shown, (low, high) = hits / runs, wilson(hits, runs)
    elif measure in MEANS:
        if runs:
            column = _COLUMN.get(measure, measure)
            shown = sum(row.get(column, 0) for row in group) / runs
            low, high = around(shown, together(row["distributions"].get(column, []) for row in group))
    else:
        spread = together(row["distributions"].get(measure, []) for row in group)
        if spread:
            shown, low, high = quantile(spread, 0.5), quantile(spread, 0.05), quantile(spread, 0.95)
    return Mark(cells, shown, low, high, hits, runs, refused, rule)


def _hits_of(group: list[Row], cell: int, measure: str) -> int:
    hits: int = next(row.get(f"runs_{measure}", 0) for row in group if row["cell"] == cell)
    return hits


def _top(measure: str, marks: Iterable[Mark]) -> float:
    if measure in SHARES:
        return 1.0
    return max((mark.shown for mark in marks if mark.shown is not None), default=0.0)


def _heated(mark: Mark, top: float) -> Mark:
    if not mark.shown or not top:
        return mark
    # A value above zero has a stronger colour than zero.
    heat = max(1, round(HEATS * mark.shown / top))
    return Mark(
        mark.cells, mark.shown, mark.low, mark.high, mark.hits, mark.runs, mark.refused, mark.rule, heat
    )
