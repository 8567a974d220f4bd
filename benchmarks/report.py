"""Prints the lines of a benchmark: `name value unit`, and the goal of a figure in a separate line below it."""

import sys
from collections.abc import Sequence


def print_figure(name: str, value: float, unit: str, goal: float | None = None) -> None:
    """Print one figure. ``goal`` has the same unit; whether it is a least or a most is said in the README."""
    print(f"{name} {_shown(value)} {unit}", flush=True)
    if goal is not None:
        print(f"{name}_goal {_shown(goal)} {unit}", flush=True)


def remark(text: str) -> None:
    """Print a remark for the person who waits to standard error; it is not a figure."""
    print(text, file=sys.stderr, flush=True)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that is at least as large as the share ``share`` of all values."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, round(share * len(ordered) + 0.5) - 1))]


def _shown(value: float) -> str:
    return f"{value:.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"
