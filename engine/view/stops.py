"""Finds the beats at which a reader of a run stops (docs/frame.md): each beat of the run, and some beats inside a
beat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.shapes.plans import Beat, Passed

PASSED_MOST = 3
"""Between two stops, a beat names at most this many steps that a reader passes: in a level the heaviest ones of at
least ``beats.PASSED_FROM``, inside a beat the last ones."""


def with_stops(beats: Sequence[Beat]) -> list[Beat]:
    """The beats of the run, with ``stop`` on the beats inside a beat at which a reader stops: those that are ``added``,
    and in the run's last beat all that land at a later step than this beat. At one step a reader stops only once."""
    return [_marked(beat, _stops(beat, place == len(beats) - 1)) for place, beat in enumerate(beats)]


def stops_of(beats: Sequence[Beat]) -> list[Beat]:
    """The beats of a plan at whose steps ``lands`` a reader stops, in order."""
    return [stop for beat in beats for stop in sorted((beat, *_those_marked(beat)), key=_lands)]


def _added_in(beat: Beat) -> Iterator[Beat]:
    """The ``added`` beats inside a beat, and the ``added`` beats inside these."""
    for one in _inside(beat):
        if one.get("added"):
            yield one
            yield from _added_in(one)


def _stops(beat: Beat, is_last: bool) -> dict[int, list[Passed]]:
    """For each beat inside this one at which a reader also stops: its ``id()`` and the steps that the reader passes
    between the stop before and this one."""
    behind = [one for one in _leaves(beat) if one["lands"] > beat["lands"]] if is_last else []
    by_step = {beat["lands"]: beat}
    for one in (*_added_in(beat), *behind):
        by_step.setdefault(one["lands"], one)
    known = {one["step"]: one for one in (*map(_as_passed, _leaves(beat)), *beat.get("passed", ()))}
    found: dict[int, list[Passed]] = {}
    before = 0
    for stop in sorted(by_step):
        if by_step[stop] is not beat:
            passed = [known[step] for step in sorted(known) if before < step < stop]
            found[id(by_step[stop])] = passed[-PASSED_MOST:]
        before = stop
    return found


def _as_passed(beat: Beat) -> Passed:
    return {"step": beat["lands"], "key": beat["key"], "params": beat["params"]}


def _marked(beat: Beat, stops: Mapping[int, list[Passed]]) -> Beat:
    own: Beat = {**beat}
    if own.pop("stop", False):  # An earlier plan marked the beat.
        own.pop("passed", None)
    if id(beat) in stops:
        own["stop"] = True
        if stops[id(beat)]:
            own["passed"] = stops[id(beat)]
    if "beats" in beat:
        own["beats"] = [_marked(part, stops) for part in beat["beats"]]
    return own


def _those_marked(beat: Beat) -> Iterator[Beat]:
    for one in beat.get("beats", ()):
        if one.get("stop"):
            yield one
        yield from _those_marked(one)


def _leaves(beat: Beat) -> Iterator[Beat]:
    for one in _inside(beat):
        yield from _leaves(one) if _inside(one) else (one,)


def _inside(beat: Beat) -> Sequence[Beat]:
    """The beats inside a beat. The even parts of a beat that is too long are no beats of their own."""
    beats = beat.get("beats", [])
    return beats if any(one.get("kind") != "part" for one in beats) else []


def _lands(beat: Beat) -> int:
    return beat["lands"]
