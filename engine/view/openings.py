"""Finds the openings of a run: the steps that could open a beat, each with its weight."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Any

from engine.topic_partition import is_internal
from engine.view.beat_step import BeatStep, said_in
from engine.view.openers import (
    COMPLETED,
    DECIDE,
    ENDED_BY_CALL,
    GATHERED,
    HANGS,
    IDENTITIES,
    IDENTITY_NAMES,
    LET_GO,
    MARKED,
    NOT_NOW,
    NOTABLE,
    OUTCOME,
    RARE,
    REPEATS,
    RESETS,
    TAKEOVER,
    TIMES_OUT,
    Opener,
)
from engine.view.repeats import ROUNDS_FROM, Repeats, title_params

NESTED_FROM = 80
"""A beat with at least this many steps is long. A beat waits for the step to which it leads only if this step comes
within the next NESTED_FROM steps."""
WITH_A_RESEND = frozenset({"waits_for_earlier", "meanwhile", "sends"})
"""The openers that open no beat at the virtual time at which their client resends a batch."""
LIGHT = 4
"""An opener below this weight opens no beat before the present beat has reached the step to which it leads
(``Opener.lands``)."""
NAMED = 8.5
"""A beat to which the author gave a title weighs at least this much."""
WAITED = 5_000
"""If at least this many virtual ms pass before the step in which a request times out, the timeout explains the jump of
time, and its beat weighs at least ``WAITED_OUT``."""
WAITED_OUT = 8.5
RESENDS = frozenset({"sends_again", "renumbered"})
"""The openers of resends."""
WHOSE = ("client", "transactional_id", "coordinator")
"""A beat and a step are about the same component if these parameters have equal values. A parameter that the step does
not have is ignored."""


@dataclass(slots=True)
class Opened:
    """An opening: a beat whose end is not known yet. ``at``: the index of its first step."""

    at: int
    opener: Opener
    params: dict[str, Any]
    weight: float
    round: int = 0
    """The number of this opening among those with the same opener, from 1; 0: it is not counted."""
    size: int = 0
    """The value of the parameter ``Opener.size``, such as the length of a delay; 0 for openers without one."""
    lead: int = 0
    """The number of steps of the beat before the step that opens it."""
    origin: Opened | None = None
    """For a beat of several rounds: the opening of the first round. For a beat in which records are collected and
    sent: the opening of the collecting."""
    results: frozenset[str] = frozenset()
    """The results of the transactions whose records its step releases to consumers."""
    ends: bool = False
    """Whether the opening shows the outcome of a transaction: its step, or the step of a beat that was merged into
    it, releases the transaction's records to consumers."""
    by_hand: bool = False
    """Whether the step of the opening carries out an intervention."""
    breaks: bool = False
    """Whether the step of the opening, in a run with an intervention, breaks a guarantee."""
    new: bool = False
    """False if the opening is before the intervention, or is an event that the run without the intervention has, too.
    """
    recurs: bool = False
    """Whether the run without the intervention has a beat for the same event."""
    consequence: bool = False
    """Whether the opening is the first consequence of an intervention (``new_openings.py``)."""


def begun(one: Opened, start: int) -> Opened:
    """The opening ``one``, whose beat now begins at the index ``start``. The step that opens it stays the same."""
    return replace(one, at=start, lead=one.lead + one.at - start)


def begun_from(start: int, openings: list[Opened]) -> list[Opened]:
    """The openings, the first of which now has a beat that begins at the index ``start``."""
    return [begun(openings[0], start), *openings[1:]]


def openings_in(
    steps: Sequence[BeatStep], repeats: Repeats, named: Mapping[str, int], by_hand: Collection[int] = ()
) -> list[Opened]:
    """The openings of a run, with their weights. ``named``: as in :class:`Beats`. ``by_hand``: the numbers of the steps
    that carry out interventions."""
    found: list[Opened] = []
    counts: dict[str, int] = {}
    seen: set[str] = set()
    """The names of the openings so far, or since the newest intervention."""
    last: dict[str, Any] = {}
    released: set[str] = set()
    """The partitions whose last stable offset has advanced. The first advance of each partition has the full
    weight."""
    first = {repeat.at: repeat for repeat in repeats.stretches}
    repeated: dict[str, Any] | None = None
    """The parameters of the newest stretch of repeats. Its refusal opens no further beat."""
    for index, step in enumerate(steps):
        if index in first:
            stretch = first[index]
            weight = REPEATS.weight + log2(stretch.rounds / ROUNDS_FROM)
            found.append(Opened(index, REPEATS, title_params(steps, stretch), weight))
        opener = step.opener
        if step.number in by_hand:
            seen.clear()
        if opener is None:
            continue
        if repeats.within[index]:
            repeated = step.opener_params if opener.name == NOT_NOW.name else repeated
            continue
        if opener.name == NOT_NOW.name and step.opener_params == repeated:
            continue
        before = found[-1] if found else None
        data = {name for name, _ in step.released if not is_internal(name)}
        anew = data - released
        if before is not None and before.opener.name == opener.name and before.params == step.opener_params:
            before.ends = before.ends or _is_end(step, opener)
            released |= anew
            continue
        subject = (step.opener_params, step.params.get(opener.subject))
        if opener.once and last.get(opener.name) == subject:
            continue
        if before is not None and _keeps_order(before, opener, steps, index):
            continue
        if before is not None and _stores_again(before, opener, step):
            continue
        if before is not None and (_belongs_to(before, opener) or _at_once(before, opener, steps, index)):
            continue
        if before is not None and _asks_meanwhile(before, opener, steps, index):
            found[-1] = Opened(before.at, IDENTITIES, {}, before.weight)
            continue
        if before is not None and opener.weight < LIGHT and _is_awaited(before, steps, index):
            continue
        if opener.weight >= RESETS:
            last.clear()
        last[opener.name] = subject
        counts[opener.name] = counts.get(opener.name, 0) + 1
        is_first = bool(anew) or (opener.name not in seen and (opener is not OUTCOME or not released))
        released |= anew
        if step.number not in by_hand:
            seen.add(opener.name)
        weight = _weighed(opener, is_first, step, steps[index - 1] if index else step)
        if counts[opener.name] <= named.get(opener.name, 0):
            weight = max(weight, NAMED)
        found.append(_opened(index, opener, step, weight, counts[opener.name], by_hand))
    heaviest = max((one.opener.weight for one in found if one.opener.name not in DECIDE), default=0)
    if heaviest >= RARE:
        return [_amid_unusual(one) if one.opener.amid_unusual else one for one in found]
    if heaviest < NOTABLE and _count(steps, ENDED_BY_CALL) == 1 == _count(steps, COMPLETED):
        return [replace(one, weight=one.opener.single or one.weight) for one in found]
    return found


