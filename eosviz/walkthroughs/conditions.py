"""Conditions on steps, for breakpoints (one must hold) and searches (all must hold or, with `any`, one). This
file declares their shapes; `matching.py` decides whether a condition holds at a step."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Named = Annotated[str, Meta(min_length=1, max_length=200)]
StepKind = Literal[
    "api_call", "sender_phase", "delivery", "replication", "zookeeper", "timer", "fault", "log"
]
"""The kinds of docs/frame.md, section Step."""


class Condition(Struct, tag_field="on", forbid_unknown_fields=True, frozen=True):
    """A condition on a step."""


class OnKind(Condition, tag="kind", frozen=True):
    kind: StepKind


class OnInteresting(Condition, tag="interesting", frozen=True):
    """The step is one at which a learner should stop (`engine.step.Step.interesting`)."""


class OnBroken(Condition, tag="broken", frozen=True):
    """A guarantee is broken, or broken by further records; without a name: any guarantee."""

    guarantee: Named | None = None


class OnState(Condition, tag="state", frozen=True):
    """A machine of the engine's tables enters a state. `of`: the machine's owner; without it, the machine of
    any owner."""

    machine: Named
    state: Named
    of: Named | None = None


class OnError(Condition, tag="error", frozen=True):
    """The step's refusal, a sentence, or a message that it sends or removes has this error; without a name: any."""

    error: Named | None = None


class OnSubject(Condition, tag="subject", frozen=True):
    """The step is about this actor, partition, transactional id or message."""

    kind: Literal["actor", "partition", "transaction", "message"]
    id: Named


class OnRule(Condition, tag="rule", frozen=True):
    """A requirement was exercised: any of a group, by its letters (`SEQ`), or one, by its ID (`SEQ-10`)."""

    rule: Annotated[str, Meta(min_length=1, max_length=40)]


class OnText(Condition, tag="text", frozen=True):
    """The step's text contains every word, in this language, ignoring case."""

    text: Annotated[str, Meta(min_length=1, max_length=200)]
    language: Literal["en", "zh-Hans"]


AnyCondition = OnKind | OnInteresting | OnBroken | OnState | OnError | OnSubject | OnRule | OnText
