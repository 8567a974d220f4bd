"""The default for the memory of all bounded processes together. Does not import Django."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MEBIBYTE = 2**20
SHARE = 4
"""The machine's memory is divided by this number."""
_LIMITS_OF_CONTAINERS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def machine_memory_bytes() -> int:
    """The memory of this machine, or of this container if it has less."""
    known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in _LIMITS_OF_CONTAINERS:
        with suppress(OSError, ValueError):  # "max", or no such file
            known.append(int(file.read_text()))
    return min(known)


def share_of_machine(at_least: int) -> int:
    """A quarter of the machine's memory, but at least `at_least`; in bytes."""
    return max(machine_memory_bytes() // SHARE, at_least)