def _count(steps: Sequence[BeatStep], names: Collection[str]) -> int:
    """The number of steps whose opener is one of ``names``."""
    return sum(step.opener is not None and step.opener.name in names for step in steps)


def _opened(
    index: int, opener: Opener, step: BeatStep, weight: float, count: int, by_hand: Collection[int]
) -> Opened:
    return Opened(
        index,
        opener,
        step.opener_params,
        weight,
        count,
        size=next((said[opener.size] for said in said_in([step], *opener.keys) if opener.size in said), 0),
        results=frozenset(result for name, result in step.released if not is_internal(name)),
        ends=_is_end(step, opener),
        by_hand=step.number in by_hand,
        breaks=bool(by_hand and step.broken),
    )


def _weighed(opener: Opener, is_first: bool, step: BeatStep, previous: BeatStep) -> float:
    """The weight of an opening. ``is_first``: it is the first one of its opener."""
    weight = opener.weight if is_first else opener.later or opener.weight / 2
    if opener.name in TIMES_OUT and step.time - previous.time >= WAITED:
        weight = max(weight, WAITED_OUT)
    return weight + 9 if step.broken else weight


def _is_end(step: BeatStep, opener: Opener) -> bool:
    """Whether a beat of this opener at this step shows the outcome of a transaction."""
    if opener is not OUTCOME and opener.name not in DECIDE:
        return False
    return any(result and not is_internal(partition) for partition, result in step.released)


def _amid_unusual(one: Opened) -> Opened:
    return replace(one, weight=one.weight * one.opener.amid_unusual / one.opener.weight)


def _belongs_to(before: Opened, opener: Opener) -> bool:
    """Whether a step with this opener continues the beat before it and opens none."""
    if opener.name == "identity_given":
        return before.opener.name in IDENTITY_NAMES
    if opener.name == "coordinator_not_reached":
        return before.opener.name == "gives_up_waiting"
    if opener.name == "marker_sent_again":
        return before.opener.name == "markers_resent"
    if opener.name == "readers_wait":
        return before.opener is HANGS
    if opener.name == "tool_aborted":
        return before.opener is LET_GO
    if opener.name == "begins_anew":
        return before.opener.name == "restarts"
    return opener.name == "resumes" and before.opener is TAKEOVER


def _keeps_order(before: Opened, opener: Opener, steps: Sequence[BeatStep], index: int) -> bool:
    """Whether the client holds back or sends other batches at the virtual time at which it resends one."""
    if before.opener.name != "sends_again" or opener.name not in WITH_A_RESEND:
        return False
    return steps[before.at].time == steps[index].time


def _stores_again(before: Opened, opener: Opener, step: BeatStep) -> bool:
    """Whether the marker that the step stores is the one that the beat before it sends again."""
    if before.opener.name != "markers_resent" or opener.name != "markers":
        return False
    return any(said["partition"] in before.params["partitions"] for said in said_in([step], *MARKED))


def _at_once(before: Opened, opener: Opener, steps: Sequence[BeatStep], index: int) -> bool:
    if before.opener is not opener or opener.name not in GATHERED:
        return False
    return all(step.opener is opener for step in steps[before.at : index])


def _asks_meanwhile(before: Opened, opener: Opener, steps: Sequence[BeatStep], index: int) -> bool:
    """Whether a second producer requests its identity before the first one has its own."""
    if not {before.opener.name, opener.name} <= IDENTITY_NAMES:
        return False
    return not any(leads_to(before, step) for step in steps[before.at : index])


def leads_to(beat: Opened, step: BeatStep) -> bool:
    """Whether the beat leads to this step (``Opener.lands``)."""
    if beat.opener.name in RESENDS and beat.params["client"] not in step.resent:
        return False
    return not step.said.isdisjoint(beat.opener.lands) and any(
        key in beat.opener.lands and _is_of_same(beat.params, params) for key, params in step.sentences
    )


def _is_of_same(params: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    return all(said.get(name, params[name]) == params[name] for name in WHOSE if name in params)


def _is_awaited(beat: Opened, steps: Sequence[BeatStep], index: int) -> bool:
    """Whether the beat still waits for the step to which it leads. This step must come within NESTED_FROM steps, and
    before another opening of weight LIGHT or more."""
    if not beat.opener.lands or any(leads_to(beat, step) for step in steps[beat.at + 1 : index]):
        return False
    for step in steps[index : index + NESTED_FROM]:
        if leads_to(beat, step):
            return True
        if step.opener is not None and step.opener.weight >= LIGHT:
            return False
    return False
