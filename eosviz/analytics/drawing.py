"""Computes the picture of figures along a scenario's steps, as plain numbers. Pure.

Each kind of figure has a row of bars. A bar's height is the figure's share.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eosviz.analytics.models import Figure, Kind

WIDTH = 1000
HEIGHT = 56
"""The height of a bar with a share of 1."""
ROW = 92
"""The distance between two rows of bars. A row's name is above its bars."""
FOOT = 28
BAR_MIN, BAR_MAX = 4.0, 24.0
TICKS_MAX = 10
SHOWN = (Kind.LEFT, Kind.BACK, Kind.BRANCHED, Kind.WRONG)


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    figure: Figure


@dataclass(frozen=True, slots=True)
class Line:
    """The row of bars of one kind. `y`: where the bars stand."""

    kind: str
    y: float
    bars: tuple[Bar, ...]

    @property
    def name_y(self) -> float:
        return self.y - HEIGHT - 8

    @property
    def key(self) -> str:
        return f"analytics.kind.{self.kind}"


@dataclass(frozen=True, slots=True)
class Drawing:
    height: int
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, int], ...]
    """Each tick as (x, step)."""
    width: int = WIDTH

    @property
    def ticks_y(self) -> int:
        return self.height - 8


def draw(figures: Iterable[Figure], steps: int) -> Drawing | None:
    """The figures of one scenario's steps as bars. ``steps``: the number of the step up to which the axis
    reaches at least. None if there is no bar."""
    by_kind: dict[str, list[Figure]] = {}
    for figure in figures:
        if figure.step is not None and figure.kind in SHOWN:
            by_kind.setdefault(figure.kind, []).append(figure)
    kinds = [kind for kind in SHOWN if kind in by_kind]
    if not kinds:
        return None
    last = max(steps, *(figure.step or 0 for found in by_kind.values() for figure in found), 1)
    pitch = WIDTH / (last + 1)
    width = min(BAR_MAX, max(BAR_MIN, pitch - 2))
    lines = []
    for number, kind in enumerate(kinds):
        ground = float((number + 1) * ROW)
        bars = tuple(_bar(figure, pitch, width, ground) for figure in by_kind[kind])
        lines.append(Line(kind, ground, bars))
    every = _tick(last)
    ticks = tuple((pitch * (step + 0.5), step) for step in range(0, last + 1, every))
    return Drawing(len(kinds) * ROW + FOOT, tuple(lines), ticks)


def _bar(figure: Figure, pitch: float, width: float, ground: float) -> Bar:
    tall = max(1.0, HEIGHT * figure.share)
    middle = pitch * ((figure.step or 0) + 0.5)
    x = min(max(0.0, middle - width / 2), WIDTH - width)
    return Bar(round(x, 1), round(ground - tall, 1), round(width, 1), round(tall, 1), figure)


def _tick(last: int) -> int:
    """The distance, in steps, between two numbers below the bars: the smallest of 1, 2, 5, 10, … with which
    at most `TICKS_MAX` numbers follow the 0."""
    unit = 1
    while True:
        for times in (1, 2, 5):
            if last // (unit * times) <= TICKS_MAX:
                return unit * times
        unit *= 10
