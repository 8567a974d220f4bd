"""Measures the sides of a comparison in turns, each once in a round, so that changes in the machine's speed affect
all of them. A ratio compares the two sides of one round; a figure is the median over the rounds, printed with the
least and the most.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from benchmarks.report import print_figure

ROUNDS = 5

Measured = TypeVar("Measured")


def in_turns(sides: Mapping[str, Callable[[], Measured]], rounds: int = ROUNDS) -> dict[str, list[Measured]]:
    """Return what each side measured, one value for each round. Every second round goes through the sides in reverse
    order, so that no side always comes after the same other one.
    """
    found: dict[str, list[Measured]] = {name: [] for name in sides}
    names = [*sides]
    for number in range(rounds):
        for name in names if number % 2 == 0 else names[::-1]:
            found[name].append(sides[name]())
    return found


def ratios(over: Sequence[float], under: Sequence[float]) -> list[float]:
    """Return `over` divided by `under` for each round."""
    return [one / other for one, other in zip(over, under, strict=True)]


def report_rounds(name: str, values: Sequence[float], unit: str, goal: float | None = None) -> None:
    """Print the median, to which the goal applies, and below it `…_least` and `…_most`. A single value is printed
    alone.
    """
    print_figure(name, statistics.median(values), unit, goal)
    if len(values) > 1:
        print_figure(f"{name}_least", min(values), unit)
        print_figure(f"{name}_most", max(values), unit)
