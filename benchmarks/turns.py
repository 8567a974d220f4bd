"""Sides that are compared are measured in turns, each once a round, so that a machine that gets slower does so for all
of them. A ratio is that of the two sides of one round; figures are medians over the rounds, with least and most.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from benchmarks.report import print_figure

ROUNDS = 5

Measured = TypeVar("Measured")


def in_turns(sides: Mapping[str, Callable[[], Measured]], rounds: int = ROUNDS) -> dict[str, list[Measured]]:
    """What each side measured, round by round. Every second round goes through the sides backwards: none is always
    the one after another."""
    found: dict[str, list[Measured]] = {name: [] for name in sides}
    names = [*sides]
    for number in range(rounds):
        for name in names if number % 2 == 0 else names[::-1]:
            found[name].append(sides[name]())
    return found


def ratios(over: Sequence[float], under: Sequence[float]) -> list[float]:
    """Of each round."""
    return [one / other for one, other in zip(over, under, strict=True)]


def report_rounds(name: str, values: Sequence[float], unit: str, goal: float | None = None) -> None:
    """The median, to which the goal applies, and below it `…_least` and `…_most`; one value stands alone."""
    print_figure(name, statistics.median(values), unit, goal)
    if len(values) > 1:
        print_figure(f"{name}_least", min(values), unit)
        print_figure(f"{name}_most", max(values), unit)
