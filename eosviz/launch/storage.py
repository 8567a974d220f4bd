"""Whether the disk has room: asked before anything is written, and now and then while eosviz runs."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from eosviz.launch.problem import Problem

LOW_BYTES = 100_000_000
ASK_SECONDS = 30.0


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def require_room(folder: Path, bytes_needed: int, what_for: str) -> None:
    """Raises Problem when there is less."""
    free = free_bytes(folder)
    if free < bytes_needed:
        raise Problem(
            f"the disk that holds {folder} has {free // 10**6} MB free and {what_for} needs"
            f" {bytes_needed // 10**6} MB: free some space and try again"
        )


class StorageWatch:
    """Says once that the disk runs full, and once that it has room again."""

    def __init__(
        self,
        folder: Path,
        say: Callable[[str], None],
        free: Callable[[Path], int] = free_bytes,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._say, self._free, self._now = folder, say, free, now
        self._ask_at = 0.0
        self._is_low = False

    def look(self) -> None:
        """Cheap enough to be called in every round: it asks every ASK_SECONDS."""
        if self._now() < self._ask_at:
            return
        self._ask_at = self._now() + ASK_SECONDS
        free = self._free(self._folder)
        if (free < LOW_BYTES) == self._is_low:
            return
        self._is_low = not self._is_low
        if self._is_low:
            self._say(
                f"The disk that holds {self._folder} has {free // 10**6} MB free: free some space,"
                " or soon no step can be stored."
            )
        else:
            self._say(f"The disk that holds {self._folder} has room again: {free // 10**6} MB.")
