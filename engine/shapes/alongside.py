"""Two runs that are held against each other; docs/player.md, *Comparison*."""

from __future__ import annotations

from typing import TypedDict


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
    crossed: bool
    """Whether both runs make a call or a fault at the same time, but at no common moment, because other events
    stand before it in one run and after it in the other. Then only virtual time shows both beside each other."""
