"""Computes the plan of each branch of a recording (docs/frame.md, *Plan*) while the steps are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.view.plan import RunPlan
from eosviz.replays import format
from eosviz.replays.by_branch import ByBranch

STEPS_MOST = 20_000
"""A branch's plan covers at most the first this many steps of the branch with its ancestors."""


class PlansByBranch(ByBranch[RunPlan]):
    def __init__(self, header: format.Header, other: Callable[[str, int, bytes], None]) -> None:
        super().__init__(header, other)
        self._branches = {branch.id: branch for branch in header.branches}

    def begin(self) -> RunPlan:
        return RunPlan(self.header.header, self.header.view)

    def fold(self, fold: RunPlan, step: dict[str, Any]) -> None:
        if step["number"] <= STEPS_MOST:
            fold.take(step)

    def copy(self, fold: RunPlan) -> RunPlan:
        return fold.fork()

    def result(self, fold: RunPlan, branch: str) -> Mapping[str, Any]:
        own = self._branches[branch]
        before = self._results.get(own.parent or "")
        ended = own.finished is not None
        same = None if before is None else own.leaves_at
        made = format.made_on(own, self._branches)
        done = [{**one.intervention, "after": one.after} for one in made]
        return fold.to_json(own.newest <= STEPS_MOST, before, done, ended, same)
