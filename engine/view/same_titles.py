"""Tells beats of one level apart that have the same title: each gets what it alone is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.explain.sentences import sentence
from engine.shapes.plans import Beat, Words
from engine.view.although import words
from engine.view.beat_step import BeatStep, said_in
from engine.view.openers import DECIDE
from engine.view.stops import added_in

BEGINS = "client.begin_transaction"
OF_TRANSACTIONS = frozenset({*DECIDE, "begins", "registered", "outcome_shows", "commit_late"})
"""The kinds of beats that are about one transaction."""
_NAMES = ("partition", "client", "transactional_id", "consumer")
"""What a beat may be about, in the order in which it is named."""


def set_apart(before: Sequence[Beat], beats: Sequence[Beat], steps: Sequence[BeatStep]) -> list[Beat]:
    """The beats; ``apart`` says what distinguishes one from another beat with its title, if anything does. So do their
    parts at which a reader stops. ``before``: earlier beats of the level, which stay as they are. ``steps``: all steps
    of the run."""
    alike: dict[str, list[Beat]] = {}
    for beat in (*before, *_stops(beats)):
        alike.setdefault(sentence(beat["key"], beat["params"]), []).append(beat)
    found: dict[int, Words] = {}
    for same in alike.values():
        if len(same) > 1:
            found.update(_distinctions(same, steps))

    def shown(beat: Beat) -> Beat:
        own: Beat = {**beat, "apart": found[id(beat)]} if id(beat) in found else beat
        return {**own, "beats": list(map(shown, beat["beats"]))} if "beats" in beat else own

    return list(map(shown, beats))


def _stops(beats: Sequence[Beat]) -> Iterator[Beat]:
    for beat in beats:
        yield beat
        yield from added_in(beat)


def _distinctions(same: Sequence[Beat], steps: Sequence[BeatStep]) -> Iterator[tuple[int, Words]]:
    for name in _NAMES:
        values = [_about(beat, name, steps) for beat in same]
        if None not in values and len(set(values)) == len(same):
            for beat, value in zip(same, values, strict=True):
                yield id(beat), words("clause.which_name", name=value)
            return
    if any(beat["kind"] not in OF_TRANSACTIONS for beat in same):
        return
    numbers = [_transaction(beat, steps) for beat in same]
    if len({*numbers, 0}) > len(same):
        for beat, number in zip(same, numbers, strict=True):
            yield id(beat), words("clause.which_transaction", number=number)


def _lands(beat: Beat, steps: Sequence[BeatStep]) -> BeatStep:
    return steps[beat["lands"] - steps[0].number]


def _about(beat: Beat, name: str, steps: Sequence[BeatStep]) -> str | None:
    """The only thing of this kind that the step is about in which the beat lands; None if there is none, or several."""
    values = _named(_lands(beat, steps), name)
    return str(values.pop()) if len(values) == 1 else None


def _transaction(beat: Beat, steps: Sequence[BeatStep]) -> int:
    """How many transactions have begun by then, of the producer or the transactional id that the beat is about."""
    step = _lands(beat, steps)
    of = _named(step, "client") or _clients(_named(step, "transactional_id"), steps)
    done = steps[: step.number - steps[0].number + 1]
    return sum(not of or said["client"] in of for said in said_in(done, BEGINS))


def _named(step: BeatStep, name: str) -> set[Any]:
    return {params[name] for _, params in step.sentences if params.get(name) is not None}


def _clients(ids: set[Any], steps: Sequence[BeatStep]) -> set[Any]:
    known: Iterator[Mapping[str, Any]] = said_in(steps, "client.init_transactions")
    return {said["client"] for said in known if said["transactional_id"] in ids}
