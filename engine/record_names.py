"""The names of records in sentences, as the stage shows them."""

from __future__ import annotations

from collections.abc import Sequence

RUNS_MAX = 3
"""At most this many runs of consecutive records are named. If there are more, one run fewer is named, and the
others are counted."""


def record_names(serials: Sequence[int]) -> list[str]:
    """``r1``; consecutive records are joined: ``r2–r3``. The last name may be a count of further runs: ``+2``."""
    runs: list[list[int]] = []
    for serial in serials:
        if runs and serial == runs[-1][1] + 1:
            runs[-1][1] = serial
        else:
            runs.append([serial, serial])
    names = [f"r{first}" if first == last else f"r{first}–r{last}" for first, last in runs]
    if len(names) <= RUNS_MAX:
        return names
    return [*names[: RUNS_MAX - 1], f"+{len(names) - RUNS_MAX + 1}"]
