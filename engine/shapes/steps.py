"""A step (GEN-4); docs/frame.md, *Step*."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from engine.shapes.words import JsonObject

StepKind = Literal[
    "api_call", "sender_phase", "delivery", "replication", "zookeeper", "timer", "fault", "log"
]
MessageEvent = Literal["sent", "delivered", "dropped", "delayed", "duplicated", "lost"]
RowOutcome = Literal["passed", "decided", "not_reached", "off"]

_FromTo = TypedDict("_FromTo", {"from": str, "to": str})


class Change(TypedDict):
    """A change at a path. `before` is missing when the path did not exist, `after` when it no longer exists."""

    path: list[str]
    before: NotRequired[Any]
    after: NotRequired[Any]


class Said(TypedDict):
    """A sentence of the catalogue, with the requirements that were applied."""

    key: str
    params: JsonObject
    rules: list[str]


class DecisionRow(TypedDict):
    """One test of a message by its receiver, with its result (`outcome`)."""

    rule: str
    key: str
    params: JsonObject
    outcome: RowOutcome


class Decision(TypedDict):
    """The tests of a message by its receiver, in order, also those that were not reached or are switched off."""

    by: str
    subject: str
    machine: str
    arrived: JsonObject
    stored: JsonObject | None
    rows: list[DecisionRow]


Compared = tuple[Any, Any]
"""The name of a compared value, and the value."""


class Refusal(TypedDict):
    """A refusal by a receiver."""

    rule: str
    error: str
    compared: list[Compared]
    next: str
    """The catalogue key of the sentence about the next action: that of the sender, or of the node that
    refused."""
    next_params: JsonObject


class Transition(_FromTo):
    """A state machine took a row of its table."""

    machine: str
    of: str
    on: str
    row: int


class MessageFate(TypedDict):
    """An event of a message in this step."""

    id: int
    event: MessageEvent


class Broken(TypedDict):
    """A guarantee that this step broke, possibly not for the first time. `serials`: the records that broke it
    in this step."""

    guarantee: str
    partition: str | None
    serials: list[int]
    transaction: NotRequired[str]
    """The transaction that is not atomic; only for the guarantee `atomic`, like `producer`, which began it."""
    producer: NotRequired[str]
    marker: NotRequired[str]
    """For `atomic`: the marker (COMMIT or ABORT) that covers the records and contradicts the transaction's
    outcome. For `visible_early`: COMMIT, if a COMMIT marker covers the records although no coordinator has
    decided to commit their transaction."""
    reported: NotRequired[bool]
    """Only with `marker` for `atomic`. True: the marker contradicts the outcome that the application learned.
    False: the application has not learned the outcome, and the marker contradicts the coordinator's
    decision."""
    producer_id: NotRequired[int]
    """The producer of the hanging transaction, which begins at `first_offset`; only for the guarantee
    `hanging`."""
    first_offset: NotRequired[int]
    nodes: NotRequired[list[str]]
    """The nodes that broke the guarantee; only for guarantees of two-phase commit over middleware."""


class Step(Said):
    """A step. Numbers start at 1, times are virtual milliseconds."""

    number: int
    at: int
    actor: str
    kind: StepKind
    notes: list[Said]
    """Further sentences of the same step."""
    decision: Decision | None
    refusal: Refusal | None
    messages: list[MessageFate]
    transition: Transition | None
    earlier_transitions: NotRequired[list[Transition]]
    """Transitions of the same step before `transition`, oldest first."""
    interesting: bool
    """Whether a learner should stop here: at a fault, a refusal, a broken guarantee, a transition, or a
    decision that a row before the last one of its table made."""
    broken: list[Broken]
    changes: list[Change]
