"""How much memory all bounded processes may use together where no setting says it. Knows nothing of Django."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MEBIBYTE = 2**20
SHARE = 4
"""One part of so many of the machine's memory."""
_LIMITS_OF_CONTAINERS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def machine_memory_bytes() -> int:
    """Of this machine, or of this container where it has less."""
    known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in _LIMITS_OF_CONTAINERS:
        with suppress(OSError, ValueError):  # "max", or no such file
            known.append(int(file.read_text()))
    return min(known)


def share_of_machine(at_least: int) -> int:
    """Bytes: a quarter of the memory, and enough for the largest process."""
    return max(machine_memory_bytes() // SHARE, at_least)
