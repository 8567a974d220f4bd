"""The transactions of a recording's branches, one line each, folded while its steps are read.

A witness of the reading (`reading.py`): branches come in the file's order, parents before children, the steps of each
in one piece. Steps that no engine made may have any shape; such a branch is played without its list.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import msgspec

from engine.transaction_lines import TransactionLines
from eosviz.replays import format

_MISSHAPEN = (AttributeError, KeyError, IndexError, TypeError, ValueError)


class TransactionsTold:
    """Also hands every step on to another witness."""

    def __init__(self, header: format.Header, other: Callable[[str, int, bytes], None]) -> None:
        self._told: dict[str, dict[str, Any]] = {}
        self._other = other
        self._waiting = list(reversed(header.branches))
        self._children: dict[str | None, list[format.Branch]] = {}
        for branch in header.branches:
            self._children.setdefault(branch.parent, []).append(branch)
        self._starts = {header.branches[0].id: _begun(header.view)}
        self._branch: str | None = None
        self._lines: TransactionLines | None = None

    def take(self, branch: str, number: int, step: bytes) -> None:
        while self._branch != branch:
            self._open_next()
        self._lines = _taken(self._lines, step)
        self._remember(number)
        self._other(branch, number, step)

    def told(self) -> dict[str, dict[str, Any]]:
        """Branch to its lines, after the last step was taken."""
        while self._waiting:
            self._open_next()
        self._close()
        return self._told

    def _open_next(self) -> None:
        self._close()
        branch = self._waiting.pop()
        self._branch, self._lines = branch.id, self._starts.pop(branch.id)
        self._remember(branch.leaves_at)

    def _close(self) -> None:
        if self._branch is not None and self._lines is not None:
            self._told[self._branch] = self._lines.to_json()

    def _remember(self, number: int) -> None:
        """Branches that leave here go on from what is known here."""
        for child in self._children.get(self._branch, ()) if self._branch is not None else ():
            if child.leaves_at == number:
                self._starts[child.id] = deepcopy(self._lines)


def lines_of(view: Any, steps: list[Any]) -> dict[str, Any]:
    """Of one branch whose steps (JSON) are all at hand."""
    lines = TransactionLines(msgspec.json.decode(view))
    for body in steps:
        lines.take(msgspec.json.decode(body))
    return lines.to_json()


def _begun(view: Any) -> TransactionLines | None:
    try:
        return TransactionLines(view)
    except _MISSHAPEN:
        return None


def _taken(lines: TransactionLines | None, step: bytes) -> TransactionLines | None:
    if lines is None:
        return None
    try:
        lines.take(msgspec.json.decode(step))
    except _MISSHAPEN:
        return None
    return lines
