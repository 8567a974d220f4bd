"""What is derived of a view and of a step for those who draw it; docs/frame.md, *Derived*."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from engine.shapes.steps import Change, Step


class Disagreement(TypedDict):
    """A client and the leader it writes to know different things about one numbering."""

    what: Literal["sequence", "epoch", "unknown"]
    """The last sequence that was acknowledged, the epoch, or whether the leader knows the producer at all."""
    producer_id: int
    leader: int
    own: int | None
    """The client's number."""
    known: int | None
    """The leader's."""


class ActorTimer(TypedDict):
    """A wait of a role that is no client."""

    actor: str
    kind: str
    subject: str
    since: int | None
    """Null where it is kept nowhere."""
    until: int


HeldReason = Literal["undecided", "marker", "behind"]
"""Its own transaction is undecided, or decided and its marker not replicated; another's transaction holds it."""
HeldStretch = tuple[int, int, HeldReason]
"""First offset, last offset, why readers of committed data do not get it."""


class Derived(TypedDict):
    """Facts that follow from a view."""

    pending: list[str]
    """Of what waits, the first in the order in which they will happen."""
    timers: dict[str, ActorTimer]
    """By `<actor>/<kind> <subject>`."""
    disagreements: dict[str, dict[str, Disagreement]]
    """By client and partition."""
    broken: dict[str, dict[str, bool]]
    """By guarantee, the records that have broken it."""
    held: NotRequired[dict[str, list[HeldStretch]]]
    """By partition, in the order of its log; not in what an earlier version kept."""


Fate = Literal["appended", "duplicate", "refused", "not_stored"]


class Arrival(TypedDict):
    """A batch that reached a log."""

    partition: str
    broker: str
    fate: Fate
    at: int | None
    """Base offset of the batch that was appended, or of the stored one with the same numbers."""
    compared: NotRequired[int]
    """Of a refused batch, base offset of the one that its numbers were compared with: the newest of its producer."""
    control: NotRequired[str]
    """COMMIT or ABORT of a marker that was not appended."""


class StepDerived(TypedDict):
    """Facts that follow from a step; what is empty is left out."""

    changes: NotRequired[list[Change]]
    """Of the view's `derived`."""
    arrivals: NotRequired[list[Arrival]]
    leads: NotRequired[int]
    """The note that tells more of the step than its own sentence, counted from 0; it is told first."""


class SentStep(Step):
    """A step as a page is given it."""

    derived: NotRequired[StepDerived]
    """In no recording: told beside it."""


class FileDerived(TypedDict):
    """Of one branch of a file: of its first view, where it has no parent, and of each of its own steps."""

    view: NotRequired[Derived]
    steps: list[StepDerived]
