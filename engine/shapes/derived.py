"""Facts that pages draw, derived from a view and its step; docs/frame.md, *Derived*."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from engine.shapes.readers import ReaderLaneView
from engine.shapes.steps import Change, Step


class Disagreement(TypedDict):
    """A producer and the leader that it writes to, or its coordinator, have different values for the
    producer's epoch or sequence numbers."""

    what: Literal["sequence", "epoch", "unknown"]
    """The value that differs: the last acknowledged sequence, the epoch, or, for `unknown`, whether the leader knows
    the producer at all."""
    producer_id: int
    leader: int
    own: int | None
    """The value at the producer."""
    known: int | None
    """The value at the leader or coordinator; null if it has none."""


class ActorTimer(TypedDict):
    """A timer of a role other than a client."""

    actor: str
    kind: str
    subject: str
    since: int | None
    """Virtual ms. Null when the view does not contain the time."""
    until: int


HeldReason = Literal["undecided", "marker", "behind"]
"""Why read_committed consumers do not get records. `undecided`: their transaction is undecided. `marker`: it
is decided, but its marker is not replicated. `behind`: another transaction holds back the last stable offset."""
HeldStretch = tuple[int, int, HeldReason]
"""First offset, last offset (inclusive), and why read_committed consumers do not get the records between
them."""


class Derived(TypedDict):
    """Facts that follow from a view."""

    pending: list[str]
    """The next events, in the order in which they will happen."""
    timers: dict[str, ActorTimer]
    """Dict of `<actor>/<kind> <subject>` → timer."""
    disagreements: dict[str, dict[str, Disagreement]]
    """Dict of client → partition → disagreement. For a partition of the transaction log, it is the
    disagreement with the coordinator."""
    broken: dict[str, dict[str, bool]]
    """Dict of guarantee → the records (serials) that have broken it; empty for a guarantee about no records. Data of
    earlier versions has only three guarantees."""
    held: NotRequired[dict[str, list[HeldStretch]]]
    """Dict of partition → the stretches of its log that read_committed consumers do not get, in the order of the log.
    Absent in data of earlier versions."""
    transaction_version: NotRequired[int]
    """The highest level of ``transaction.version`` in use: the cluster's level, or a higher one that a client
    still uses. Absent in data of earlier versions."""
    fenced: NotRequired[dict[str, int]]
    """Dict of producer id → highest epoch of a fenced client. A client is fenced if a newer client has a
    higher epoch, or if the coordinator has raised the epoch or assigned another producer id and no response
    reports this to the client. The coordinator does so for a newer client that still waits for its id, or to
    abort the transaction. Absent in data of earlier versions."""
    possible: NotRequired[dict[str, ReaderLaneView]]
    """Dict of partition → the view that a read_committed consumer would have of its log. Only in a log case,
    because its files name no consumer. Absent in data of earlier versions."""


Fate = Literal["appended", "duplicate", "refused", "not_stored"]


class ArrivedBatch(TypedDict):
    producer_id: int | str | None
    producer_epoch: int | None
    first_sequence: int | None
    last_sequence: int | None
    """Null in recordings of earlier versions."""


class Arrival(TypedDict):
    """A batch that reached a log."""

    partition: str
    broker: str
    fate: Fate
    at: int | None
    """The base offset of the appended batch. For a duplicate: the base offset of the stored batch with the
    same producer id, epoch and sequence numbers. Null if the batch was refused or not stored."""
    compared: NotRequired[int]
    """For a refused batch: the base offset of the producer's newest batch with the epoch that the broker
    compared. A marker is named only if no batch of records has this epoch."""
    control: NotRequired[str]
    """COMMIT or ABORT of a refused marker."""
    batch: NotRequired[ArrivedBatch]
    """The numbers of a batch that the leader refused before the checks of its log, so that the step has no
    decision about it."""


class Leap(TypedDict):
    """A wait of at least a second of virtual time before a step."""

    ms: int
    ends: NotRequired[str]
    """What ends the wait: the kind of a timer of the step's actor, or `call` if an application makes its next call.
    Absent if this is not known."""


class StepDerived(TypedDict):
    """Facts that follow from a step; empty ones are left out."""

    changes: NotRequired[list[Change]]
    """The changes of the table `derived` in the view."""
    arrivals: NotRequired[list[Arrival]]
    leads: NotRequired[int]
    """The index of a note that is more informative than the step's own sentence; pages show it first."""
    follows: NotRequired[int]
    """The index of a note that completes the step's own sentence; pages show the note after the sentence."""
    by: NotRequired[str]
    """The broker whose action the step's own sentence describes, if it is not the step's actor. For example,
    the leader raises the high watermark at a follower's fetch."""
    leap: NotRequired[Leap]


class SentStep(Step):
    """A step in the form that pages get."""

    derived: NotRequired[StepDerived]
    """Absent in recordings, which hold these facts beside the steps (`FileDerived`)."""


class FileDerived(TypedDict):
    """The derived facts of one branch in a file: the facts of each of its steps, and, if the branch has no
    parent, the facts of its first view."""

    view: NotRequired[Derived]
    steps: list[StepDerived]
