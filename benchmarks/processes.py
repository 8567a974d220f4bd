"""What the processes that a process started have cost: the same on a busy machine as on a quiet one. Linux."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PROCESSES = Path("/proc")


def below(root: int) -> list[int]:
    """A process and all that it started, and those started."""
    parents: dict[int, int] = {}
    for entry in _PROCESSES.iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def processor_seconds(roots: list[int]) -> float:
    """Of all processes below the roots, with those of theirs that have ended."""
    total = 0
    for process in {one for root in roots for one in below(root)}:
        if fields := _stat(process):
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / _TICKS


def peak_megabytes(process: int) -> float:
    """The most memory that a process has held so far; nothing of one that has gone."""
    try:
        text = (_PROCESSES / str(process) / "status").read_text()
    except OSError:
        return 0.0
    for line in text.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def memory_megabytes(process: int, kind: str) -> float:
    """What a process holds now: `Rss`, or `Pss`, which counts shared pages by its share of them."""
    try:
        text = (_PROCESSES / str(process) / "smaps_rollup").read_text()
    except OSError:
        return 0.0
    for line in text.splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _stat(process: int) -> list[str]:
    """The fields behind the name; none of a process that has gone."""
    try:
        return (_PROCESSES / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
