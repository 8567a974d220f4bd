"""Computes the derived facts of a recording's steps (docs/frame.md, *Derived*). They are stored beside the
steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.view.derived import Derived
from eosviz.replays.by_branch import ByBranch


class Fold:
    """The derived facts of one branch: those of its own steps and, if it has no parent, those of the first
    view."""

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
    """A copy of ``fold`` for a child branch that leaves its parent after the last step of ``fold``."""
    return Fold(fold.derived.fork(), None)


class DerivedByBranch(ByBranch[Fold]):
    """Computes the derived facts of each branch while the steps are read."""

    def begin(self) -> Fold:
        return begun(self.header.view)

    def fold(self, fold: Fold, step: dict[str, Any]) -> None:
        fold.take(step)

    def copy(self, fold: Fold) -> Fold:
        return forked(fold)

    def result(self, fold: Fold, branch: str) -> dict[str, Any]:
        return fold.to_json()
