"""The names of records in sentences, as the stage shows them."""

from __future__ import annotations

from collections.abc import Sequence

RUNS_MAX = 3
"""At most this many groups of consecutive records are named. If there are more, one group fewer is named, and the
other groups are counted."""


def record_names(serials: Sequence[int]) -> list[str]:
    """The names of the records, such as ``r1``. A group of consecutive records has one name, such as ``r2–r3``. The
    last name may be the number of further groups: ``+2``."""
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
