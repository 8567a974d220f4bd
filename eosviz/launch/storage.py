"""Checks whether a folder can be written and how much space its disk has."""

import errno
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from eosviz.launch.problem import Problem

LOW_BYTES = 100_000_000
"""If fewer bytes than this are free, a warning is given."""
FREE_BYTES_MIN = 50_000_000
"""If fewer bytes than this are free, the disk counts as full: SQLite's write-ahead log and the queue of tasks
need this space."""
ASK_SECONDS = 10.0
PROBE_BYTES = 4096

CANNOT_WRITE = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota of this user is used up",
    errno.EROFS: "the disk is mounted read-only",
    errno.EIO: "the disk answers with an input/output error",
}
"""Disk errors that last until an operator acts. Dict of error number → sentence."""


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def require_room(folder: Path, bytes_needed: int, what_for: str) -> None:
    """Raises Problem if the folder's disk has less than `bytes_needed` free. `what_for`: what needs them, for
    the message."""
    free = free_bytes(folder)
    if free < bytes_needed:
        raise Problem(
            f"the disk that holds {folder} has {free // 10**6} MB free and {what_for} needs"
            f" {bytes_needed // 10**6} MB: free some space and try again"
        )


def write_complaint(folder: Path) -> str:
    """Tries to write a small file in this folder. Returns why that is impossible; empty if it succeeded."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            probe.write(bytes(PROBE_BYTES))
    except OSError as error:
        return CANNOT_WRITE.get(error.errno or 0) or error.strerror or str(error)
    return ""


class Level(Enum):
    ENOUGH = "enough"
    LOW = "low"
    NONE = "none"


@dataclass(frozen=True)
class Room:
    """Whether a folder can be written, and whether it soon may not be."""

    level: Level
    why: str = ""
    """Why the folder cannot be written, or soon cannot. Empty if there is enough room."""


def room_in(folder: Path, free: Callable[[Path], int] = free_bytes) -> Room:
    """Checks a folder. A folder whose space cannot be determined counts as full."""
    try:
        left = free(folder)
    except OSError as error:
        return Room(Level.NONE, error.strerror or str(error))
    if left < FREE_BYTES_MIN:
        why = f"the disk is full: {left // 10**6} MB free, {FREE_BYTES_MIN // 10**6} MB needed"
        return Room(Level.NONE, why)
    if complaint := write_complaint(folder):
        return Room(Level.NONE, complaint)
    if left < LOW_BYTES:
        why = f"{left // 10**6} MB free; below {FREE_BYTES_MIN // 10**6} MB nothing is stored"
        return Room(Level.LOW, why)
    return Room(Level.ENOUGH)


class StorageWatch:
    """Prints a sentence at each change: the disk is nearly full, nothing can be stored, or there is enough
    space again."""

    def __init__(
        self,
        folder: Path,
        say: Callable[[str], None],
        free: Callable[[Path], int] = free_bytes,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._say, self._free, self._now = folder, say, free, now
        self._ask_at = 0.0
        self._level = Level.ENOUGH

    def look(self) -> None:
        """Check the folder, if the last check is at least ASK_SECONDS ago. Called in every round of
        `Supervisor.watch`."""
        if self._now() < self._ask_at:
            return
        self._ask_at = self._now() + ASK_SECONDS
        room = room_in(self._folder, self._free)
        if room.level is self._level:
            return
        self._level = room.level
        self._say(SENTENCES[room.level].format(folder=self._folder, why=room.why))


SENTENCES = {
    Level.ENOUGH: "The disk that holds {folder} has room again.",
    Level.LOW: "The disk that holds {folder} is nearly full ({why}): free some space.",
    Level.NONE: "Nothing can be stored in {folder} ({why}). eosviz goes on by itself once there is room.",
}
