"""Chooses the openings of one level that become beats. The other openings are inside these beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from engine.view.new_openings import is_added
from engine.view.openers import (
    CYCLES,
    DECIDE,
    MANY_ROUNDS,
    RARE,
    ROUNDS,
    TRANSACTION,
)
from engine.view.openings import LIGHT, Opened, begun

MOST = 9
"""A level has at most this many beats."""
CYCLES_FROM = 4
"""A level with at least this many rounds (``CYCLES``) is divided by rounds."""
RARE_MOST = 4
"""A level that is divided by rounds has at most this many other beats of weight RARE or more."""
WEIGHED_MOST = 300
"""On each level, at most this many openings are compared, the heaviest ones. The others are left to the levels inside
its beats."""
ENOUGH = 6
"""While a level has more beats than this, beats that cost less than LIGHT to merge are merged."""
FEW = 3
"""On a level with at most this many beats, records that are collected and then sent stay two beats."""
VERY_SHORT = 9
"""A level with at most this many steps gets fewer beats than other levels."""
LENGTH_COUNTS = 0.6
LAST_COUNTS = 1.0
LAST_FROM = 2
"""``LENGTH_COUNTS``: in the cost of merging a beat into the one before it, the exponent of the merged beat's length,
which is in ninths of the level. ``LAST_COUNTS``: the exponent for the last beat if it weighs at least ``LAST_FROM``,
because a reader stops at no later beat."""
FATE = 8.6
"""A beat that shows the outcome of a transaction weighs at least this much, unless the beat before it can hold it
and say the outcome in its title (``DECIDE``)."""
MATTERS = 200
CHANGES = 400
BREAKS = 2_000
"""The amounts that are added to the cost of merging a beat of a changed run. MATTERS: the run without the intervention
also has the beat, or the intervention led to it. CHANGES: the beat is an intervention or its first consequence.
BREAKS: the beat breaks a guarantee. Each amount outweighs all other costs."""


def chosen_of(openings: list[Opened], end: int, most: int, lengths: Sequence[int]) -> list[Opened]:
    """The openings of one level, up to index ``end`` (exclusive), that become beats: rounds, or the openings that are
    left when the cheapest ones (``_loss``) are merged. ``lengths``: as in :class:`Repeats`."""
    steps = lengths[end] - lengths[openings[0].at]
    recurring = sum(stays(one) > 0 for one in openings)
    most = min(most, max(2, recurring, 2 + steps // (3 if steps > VERY_SHORT else 4)))
    rounds = None if recurring else _rounds(openings, most)
    if rounds is not None:
        return rounds
    chosen = _weightiest(openings)
    while len(chosen) > 1:
        # Equal neighbours are merged first, because that drops no other opening.
        losses = [
            0.0 if _is_same(before, one) else _loss(chosen, index, end, lengths)
            for index, (before, one) in enumerate(pairwise(chosen), 1)
        ]
        least = min(losses)
        if least > 0 and len(chosen) <= most and (len(chosen) <= ENOUGH or least >= LIGHT):
            break
        place = losses.index(least) + 1
        if chosen[place].ends and _can_hold_end(chosen[place - 1]):
            chosen[place - 1] = replace(chosen[place - 1], ends=True)
        if _is_larger(chosen[place], chosen[place - 1]):
            weight = max(chosen[place].weight, chosen[place - 1].weight)
            chosen[place - 1] = replace(begun(chosen[place], chosen[place - 1].at), weight=weight)
        del chosen[place]
    return with_what_was_collected(chosen)


def with_what_was_collected(chosen: list[Opened]) -> list[Opened]:
    """If a beat collects records and the next one sends them, merge the two, as long as there are more than
    FEW beats."""
    merged = list(chosen)
    for place in range(len(merged) - 2, -1, -1):
        first, then = merged[place], merged[place + 1]
        if len(merged) <= FEW or first.opener.name != "collects" or then.opener.name != "sends":
            continue
        if first.params == then.params:
            lead = then.lead + then.at - first.at
            merged[place : place + 2] = [replace(then, at=first.at, lead=lead, origin=first)]
    return merged


def _weightiest(openings: list[Opened]) -> list[Opened]:
    """The first opening and the heaviest others, at most WEIGHED_MOST, because comparing more takes too long."""
    if len(openings) <= WEIGHED_MOST:
        return list(openings)
    heaviest = sorted(openings[1:], key=lambda one: -one.weight)[: WEIGHED_MOST - 1]
    return [openings[0], *sorted(heaviest, key=lambda one: one.at)]


def _is_same(before: Opened, one: Opened) -> bool:
    """Whether one beat can hold two neighbours, because they have the same opener and parameters."""
    same = before.opener is one.opener and before.params == one.params
    return same and not (before.ends and one.ends) and not stays(one)


def _is_larger(one: Opened, before: Opened) -> bool:
    """Whether a beat that merges the two is about the later opening, ``one``, because both have the same opener and
    it is larger."""
    is_alike = (one.by_hand, one.recurs, one.breaks) == (before.by_hand, before.recurs, before.breaks)
    return is_alike and one.opener is before.opener and one.size > before.size


def _can_hold_end(before: Opened) -> bool:
    return before.opener.name in {*DECIDE, "markers_resent"} and not before.ends


def _loss(chosen: list[Opened], index: int, end: int, lengths: Sequence[int]) -> float:
    """The cost of merging the beat at ``index`` into the previous one."""
    stop = chosen[index + 1].at if index + 1 < len(chosen) else end
    merged = lengths[stop] - lengths[chosen[index - 1].at]
    share = merged / (lengths[end] - lengths[chosen[0].at]) * MOST
    weight = chosen[index].weight
    is_last = index + 1 == len(chosen) and weight >= LAST_FROM
    longer: float = share ** (LAST_COUNTS if is_last else LENGTH_COUNTS)
    if chosen[index].ends and not _can_hold_end(chosen[index - 1]):
        weight = max(weight, FATE)
    return weight * max(1.0, longer) + stays(chosen[index])


def stays(one: Opened) -> float:
    """The amount that is added to the cost of merging an opening in a changed run; 0 if none is."""
    if one.breaks:
        return BREAKS
    if one.by_hand or one.consequence:
        return CHANGES
    return MATTERS if one.recurs or is_added(one) else 0


def _rounds(openings: list[Opened], most: int) -> list[Opened] | None:
    """The openings of rounds, each for one round or several, and the heavier openings between them; None if the run
    has no rounds that a level could show."""
    names = {one.opener.name for one in openings}
    name = next((name for name in CYCLES if name in names), None)
    cycles = [one for one in openings if one.opener.name == name]
    unusual = sum(one.opener.weight >= RARE for one in openings)
    if len(cycles) < CYCLES_FROM or unusual >= len(cycles):
        return None
    rare = sorted((one for one in openings if one.weight >= RARE), key=lambda one: -one.weight)[:RARE_MOST]
    intro = [openings[0]] if openings[0] is not cycles[0] else []
    fixed = {one.at: one for one in (*intro, *rare)}
    at_once = -(-len(cycles) // max(1, most - len(fixed)))
    chosen = list(fixed.values())
    for first in range(0, len(cycles), at_once):
        # Rounds after a heavier opening belong to its beat.
        stop = min((at for at in fixed if at > cycles[first].at), default=cycles[-1].at + 1)
        chosen.append(_group([one for one in cycles[first : first + at_once] if one.at < stop]))
    return sorted(chosen, key=lambda one: one.at)


def _group(group: list[Opened]) -> Opened:
    """The opening of one beat for one round or several."""
    if len(group) == 1 and group[0].opener.name != "round":
        return replace(group[0], opener=TRANSACTION, params={"first": group[0].round})
    if len(group) == 1:
        return group[0]
    first, last = (one.params.get("round", one.round) for one in (group[0], group[-1]))
    if last > first:
        return Opened(
            group[0].at, ROUNDS[group[0].opener.name], {"first": first, "last": last}, 0, origin=group[0]
        )
    return Opened(group[0].at, MANY_ROUNDS, {"count": len(group)}, 0, origin=group[0])
