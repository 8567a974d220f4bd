"""Computes the default limit for the memory of all bounded processes together. Does not import Django."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MEBIBYTE = 2**20
SHARE = 4
"""Bounded processes may use one part of the machine's memory out of this many."""
_LIMITS_OF_CONTAINERS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def machine_memory_bytes() -> int:
    """The memory of this machine in bytes, or the container's limit if that is lower."""
    known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in _LIMITS_OF_CONTAINERS:
        with suppress(OSError, ValueError):  # The file says "max", or there is no such file.
            known.append(int(file.read_text()))
    return min(known)


def share_of_machine(at_least: int) -> int:
    """A quarter of the machine's memory, but no less than `at_least`. In bytes."""
    return max(machine_memory_bytes() // SHARE, at_least)
