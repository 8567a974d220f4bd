"""Derived facts of a recording's steps (docs/frame.md, *Derived*). They are kept beside the steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.view.derived import Derived
from eosviz.replays.by_branch import ByBranch


class Fold:
    """The derived facts of one branch: of its own steps, and of the first view if it has no parent."""

    def __init__(self, derived: Derived, view: bytes | None) -> None:
        self.derived = derived
        self.view = view
        self.steps: list[bytes] = []

    def take(self, step: Mapping[str, Any]) -> None:
        self.steps.append(msgspec.json.encode(self.derived.take(step)))

    def to_json(self) -> dict[str, Any]:
        steps = msgspec.Raw(b"[%b]" % b",".join(self.steps))
        return {"steps": steps} if self.view is None else {"view": msgspec.Raw(self.view), "steps": steps}


def begun(view: Mapping[str, Any]) -> Fold:
    derived = Derived(view)
    return Fold(derived, msgspec.json.encode(derived.view()))


def forked(fold: Fold) -> Fold:
    """A copy of ``fold`` for a child branch, which leaves its parent after the last step in ``fold``."""
    return Fold(fold.derived.fork(), None)


class DerivedByBranch(ByBranch[Fold]):
    """Derives the facts of each branch while the steps are read."""

    def begin(self) -> Fold:
        return begun(self.header.view)

    def fold(self, fold: Fold, step: dict[str, Any]) -> None:
        fold.take(step)

    def copy(self, fold: Fold) -> Fold:
        return forked(fold)

    def result(self, fold: Fold, branch: str) -> dict[str, Any]:
        return fold.to_json()
