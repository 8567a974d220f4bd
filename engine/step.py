"""One step of a run, with its changes and its JSON, and functions on views (docs/frame.md)."""

from __future__ import annotations

import json
from typing import Any, cast

from engine.shapes.steps import (
    Broken,
    Decision,
    MessageFate,
    Refusal,
    Said,
    StepKind,
    Transition,
)
from engine.shapes.steps import Change as ChangeJson
from engine.shapes.steps import Step as StepJson
from engine.watching import ABSENT, Change, Path


class Step:
    """One event of a run, with everything that it changed (GEN-4). Its shape is in docs/frame.md."""

    __slots__ = (
        "actor",
        "at",
        "broken",
        "changes",
        "decision",
        "earlier_transitions",
        "key",
        "kind",
        "messages",
        "notes",
        "number",
        "params",
        "refusal",
        "rules",
        "transition",
    )

    def __init__(self, number: int, at: int, actor: str, kind: StepKind) -> None:
        self.number = number
        self.at = at
        self.actor = actor
        self.kind = kind
        self.key = ""
        self.params: dict[str, Any] = {}
        self.rules: tuple[str, ...] = ()
        self.notes: list[Said] = []
        self.decision: Decision | None = None
        self.refusal: Refusal | None = None
        self.transition: Transition | None = None
        self.earlier_transitions: tuple[Transition, ...] = ()
        """Transitions of the same step before `transition`, oldest first."""
        self.messages: list[MessageFate] = []
        self.broken: list[Broken] = []
        self.changes: list[Change] = []

    @property
    def interesting(self) -> bool:
        """Whether a learner should stop at this step: at a fault, a refusal, a broken guarantee, a transition, or a
        decision that a row before the last one of its table made."""
        return bool(
            self.kind == "fault"
            or self.refusal
            or self.broken
            or self.transition
            or self._decision_stands_out()
        )

    def _decision_stands_out(self) -> bool:
        if self.decision is None:
            return False
        rows = self.decision.get("rows", [])
        return any(row["outcome"] == "decided" for row in rows[:-1])

    def to_json(self) -> dict[str, Any]:
        """The step as in docs/frame.md."""
        shown: StepJson = {
            "number": self.number,
            "at": self.at,
            "actor": self.actor,
            "kind": self.kind,
            "key": self.key,
            "params": self.params,
            "rules": list(self.rules),
            "notes": self.notes,
            "decision": self.decision,
            "refusal": self.refusal,
            "messages": self.messages,
            "transition": self.transition,
            "interesting": self.interesting,
            "broken": self.broken,
            "changes": [change_to_json(change) for change in self.changes],
        }
        if self.earlier_transitions:
            shown["earlier_transitions"] = list(self.earlier_transitions)
        return cast("dict[str, Any]", shown)


def change_to_json(change: Change) -> ChangeJson:
    path, before, after = change
    shown: ChangeJson = {"path": list(path)}
    if before is not ABSENT:
        shown["before"] = before
    if after is not ABSENT:
        shown["after"] = after
    return shown


def canonical(value: Any) -> str:
    """The JSON text of a value with sorted keys, without spaces, and with plain integers. Equal values have equal
    texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def compare(path: Path, before: Any, after: Any, changes: list[Change]) -> None:
    """Append the differences to ``changes``. Objects are compared key by key, other values as a whole. An
    object in a change is a copy."""
    if type(before) is not dict or type(after) is not dict:
        changes.append(
            (
                path,
                before.copy() if type(before) is dict else before,
                after.copy() if type(after) is dict else after,
            )
        )
        return
    removed = 0
    for key, old in before.items():
        try:
            new = after[key]
        except KeyError:  # Entering a `try` costs nothing, and removed keys are rarer than others.
            removed += 1
            changes.append(((*path, key), old.copy() if type(old) is dict else old, ABSENT))
            continue
        if old is not new and old != new:
            if type(old) is dict:
                compare((*path, key), old, new, changes)
            else:
                changes.append(((*path, key), old, new.copy() if type(new) is dict else new))
    if len(after) > len(before) - removed:
        for key, new in after.items():
            if key not in before:
                changes.append(((*path, key), ABSENT, new.copy() if type(new) is dict else new))


def place(view: dict[str, Any], path: Path, value: Any) -> None:
    """Put a value at a path, and create its parents if needed; ABSENT removes it."""
    node = view
    for key in path[:-1]:
        node = node.setdefault(key, {})
    if value is ABSENT:
        node.pop(path[-1], None)
    else:
        node[path[-1]] = value


def pruned(value: Any) -> Any:
    """A view without empty objects, so that a view folded from changes can be compared with a fresh one."""
    if type(value) is not dict:
        return value
    kept = {key: pruned(item) for key, item in value.items()}
    return {key: item for key, item in kept.items() if item != {}}
