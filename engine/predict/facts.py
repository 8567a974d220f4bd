"""The parts of a question: choices, reasons, and the facts of a recorded step (docs/frame.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.profile import Profile
from engine.shapes.questions import QuestionChoice
from engine.shapes.questions import Reason as ReasonJson

Step = dict[str, Any]
View = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence that says why a choice is right or wrong. ``rule``: the requirement that explains it.
    ``outcome``: the outcome of a check (``passed``, ``decided``, ``not_reached``, ``off``); None for a plain
    sentence."""

    key: str
    params: dict[str, Any] = field(default_factory=dict)
    rule: str | None = None
    outcome: str | None = None

    def to_json(self) -> ReasonJson:
        return {"key": self.key, "params": self.params, "rule": self.rule, "outcome": self.outcome}


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer. ``id`` is unique within its question."""

    id: str
    key: str
    params: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> QuestionChoice:
        return {"id": self.id, "key": self.key, "params": self.params}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about the deciding step: its text, the choices, the right choice, and the reasons for each
    choice."""

    key: str
    params: dict[str, Any]
    choices: tuple[Choice, ...]
    right: str
    reasons: dict[str, tuple[Reason, ...]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question. ``fits`` returns whether a step has a decision of this kind; ``ask`` makes the
    question from that step, the view after it, and the version of the client or cluster that the step is
    about."""

    fits: Callable[[Step], bool]
    ask: Callable[[Step, View, Profile], Asked]


def delivered(step: Step) -> dict[str, Any] | None:
    """The message that this step delivered, as the view showed it before the step; None if it delivered none."""
    ids = {str(fate["id"]) for fate in step["messages"] if fate["event"] == "delivered"}
    for change in step["changes"]:
        path = change["path"]
        if path[:2] == ["network", "messages"] and len(path) == 3 and path[2] in ids and "before" in change:
            message: dict[str, Any] = change["before"]
            return message
    return None


def message_id(step: Step) -> int | None:
    """The id of the message that this step delivered; None if it delivered none."""
    return next((fate["id"] for fate in step["messages"] if fate["event"] == "delivered"), None)


def error_of(step: Step) -> str | None:
    """The error of the step's refusal; None without a refusal."""
    return None if step["refusal"] is None else str(step["refusal"]["error"])


def said(step: Step) -> set[str]:
    """The keys of the step's sentence and notes."""
    return {step["key"], *(note["key"] for note in step["notes"])}


def note(step: Step, keys: tuple[str, ...]) -> dict[str, Any] | None:
    """The step's first note with one of these keys; None if it has none."""
    return next((each for each in step["notes"] if each["key"] in keys), None)


def log_end_of(view: View, partition: str) -> int:
    """The highest log end offset among the partition's replicas."""
    return max(int(replica["log_end"]) for replica in view["partitions"][partition]["replicas"].values())


def records_arriving(step: Step, view: View) -> dict[str, list[int]]:
    """Dict of partition → the serials in the Produce request that this step delivered; empty if that is not known."""
    message = delivered(step)
    if message is None or message["api"] != "Produce" or message["is_response"]:
        return {}
    client = view["clients"].get(message["from"]) or {}
    request = (client.get("requests") or {}).get(str(message["correlation_id"])) or {"batches": ()}
    kept = client.get("batches") or {}
    found = {kept[name]["partition"]: kept[name]["serials"] for name in request["batches"] if name in kept}
    if found:
        return found
    partition, offset = step["params"].get("partition"), step["params"].get("base_offset")
    state = view["partitions"].get(partition)
    if state is None or offset is None:
        return {}
    replica = state["replicas"].get(str(state["leader"])) or {}
    stored = (replica.get("batches") or {}).get(str(offset))
    return {} if stored is None or not stored["serials"] else {partition: stored["serials"]}
