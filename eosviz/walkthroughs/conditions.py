"""Conditions on steps. A run stops at a breakpoint if one of the conditions holds; a search finds the steps
at which all conditions hold or, with `any`, one of them. This file declares the fields of each condition;
`matching.py` decides whether a condition holds at a step."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Named = Annotated[str, Meta(min_length=1, max_length=200)]
StepKind = Literal[
    "api_call", "sender_phase", "delivery", "replication", "zookeeper", "timer", "fault", "log"
]
"""The kinds of steps (docs/frame.md, section Step)."""


class Condition(Struct, tag_field="on", forbid_unknown_fields=True, frozen=True):
    """A condition on a step."""


class OnKind(Condition, tag="kind", frozen=True):
    kind: StepKind


class OnInteresting(Condition, tag="interesting", frozen=True):
    """The step is one at which a learner should stop (`engine.step.Step.interesting`)."""


class OnBroken(Condition, tag="broken", frozen=True):
    """The step breaks a guarantee, or adds records that break a guarantee that was already broken. Without a
    name: any guarantee."""

    guarantee: Named | None = None


class OnState(Condition, tag="state", frozen=True):
    """A state machine of the engine's tables enters a state. `of`: the owner of the machine; without it, the
    machine of any owner."""

    machine: Named
    state: Named
    of: Named | None = None


class OnError(Condition, tag="error", frozen=True):
    """The step's refusal, one of its sentences, or a message that it sends or removes contains this error.
    Without a name: any error."""

    error: Named | None = None


class OnSubject(Condition, tag="subject", frozen=True):
    """The step is about this actor, partition, transactional id or message."""

    kind: Literal["actor", "partition", "transaction", "message"]
    id: Named


class OnRule(Condition, tag="rule", frozen=True):
    """The step exercised a requirement. `rule`: the letters of a group (`SEQ`: any requirement of the group),
    or the ID of one requirement (`SEQ-10`)."""

    rule: Annotated[str, Meta(min_length=1, max_length=40)]


class OnText(Condition, tag="text", frozen=True):
    """The step's text in this language contains every word. Case is ignored."""

    text: Annotated[str, Meta(min_length=1, max_length=200)]
    language: Literal["en", "zh-Hans"]


AnyCondition = OnKind | OnInteresting | OnBroken | OnState | OnError | OnSubject | OnRule | OnText
