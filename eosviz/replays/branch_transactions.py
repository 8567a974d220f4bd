"""Collects the transactions of each branch of a recording while the steps are read."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from engine.transaction_lines import TransactionLines
from eosviz.replays.by_branch import ByBranch


class TransactionsByBranch(ByBranch[TransactionLines]):
    def begin(self) -> TransactionLines:
        return TransactionLines(self.header.view)

    def fold(self, fold: TransactionLines, step: dict[str, Any]) -> None:
        fold.take(step)

    def copy(self, fold: TransactionLines) -> TransactionLines:
        return deepcopy(fold)

    def result(self, fold: TransactionLines, branch: str) -> dict[str, Any]:
        return fold.to_json()
