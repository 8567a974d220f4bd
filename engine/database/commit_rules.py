"""Which offset of a partition a service with worker threads commits: one row for each rule (OFS-6, CON-8).

A committed offset is the next one to read: after a start, the group continues with it. Worker threads finish in
any order, so records below the highest finished one may be unfinished.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Progress:
    """The records of one partition since the service started. ``taken``: offsets that ``poll()`` returned, in
    order. ``finished``: offsets of the records whose row is committed. ``committed``: the newest offset that
    was handed to the consumer for a commit; before the first one, the offset of the first record."""

    __slots__ = ("committed", "finished", "taken")

    def __init__(self, first: int) -> None:
        self.taken: list[int] = []
        self.finished: set[int] = set()
        self.committed = first

    @property
    def unfinished(self) -> list[int]:
        return [offset for offset in self.taken if offset not in self.finished]


class CommitRule(NamedTuple):
    """One rule. ``offset``: the function that returns the offset to commit. ``at_poll``: whether the consumer
    commits in the next ``poll()``, as with ``enable.auto.commit``."""

    offset: Callable[[Progress], int]
    at_poll: bool = False


def _highest_finished(progress: Progress) -> int:
    return max(progress.finished) + 1 if progress.finished else progress.committed


def _lowest_unfinished(progress: Progress) -> int:
    unfinished = progress.unfinished
    return unfinished[0] if unfinished else _polled(progress)


def _polled(progress: Progress) -> int:
    return progress.taken[-1] + 1 if progress.taken else progress.committed


COMMIT_RULES: dict[str, CommitRule] = {
    "highest_finished": CommitRule(_highest_finished),
    "lowest_unfinished": CommitRule(_lowest_unfinished),
    "polled": CommitRule(_polled, at_poll=True),
}
"""Dict of a rule's name (``Approach.commits``) → the rule."""
