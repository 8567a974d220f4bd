"""Facts that pages draw, derived from a view and its step; docs/frame.md, *Derived*."""

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
    """The next events, in the order in which they will happen."""
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
    """For a refused batch: the base offset of the producer's newest batch, with which it was compared."""
    control: NotRequired[str]
    """COMMIT or ABORT of a marker that was not appended."""


class StepDerived(TypedDict):
    """Facts that follow from a step; what is empty is left out."""

    changes: NotRequired[list[Change]]
    """Changes of the view's `derived`."""
    arrivals: NotRequired[list[Arrival]]
    leads: NotRequired[int]
    """The index of the note that says more of the step than its own sentence; pages show it first."""


class SentStep(Step):
    """A step as a page is given it."""

    derived: NotRequired[StepDerived]
    """Absent in recordings; sent beside them."""


class FileDerived(TypedDict):
    """The derived facts of one branch of a file: for its first view, where it has no parent, and for each of its
    own steps."""

    view: NotRequired[Derived]
    steps: list[StepDerived]
