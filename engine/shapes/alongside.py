"""The comparison of two runs; docs/player.md, *Comparing*."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from engine.shapes.plans import Words


class Rescheduled(TypedDict):
    """A call or a fault that only one of two scenarios schedules, or that both schedule at other times."""

    kind: Literal["call", "fault"]
    who: str
    """For a call, the client that is called. For a fault, the actor, partition or API that it is about, or
    empty."""
    what: str
    """The name of the call or of the fault in a scenario's document."""
    left: list[int | None]
    """The virtual times in ms in the left scenario; null: the time of a message decides. The list is empty if
    the left scenario does not schedule it."""
    right: list[int | None]


Picture = Literal["logs", "messages", "stage"]


class Alongside(TypedDict):
    """The comparison of two runs: which of their steps belong together, and from which step on their states
    differ."""

    same: int
    """The last step up to which both runs are the same."""
    ends: list[int]
    """The number of steps of each run that were compared."""
    moments: list[list[int]]
    """For each moment after the step `same`: the number of the step at which each run is. The runs make equal
    events at the same moment. While one run makes a step that the other does not have, the other stays at its
    step."""
    parts: dict[str, list[int | None]]
    """Dict of actor, partition or transactional id → for each run, the step from which on its state differs
    from its state in the other run; null: it does not differ. A difference in time alone does not count."""
    numbers: NotRequired[dict[str, list[int | None]]]
    """As `parts`, for differences in producer ids, epochs and sequence numbers, which `parts` does not
    compare. Absent in answers of earlier versions."""
    changes: NotRequired[dict[str, list[list[int]]]]
    """Dict of actor, partition or transactional id → for each run, the steps after the step `same` that
    changed its state. Absent in answers of earlier versions."""
    later: NotRequired[list[str]]
    """Actors, partitions and transactional ids whose state changes at other virtual times in one run than in the
    other, in the order of the first such change. Absent in answers of earlier versions."""
    lasting: NotRequired[list[str]]
    """Actors, partitions and transactional ids whose state at the end of one run differs from that at the end of
    the other. Absent in answers of earlier versions."""
    crossed: bool
    """Whether both runs have a call or a fault at the same virtual time, but at different moments, because
    other events come before it in one run and after it in the other. Then the two stand beside each other
    only if the runs are compared by virtual time."""
    picture: NotRequired[Picture]
    """The picture that shows best how the ends of the two runs differ: the stage, if there are no logs; the logs, if
    stored records or their batches differ, if consumers see other records or see them at other times, or if a leader
    decides differently about a batch; otherwise the messages. Absent in answers of earlier versions."""
    timed: NotRequired[list[int]]
    """The step of each run at the first virtual time at which the state of an actor, partition or
    transactional id differs, even if it differs in time alone. In a run in which no step changes this state
    at that time: the step beside that of the other run, or else its last step at that time. Absent if there is
    no such time."""
    fault: NotRequired[list[int | None]]
    """For each run, the step of the first fault that only this run has; null for the other run. Absent if there is
    no such fault."""
    decides: NotRequired[list[int]]
    """For the first batch about which a leader decides differently, when it arrives for the same time: the step
    of this decision in each run. The leader appends the batch, recognises a duplicate, or refuses the batch
    with an error. Absent if there is no such batch, or if the runs belong to two scenarios."""
    verdict: NotRequired[list[Words]]
    """Sentences that compare the ends of two runs of one scenario: their logs, and the decision of `decides`.
    Absent if the runs belong to two scenarios, or do not end within the compared steps."""
    rescheduled: NotRequired[list[Rescheduled]]
    """The calls and faults that two runs of one scenario schedule differently. Absent if the runs belong to
    two scenarios, or cannot be made again."""
