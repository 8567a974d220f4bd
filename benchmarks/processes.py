"""Processor time and memory of a process and of all processes below it, read from `/proc` (Linux). Processor time is
nearly the same on a busy machine as on an idle one.
"""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PROCESSES = Path("/proc")


def below(root: int) -> list[int]:
    """Return the process ids of a process, its children, their children and so on."""
    parents: dict[int, int] = {}
    for entry in _PROCESSES.iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def processor_seconds(roots: list[int]) -> float:
    """Return the processor time of the roots and all processes below them, in seconds, including children that have
    ended and were waited for.
    """
    total = 0
    for process in {one for root in roots for one in below(root)}:
        if fields := _stat(process):
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / _TICKS


def peak_megabytes(process: int) -> float:
    """Return the most memory that a process has held so far, in megabytes; 0 if it has ended."""
    try:
        text = (_PROCESSES / str(process) / "status").read_text()
    except OSError:
        return 0.0
    for line in text.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def memory_megabytes(process: int, kind: str) -> float:
    """Return the memory that a process holds now, in megabytes; 0 if it has ended. ``kind``: `Rss`, or `Pss`, which
    divides each shared page by the number of processes that share it.
    """
    try:
        text = (_PROCESSES / str(process) / "smaps_rollup").read_text()
    except OSError:
        return 0.0
    for line in text.splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _stat(process: int) -> list[str]:
    """Return the fields of `/proc/PID/stat` after the process's name; an empty list if the process has ended."""
    try:
        return (_PROCESSES / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
