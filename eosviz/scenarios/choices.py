"""The library as a map: its scenarios, grouped by the questions that they answer, and filters, which are in
the address. A scenario is shown if one of its runs matches the filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from engine.judge.bench import EVERY_GUARANTEE
from engine.profiles import PROFILES
from engine.scenario.schema import LIBRARY_QUESTIONS
from eosviz.scenarios.cards import Card, Run, Shelved, shelved

LENGTHS = {"short": range(41), "middle": range(41, 101), "long": range(101, 10**9)}
"""Dict of name of a length → the numbers of steps that belong to it."""

_OF_RUN: dict[str, Callable[[Run, str], bool]] = {
    "version": lambda run, wanted: run.has_brokers and run.profile == wanted,
    "breaks": lambda run, wanted: wanted in run.broken,
    "length": lambda run, wanted: run.steps in LENGTHS[wanted],
}
VALUES: dict[str, tuple[str, ...]] = {
    "topic": LIBRARY_QUESTIONS,
    "breaks": EVERY_GUARANTEE,
    "version": tuple(reversed(PROFILES)),
    "length": tuple(LENGTHS),
}
"""Dict of name of a filter in the address → its values, in the order in which the page lists them."""
_WORDS = {
    "topic": "library.topic",
    "version": "library.profile",
    "breaks": "player.guarantee",
    "length": "library.length",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a filter. `count`: the number of scenarios that match this value and the other chosen
    filters. `address`: the library's address with this value chosen or, if it is chosen already, without
    it."""

    value: str
    key: str
    count: int
    chosen: bool
    address: str


@dataclass(frozen=True, slots=True)
class Filter:
    name: str
    options: tuple[Option, ...]
    every: str
    """The library's address without this filter."""
    chosen: Option | None

    @property
    def key(self) -> str:
        return f"library.filter.{self.name}"


@dataclass(frozen=True, slots=True)
class Shown:
    card: Card
    run: Run


PICTURED = 2
"""The number of pictures that the front page shows for each question."""


def _is_filled(ending: Mapping[str, Any]) -> bool:
    """Whether the picture of an ending shows more than an empty log."""
    if "refused_by" in ending or ending["nodes"] or ending.get("table"):
        return True
    return any(lane[part] for lane in ending["lanes"] for part in ("cells", "lost", "failed", "deleted"))


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the map, with the scenarios that are shown for it. `count`: the number of all scenarios
    that answer it."""

    name: str
    shown: tuple[Shown, ...]
    count: int

    @property
    def key(self) -> str:
        return f"library.question.{self.name}"

    @property
    def pictured(self) -> list[Shown]:
        """The first PICTURED scenarios whose pictures show more than an empty log. If there are fewer, others
        are added."""
        filled = [one for one in self.shown if _is_filled(one.run.ending)]
        return [*filled, *(one for one in self.shown if one not in filled)][:PICTURED]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chosen filters. `values`: name of a filter → its value. `unknown`: values that a filter does not
    have, as (catalogue key of the filter, value)."""

    values: Mapping[str, str]
    unknown: tuple[tuple[str, str], ...] = ()

    def run_of(self, shelved: Shelved) -> Run | None:
        """The first of the scenario's runs that matches the filters; None if none does."""
        if self.values.get("topic") not in (None, shelved.card.question):
            return None
        asked = [(test, self.values[name]) for name, test in _OF_RUN.items() if name in self.values]
        return next((run for run in shelved.runs if all(test(run, value) for test, value in asked)), None)

    def but(self, name: str, value: str | None) -> Chosen:
        kept = {one: held for one, held in self.values.items() if one != name}
        return Chosen(kept if value is None else {**kept, name: value})

    @property
    def query(self) -> str:
        return urlencode([(name, self.values[name]) for name in VALUES if name in self.values])


def read(asked: Mapping[str, str]) -> Chosen:
    """The filters that an address contains."""
    given = {name: asked[name] for name in VALUES if asked.get(name)}
    known = {name: value for name, value in given.items() if value in VALUES[name]}
    return Chosen(
        known,
        tuple((f"library.filter.{name}", value[:40]) for name, value in given.items() if name not in known),
    )


CHOSEN_COOKIE = "library"
"""The name of the cookie with the filters that the library showed last, as they are written in its address.
The browser deletes the cookie when it is closed."""


def way_back(request: HttpRequest, identifier: str = "") -> str:
    """The library's address with the filters that it showed last. With `identifier`, it leads to the card of
    this scenario; if they would hide it, the filters are left out."""
    chosen = read(QueryDict(request.COOKIES.get(CHOSEN_COOKIE, "")).dict())
    here = shelved(identifier) if identifier and chosen.values else None
    kept = "" if here is not None and chosen.run_of(here) is None else chosen.query
    query, place = f"?{kept}" if kept else "", f"#{identifier}" if identifier else ""
    return f"{reverse('scenarios:library')}{query}{place}"


def questions(shelf: list[Shelved], chosen: Chosen) -> list[Question]:
    """The questions that have a scenario to show, in the order of the map."""
    found = []
    for name in LIBRARY_QUESTIONS:
        under = [one for one in shelf if one.card.question == name]
        shown = tuple(Shown(one.card, run) for one in under if (run := chosen.run_of(one)) is not None)
        if shown:
            found.append(Question(name, shown, len(under)))
    return found


def filters(shelf: list[Shelved], chosen: Chosen, address: str) -> list[Filter]:
    """The filters, each with its chosen value and the values that some scenario matches. A filter without
    such values is left out."""

    def at(one: Chosen) -> str:
        return f"{address}?{one.query}" if one.query else address

    found = []
    for name, values in VALUES.items():
        options = []
        for value in values:
            held = chosen.values.get(name) == value
            with_it = chosen.but(name, value)
            count = sum(with_it.run_of(one) is not None for one in shelf)
            if count == 0 and not held:
                continue
            leads = chosen.but(name, None) if held else with_it
            options.append(Option(value, f"{_WORDS[name]}.{value}", count, held, at(leads)))
        now = next((option for option in options if option.chosen), None)
        if options:
            found.append(Filter(name, tuple(options), at(chosen.but(name, None)), now))
    return found
