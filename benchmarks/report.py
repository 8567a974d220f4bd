"""The lines that a benchmark prints: `name value unit`, a goal as a line of its own below its figure."""

import sys
from collections.abc import Sequence


def print_figure(name: str, value: float, unit: str, goal: float | None = None) -> None:
    """Print one figure; ``goal`` in the same unit (the README says which side of it is good)."""
    print(f"{name} {_shown(value)} {unit}", flush=True)
    if goal is not None:
        print(f"{name}_goal {_shown(goal)} {unit}", flush=True)


def remark(text: str) -> None:
    """For the person who waits; not a figure."""
    print(text, file=sys.stderr, flush=True)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that ``share`` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, round(share * len(ordered) + 0.5) - 1))]


def _shown(value: float) -> str:
    return f"{value:.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"
