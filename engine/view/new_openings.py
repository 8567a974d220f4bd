"""Compares the openings of a changed run with those of the run without the intervention: which are new, which
recur, and to which the intervention led first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import eq
from typing import TypeVar

from engine.shapes.plans import Beat
from engine.view.openers import (
    HEAVY,
    MANY_ROUNDS,
    OUTCOME,
    RARE,
    REQUEST_AGAIN,
    ROUNDS,
    TIMES_OUT,
    TRANSACTION,
)
from engine.view.openings import Opened

Of = TypeVar("Of")
To = TypeVar("To")

EVENTS_MAX = 300
"""The first events of a run are listed, at most this many."""
LAST_WORDS = frozenset({"ends"})
"""The openers of steps in which a transaction of the middleware ends at the node that began it."""
ABOUT = ("client", "transactional_id", "actor", "api", "kind", "group", "consumer", "service", "participant")
"""The parameters by which beats of a changed run are compared with beats of the run without the change. Two beats of
one kind are about the same event if all of these parameters that both beats have are equal."""
RELEASED = {
    "beat.released_commit": "COMMIT", "beat.released_commit_of": "COMMIT", "beat.released_part": "COMMIT",
    "beat.released_abort": "ABORT", "beat.released_abort_of": "ABORT",
}  # fmt: skip
"""Dict of title of a beat → the result of the transactions whose records it releases."""
SAME_KIND = {"commit_late": "commit_known"}
"""Dict of name of an opener → the name of another opener that opens a beat for the same event."""
ROUND_KINDS = frozenset({"round", TRANSACTION.name, MANY_ROUNDS.name, *(one.name for one in ROUNDS.values())})
"""The kinds of beats into which a run of many rounds is divided."""


def with_new(openings: list[Opened], known: Sequence[str], since: int) -> list[Opened]:
    """The openings, each with ``new``: False for openings before the index ``since``, and for events that ``known``
    has, too; True for all others. ``known``: the kinds of the events in the run without the intervention, in order."""
    weighty = [at for at, one in enumerate(openings) if one.at >= since and is_event(one) and not one.by_hand]
    kinds = [_event(openings[at].opener.name) for at in weighty]
    again = {weighty[place] for place in _again(list(map(_event, known)), kinds, eq)}
    return [replace(one, new=one.at >= since and at not in again) for at, one in enumerate(openings)]


def is_event(one: Opened) -> bool:
    return one.opener.weight >= HEAVY or one.opener is REQUEST_AGAIN


def _event(kind: str) -> str:
    return SAME_KIND.get(kind, kind)


def is_added(one: Opened) -> bool:
    """Whether an intervention caused the opening, and the opening is important enough for a beat inside another beat.
    An unusual opening is important enough even if it is not the first of its kind in the run."""
    if not one.new:
        return one.by_hand
    is_heavy = one.weight >= HEAVY or (one.opener.weight >= RARE and not one.opener.later)
    return one.by_hand or is_heavy or one.opener is REQUEST_AGAIN or one.opener.name in LAST_WORDS


def with_consequences(openings: list[Opened]) -> list[Opened]:
    """The openings, with ``consequence`` set to True for the first opening that each intervention caused. If this
    opening is about a request that timed out, ``consequence`` is also set for the next opening that the intervention
    caused, for example the retry."""
    found: list[Opened] = []
    awaited = False
    for one in openings:
        first = awaited and not one.by_hand and is_added(one)
        awaited = one.by_hand or (awaited and (not first or one.opener.name in TIMES_OUT))
        found.append(replace(one, consequence=True) if first else one)
    return found


def with_recurring(past: Sequence[Beat], openings: list[Opened]) -> list[Opened]:
    """The openings, with ``recurs`` set to True for those whose event also has a beat in ``past``, the beats of the
    run without the intervention."""
    if any(beat.get("kind") in ROUND_KINDS for beat in past):
        return openings
    found = _again(past, openings, lambda beat, one: not one.by_hand and _is_again(beat, one))
    return [
        replace(one, recurs=True, weight=max(one.weight, one.opener.weight)) if at in found else one
        for at, one in enumerate(openings)
    ]


def _again(before: Sequence[Of], now: Sequence[To], same: Callable[[Of, To], bool]) -> set[int]:
    """The indices of the items of ``now`` that are the same as items of ``before``. First a longest common sequence of
    the first EVENTS_MAX items of each is matched, and then the remaining items in any order."""
    first, then = before[:EVENTS_MAX], now[:EVENTS_MAX]
    longest = [[0] * (len(then) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(then))):
            in_order = longest[i + 1][j + 1] + 1 if same(first[i], then[j]) else 0
            longest[i][j] = max(in_order, longest[i + 1][j], longest[i][j + 1])
    found: dict[int, int] = {}
    i = j = 0
    while longest[i][j]:
        if same(first[i], then[j]) and longest[i][j] == longest[i + 1][j + 1] + 1:
            found[j] = i
            i, j = i + 1, j + 1
        elif longest[i + 1][j] == longest[i][j]:
            i += 1
        else:
            j += 1
    placed = set(found.values())
    for one in (one for i, one in enumerate(before) if i not in placed):
        again = (at for at, other in enumerate(now) if at not in found and same(one, other))
        if (at := next(again, None)) is not None:
            found[at] = -1
    return set(found)


def _is_again(beat: Beat, one: Opened) -> bool:
    kind = beat.get("kind")
    if kind == OUTCOME.name and one.results:
        return RELEASED.get(beat["key"]) in (*one.results, None)
    if kind not in (one.opener.name, one.opener.unless, SAME_KIND.get(one.opener.name)):
        return False
    params = beat["params"]
    return all(params[name] == one.params[name] for name in ABOUT if name in params and name in one.params)
