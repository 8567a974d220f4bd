"""Distinguishes the beats of a run that have the same title. A clause names an object, such as a partition, that is a
different one for each of these beats; without such an object, it names the step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from engine.explain.sentences import sentence
from engine.shapes.plans import Beat, Words
from engine.view.although import words
from engine.view.beat_step import BeatStep, said_in
from engine.view.openers import DECIDE

BEGINS = "client.begin_transaction"
OF_TRANSACTIONS = frozenset({*DECIDE, "begins", "registered", "outcome_shows", "commit_late"})
"""The kinds of beats that are about one transaction."""


class _Run:
    """The steps of a run, and the facts about all of them that clauses need."""

    def __init__(self, steps: Sequence[BeatStep]) -> None:
        self._steps = steps

    def step(self, number: int) -> BeatStep:
        return self._steps[number - self._steps[0].number]

    @cached_property
    def begun(self) -> Mapping[Any, Sequence[int]]:
        """Dict of client → the numbers of the steps in which it begins a transaction."""
        found: dict[Any, list[int]] = {}
        for step in self._steps:
            for said in said_in([step], BEGINS):
                found.setdefault(said["client"], []).append(step.number)
        return found

    @cached_property
    def ids(self) -> Mapping[Any, Any]:
        """Dict of client → its transactional id."""
        known = said_in(self._steps, "client.init_transactions")
        return {said["client"]: said["transactional_id"] for said in known}


About = Callable[[Beat, BeatStep, _Run], Any]
"""A function that returns the object of one kind that a beat is about in the step in which it lands; None if it is
about no such object, or about several."""


def set_apart(beats: Sequence[Beat], steps: Sequence[BeatStep], until: int = 0) -> list[Beat]:
    """The beats of a run. A beat, or a beat inside it, that shares its title with others gets the clause ``apart``,
    which distinguishes it from them. ``steps``: all steps of the run. A beat that lands at most at step ``until``
    stays as it is."""
    alike: dict[str, dict[int, Beat]] = {}
    for beat in _read(beats):
        # A beat and a beat inside it that land in the same step are one stop for the reader.
        alike.setdefault(_title(beat), {}).setdefault(beat["lands"], beat)
    run = _Run(steps)
    found: dict[tuple[str, int], Words] = {}
    for title, same in alike.items():
        for beat, apart in _distinctions(list(same.values()), run):
            found[title, beat["lands"]] = apart

    def shown(beat: Beat) -> Beat:
        apart = found.get((_title(beat), beat["lands"]))
        own: Beat = beat if apart is None or beat["lands"] <= until else {**beat, "apart": apart}
        return {**own, "beats": list(map(shown, beat["beats"]))} if "beats" in beat else own

    return list(map(shown, beats))


def _read(beats: Sequence[Beat]) -> Iterator[Beat]:
    for beat in beats:
        yield beat
        yield from _read(beat.get("beats", ()))


def _title(beat: Beat) -> str:
    return str(beat["title"]) if "title" in beat else sentence(beat["key"], beat["params"])


def _distinctions(same: Sequence[Beat], run: _Run) -> Iterator[tuple[Beat, Words]]:
    """(beat, its clause) for each of the beats ``same``, which have the same title; nothing for a single beat."""
    if len(same) == 1:
        return
    landings = [run.step(beat["lands"]) for beat in same]
    for key, name, about in _ABOUT:
        values = [about(beat, step, run) for beat, step in zip(same, landings, strict=True)]
        if None not in values and len(set(map(str, values))) == len(same):
            yield from ((beat, words(key, **{name: value})) for beat, value in zip(same, values, strict=True))
            return


def _only(name: str) -> About:
    """A function that returns the only object of the kind ``name`` that a step is about; None if there is none, or if
    there are several."""

    def about(_: Beat, step: BeatStep, __: _Run) -> Any:
        values = _named(step, name)
        return str(values.pop()) if len(values) == 1 else None

    return about


def _records(_: Beat, step: BeatStep, __: _Run) -> list[str] | None:
    """The names of the records of the only batch that the step is about."""
    batch = step.params.get("batches")
    return batch["params"].get("records") if isinstance(batch, Mapping) else step.params.get("batch")


def _transaction(beat: Beat, step: BeatStep, run: _Run) -> int | None:
    """The number of transactions that the producer or the transactional id of the step has begun by this step. None if
    the beat is not about one transaction."""
    if beat["kind"] not in OF_TRANSACTIONS:
        return None
    ids = _named(step, "transactional_id")
    of = _named(step, "client") or {client for client, owned in run.ids.items() if owned in ids}
    own = (numbers for client, numbers in run.begun.items() if not of or client in of)
    return sum(bisect_right(numbers, step.number) for numbers in own) or None


def _named(step: BeatStep, name: str) -> set[Any]:
    return {params[name] for _, params in step.sentences if params.get(name) is not None}


_ABOUT: Sequence[tuple[str, str, About]] = (
    *(
        ("clause.which_name", "name", _only(name))
        for name in ("partition", "client", "transactional_id", "consumer")
    ),
    ("clause.which_transaction", "number", _transaction),
    ("clause.which_records", "records", _records),
    ("clause.which_sequence", "first", _only("first_sequence")),
    ("clause.which_step", "step", lambda _, step, __: step.number),
)
"""The kinds of objects that distinguish beats: (key of the clause, its parameter, the function that finds the object).
The first kind is used whose object differs for all beats of the title."""
