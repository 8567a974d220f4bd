"""Two runs that are held against each other; docs/player.md, *Comparison*."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from engine.shapes.plans import Words


class Rescheduled(TypedDict):
    """A call or a fault that only one of two scenarios schedules, or that both schedule at other times."""

    kind: Literal["call", "fault"]
    who: str
    """The client that is called; what the fault is about: an actor, a partition or an API; or empty."""
    what: str
    """The name of the call or of the fault in a scenario's document."""
    left: list[int | None]
    """The virtual time in ms in the left scenario, null if its message decides the time; empty if that scenario does
    not have it."""
    right: list[int | None]


class Alongside(TypedDict):
    """Which steps of two runs belong together, and what differs."""

    same: int
    """The last step up to which both runs are the same."""
    ends: list[int]
    """How many steps of each run were compared."""
    moments: list[list[int]]
    """Behind the step `same`: the step of each run at each moment. Equal events happen at one moment, and a step
    that only one run has moves that run alone."""
    parts: dict[str, list[int | None]]
    """Actor, partition or transactional id to the step of each run from which on its state differs from that of
    the other run; null for a run in which it does not. What only happens at another time differs in neither."""
    numbers: NotRequired[dict[str, list[int | None]]]
    """The same for the numbers under which it holds what it holds: producer id, epochs, sequence numbers. Absent in
    answers of earlier versions."""
    changes: NotRequired[dict[str, list[list[int]]]]
    """Actor, partition or transactional id to the steps of each run behind the step `same` that changed its state.
    Absent in answers of earlier versions."""
    later: NotRequired[list[str]]
    """Actors, partitions and transactional ids whose state changes at other virtual times in one run than in the
    other, in the order of the first such change. Absent in answers of earlier versions."""
    crossed: bool
    """Whether both runs make a call or a fault at the same time, but at no common moment, because other events
    stand before it in one run and after it in the other. Then only virtual time shows both beside each other."""
    timed: NotRequired[list[int]]
    """The step of each run at the first virtual time at which the state of something differs; it may differ in time
    alone. Absent if there is none."""
    decides: NotRequired[list[int]]
    """The step of each run at which a leader decides otherwise about the same batch, or for another reason: the first
    such batch. Absent if there is none, or if they are runs of two scenarios."""
    verdict: NotRequired[list[Words]]
    """What two runs of one scenario come to, held against each other: their logs, and the leader's decision. Absent if
    they are runs of two scenarios, or do not end within the compared steps."""
    rescheduled: NotRequired[list[Rescheduled]]
    """What two runs of one scenario schedule differently. Absent if they are runs of two scenarios, or cannot be made
    again."""
