"""Computes something for each branch of a recording while the file is read. A fold is the state of such a
computation.

`reading.py` calls `ByBranch.take` for each step, as a witness. Branches come in the order of the file,
parents before children, and the steps of each branch follow each other. A step or a view that was not made by
an engine may have any form. If a fold fails on it, its branch has no result, nor has any branch that leaves
it later; they are played without one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec

from eosviz.replays import format

Fold = TypeVar("Fold")
MISSHAPEN = (AttributeError, KeyError, IndexError, TypeError, ValueError)


class ByBranch(ABC, Generic[Fold]):
    """Keeps one fold for each branch of a recording. `other`: another witness, which is called with each step
    after this one."""

    def __init__(self, header: format.Header, other: Callable[[str, int, bytes], None]) -> None:
        self.header = header
        self._results: dict[str, Mapping[str, Any]] = {}
        self._other = other
        self._waiting = list(reversed(header.branches))
        self._children: dict[str | None, list[format.Branch]] = {}
        for branch in header.branches:
            self._children.setdefault(branch.parent, []).append(branch)
        self._starts = {header.branches[0].id: self._begun()}
        self._branch: str | None = None
        self._fold: Fold | None = None

    @abstractmethod
    def begin(self) -> Fold:
        """A new fold, for the state before the recording's first step."""

    @abstractmethod
    def fold(self, fold: Fold, step: dict[str, Any]) -> None:
        """Take the next step of the branch into ``fold``."""

    @abstractmethod
    def copy(self, fold: Fold) -> Fold:
        """A copy of ``fold`` for a child branch that leaves its parent after the last step of ``fold``."""

    @abstractmethod
    def result(self, fold: Fold, branch: str) -> Mapping[str, Any]:
        """The result of a branch. ``fold``: its state after the branch's last step."""

    def take(self, branch: str, number: int, step: bytes) -> None:
        while self._branch != branch:
            self._open_next()
        if self._fold is not None:
            try:
                self.fold(self._fold, msgspec.json.decode(step))
            except MISSHAPEN:
                self._fold = None
        self._remember(number)
        self._other(branch, number, step)

    def results(self) -> dict[str, Mapping[str, Any]]:
        """Dict of branch's id → its result, without branches that have none. To be called after the last
        step."""
        while self._waiting:
            self._open_next()
        self._close()
        return self._results

    def _open_next(self) -> None:
        self._close()
        branch = self._waiting.pop()
        self._branch, self._fold = branch.id, self._starts.pop(branch.id)
        self._remember(branch.leaves_at)

    def _close(self) -> None:
        if self._branch is not None and self._fold is not None:
            with suppress(*MISSHAPEN):
                self._results[self._branch] = self.result(self._fold, self._branch)

    def _remember(self, number: int) -> None:
        """Keep copies of the fold for the branches that begin at this step."""
        for child in self._children.get(self._branch, ()) if self._branch is not None else ():
            if child.leaves_at == number:
                self._starts[child.id] = None if self._fold is None else self.copy(self._fold)

    def _begun(self) -> Fold | None:
        try:
            return self.begin()
        except MISSHAPEN:
            return None
