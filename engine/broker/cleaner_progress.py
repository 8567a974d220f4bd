"""How far the cleaner has come in one log, and when each clean segment was last written to (LOG-13).

Kafka keeps the progress in a checkpoint file. The time of the last write is the modification time of the
segment's file; cleaning does not change it.
"""

from __future__ import annotations


class CleanerProgress:
    """The cleaner's progress in one log. ``clean``: dict of first offset of a clean segment → time of the
    segment's last write in ms."""

    __slots__ = ("clean",)

    def __init__(self) -> None:
        self.clean: dict[int, int] = {}

    def modified_at(self, written_at: dict[int, int]) -> dict[int, int]:
        """Dict of first offset of each closed segment → time of its last write in ms, which cleaning does not
        change. ``written_at``: dict of the same offsets → time in ms of the newest append whose records are
        still in the segment."""
        return {start: self.clean.get(start, at) for start, at in written_at.items()}

    def forget_below(self, modified: dict[int, int], retention_ms: int, end: int) -> int:
        """The offset below which tombstones and markers are old enough to be removed (``Cleaner.clean``); 0
        before the first cleaning. ``modified``: the result of :meth:`modified_at`. ``end``: the offset at
        which the closed segments end."""
        if not self.clean:
            return 0
        horizon = modified.get(max(self.clean), 0) - retention_ms
        young = [start for start, at in modified.items() if at > horizon]
        return min(young, default=end)

    def note(self, modified: dict[int, int]) -> None:
        """Record which segments are clean now. ``modified``: dict of their first offsets → time of the last
        write in ms."""
        self.clean = modified

    def truncate(self, to: int) -> None:
        """The log was truncated to ``to``: forget the segments that may be written to again."""
        below = [start for start in self.clean if start < to]
        self.clean = {start: self.clean[start] for start in below[:-1]}
